"""Lines that are sent to a bot: `game`, `turn`, `end` and `quit`. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from referee.outcome import Seat
from referee.protocol.time_control import TimeControl

VERSION = 1


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


def read_message(line: str) -> tuple[str, dict[str, str]]:
    """A line of the referee's as a bot sees it: the verb and the fields."""
    verb, *fields = line.split()
    return verb, dict(field.split("=", 1) for field in fields)
