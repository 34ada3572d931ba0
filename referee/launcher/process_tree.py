"""All processes below this one: who they are, what they hold, and signals to all of them.

Only Linux tells a process about its descendants. Elsewhere the list is empty, and what a bot leaves
behind outside its process group is not found.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import clock_gettime_ns, process_time, sleep

STOP_SECONDS = 0.2
"""Processor time of ours for processes that come and go faster than they can be stopped. Not wall
time: others can take as much of that as they like."""
STOP_PAUSE_SECONDS = 0.0001
"""Between two looks at processes that only wait for a processor: they get this one."""
KILL_PASSES = 50
"""How often to look for what killed processes started before they ended."""
LOW_PRIORITY = 10
"""The nice value of bots that do several things at once, or run when they should not."""
NOISE_NS = 5_000_000
"""Processor time that a stopped process may still take: a call that it was in comes to its end."""
FEW, PAUSES, PAUSE_SECONDS = 2, 10, 0.001
"""So few running threads are given so many pauses to come to rest by themselves."""
REST_NS = 500_000
"""Processor time that is enough for that."""
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


def lower_priority() -> None:
    """Let everything below run after the referee and the supervisors."""
    for process in descendants():
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, LOW_PRIORITY)
            # Where the system shares the processor among sessions, that one alone means nothing.
            with open(f"/proc/{process}/autogroup", "w") as file:
                file.write(str(LOW_PRIORITY))


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


def wake_all() -> None:
    """Let everything below run again after a stop.

    All of them are found before the first is woken: a parent may end at once, and its children,
    still stopped, would be on no list that is left to read.
    """
    for process in list(descendants()):
        _signal(process, signal.SIGCONT)


def kill_all() -> None:
    """Kill everything below, and what that starts meanwhile, in a bounded number of passes."""
    for _ in range(KILL_PASSES):
        running = [process for process in descendants() if _state(str(process)) not in (b"Z", b"X")]
        if not running:
            return
        for process in running:
            _signal(process, signal.SIGKILL)


def stop_all() -> "Stopped | None":
    """Stop everything below: what is left running could start or wake the rest.

    Each process is stopped as soon as it is seen, because it may be about to start another and end.
    None if they came and went for too long.
    """
    since = {process: processor_ns(process) for process in descendants()}
    running = _count_all_running(since)
    told: dict[int, int] = {}
    quiet_looks, spent = 0, 0.0
    # A list of children is only sure to be complete when none of them comes or goes.
    while quiet_looks < 2:
        quiet_looks += 1
        began, is_restless = process_time(), False
        for process in descendants():
            if process in told and is_stopped(process):
                continue
            used = processor_ns(process)
            is_restless = is_restless or not _is_about_to_stop(process, told.get(process), used)
            since.setdefault(process, used)
            told.setdefault(process, used)
            _signal(process, signal.SIGSTOP)
            quiet_looks = 0
        if is_restless:
            spent += process_time() - began
            if spent > STOP_SECONDS:
                return None
        elif quiet_looks == 0:
            sleep(STOP_PAUSE_SECONDS)
    return Stopped(running, since)


def _is_about_to_stop(process: int, before: int | None, used: int) -> bool:
    """Whether a process that was told to stop waits for a processor to do so, or has just done so.

    `before` is the processor time that it had used when it was told; None if it was not.
    """
    if before is None or used - before > NOISE_NS:
        return False
    return count_running(process) > 0 or is_stopped(process)


class Stopped:
    """Everything below, at a standstill."""

    def __init__(self, running: int, since: dict[int, int]) -> None:
        self.running = running
        """How many threads were running, or ready to, when they were told to stop."""
        self._times = {process: processor_ns(process) for process in since}
        self.used_ns = sum(max(0, self._times[process] - since[process]) for process in since)
        """Processor time that they took from then on."""

    def has_run(self) -> bool:
        """Whether anything below has run since, or is about to."""
        taken = 0
        for process in descendants():
            if process not in self._times or not is_stopped(process):
                return True
            taken += processor_ns(process) - self._times[process]
        return taken > NOISE_NS


def processor_ns(process: int) -> int:
    """Processor time of all threads of a process, those that ended included."""
    try:
        return clock_gettime_ns(~process << 3 | 2)  # as the library's clock_getcpuclockid does
    except OSError:
        return 0


def _count_all_running(times: dict[int, int]) -> int:
    """How many threads of these processes are running; none, if a few only come to their rest.

    A bot that has just answered may still have to get from its last call to the next.
    """
    running = sum(map(count_running, times))
    if not 0 < running <= FEW:
        return running
    for _ in range(PAUSES):
        sleep(PAUSE_SECONDS)
        if sum(map(processor_ns, times)) - sum(times.values()) > REST_NS:
            return running
        if not any(map(count_running, times)):
            return 0
    return 0


def count_running(process: int) -> int:
    """How many threads of a process are running, or ready to."""
    count = 0
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            count += _state(f"{process}/task/{thread}") == b"R"
    return count


def _state(task: str) -> bytes:
    """The state of a process or thread as a letter; X if there is none."""
    try:
        with open(f"/proc/{task}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0]
    except OSError:
        return b"X"


def is_stopped(process: int) -> bool:
    """Whether it does not run: it may have been woken up by one that was stopped later."""
    return _state(str(process)) in (b"T", b"t", b"Z", b"X", b"D")


def _signal(process: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def memory_used(processes: list[int], limit: int) -> int:
    """Bytes of memory that these processes hold together.

    Pages that several processes share are only told apart if it could matter: that is costly.
    """
    held = sum(map(memory_of, processes))
    return held if held <= limit else sum(map(_proportional, processes))


def memory_of(process: int) -> int:
    """Bytes that a process holds: its pages, those that were swapped out, and its page tables.

    A leader that has ended while its threads live holds nothing itself: then a thread is asked.
    """
    for task in _tasks(process):
        status = _status(task)
        if b"\nVmRSS:" in status:
            return sum(_kibibytes(status, name) for name in _HELD) * 1024
    return 0


def descriptors(process: int) -> tuple[int, list[str]]:
    """A living task of a process, and the descriptors it has open; Unreadable if none can say.

    All threads of a process have the same ones: see seccomp.py.
    """
    is_refused = False
    for task in _tasks(process):
        try:
            names = os.listdir(f"/proc/{task}/fd")
        except PermissionError:
            is_refused = True
        except OSError:
            continue
        else:
            if names:
                return task, names
    # What has ended belongs to root, and holds nothing.
    if is_refused and memory_of(process):
        raise Unreadable
    return process, []


class Unreadable(Exception):
    """A process that does not let others see what it has open."""


_HELD = (b"\nVmRSS:", b"\nVmSwap:", b"\nVmPTE:")


def _tasks(process: int) -> Iterator[int]:
    """The leader of a process, and its other threads only if that one is not enough."""
    yield process
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return  # it ended meanwhile
    yield from (int(thread) for thread in threads if int(thread) != process)


def _status(task: int) -> bytes:
    try:
        with open(f"/proc/{task}/status", "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""


def _kibibytes(text: bytes, name: bytes) -> int:
    start = text.find(name)
    return int(text[start + len(name) :].split(None, 1)[0]) if start >= 0 else 0


def _proportional(process: int) -> int:
    for task in _tasks(process):
        try:
            with open(f"/proc/{task}/smaps_rollup", "rb") as file:
                text = file.read()
        except OSError:
            continue
        pages = _kibibytes(text, b"\nPss:") + _kibibytes(text, b"\nSwapPss:")
        return (pages + _kibibytes(_status(task), b"\nVmPTE:")) * 1024
    return memory_of(process)
