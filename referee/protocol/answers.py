"""Lines that a bot sends: which are allowed when, and their parser. Pure."""

from functools import lru_cache
from typing import NamedTuple

from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.phase import GAME, IDLE, TURN, Phase
from referee.text import printable

ANSWERS: dict[Phase, frozenset[str]] = {
    IDLE: frozenset(),
    GAME: frozenset({"ready", "decline"}),
    TURN: frozenset({"move", "resign"}),
}
"""The verbs allowed in each phase; each of them leads back to IDLE. `info` is always allowed."""
_VERBS_WITHOUT_TEXT = frozenset({"ready", "resign"})
_VERBS_WITH_TEXT = frozenset({"move"})


class Answer(NamedTuple):
    """A parsed line of a bot: its verb, and the text after it."""

    verb: str
    text: str


_READY = Answer("ready", "")


def read_answer(line: bytes, phase: Phase) -> Answer:
    """Parse a line of a bot; raise BotFault if it is not allowed in this phase."""
    if line == b"ready" and phase is GAME:
        return _READY  # the answer to every `game` line: no need to build an object
    if is_info(line):
        return Answer("info", line[5:].decode("utf-8", "backslashreplace"))
    verb_bytes, space, text_bytes = line.partition(b" ")
    verb = verb_bytes.decode("ascii", "replace")
    allowed = verb in ANSWERS[phase]
    if (space and verb in _VERBS_WITHOUT_TEXT) or (not space and verb in _VERBS_WITH_TEXT):
        allowed = False
    if not allowed:
        raise unexpected_line(line, phase)
    return Answer(verb, text_bytes.decode("ascii", "backslashreplace"))


@lru_cache(maxsize=1024)
def read_move(chunk: bytes) -> str | None:
    """Return the move if a chunk is exactly one line `move M`, as nearly every answer is.

    Cached: a tournament has few different answers.
    """
    if not chunk.startswith(b"move ") or chunk.find(b"\n") != len(chunk) - 1 or b"\r" in chunk:
        return None
    return chunk[5:-1].decode("ascii", "backslashreplace")


def is_listed(move: str, legal_text: str) -> bool:
    """Check whether a move is one of the legal moves, which are joined by `;`.

    A search in the text needs no list of the moves; a move with a `;` would match several.
    """
    return f";{move};" in f";{legal_text};" and ";" not in move


def is_info(line: bytes, partial: bool = False) -> bool:
    """Check for an `info` line or, if `partial`, the beginning of what may become one."""
    return line.startswith(b"info ") or line == b"info" or (partial and b"info ".startswith(line))


def unexpected_line(line: bytes, phase: Phase) -> BotFault:
    """Create the fault for a line that is not allowed in this phase."""
    return BotFault(FaultKind.UNEXPECTED_LINE, phase=phase, cause=printable(line), sent=line)
