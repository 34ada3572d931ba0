"""A control group (version 2) per bot, where the kernel permits it.

It is a second bound besides what the supervisor measures: the kernel limits the memory, its own
included, and the number of processes, and shares the processor between bots instead of between
their processes. Root may create groups, and so may a user to whom a group was delegated. Elsewhere
a bot runs without a group; nothing here makes a run fail.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from time import sleep

from referee.launcher import syscalls

CONTROLLERS = ("memory", "pids", "cpu")
PREFIX = "referee-"
LEAF = "referee-self"
"""The group of our own processes: a group with controlled groups below it may contain none."""
FULL_WEIGHT = 100
"""The default weight: all bots have equal shares, regardless of their number of processes."""
REMOVE_TRIES, PAUSE_SECONDS = 500, 0.002


def find_parent() -> tuple[str, frozenset[str]] | None:
    """Return the group to create groups in and the controllers they get; None if there is none."""
    for group in _writable_groups():
        if _is_delegated(group):
            _enable_controllers(group)
        enabled = _read_controllers(f"{group}/cgroup.subtree_control")
        if enabled:
            return group, enabled
    return None


def controllers() -> frozenset[str]:
    """Return the controllers that the group of a bot would have, without changing anything."""
    for group in _writable_groups():
        source = "controllers" if _is_delegated(group) else "subtree_control"
        found = _read_controllers(f"{group}/cgroup.{source}")
        if found:
            return found
    return frozenset()


def _read_controllers(path: str) -> frozenset[str]:
    return frozenset(_words(path)) & frozenset(CONTROLLERS)


def _is_delegated(group: str) -> bool:
    """Return whether a group was delegated to us, so that we may configure it.

    A group that a user other than root can change was delegated; systemd marks those of root.
    """
    if os.geteuid() != 0:
        return True
    try:
        return os.getxattr(group, "user.delegate") == b"1"
    except OSError:
        return False


def _writable_groups() -> Iterator[str]:
    """Yield our own group and those above it in which we may create groups."""
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
    """Return the mount point of control groups, and the path of our own group below it."""
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


def _enable_controllers(group: str) -> None:
    """Enable all controllers of this group for the groups below it."""
    missing = _read_controllers(f"{group}/cgroup.controllers")
    missing -= _read_controllers(f"{group}/cgroup.subtree_control")
    if missing and not _add_to_subtree(group, missing):
        _move_processes_to_leaf(group)
        _add_to_subtree(group, missing)


def _add_to_subtree(group: str, names: frozenset[str]) -> bool:
    text = " ".join(f"+{name}" for name in sorted(names))
    return _write(f"{group}/cgroup.subtree_control", text)


def _move_processes_to_leaf(group: str) -> None:
    leaf = f"{group}/{LEAF}"
    with suppress(OSError):
        os.mkdir(leaf)
    for process in _words(f"{group}/cgroup.procs"):
        _write(f"{leaf}/cgroup.procs", process)


def make(memory: int, processes: int) -> str | None:
    """Create a group with these limits and return its folder; None if that is not possible."""
    found = find_parent()
    return None if found is None else make_in(*found, memory, processes)


def make_in(parent: str, enabled: frozenset[str], memory: int, processes: int) -> str | None:
    """Create a group below `parent`, whose groups have these controllers."""
    _remove_abandoned(parent)
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
    """Move this process into a group; without permission it stays where it is."""
    _write(f"{group}/cgroup.procs", "0")


def is_out_of_memory(group: str) -> bool:
    """Return whether the kernel has killed processes of this group for its use of memory."""
    words = _words(f"{group}/memory.events")
    counts = dict(zip(words[::2], words[1::2], strict=False))
    return counts.get("oom_kill", "0") != "0"


def remove(group: str) -> None:
    """Kill the processes left in a group, and remove it."""
    _write(f"{group}/cgroup.kill", "1")
    for _ in range(REMOVE_TRIES):
        try:
            os.rmdir(group)
        except FileNotFoundError:
            return
        except OSError:
            sleep(PAUSE_SECONDS)  # its last process is still ending
        else:
            return


def _remove_abandoned(parent: str) -> None:
    """Remove groups of supervisors that were killed; a group that has a process stays."""
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
