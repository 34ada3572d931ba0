"""All processes below this one: their ids and processor time, and signals to them.

Only Linux lists the descendants of a process. Elsewhere the list is empty, and processes that a bot
leaves outside its process group are not found.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import clock_gettime_ns, process_time, sleep

from referee.launcher import syscalls

STOP_SECONDS = 0.2
"""The supervisor's own processor time for stopping processes that start others faster than they
can be stopped. Not wall time, which depends on the load of the machine."""
STOP_PAUSE_SECONDS = 0.0001
"""Pause between two passes over processes that wait for a processor: it frees this one for them."""
KILL_PASSES = 50
"""Passes over the process list, for processes that were started while others were killed."""
LOW_PRIORITY = 10
"""Added to the nice value of bots with several running threads, or that run off-turn."""
LOWEST_PRIORITY = 19
"""The largest nice value."""
NOISE_NS = 5_000_000
"""Processor time that a stopped process may still take to finish its current system call."""
MAX_BLOCKING_THREADS, MAX_PAUSES, PAUSE_SECONDS = 2, 10, 0.001
"""Up to this number of running threads get up to MAX_PAUSES pauses to block by themselves."""
BLOCKING_NS = 500_000
"""Processor time that is enough for that."""
SETTLE_SECONDS = 0.05
"""How long stopped tasks that hide their system call are given to leave their processor, which
can take a while if it is busy."""
_LISTS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def descendants(*roots: int) -> Iterator[int]:
    """Yield all processes below this one (or `roots` and all below them), parents first."""
    if sys.platform != "linux":
        return
    children = _children if _LISTS_CHILDREN else _scanned_children()
    pending = list(roots) or children(os.getpid())
    for process in pending:
        yield process
        pending.extend(children(process))


def _children(process: int) -> list[int]:
    """Return the children of a process, which the kernel lists per thread that forked them."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", "rb") as file:
                found.extend(map(int, file.read().split()))
    except OSError:
        pass  # it has ended
    return found


def _scanned_children() -> Callable[[int], list[int]]:
    """Return the same function for kernels without such lists, from the parents of all tasks."""
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
    """Lower the priority of all processes below, so that the referee and supervisors run first."""
    # Relative to this process: the referee may have been started by `nice`.
    priority = min(os.getpriority(os.PRIO_PROCESS, 0) + LOW_PRIORITY, LOWEST_PRIORITY)
    for process in descendants():
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, priority)
            set_session_priority(process, priority)


def set_session_priority(process: int, priority: int) -> None:
    """Set the nice value of the session of a process.

    If the kernel schedules by session (autogroup), that of a process has no effect on others.
    """
    with suppress(OSError), open(f"/proc/{process}/autogroup", "w") as file:
        file.write(str(priority))


