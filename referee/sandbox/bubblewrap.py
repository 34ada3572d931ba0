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
"""Flags that old versions lack, and the effect of that."""
SHARED_MEMORY = 8 * MIB
"""Size of /dev/shm, where processes share memory: Python's multiprocessing needs a little."""


def wrap(
    confinement: Confinement, folder: Path, read: Sequence[Path], flags: Set[str]
) -> Confinement:
    """Add the command line of bubblewrap; `flags` are the optional ones that it supports."""
    program = shutil.which("bwrap")
    assert program is not None
    root = confinement.drops_root
    words = [program, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "bot"]
    words += [] if confinement.network else ["--unshare-net"]
    words += _if_supported("--unshare-cgroup-try", flags)
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if root:
        # Bubblewrap itself runs as root in a user namespace that maps only root and the bot's
        # user; it can bind what root can read, and switches to the bot's user at the end.
        reading = ["CAP_DAC_READ_SEARCH"] if confinement.reads_closed else []
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", *reading):
            words += ["--cap-add", capability]
    else:
        words += ["--unshare-user", *_if_supported("--disable-userns", flags)]
    words += _bind_system(frozenset(flags), confinement.network)
    words += ["--proc", "/proc", "--dev", "/dev"]
    # /dev/full reads the same as /dev/zero but cannot be mapped: a shared mapping of /dev/zero is
    # memory that no process is charged for.
    words += ["--dev-bind", "/dev/full", "/dev/zero"]
    # No terminals: their number is limited per machine, and their buffers belong to no process.
    words += [*_tmpfs("/dev/pts", 4096, flags), "--remount-ro", "/dev/pts"]
    words += _tmpfs("/dev/shm", SHARED_MEMORY, flags)
    words += _tmpfs("/tmp", confinement.scratch, flags)
    words += _parent_folders([*read, *map(Path, confinement.write)], flags)
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


def _parent_folders(paths: Iterable[Path], flags: Set[str]) -> list[str]:
    """Return arguments that create the folders above these, open to users other than root."""
    folders = {folder for path in paths for folder in path.parents} - {Path("/"), Path("/tmp")}
    words: list[str] = []
    for folder in sorted(folders):
        if not is_inside(folder, SYSTEM):
            words += [*_perms("0755", flags), "--dir", str(folder)]
    return words


def _perms(mode: str, flags: Set[str]) -> list[str]:
    return ["--perms", mode] if "--perms" in flags else []


def _tmpfs(path: str, size: int, flags: Set[str]) -> list[str]:
    # Bubblewrap refuses a size of 0; the kernel makes one page of 1.
    words = ["--size", str(max(1, size))] if "--size" in flags else []
    return [*words, *_perms("1777", flags), "--tmpfs", path]


def _if_supported(flag: str, flags: Set[str]) -> list[str]:
    return [flag] if flag in flags else []


@cache
def _bind_system(flags: frozenset[str], network: bool) -> list[str]:
    """Return arguments that show the system and its settings: the same for all bots."""
    paths = (*SYSTEM, *settings_of_machine(network))
    words = _parent_folders(map(Path, paths), flags)
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
