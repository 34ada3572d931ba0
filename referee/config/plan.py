"""Plain data of a tournament, before and after its bots are prepared."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from referee.bots.command import Command
from referee.game.config import GameConfig, PlaySettings
from referee.protocol.time_control import TimeControl
from referee.rules import Rules, find_variant
from referee.sandbox.limits import ResourceLimits
from referee.schedule.fixtures import Board


@dataclass(frozen=True)
class PreparedBot:
    """A bot that can be started: command, time control and hash."""

    name: str
    command: Command
    time: TimeControl
    hash: str


@dataclass(frozen=True)
class BoardPlan:
    """A board, and where the rules of its variant are found."""

    board: Board
    source: str
    """Argument of `find_variant`: the variant's name, or the path of its file."""

    @cached_property
    def rules(self) -> Rules[Any]:
        """The rules on this board."""
        return find_variant(self.source).on(self.board.size)

    def __reduce__(self) -> tuple[type["BoardPlan"], tuple[Board, str]]:
        """Pickle without the rules: those of a variant from a file cannot be pickled."""
        return BoardPlan, (self.board, self.source)


@dataclass(frozen=True)
class Plan:
    """Everything that workers need to play, except the fixtures."""

    bots: dict[str, PreparedBot]
    boards: dict[str, BoardPlan]
    play: PlaySettings
    settings: str
    """Hash of the settings that records must share to be comparable."""
    sandbox: str
    host: str = field(default_factory=socket.gethostname)
    """Host name of the machine that plays."""
    live_folder: Path | None = None
    """The folder of the results, if servers on this machine may watch the games."""

    def game_config(self, board: str, bots: tuple[str, str]) -> GameConfig:
        """Return the configuration of games between two bots on a board."""
        first, second = bots
        found = self.boards[board]
        return GameConfig(
            variant=found.board.variant,
            size=found.board.size,
            rules=found.rules,
            times=(self.bots[first].time, self.bots[second].time),
            play=self.play,
        )


@dataclass(frozen=True)
class BotSpec:
    """A bot of a tournament before it is prepared: files, command, build, clock and limits."""

    name: str
    command: Command
    """The command as it is written, with paths relative to a copy of the files."""
    hash: str
    """Hash of the files."""
    files: tuple[tuple[Path, str], ...] = ()
    """The path of each file on this machine, and its name in a copy."""
    build: str | Sequence[str] | None = None
    time: TimeControl = field(default_factory=TimeControl)
    limits: ResourceLimits = field(default_factory=ResourceLimits)


@dataclass(frozen=True)
class PortablePlan:
    """Everything but the fixtures; independent of the machine."""

    bots: tuple[BotSpec, ...]
    """The bots without their files, which are copied or sent by their hash."""
    boards: dict[str, BoardPlan]
    play: PlaySettings
    settings: str
    """Hash of the settings that records must share to be comparable."""
