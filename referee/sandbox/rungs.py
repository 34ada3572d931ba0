"""Rungs of isolation: each turns a command into a confined one."""

import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from referee.bots.command import Command, Confinement
from referee.errors import InputError
from referee.launcher import landlock, seccomp
from referee.sandbox.bubblewrap import wrap
from referee.sandbox.dependencies import (
    SYSTEM,
    find_dependencies,
    settings_of_machine,
    visible_path,
)
from referee.sandbox.limits import ResourceLimits

BWRAP, LIMITS, NONE = "bwrap", "limits", "none"
FOR_BOTS = Path(__file__).parents[1] / "for_bots"
"""Folder with `referee.kit`, for bots whose Python does not have this package."""
PRIVATE_ROOT = "private root"
"""Flag of `limits` where mounts are allowed: a bot sees nothing that it may not read."""


@dataclass(frozen=True)
class Rung:
    """A way to isolate bots that works on this machine."""

    name: str
    flags: frozenset[str] = frozenset()
    """The optional flags that bubblewrap supports; or `PRIVATE_ROOT`."""
    notes: tuple[str, ...] = ()
    """Protection that it does not give here, one sentence each."""

    def confine(
        self,
        command: Command,
        limits: ResourceLimits,
        folders: Sequence[Path],
        write: Sequence[Path] = (),
    ) -> Command:
        """Return the same command, confined to these folders and to what it needs to run.

        InputError if this machine lacks a path that the bot may read.
        """
        if self.name == NONE:
            return replace(command, environment=_with_kit(command.environment, os.environ))
        missing = [path for path in limits.read if not Path(path).exists()]
        if missing:
            raise InputError(f"sandbox_read: there is no {missing[0]}")
        shown = [*folders, *(Path(path) for path in limits.read)]
        found = find_dependencies(command.arguments, command.folder, shown)
        read = _without_nested([*shown, *found.read, FOR_BOTS])
        environment = {
            "PATH": visible_path(found.programs, read),
            "LANG": "C.UTF-8",
            **found.environment,
            **_with_kit(command.environment, {}),
        }
        confinement = Confinement(
            drops_root=os.geteuid() == 0,
            memory=limits.memory,
            processes=limits.processes,
            files=limits.files,
            scratch=limits.scratch,
            file_size=limits.scratch,
            network=limits.network,
            write=tuple(map(str, write)),
            filters_calls=seccomp.is_offered(),
        )
        if os.geteuid() == 0:
            confinement = self._for_another_user(confinement, found.arguments, command.folder, read)
        if self.name == BWRAP:
            environment = {"HOME": "/tmp", "TMPDIR": "/tmp", **environment}
            confinement = wrap(confinement, command.folder, read, self.flags)
        else:
            system = [*SYSTEM, *settings_of_machine(limits.network), "/proc"]
            confinement = replace(
                confinement,
                scratch_in=tempfile.gettempdir(),
                private_root=PRIVATE_ROOT in self.flags,
                landlock=landlock.version() > 0,
                read=(*system, *map(str, read)),
            )
        return replace(
            command, arguments=found.arguments, environment=environment, confinement=confinement
        )

    def _for_another_user(
        self, confinement: Confinement, arguments: Sequence[str], folder: Path, read: Sequence[Path]
    ) -> Confinement:
        """Allow a bot that root starts as another user to read what is closed to that user."""
        program = folder / arguments[0]
        if is_executable_for_owner_alone(program):
            raise InputError(
                f"bots do not run as root, and {program} is executable for its owner alone:"
                f" chmod o+x {shlex.quote(str(program))}"
            )
        hides_the_rest = self.name == BWRAP or PRIVATE_ROOT in self.flags
        paths = read if hides_the_rest else [*read, *map(Path, confinement.write)]
        closed = [path for path in paths if not is_open(path, hides_the_rest)]
        if hides_the_rest or landlock.version():
            return replace(confinement, reads_closed=bool(closed))
        missed = [path for path in closed if path != FOR_BOTS]  # few bots need the kit
        if missed:
            raise InputError(
                f"bots do not run as root, and only root may reach {missed[0]}: showing it to bots"
                " takes mount namespaces or Landlock, and this system allows neither"
                " (put it into a folder that all users may enter)"
            )
        return confinement


def _with_kit(variables: Mapping[str, str], inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a bot, with the kit appended to its PYTHONPATH."""
    named = variables.get("PYTHONPATH", inherited.get("PYTHONPATH", ""))
    return {**variables, "PYTHONPATH": os.pathsep.join(filter(None, [named, str(FOR_BOTS)]))}


def _without_nested(paths: Sequence[Path]) -> list[Path]:
    """Return the paths that exist and do not lie below another of them."""
    existing = dict.fromkeys(path for path in paths if path.exists())
    return [path for path in existing if not any(other in path.parents for other in existing)]


def is_open(path: Path, alone: bool) -> bool:
    """Return whether all users may read a path.

    `alone`: ignore the folders above it, because the bot sees the path in a root of its own.
    """
    needed = 0o5 if path.is_dir() else 0o4
    if path.stat().st_mode & needed != needed:
        return False
    return alone or all(folder.stat().st_mode & 0o1 for folder in path.resolve().parents)


def is_executable_for_owner_alone(program: Path) -> bool:
    """Return whether only the owner may run a program."""
    return program.is_file() and program.stat().st_mode & 0o101 == 0o100
