"""Phases of the protocol, from the point of view of one bot. Pure."""

from enum import Enum


class Phase(Enum):
    """The request that a bot has to answer; the value describes the expected answer."""

    IDLE = "nothing"
    GAME = "`ready` (or `decline why…`)"
    TURN = "`move M` (or `resign`)"


IDLE, GAME, TURN = Phase
"""The members as names of this module, for the path of every game: before Python 3.12 `Phase.TURN`
is a call of a Python function, and a game has a dozen of them."""
