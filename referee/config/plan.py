"""A tournament as plain data: before and after its bots were prepared."""

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from referee.bots.command import HUMAN, Command
from referee.game.config import GameConfig
from referee.protocol.time_control import TimeControl
from referee.rules import Rules, find_variant
from referee.rules.grid import Size
from referee.sandbox.limits import ResourceLimits


@dataclass(frozen=True)
class PreparedBot:
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

    bots: dict[str, PreparedBot]
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

    def terms(self, board: str, bots: tuple[str, str]) -> GameConfig:
        """How these two play on a board."""
        first, second = bots
        found = self.boards[board]
        return GameConfig(
            variant=found.variant,
            size=found.size,
            rules=found.rules,
            times=(self.bots[first].time, self.bots[second].time),
            attempts=self.attempts,
            startup_ms=(self.startup_ms, self.startup_ms),
            fresh=self.fresh,
            freeze=self.freeze,
        )


@dataclass(frozen=True)
class BotSpec:
    """A bot: what its files are called together, and what is done with them."""

    name: str
    words: tuple[str, ...]
    """The command, as it is to be given in a copy of the files."""
    hash: str
    """The fingerprint of the files."""
    time: TimeControl
    limits: ResourceLimits
    build: str | Sequence[str] | None
    environment: Mapping[str, str]

    @property
    def is_human(self) -> bool:
        return self.words == (HUMAN,)


@dataclass(frozen=True)
class PortablePlan:
    """Everything but the fixtures and the bots' files."""

    bots: tuple[BotSpec, ...]
    boards: dict[str, BoardPlan]
    attempts: int
    startup_ms: int
    fresh: bool
    freeze: bool
    pin: bool
    settings: str
    """The fingerprint of what makes records comparable."""
