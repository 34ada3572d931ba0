"""All processes below this one: who they are, what they hold, and signals to all of them.

Only Linux tells a process about its descendants. Elsewhere the list is empty, and what a bot leaves
behind outside its process group is not found.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic

PAGE = os.sysconf("SC_PAGE_SIZE")
STOP_SECONDS = 1.0
"""How long to run after processes that come and go faster than they can be stopped."""
_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def descendants(*roots: int) -> Iterator[int]:
    """All processes below this one (or these, and below them), parents before children."""
    if sys.platform != "linux":
        return
    children = _children if _LISTS_CHILDREN else _scanned_children()
    waiting = list(roots) or children(os.getpid())
    for process in waiting:
        yield process
        waiting.extend(children(process))


def _children(process: int) -> list[int]:
    """The kernel lists children under the thread that made them."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", "rb") as file:
                found.extend(map(int, file.read().split()))
    except OSError:
        pass  # it ended meanwhile
    return found


def _scanned_children() -> Callable[[int], list[int]]:
    """The same from the parents of all processes, where the kernel keeps no such lists."""
    by_parent: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            by_parent.setdefault(parent, []).append(int(name))
    return lambda process: by_parent.get(process, [])


def strays() -> list[int]:
    """Children of this process in another session.

    Supervisors stay in the session of their launcher; a bot starts one of its own, and there is no
    way back. So a launcher has such children only if a supervisor ended before its bot.
    """
    if sys.platform != "linux":
        return []
    children = _children if _LISTS_CHILDREN else _scanned_children()
    found = []
    for process in children(os.getpid()):
        with suppress(ProcessLookupError):
            if os.getsid(process) != os.getsid(0):
                found.append(process)
    return found


def end(processes: list[int]) -> None:
    """Kill these processes and everything below them."""
    for process in descendants(*processes) if processes else ():
        _signal(process, signal.SIGKILL)


def signal_all(number: int, group: int = 0) -> None:
    """Send a signal to everything below, and to a process group if there is one."""
    if group:
        _signal(-group, number)
    for process in descendants():
        _signal(process, number)


def stop_all() -> bool:
    """Stop everything below: nobody who is left running can start or wake anybody.

    Each is stopped as soon as it is seen, because it may be about to start another and end. False
    if they came and went for so long that somebody wants not to be stopped.
    """
    stopped: set[int] = set()
    quiet_looks = 0
    give_up = monotonic() + STOP_SECONDS
    # A list of children is only sure to be complete when none of them comes or goes.
    while quiet_looks < 2:
        quiet_looks += 1
        for process in descendants():
            if process not in stopped or not _is_stopped(process):
                _signal(process, signal.SIGSTOP)
                stopped.add(process)
                quiet_looks = 0
        if monotonic() > give_up:
            return False
    return True


def _is_stopped(process: int) -> bool:
    """Whether it does not run: it may have been woken up by one that was stopped later."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t", b"Z", b"X", b"D")
    except OSError:
        return True


def _signal(process: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def memory_used(limit: int) -> int:
    """Bytes of memory that everything below holds.

    Pages that several processes share are only told apart if it could matter: that is costly.
    """
    processes = list(descendants())
    resident = sum(map(_resident, processes))
    return resident if resident <= limit else sum(map(_proportional, processes))


def _resident(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE
    except OSError:
        return 0


def _proportional(process: int) -> int:
    try:
        with open(f"/proc/{process}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return _resident(process)
