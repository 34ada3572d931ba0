"""Keeps bots apart from the machine and from each other: the rungs, and which of them work here.

A rung turns a command into one that runs in a cage. The cage is plain data; the launcher carries it
out (see launcher/confine.py). What a command needs to see of the machine is found in installed.py.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from referee.bot import Launcher
from referee.cage import Cage
from referee.command import Command
from referee.errand import Underway
from referee.errors import InputError, OutsideError
from referee.installed import SYSTEM, is_below, needs_of, settings_of_machine, visible_path
from referee.launcher import landlock, seccomp
from referee.launcher.confine import INNER_USER

BWRAP, LIMITS, NONE = "bwrap", "limits", "none"
AUTO = "auto"
CHOICES = (AUTO, BWRAP, LIMITS, NONE)
MIB = 2**20
SHARED_MEMORY = 8 * MIB
"""Where threads of several processes meet (/dev/shm): Python's multiprocessing needs a little."""
TRY_SECONDS = 10.0
FOR_BOTS = Path(__file__).parent / "for_bots"
"""`referee.kit`, for bots whose Python does not have this package."""
_OPTIONAL = {
    "--disable-userns": "bots can make user namespaces of their own",
    "--size": "the scratch folder has no limit of its own",
    "--perms": "the scratch folder belongs to the first user alone",
    "--seccomp": "system calls are not filtered",
    "--unshare-cgroup-try": "bots see the control groups of the machine",
    "--json-status-fd": "a failure of bubblewrap looks like a failure of the bot",
}
"""What old versions lack, and what that means."""
PRIVATE_ROOT = "private root"
"""What `limits` offers where mounts are allowed: a bot sees nothing that it may not read."""


@dataclass(frozen=True)
class Limits:
    """What a bot may take, in bytes where it is no number of things."""

    memory: int = 1024 * MIB
    processes: int = 96
    files: int = 256
    scratch: int = 64 * MIB
    network: bool = False
    read: tuple[str, ...] = ()
    """Further paths that it may read."""


