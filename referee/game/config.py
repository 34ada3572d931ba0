"""Settings of one game: variant, clocks, opening, seed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from referee.outcome import Seat
from referee.protocol import messages
from referee.protocol.time_control import TimeControl
from referee.rules import Rules, Size

STARTUP_MS = 10_000
"""How long a new process may take until `ready`, by default."""


@dataclass(frozen=True)
class PlaySettings:
    """Settings of play that are common to all bots and boards."""

    attempts: int = 1
    """Answers per turn before an illegal move loses."""
    startup_ms: int = STARTUP_MS
    """Limit for a new process to be ready."""
    fresh_process: bool = False
    """Start a new process for every game."""
    suspend_opponent: bool = False
    """Stop the processes of the bot that is not to move."""
    pin_cores: bool = False
    """Keep a worker and its bots on one core."""


@dataclass(frozen=True)
class GameConfig:
    """The settings that all games of two bots on one board have in common."""

    variant: str
    size: Size
    rules: Rules[Any]
    times: tuple[TimeControl, TimeControl]
    play: PlaySettings = PlaySettings()

    def startup_limit_ms(self, seat: Seat) -> int:
        """Return the limit for a new process in this seat to be ready."""
        return self.play.startup_ms

    @cached_property
    def game_line_parts(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """For each seat, the constant parts of its `game` lines, see `messages.game_parts`."""
        (rows, cols), (first, second), origin = self.size, self.times, self.rules.origin
        return (
            messages.game_parts(self.variant, rows, cols, origin, 1, first),
            messages.game_parts(self.variant, rows, cols, origin, 2, second),
        )


class GameSetup(NamedTuple):
    """The settings of one game: everything that determines it except the bots."""

    id: str
    config: GameConfig
    opening: tuple[str, ...] = ()
    seed: int = 1
