"""Verdicts: what is proven about a position. Pure values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Value(StrEnum):
    """The result of perfect play, for one player."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    UNPROVED = "unproved"

    @property
    def reversed(self) -> "Value":
        """The value of the same position for the opponent."""
        return _REVERSED.get(self, self)


_REVERSED = {Value.WON: Value.LOST, Value.LOST: Value.WON}


class Proof(NamedTuple):
    """A value for the player to move, and the length of the game where the method gives it."""

    value: Value
    plies: int | None = None
    """The winner wins within this number of plies, whatever the loser does."""


UNPROVED = Proof(Value.UNPROVED)
_LONG = 1_000
"""A length for games whose length is unknown."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The values of a position and of each legal move, for the player to move."""

    proof: Proof
    moves: Mapping[str, Proof]
    """For each legal move, in the order of the rules, the value that the mover has after it. Its
    plies are counted from this position."""
    nodes: int
    """Positions visited."""

    @property
    def value(self) -> Value:
        """The value of the position for the player to move."""
        return self.proof.value

    @property
    def keeping(self) -> list[str]:
        """The moves that are proven to keep the value; none if it is unproved."""
        return [] if self.value is Value.UNPROVED else self._moves_of_value(self.value)

    @property
    def winning(self) -> list[str]:
        """The moves that are proven to win."""
        return self._moves_of_value(Value.WON)

    @property
    def unproved(self) -> list[str]:
        """The moves about which nothing is proven."""
        return self._moves_of_value(Value.UNPROVED)

    def best_move(self) -> str:
        """Return the move of best play: the shortest win, or the longest defence.

        Without known lengths, it is the first of the moves that keep the value.
        """
        candidates = self.keeping or self.unproved or list(self.moves)
        sign = -1 if self.value is Value.LOST else 1
        return min(candidates, key=lambda move: sign * (self.moves[move].plies or _LONG))

    def _moves_of_value(self, value: Value) -> list[str]:
        return [move for move, proof in self.moves.items() if proof.value is value]


def combine(moves: Mapping[str, Proof]) -> Proof:
    """Combine the values of all legal moves to that of the position."""
    by_value: dict[Value, list[Proof]] = {}
    for proof in moves.values():
        by_value.setdefault(proof.value, []).append(proof)
    if Value.WON in by_value:
        lengths = _known_lengths(by_value[Value.WON])
        return Proof(Value.WON, min(lengths, default=None))
    for value in (Value.UNPROVED, Value.DRAWN):
        if value in by_value:
            return Proof(value)
    lengths = _known_lengths(moves.values())
    return Proof(Value.LOST, max(lengths) if len(lengths) == len(moves) else None)


def _known_lengths(proofs: Iterable[Proof]) -> list[int]:
    return [proof.plies for proof in proofs if proof.plies is not None]
