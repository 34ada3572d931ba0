"""Settings of one game: variant, clocks, opening, seed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from referee.protocol import messages
from referee.protocol.time_control import TimeControl
from referee.rules import Rules, Size

STARTUP_MS = 10_000
"""How long a new process may take until `ready`, by default."""


@dataclass(frozen=True)
class GameConfig:
    """The settings that all games of two bots on one board have in common."""

    variant: str
    size: Size
    rules: Rules[Any]
    times: tuple[TimeControl, TimeControl]
    attempts: int = 1
    """The number of answers per turn; the last one loses if it is illegal."""
    startup_ms: tuple[int, int] = (STARTUP_MS, STARTUP_MS)
    """How long a new process of each seat may take until `ready`."""
    fresh: bool = False
    """Whether every game gets a new process."""
    freeze: bool = False
    """Whether the processes of a bot are stopped while its opponent is to move."""

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
    terms: GameConfig
    opening: tuple[str, ...] = ()
    seed: int = 1
