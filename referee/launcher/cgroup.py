"""A control group (version 2) per bot, where the kernel lets us make one.

It is a second wall behind what the supervisor counts: the kernel itself bounds the memory, its own
included, and the number of processes, and shares the processor between bots and not between their
processes. Root may make groups, and so may a user to whom a group was delegated. Everywhere else a
bot runs without; nothing here ever makes a run fail.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from time import sleep

from referee.launcher import syscalls

CONTROLLERS = ("memory", "pids", "cpu")
PREFIX = "referee-"
LEAF = "referee-self"
"""Where our own processes go: a group that has groups below it may have none itself."""
FULL_WEIGHT = 100
"""The default: each bot is worth as much as another, however many processes it has."""
REMOVE_TRIES, PAUSE_SECONDS = 500, 0.002


def find_parent() -> tuple[str, frozenset[str]] | None:
    """The group to make groups in, and the controllers they have; None if there is none."""
    for group in _candidates():
        if _is_delegated(group):
            _enable(group)
        enabled = _limiting(f"{group}/cgroup.subtree_control")
        if enabled:
            return group, enabled
    return None


def controllers() -> frozenset[str]:
    """Those that the group of a bot would have; nothing is changed to find out."""
    for group in _candidates():
        source = "controllers" if _is_delegated(group) else "subtree_control"
        found = _limiting(f"{group}/cgroup.{source}")
        if found:
            return found
    return frozenset()


def _limiting(path: str) -> frozenset[str]:
    return frozenset(_words(path)) & frozenset(CONTROLLERS)


def _is_delegated(group: str) -> bool:
    """Whether a group was given to us, to arrange it as we like.

    What others than root may change was given to them; systemd marks what it gave to root.
    """
    if os.geteuid() != 0:
        return True
    try:
        return os.getxattr(group, "user.delegate") == b"1"
    except OSError:
        return False


def _candidates() -> Iterator[str]:
    """Our own group and those above it, where we may make groups."""
    own = _own_group()
    if not syscalls.IS_LINUX or own is None:
        return
    mounted, path = own
    group = os.path.normpath(f"{mounted}/{path}")
    while group == mounted or group.startswith(f"{mounted}/"):
        if os.access(group, os.W_OK) and os.access(f"{group}/cgroup.procs", os.W_OK):
            yield group
        if group == mounted:
            return
        group = os.path.dirname(group)


def _own_group() -> tuple[str, str] | None:
    """Where groups are mounted, and the path of our own below that."""
    try:
        with open("/proc/self/cgroup") as file:
            (path,) = (line[3:].strip() for line in file if line.startswith("0::"))
        with open("/proc/self/mountinfo") as file:
            for line in file:
                fields, _, rest = line.partition(" - ")
                if rest.split()[0] == "cgroup2":
                    return fields.split()[4], path.lstrip("/")
    except (OSError, ValueError):
        pass
    return None


def _enable(group: str) -> None:
    """Let groups below this one have all controllers that it has itself."""
    missing = _limiting(f"{group}/cgroup.controllers")
    missing -= _limiting(f"{group}/cgroup.subtree_control")
    if missing and not _switch_on(group, missing):
        _move_down(group)
        _switch_on(group, missing)


def _switch_on(group: str, names: frozenset[str]) -> bool:
    text = " ".join(f"+{name}" for name in sorted(names))
    return _write(f"{group}/cgroup.subtree_control", text)


def _move_down(group: str) -> None:
    leaf = f"{group}/{LEAF}"
    with suppress(OSError):
        os.mkdir(leaf)
    for process in _words(f"{group}/cgroup.procs"):
        _write(f"{leaf}/cgroup.procs", process)


def make(memory: int, processes: int) -> str | None:
    """Make a group with these limits; None if that is not possible."""
    found = find_parent()
    return None if found is None else make_in(*found, memory, processes)


def make_in(parent: str, enabled: frozenset[str], memory: int, processes: int) -> str | None:
    """Make a group below another one, whose groups have these controllers."""
    _sweep(parent)
    group = f"{parent}/{PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
    try:
        os.mkdir(group)
    except OSError:
        return None
    if "memory" in enabled:
        _write(f"{group}/memory.max", str(memory))
        _write(f"{group}/memory.swap.max", "0")
        _write(f"{group}/memory.oom.group", "1")
    if "pids" in enabled:
        _write(f"{group}/pids.max", str(processes))
    if "cpu" in enabled:
        _write(f"{group}/cpu.weight", str(FULL_WEIGHT))
    return group


def enter(group: str) -> None:
    """Put this process into a group; it stays outside if that is refused."""
    _write(f"{group}/cgroup.procs", "0")


def is_out_of_memory(group: str) -> bool:
    """Whether the kernel has ended processes of this group because it had too much memory."""
    words = _words(f"{group}/memory.events")
    counts = dict(zip(words[::2], words[1::2], strict=False))
    return counts.get("oom_kill", "0") != "0"


def remove(group: str) -> None:
    """End what is left in a group, and remove it."""
    _write(f"{group}/cgroup.kill", "1")
    for _ in range(REMOVE_TRIES):
        try:
            os.rmdir(group)
        except FileNotFoundError:
            return
        except OSError:
            sleep(PAUSE_SECONDS)  # its last process is about to be gone
        else:
            return


def _sweep(parent: str) -> None:
    """Remove groups of supervisors that were killed; one with a process in it stays."""
    with suppress(OSError):
        for name in os.listdir(parent):
            owner = name.removeprefix(PREFIX).partition("-")[0]
            if name.startswith(PREFIX) and owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
                with suppress(OSError):
                    os.rmdir(f"{parent}/{name}")


def _words(path: str) -> list[str]:
    try:
        with open(path) as file:
            return file.read().split()
    except OSError:
        return []


def _write(path: str, text: str) -> bool:
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError:
        return False
    return True