@dataclass(frozen=True)
class Rung:
    """A way to isolate bots that works on this machine."""

    name: str
    flags: frozenset[str] = frozenset()
    """Of the optional ones of bubblewrap, those it has; or `PRIVATE_ROOT`."""
    notes: tuple[str, ...] = ()
    """What it does not do here, a sentence each."""

    def confine(
        self, command: Command, limits: Limits, folders: Sequence[Path], write: Sequence[Path] = ()
    ) -> Command:
        """The same command in a cage that shows it these folders and what it needs to run."""
        if self.name == NONE:
            return replace(command, environment=_with_kit(command.environment, os.environ))
        shown = [*folders, *(Path(path) for path in limits.read)]
        needs = needs_of(command.arguments, command.folder, shown)
        read = _distinct([*shown, *needs.read, FOR_BOTS])
        environment = {
            "PATH": visible_path(needs.programs, read),
            "LANG": "C.UTF-8",
            **needs.environment,
            **_with_kit(command.environment, {}),
        }
        cage = Cage(
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
            cage = self._for_another_user(cage, needs.arguments, command.folder, read)
        if self.name == BWRAP:
            environment = {"HOME": "/tmp", "TMPDIR": "/tmp", **environment}
            cage = self._wrapped(cage, command.folder, read)
        else:
            system = [*SYSTEM, *settings_of_machine(limits.network), "/proc"]
            cage = replace(
                cage,
                scratch_in=tempfile.gettempdir(),
                private_root=PRIVATE_ROOT in self.flags,
                landlock=landlock.version() > 0,
                read=(*system, *map(str, read)),
            )
        return replace(command, arguments=needs.arguments, environment=environment, cage=cage)

    def _for_another_user(
        self, cage: Cage, arguments: Sequence[str], folder: Path, read: Sequence[Path]
    ) -> Cage:
        """Let a bot of root, which runs as a user of its own, read what is closed to that user."""
        program = folder / arguments[0]
        if is_executable_for_owner_alone(program):
            raise InputError(
                f"bots do not run as root, and {program} is executable for its owner alone:"
                f" chmod o+x {shlex.quote(str(program))}"
            )
        hides_the_rest = self.name == BWRAP or PRIVATE_ROOT in self.flags
        ways = read if hides_the_rest else [*read, *map(Path, cage.write)]
        closed = [path for path in ways if not is_open(path, hides_the_rest)]
        if hides_the_rest or landlock.version():
            return replace(cage, reads_closed=bool(closed))
        missed = [path for path in closed if path != FOR_BOTS]  # few bots need the kit
        if missed:
            raise InputError(
                f"bots do not run as root, and only root may reach {missed[0]}: showing it to bots"
                " takes mount namespaces or Landlock, and this system allows neither"
                " (put it into a folder that all users may enter)"
            )
        return cage

    def _wrapped(self, cage: Cage, folder: Path, read: Sequence[Path]) -> Cage:
        """A cage made by bubblewrap."""
        program = shutil.which("bwrap")
        assert program is not None
        root = cage.drops_root
        words = [program, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "bot"]
        words += [] if cage.network else ["--unshare-net"]
        words += self._if_there("--unshare-cgroup-try")
        words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        if root:
            # Bubblewrap itself runs as root in a namespace where only the bot's user is left
            # besides; it sees what root sees, and the bot becomes that user before it runs.
            reading = ["CAP_DAC_READ_SEARCH"] if cage.reads_closed else []
            for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", *reading):
                words += ["--cap-add", capability]
        else:
            words += ["--unshare-user", *self._if_there("--disable-userns")]
        words += _system(self, cage.network)
        words += ["--proc", "/proc", "--dev", "/dev"]
        # It reads the same, but cannot be mapped: such memory would count for no process.
        words += ["--dev-bind", "/dev/full", "/dev/zero"]
        words += self._tmpfs("/dev/shm", SHARED_MEMORY) + self._tmpfs("/tmp", cage.scratch)
        words += self.ways_to([*read, *map(Path, cage.write)])
        for path in read:
            words += ["--ro-bind", str(path), str(path)]
        for text in cage.write:
            words += ["--bind", text, text]
        words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(folder)]
        inside = _as_inner_user(cage.reads_closed) if root else ()
        filters = cage.filters_calls and "--seccomp" in self.flags
        return replace(
            cage,
            wrapper=tuple(words),
            inside=inside,
            filters_calls=filters,
            reports="--json-status-fd" in self.flags,
        )

    def ways_to(self, paths: Iterable[Path]) -> list[str]:
        """Arguments for the folders above these, which others than root must be able to pass."""
        folders = {folder for path in paths for folder in path.parents} - {Path("/"), Path("/tmp")}
        words: list[str] = []
        for folder in sorted(folders):
            if not is_below(folder, SYSTEM):
                words += [*self._perms("0755"), "--dir", str(folder)]
        return words

    def _perms(self, mode: str) -> list[str]:
        return ["--perms", mode] if "--perms" in self.flags else []

    def _tmpfs(self, path: str, size: int) -> list[str]:
        words = ["--size", str(size)] if "--size" in self.flags else []
        return [*words, *self._perms("1777"), "--tmpfs", path]

    def _if_there(self, flag: str) -> list[str]:
        return [flag] if flag in self.flags else []


def _as_inner_user(reads_closed: bool) -> tuple[str, ...]:
    program = shutil.which("setpriv")
    assert program is not None
    user = str(INNER_USER)
    words = [program, "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs"]
    kept = ",+dac_read_search" if reads_closed else ""
    kinds = ("--inh-caps", "--bounding-set", *(["--ambient-caps"] if kept else []))
    return (*words, *(f"{kind}=-all{kept}" for kind in kinds), "--")


def _with_kit(variables: Mapping[str, str], inherited: Mapping[str, str]) -> dict[str, str]:
    """The variables of a bot, with the kit behind what its PYTHONPATH names already."""
    named = variables.get("PYTHONPATH", inherited.get("PYTHONPATH", ""))
    return {**variables, "PYTHONPATH": os.pathsep.join(filter(None, [named, str(FOR_BOTS)]))}


@cache
def _system(rung: Rung, network: bool) -> list[str]:
    """Arguments that show the system and its settings: the same for all bots."""
    paths = (*SYSTEM, *settings_of_machine(network))
    words = rung.ways_to(map(Path, paths))
    for path in paths:
        if Path(path).is_symlink():
            words += ["--symlink", str(Path(path).readlink()), path]
        elif Path(path).exists():
            words += ["--ro-bind", path, path]
    return words


def _distinct(paths: Sequence[Path]) -> list[Path]:
    """Without what lies below another of them, or is not there."""
    there = dict.fromkeys(path for path in paths if path.exists())
    return [path for path in there if not any(other in path.parents for other in there)]


def is_open(path: Path, alone: bool) -> bool:
    """Whether all users may read a path; `alone`: whoever may enter the folders above it."""
    needed = 0o5 if path.is_dir() else 0o4
    if path.stat().st_mode & needed != needed:
        return False
    return alone or all(folder.stat().st_mode & 0o1 for folder in path.resolve().parents)


