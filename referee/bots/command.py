"""How a bot is started and confined: plain data that can be sent to other machines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Confinement:
    """Made by a rung of the sandbox, carried out by launcher/confine.py."""

    drops_root: bool
    """Run the bot as a user who exists nowhere else."""
    memory: int
    """Bytes that all its processes may hold together; watched while it runs."""
    processes: int
    files: int
    file_size: int
    scratch: int
    network: bool
    filters_calls: bool
    """Whether system calls are filtered."""
    write: tuple[str, ...] = ()
    """Folders that it may write to besides its scratch."""
    wrapper: tuple[str, ...] = ()
    """Bubblewrap and its arguments; without it the rest is done in the bot's own process."""
    inside: tuple[str, ...] = ()
    """What bubblewrap runs before the bot's command."""
    reports: bool = False
    """Whether bubblewrap can tell if it ran its command."""
    scratch_in: str = ""
    """Where the launcher makes a folder for the scratch, if the wrapper makes none."""
    private_root: bool = False
    """Whether it sees a root folder that holds only what it may read or write."""
    reads_closed: bool = False
    """Whether it may read what is closed to its user; only where it sees nothing else."""
    landlock: bool = False
    read: tuple[str, ...] = ()
    """All it may read, if the kernel is to see to that."""


HUMAN = "human"
"""The command of a person, for whom nothing is started."""


@dataclass(frozen=True)
class Command:
    """How a bot is started."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """All its variables in a cage; without one, those it has besides ours."""
    confinement: Confinement | None = None

    @property
    def is_human(self) -> bool:
        """Whether a person is meant, and not a program."""
        return self.arguments == (HUMAN,)
