"""Settings of one game: variant, clocks, opening, players."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from referee.protocol import messages
from referee.protocol.time_control import TimeControl
from referee.rules import Rules, Size

STARTUP_MS = 10_000
"""How long a new process may take to be ready."""


@dataclass(frozen=True)
class GameConfig:
    """The same for all games of two bots on a board, seat by seat."""

    variant: str
    size: Size
    rules: Rules[Any]
    times: tuple[TimeControl, TimeControl]
    attempts: int = 1
    """Answers per turn before an illegal move loses."""
    startup_ms: tuple[int, int] = (STARTUP_MS, STARTUP_MS)
    fresh: bool = False
    """Start a new process for every game even if there is one."""
    freeze: bool = False
    """Stop a bot's processes while the other one is thinking."""

    @cached_property
    def game_line_parts(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """What each seat is told of it, see `protocol.game_line`."""
        (rows, cols), (one, two), origin = self.size, self.times, self.rules.origin
        return (
            messages.game_parts(self.variant, rows, cols, origin, 1, one),
            messages.game_parts(self.variant, rows, cols, origin, 2, two),
        )


class GameSetup(NamedTuple):
    """Everything a game is decided by, but for the bots."""

    id: str
    terms: GameConfig
    opening: tuple[str, ...] = ()
    seed: int = 1
