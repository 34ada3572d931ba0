"""How a bot is started: plain data, which may travel to other machines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from referee.cage import Cage

HUMAN = "human"
"""The command of a person, for whom nothing is started."""


@dataclass(frozen=True)
class Command:
    """How a bot is started."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """All its variables in a cage; without one, those it has besides ours."""
    cage: Cage | None = None

    @property
    def is_human(self) -> bool:
        """Whether a person is meant, and not a program."""
        return self.arguments == (HUMAN,)
