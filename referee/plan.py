"""A tournament made ready: plain data that a worker needs to play any fixture of it."""

import socket
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from referee.clock import TimeControl
from referee.command import Command
from referee.grid import Size
from referee.rules import Rules, find_variant
from referee.terms import Terms


@dataclass(frozen=True)
class BotPlan:
    """How one bot is started, and its time."""

    name: str
    command: Command
    time: TimeControl
    hash: str


@dataclass(frozen=True)
class BoardPlan:
    """Where one variant's rules come from, and the size."""

    variant: str
    """Its name."""
    source: str
    """What finds it: its name, or the path of its file."""
    size: Size

    @cached_property
    def rules(self) -> Rules[Any]:
        return find_variant(self.source).on(self.size)

    def __reduce__(self) -> tuple[type["BoardPlan"], tuple[str, str, Size]]:
        """The rules do not travel: those of a variant's own file could not."""
        return BoardPlan, (self.variant, self.source, self.size)


@dataclass(frozen=True)
class Plan:
    """Everything but the fixtures."""

    bots: dict[str, BotPlan]
    boards: dict[str, BoardPlan]
    attempts: int
    startup_ms: int
    fresh: bool
    freeze: bool
    """Stop the bot whose turn it is not."""
    pin: bool
    settings: str
    """The fingerprint of what makes records comparable."""
    sandbox: str
    host: str = field(default_factory=socket.gethostname)
    """Where it is played."""

    def terms(self, board: str, bots: tuple[str, str]) -> Terms:
        """How these two play on a board."""
        first, second = bots
        found = self.boards[board]
        return Terms(
            variant=found.variant,
            size=found.size,
            rules=found.rules,
            times=(self.bots[first].time, self.bots[second].time),
            attempts=self.attempts,
            startup_ms=(self.startup_ms, self.startup_ms),
            fresh=self.fresh,
            freeze=self.freeze,
        )
