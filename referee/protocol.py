"""The bot protocol, version 1: messages and lines, which answer is allowed when, and the limits.

No I/O: bytes in, lines and answers out. The caller owns pipes and time.
"""

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from referee.clock import TimeControl
from referee.faults import BotFault
from referee.outcome import Reason, Seat
from referee.visible import visible

VERSION = 1
LONGEST_LINE = 64 * 1024
"""Bytes of one line of a bot's, the line end not counted."""
MOST_IN_A_TURN = 1024 * 1024
"""Bytes that a bot may send in one turn, `info` lines included."""


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


class Game(NamedTuple):
    """Asks a bot to be ready for a game."""

    id: str
    variant: str
    rows: int
    cols: int
    origin: int
    seat: Seat
    seed: int
    time: TimeControl

    def line(self) -> str:
        id, variant, rows, cols, origin, seat, seed, time = self
        return game_line(id, seed, game_parts(variant, rows, cols, origin, seat, time))[:-1]


def game_line(id: str, seed: int, parts: tuple[str, str]) -> str:
    """The line of a `Game` with its end: like those below, made without an object in a game."""
    board, clock = parts
    return f"game protocol={VERSION} id={id} {board} seed={seed}{clock}\n"


def game_parts(
    variant: str, rows: int, cols: int, origin: int, seat: Seat, time: TimeControl
) -> tuple[str, str]:
    """What all lines of a seat have in common: before and after the seed."""
    clock = ""
    if time.main_ms is not None:
        clock = f" time_ms={time.main_ms} inc_ms={time.increment_ms}"
    elif time.move_ms is not None:
        clock = f" move_ms={time.move_ms}"
    return f"variant={variant} rows={rows} cols={cols} origin={origin} seat={seat}", clock


class Turn(NamedTuple):
    """Asks a bot for a move."""

    ply: int
    time_ms: int
    opponent_ms: int
    moves: str
    """The moves so far, joined by `;`."""
    board: str
    legal: Sequence[str]
    retry: int = 0
    """Attempts left after an illegal move; 0 at the first asking."""

    def line(self) -> str:
        return turn_line(*self[:5], ";".join(self.legal), self.retry)[:-1]


def turn_line(
    ply: int,
    time_ms: int,
    opponent_ms: int,
    moves: str,
    board: str,
    legal: str,
    retry: int = 0,
) -> str:
    """The line of a `Turn` with its end, the legal moves joined by `;`."""
    again = f" retry={retry}" if retry else ""
    return (
        f"turn ply={ply} time_ms={time_ms} opp_ms={opponent_ms}{again}"
        f" moves={moves or '-'} board={board} legal={legal}\n"
    )


class End(NamedTuple):
    """Tells a bot how the game ended for it."""

    result: str
    reason: str
    moves: str

    def line(self) -> str:
        return end_line(*self)[:-1]


def end_line(result: str, reason: str, moves: str) -> str:
    """The line of an `End` with its end."""
    return f"end result={result} reason={reason} moves={moves or '-'}\n"


QUIT = "quit"


class Answer(NamedTuple):
    """A line of a bot's: its verb, and the text behind it."""

    verb: str
    text: str


_READY = Answer("ready", "")


def read_message(line: str) -> tuple[str, dict[str, str]]:
    """A line of the referee's as a bot sees it: the verb and the fields."""
    verb, *fields = line.split()
    return verb, dict(field.split("=", 1) for field in fields)


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
    quoted = visible(line)
    if phase is Phase.IDLE:
        return BotFault(Reason.PROTOCOL, f"spoke out of turn: '{quoted}'", sent=line)
    detail = f"sent '{quoted}' where {phase.value} was expected"
    return BotFault(Reason.PROTOCOL, detail, sent=line)


class LineBuffer:
    """Keeps what a bot sent until it is asked for, within the limits, and cuts it into lines.

    Taking in is cheap whatever is sent, so that a flood from one bot costs the other no time.
    """

    __slots__ = ("_pending", "_start", "is_filled", "received")

    def __init__(self) -> None:
        self._pending = b""
        self._start = 0
        self.is_filled = False
        """Whether anything has come that was not cut off as a line yet."""
        self.received = 0
        """Bytes since the last `new_turn`."""

    @property
    def rest(self) -> bytes:
        """What has come and was not cut off as a line yet."""
        return self._pending[self._start :]

    def new_turn(self) -> None:
        """Count from here what the bot sends in one turn."""
        self.received = 0

    def feed(self, chunk: bytes) -> None:
        """Take in what came; BotFault if it is too much for one turn."""
        self.received += len(chunk)
        rest = self._pending[self._start :]
        self._pending = rest + chunk if rest else chunk
        self._start = 0
        self.is_filled = bool(self._pending)
        if self.received > MOST_IN_A_TURN:
            raise BotFault(Reason.PROTOCOL, f"sent more than {MOST_IN_A_TURN:,} bytes in one turn")

    def next_line(self) -> bytes | None:
        """The next complete line without its end, if there is one; BotFault if it is too long."""
        if not self.is_filled:
            return None
        start, pending = self._start, self._pending
        end = pending.find(b"\n", start)
        line = pending[start : None if end < 0 else end]
        # Without its end, a line may still be about to end in \r\n.
        if len(line) > LONGEST_LINE and len(line) > LONGEST_LINE + line.endswith(b"\r"):
            detail = f"sent a line of more than {LONGEST_LINE:,} bytes"
            raise BotFault(Reason.PROTOCOL, detail, sent=line[:80])
        if end < 0:
            return None
        self._start = end + 1
        self.is_filled = self._start < len(pending)
        return line[:-1] if line.endswith(b"\r") else line
