"""Arguments of bubblewrap for one bot."""

import shutil
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import cache
from pathlib import Path

from referee.bots.command import Confinement
from referee.launcher.confine import INNER_USER
from referee.sandbox.dependencies import SYSTEM, is_inside, settings_of_machine
from referee.sandbox.limits import MIB

OPTIONAL = {
    "--disable-userns": "bots can make user namespaces of their own",
    "--size": "the scratch folder has no limit of its own",
    "--perms": "the scratch folder belongs to the first user alone",
    "--seccomp": "system calls are not filtered",
    "--unshare-cgroup-try": "bots see the control groups of the machine",
    "--json-status-fd": "a failure of bubblewrap looks like a failure of the bot",
}
"""What old versions lack, and what that means."""
SHARED_MEMORY = 8 * MIB
"""Where threads of several processes meet (/dev/shm): Python's multiprocessing needs a little."""


def wrap(
    confinement: Confinement, folder: Path, read: Sequence[Path], flags: Set[str]
) -> Confinement:
    """Let bubblewrap make a cage; `flags` are the optional ones that it has."""
    program = shutil.which("bwrap")
    assert program is not None
    root = confinement.drops_root
    words = [program, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "bot"]
    words += [] if confinement.network else ["--unshare-net"]
    words += _if_there("--unshare-cgroup-try", flags)
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if root:
        # Bubblewrap itself runs as root in a namespace where only the bot's user is left
        # besides; it sees what root sees, and the bot becomes that user before it runs.
        reading = ["CAP_DAC_READ_SEARCH"] if confinement.reads_closed else []
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", *reading):
            words += ["--cap-add", capability]
    else:
        words += ["--unshare-user", *_if_there("--disable-userns", flags)]
    words += _system(frozenset(flags), confinement.network)
    words += ["--proc", "/proc", "--dev", "/dev"]
    # It reads the same, but cannot be mapped: such memory would count for no process.
    words += ["--dev-bind", "/dev/full", "/dev/zero"]
    words += _tmpfs("/dev/shm", SHARED_MEMORY, flags)
    words += _tmpfs("/tmp", confinement.scratch, flags)
    words += _ways_to([*read, *map(Path, confinement.write)], flags)
    for path in read:
        words += ["--ro-bind", str(path), str(path)]
    for text in confinement.write:
        words += ["--bind", text, text]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(folder)]
    inside = _as_inner_user(confinement.reads_closed) if root else ()
    filters = confinement.filters_calls and "--seccomp" in flags
    return replace(
        confinement,
        wrapper=tuple(words),
        inside=inside,
        filters_calls=filters,
        reports="--json-status-fd" in flags,
    )


def _ways_to(paths: Iterable[Path], flags: Set[str]) -> list[str]:
    """Arguments for the folders above these, which others than root must be able to pass."""
    folders = {folder for path in paths for folder in path.parents} - {Path("/"), Path("/tmp")}
    words: list[str] = []
    for folder in sorted(folders):
        if not is_inside(folder, SYSTEM):
            words += [*_perms("0755", flags), "--dir", str(folder)]
    return words


def _perms(mode: str, flags: Set[str]) -> list[str]:
    return ["--perms", mode] if "--perms" in flags else []


def _tmpfs(path: str, size: int, flags: Set[str]) -> list[str]:
    words = ["--size", str(size)] if "--size" in flags else []
    return [*words, *_perms("1777", flags), "--tmpfs", path]


def _if_there(flag: str, flags: Set[str]) -> list[str]:
    return [flag] if flag in flags else []


@cache
def _system(flags: frozenset[str], network: bool) -> list[str]:
    """Arguments that show the system and its settings: the same for all bots."""
    paths = (*SYSTEM, *settings_of_machine(network))
    words = _ways_to(map(Path, paths), flags)
    for path in paths:
        if Path(path).is_symlink():
            words += ["--symlink", str(Path(path).readlink()), path]
        elif Path(path).exists():
            words += ["--ro-bind", path, path]
    return words


def _as_inner_user(reads_closed: bool) -> tuple[str, ...]:
    program = shutil.which("setpriv")
    assert program is not None
    user = str(INNER_USER)
    words = [program, "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs"]
    kept = ",+dac_read_search" if reads_closed else ""
    kinds = ("--inh-caps", "--bounding-set", *(["--ambient-caps"] if kept else []))
    return (*words, *(f"{kind}=-all{kept}" for kind in kinds), "--")
