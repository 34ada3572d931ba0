"""Command and confinement of a bot: plain data that can be sent to other machines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Confinement:
    """The restrictions of a bot: computed by sandbox/rungs.py, applied by launcher/confine.py."""

    drops_root: bool
    """Run the bot as a user id that no account and no other bot has."""
    memory: int
    """Bytes that all its processes may hold together; checked while it runs."""
    processes: int
    files: int
    file_size: int
    scratch: int
    network: bool
    filters_calls: bool
    """Whether system calls are filtered."""
    write: tuple[str, ...] = ()
    """Folders that it may write to besides its scratch folder."""
    wrapper: tuple[str, ...] = ()
    """Bubblewrap and its arguments; if empty, the bot's own process applies the restrictions."""
    inside: tuple[str, ...] = ()
    """The command that bubblewrap runs and that executes the bot's command."""
    reports: bool = False
    """Whether bubblewrap can report that it ran its command."""
    scratch_in: str = ""
    """Where the launcher creates the scratch folder, if the wrapper does not."""
    private_root: bool = False
    """Whether its root folder contains only what it may read or write."""
    reads_closed: bool = False
    """Whether it may read files that are closed to its user; only where it sees no others."""
    landlock: bool = False
    read: tuple[str, ...] = ()
    """All paths it may read, for a private root and for Landlock."""


HUMAN = "human"
"""The command of a person, for whom no process is started."""


@dataclass(frozen=True)
class Command:
    """The program of a bot with its arguments, folder, environment and confinement."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """With a confinement, all its variables; without one, those added to ours."""
    confinement: Confinement | None = None

    @property
    def is_human(self) -> bool:
        """Whether a person plays, and not a program."""
        return self.arguments == (HUMAN,)