def orphans() -> list[int]:
    """Return the children of this process that a supervisor left, which are in another session.

    Supervisors stay in the session of their launcher; a bot starts its own session, and a process
    cannot return to another one. So a launcher has such children only if a supervisor ended before
    its bot.
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
    """Send a signal to all processes below, and to a process group unless it is 0."""
    if group:
        _signal(-group, number)
    for process in descendants():
        _signal(process, number)


def resume_all() -> None:
    """Resume all processes below after a stop.

    All are listed before the first is resumed: a parent may end at once, and then its children,
    still stopped, would no longer be listed.
    """
    for process in list(descendants()):
        _signal(process, signal.SIGCONT)


def kill_all() -> None:
    """Kill all processes below, and those they start meanwhile, in a bounded number of passes."""
    for _ in range(KILL_PASSES):
        running = [process for process in descendants() if _state(str(process)) not in (b"Z", b"X")]
        if not running:
            return
        for process in running:
            _signal(process, signal.SIGKILL)


def stop_all() -> "Stopped | None":
    """Stop all processes below; one that still runs could start or continue others.

    Each process is stopped as soon as it is found, because it may start another one and end.
    Return None if new processes appeared for too long.
    """
    since = {process: processor_ns(process) for process in descendants()}
    running = _count_all_running(since)
    signalled: dict[int, int] = {}
    stable_passes, spent = 0, 0.0
    # The list of children is only reliable while none of them starts or ends: see proc(5).
    while stable_passes < 2:
        stable_passes += 1
        began, is_active = process_time(), False
        for process in descendants():
            if process in signalled and is_stopped(process):
                continue
            used = processor_ns(process)
            is_active = is_active or not _is_about_to_stop(process, signalled.get(process), used)
            since.setdefault(process, used)
            _signal(process, signal.SIGSTOP)
            if process in signalled:
                _stop_threads(process)
            signalled.setdefault(process, used)
            stable_passes = 0
        if is_active:
            spent += process_time() - began
            if spent > STOP_SECONDS:
                return None
        elif stable_passes == 0:
            sleep(STOP_PAUSE_SECONDS)
    return Stopped(running, since)


def _is_about_to_stop(process: int, before: int | None, used: int) -> bool:
    """Return whether a process that got SIGSTOP only waits for a processor, or has just stopped.

    `before` is the processor time that it had used when it got the signal; None if it did not.
    """
    if before is None or used - before > NOISE_NS:
        return False
    return count_running(process) > 0 or is_stopped(process)


def _stop_threads(process: int) -> None:
    """Stop each thread of a process whose first thread cannot act on the signal.

    A thread that waits for a child made by vfork receives SIGSTOP for its process and does not
    return to act on it, so that the other threads would not stop.
    """
    if _state(str(process)) == b"D":
        for thread in _unstopped_threads(process):
            syscalls.tgkill(process, thread, signal.SIGSTOP)


class Stopped:
    """The state of all processes below at the time they were stopped."""

    def __init__(self, running: int, since: dict[int, int]) -> None:
        self.running = running
        """The number of threads that were running or runnable before."""
        self._switches: dict[int, int] = {}
        """How often each stopped task had left a processor."""
        for process in since:
            self._switches.update(_stopped_tasks(process))
        unknown = since.keys() - self._switches.keys()
        self._waiting = {process for process in unknown if _state(str(process)) == b"D"}
        """Processes that wait in the kernel, and stop when they leave it."""
        hiding = [task for process in unknown for task in tasks(process) if _hides_call(task)]
        if hiding:
            sleep(SETTLE_SECONDS)
        for task in hiding:
            if (switches := _switches_if_stopped(task)) is not None:
                self._switches[task] = switches
        self._times = {process: processor_ns(process) for process in since}
        self.used_ns = sum(max(0, self._times[process] - since[process]) for process in since)
        """Processor time that they took until they were stopped."""

    def has_run(self) -> bool:
        """Return whether a process below has run since, or is not stopped.

        Processor time alone does not show one that started another process, which has ended, and
        then stopped itself again.
        """
        for task, switches in self._switches.items():
            if _switches_if_stopped(task) != switches:
                return True
        used_ns = 0
        for process in descendants():
            if process not in self._times:
                return True
            is_known = process in self._switches or process in self._waiting
            if not is_known and not is_stopped(process):
                return True
            used_ns += max(0, processor_ns(process) - self._times[process])
        return used_ns > NOISE_NS


def _stopped_tasks(process: int) -> dict[int, int]:
    """Return the stopped tasks of a process that show whether it runs, with their switches.

    That is its first thread, because SIGCONT resumes all threads; if that one has ended or waits in
    the kernel, the others. Empty if there are none or they cannot be observed.
    """
    switches = _settled_switches(process)
    if switches is not None:
        return {process: switches}
    if not is_stopped(process):
        return {}
    found = {task: _settled_switches(task) for task in tasks(process)}
    return {task: switches for task, switches in found.items() if switches is not None}


def _settled_switches(task: int) -> int | None:
    """Wait until a stopped task has left its processor; return its switches.

    It is in the stopped state a little earlier. The kernel waits for that before it reports the
    system call that the task is in. None if it is not stopped, or that is not known.
    """
    if _state(str(task)) not in _STOPPED:
        return None
    try:
        with open(f"/proc/{task}/syscall", "rb", buffering=0) as file:
            is_running = file.read().startswith(b"running")
    except OSError:
        return None
    return None if is_running else _switches_if_stopped(task)


def _hides_call(task: int) -> bool:
    """Return whether a stopped task hides its system call: its process is not dumpable.

    Then the kernel closes this file to other users than root. Where it forbids them to observe any
    process, the file can be opened, and not read.
    """
    if _state(str(task)) not in _STOPPED:
        return False
    try:
        os.close(os.open(f"/proc/{task}/syscall", os.O_RDONLY))
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def _switches_if_stopped(task: int) -> int | None:
    """Return how often a stopped task has left a processor; None if it is not stopped."""
    status = status_of(task)
    if not any(b"\nState:\t" + state in status for state in _STOPPED):
        return None
    names = (b"\nvoluntary_ctxt_switches:", b"\nnonvoluntary_ctxt_switches:")
    return sum(number_in(status, name) for name in names)


def processor_ns(process: int) -> int:
    """Return the processor time of all threads of a process, those that ended included."""
    try:
        return clock_gettime_ns(~process << 3 | 2)  # the encoding of clock_getcpuclockid(3)
    except OSError:
        return 0


def used_ns() -> int:
    """Return the processor time of all processes below."""
    return sum(map(processor_ns, descendants()))


def _count_all_running(times: dict[int, int]) -> int:
    """Count the running threads of these processes; 0 if a few of them block soon.

    A bot that has just answered may still be on the way from its last system call to the next.
    """
    running = sum(map(count_running, times))
    if not 0 < running <= MAX_BLOCKING_THREADS:
        return running
    for _ in range(MAX_PAUSES):
        sleep(PAUSE_SECONDS)
        if sum(map(processor_ns, times)) - sum(times.values()) > BLOCKING_NS:
            return running
        if not any(map(count_running, times)):
            return 0
    return 0


def count_running(process: int) -> int:
    """Count the threads of a process that are running or runnable."""
    count = 0
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            count += _state(f"{process}/task/{thread}") == b"R"
    return count


def _state(task: str) -> bytes:
    """Return the state of a process or thread as a letter; X if it has ended."""
    try:
        with open(f"/proc/{task}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0]
    except OSError:
        return b"X"


_STOPPED = (b"T", b"t")
_AT_REST = (*_STOPPED, b"Z", b"X", b"D")
"""States of tasks that execute no program: stopped, ended, or waiting in the kernel."""


def is_stopped(process: int) -> bool:
    """Return whether a process is stopped: one that was stopped later may have continued it."""
    state = _state(str(process))
    if state in _STOPPED or state not in _AT_REST:
        return state in _STOPPED
    # Its first thread has ended or waits in the kernel, and its other threads may be running.
    return not _unstopped_threads(process)


def _unstopped_threads(process: int) -> list[int]:
    return [task for task in tasks(process) if _state(str(task)) not in _AT_REST]


def _signal(process: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def tasks(process: int) -> Iterator[int]:
    """Yield the leader of a process, then its other threads (listed only when needed)."""
    yield process
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return  # it has ended
    yield from (int(thread) for thread in threads if int(thread) != process)


def status_of(task: int) -> bytes:
    """Return the text of the status of a task; empty if it has ended."""
    try:
        with open(f"/proc/{task}/status", "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""


def number_in(text: bytes, name: bytes) -> int:
    """Return the number after a name in such a text; 0 if it is missing."""
    start = text.find(name)
    return int(text[start + len(name) :].split(None, 1)[0]) if start >= 0 else 0
