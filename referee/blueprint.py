"""What a tournament is made of before any machine has made it ready: plain data that travels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.clock import TimeControl
from referee.command import HUMAN
from referee.plan import BoardPlan
from referee.sandbox import Limits


@dataclass(frozen=True)
class BotPart:
    """A bot: what its files are called together, and what is done with them."""

    name: str
    words: tuple[str, ...]
    """The command, as it is to be given in a copy of the files."""
    hash: str
    """The fingerprint of the files."""
    time: TimeControl
    limits: Limits
    build: str | Sequence[str] | None
    environment: Mapping[str, str]

    @property
    def is_human(self) -> bool:
        return self.words == (HUMAN,)


@dataclass(frozen=True)
class Blueprint:
    """Everything but the fixtures and the bots' files."""

    bots: tuple[BotPart, ...]
    boards: dict[str, BoardPlan]
    attempts: int
    startup_ms: int
    fresh: bool
    freeze: bool
    pin: bool
    settings: str
    """The fingerprint of what makes records comparable."""
