"""Lines that a bot sends: which are allowed when, and how they are parsed. Pure."""

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from referee.outcome import Reason
from referee.protocol.faults import BotFault
from referee.text import printable


class Phase(Enum):
    """What a bot was asked last, and so what it may say."""

    IDLE = "nothing"
    GAME = "`ready` (or `decline why…`)"
    TURN = "`move M` (or `resign`)"


ANSWERS: dict[Phase, frozenset[str]] = {
    Phase.IDLE: frozenset(),
    Phase.GAME: frozenset({"ready", "decline"}),
    Phase.TURN: frozenset({"move", "resign"}),
}
"""Which answers are allowed when; each of them leads back to IDLE. `info` is allowed always."""
_WITHOUT_TEXT = frozenset({"ready", "resign"})
_WITH_TEXT = frozenset({"move"})


class Answer(NamedTuple):
    """A line of a bot's: its verb, and the text behind it."""

    verb: str
    text: str


_READY = Answer("ready", "")


def read_answer(line: bytes, phase: Phase) -> Answer:
    """A line of a bot's; BotFault if it may not say that now."""
    if line == b"ready" and phase is Phase.GAME:
        return _READY  # twice in every game
    if is_info(line):
        return Answer("info", line[5:].decode("utf-8", "backslashreplace"))
    verb_bytes, space, text_bytes = line.partition(b" ")
    verb = verb_bytes.decode("ascii", "replace")
    allowed = verb in ANSWERS[phase]
    if (space and verb in _WITHOUT_TEXT) or (not space and verb in _WITH_TEXT):
        allowed = False
    if not allowed:
        raise unexpected_line(line, phase)
    return Answer(verb, text_bytes.decode("ascii", "backslashreplace"))


@lru_cache(maxsize=1024)
def read_move(chunk: bytes) -> str | None:
    """The move, if what a bot sent is one whole line `move M`, as nearly every answer is.

    There are few different answers in a tournament, so most of them are looked up.
    """
    if not chunk.startswith(b"move ") or chunk.find(b"\n") != len(chunk) - 1 or b"\r" in chunk:
        return None
    return chunk[5:-1].decode("ascii", "backslashreplace")


def is_info(line: bytes, partial: bool = False) -> bool:
    """Whether this is an `info` line, or the beginning of what may become one."""
    return line.startswith(b"info ") or line == b"info" or (partial and b"info ".startswith(line))


def unexpected_line(line: bytes, phase: Phase) -> BotFault:
    """The fault of a bot that said something else than it was asked for."""
    quoted = printable(line)
    if phase is Phase.IDLE:
        return BotFault(Reason.PROTOCOL, f"spoke out of turn: '{quoted}'", sent=line)
    detail = f"sent '{quoted}' where {phase.value} was expected"
    return BotFault(Reason.PROTOCOL, detail, sent=line)