def is_executable_for_owner_alone(program: Path) -> bool:
    """Whether only the owner may run a program."""
    return program.is_file() and program.stat().st_mode & 0o101 == 0o100


def choose_rung(wanted: str, launcher: Launcher | None = None) -> Rung:
    """The rung asked for, or the strongest that works; InputError if that one does not.

    A launcher that is there already saves the time of starting one to try the rungs.
    """
    if wanted == NONE:
        return Rung(NONE)
    if wanted != AUTO:
        found = try_rung(wanted, launcher)
        if isinstance(found, str):
            raise InputError(
                f"sandbox: {wanted} is not possible here: {found} (`referee doctor` says more)"
            )
        return found
    reasons: list[tuple[str, str]] = []
    for name in (BWRAP, LIMITS):
        found = try_rung(name, launcher)
        if not isinstance(found, str):
            notes = tuple(f"no {other}: {why}" for other, why in reasons)
            return replace(found, notes=(*notes, *found.notes))
        reasons.append((name, found))
    raise InputError(
        "bots cannot be isolated here: "
        + "; ".join(f"{name}: {why}" for name, why in reasons)
        + " (--sandbox none runs them with all your rights)"
    )


@cache
def try_rung(name: str, launcher: Launcher | None = None) -> Rung | str:
    """The rung if it really works on this machine, found by running it; otherwise why not."""
    if launcher is None:
        with Launcher() as launcher:
            return Trial(name, launcher).result
    return begin_trial(name, launcher).result


@cache
def begin_trial(name: str, launcher: Launcher) -> "Trial":
    """Let a rung be tried while we do something else; `try_rung` waits for what came of it."""
    return Trial(name, launcher)


class Trial:
    """A program that is run in a cage of some rung, to see whether it does."""

    def __init__(self, name: str, launcher: Launcher) -> None:
        self._launcher = launcher
        self._candidates = [_bubblewrap()] if name == BWRAP else _plain_limits()
        self._underway = self._begin(self._candidates[0])

    def _begin(self, rung: Rung | str) -> Underway | str:
        if isinstance(rung, str):
            return rung
        command = Command(("/bin/sh", "-c", "echo works"), Path("/"))
        try:
            return Underway(rung.confine(command, Limits(), []), self._launcher)
        except InputError as error:
            return str(error)

    @cached_property
    def result(self) -> Rung | str:
        """The rung if it works, otherwise why not; nothing of the trial is left afterwards."""
        why = ""
        for number, rung in enumerate(self._candidates):
            underway = self._underway if number == 0 else self._begin(rung)
            why = underway if isinstance(underway, str) else _why_not(underway)
            if not why and isinstance(rung, Rung):
                return rung
        return why


def _why_not(underway: Underway) -> str:
    """Why the program of a trial did not work; empty if it did."""
    try:
        errand = underway.finish(TRY_SECONDS)
    except OutsideError as error:
        return str(error)
    return "" if errand.lines == ["works"] else " / ".join(errand.lines) or errand.ending


def _bubblewrap() -> Rung | str:
    if sys.platform != "linux":
        return "bubblewrap exists for Linux alone"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (Debian, Ubuntu, Fedora: the package bubblewrap)"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "for root it takes the program setpriv (the package util-linux)"
    try:
        helped = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program} cannot be run: {error}"
    words = set(re.findall(r"--[a-z-]+", helped.stdout + helped.stderr))
    missing = tuple(
        f"this bubblewrap has no {flag}: {effect}"
        for flag, effect in _OPTIONAL.items()
        if flag not in words
    )
    return Rung(BWRAP, frozenset(_OPTIONAL) & words, missing)


def _plain_limits() -> list[Rung | str]:
    """What `limits` may be here, the strongest first."""
    notes = []
    if not landlock.version():
        notes.append("the kernel has no Landlock: bots can read what their user can read")
    elif landlock.version() < landlock.SCOPES_SINCE and os.geteuid() != 0:
        notes.append("Landlock of this kernel is old: bots can send signals to your processes")
    if not seccomp.is_offered():
        notes.append(
            "system calls are not filtered: bots can use the network, change metadata of your files"
            " and set limits of your processes"
        )
    plain = Rung(LIMITS, notes=(*notes, "mounts are not allowed here: bots see that files exist"))
    private = Rung(LIMITS, frozenset({PRIVATE_ROOT}), tuple(notes))
    return [private, plain] if sys.platform == "linux" else [plain]
