"""Lines that are sent to a bot: `game`, `turn`, `end` and `quit`. Pure.

Each message is a NamedTuple with a `line`, for tools and tests. The game loop calls the functions
`game_line`, `turn_line` and `end_line` instead, which need no object per message.
"""

from collections.abc import Sequence
from typing import NamedTuple

from referee.outcome import Seat
from referee.protocol.time_control import TimeControl

VERSION = 1


class Game(NamedTuple):
    """A request to get ready for a game."""

    id: str
    variant: str
    rows: int
    cols: int
    origin: int
    seat: Seat
    seed: int
    time: TimeControl

    def line(self) -> str:
        """Format the message without its line end."""
        game_id, variant, rows, cols, origin, seat, seed, time = self
        return game_line(game_id, seed, game_parts(variant, rows, cols, origin, seat, time))[:-1]


def game_line(game_id: str, seed: int, parts: tuple[str, str]) -> str:
    """Format a `game` line with its end; `parts` are the result of `game_parts`."""
    board, clock = parts
    return f"game protocol={VERSION} id={game_id} {board} seed={seed}{clock}\n"


def game_parts(
    variant: str, rows: int, cols: int, origin: int, seat: Seat, time: TimeControl
) -> tuple[str, str]:
    """Format the fields before and after the seed, the same in all games of a seat."""
    clock = ""
    if time.main_ms is not None:
        clock = f" time_ms={time.main_ms} inc_ms={time.increment_ms}"
    elif time.move_ms is not None:
        clock = f" move_ms={time.move_ms}"
    return f"variant={variant} rows={rows} cols={cols} origin={origin} seat={seat}", clock


class Turn(NamedTuple):
    """A request for a move."""

    ply: int
    time_ms: int
    opponent_ms: int
    moves: str
    """The moves so far, joined by `;`."""
    board: str
    legal: Sequence[str]
    retry: int = 0
    """Attempts left after an illegal move; 0 in the first request of a turn."""

    def line(self) -> str:
        """Format the message without its line end."""
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
    """Format a `turn` line with its end; `legal` are the moves joined by `;`."""
    retry_field = f" retry={retry}" if retry else ""
    return (
        f"turn ply={ply} time_ms={time_ms} opp_ms={opponent_ms}{retry_field}"
        f" moves={moves or '-'} board={board} legal={legal}\n"
    )


class End(NamedTuple):
    """The result of a game, from the point of view of the bot."""

    result: str
    reason: str
    moves: str
    """All moves of the game, joined by `;`."""

    def line(self) -> str:
        """Format the message without its line end."""
        return end_line(*self)[:-1]


def end_line(result: str, reason: str, moves: str) -> str:
    """Format an `end` line with its end."""
    return f"end result={result} reason={reason} moves={moves or '-'}\n"


QUIT = "quit"


def read_message(line: str) -> tuple[str, dict[str, str]]:
    """Parse a line of the referee into its verb and its fields, as a bot does."""
    verb, *fields = line.split()
    return verb, dict(field.split("=", 1) for field in fields)
