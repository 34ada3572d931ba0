"""Queries about processes, repeated until a condition holds or the test fails."""

import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

PATIENCE_SECONDS = 300
"""How long a test waits for anything: far longer than it takes on a machine that is busy."""


def children_of(process: int) -> set[int]:
    """Return the children of a process, zombies included."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == process:
                found.add(int(entry.name))
    return found


def below(process: int) -> set[int]:
    """Return all descendants of a process."""
    found = children_of(process)
    return found.union(*map(below, found))


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that a test started, if it still runs, and all its descendants."""
    if process.poll() is None:
        kill({process.pid} | below(process.pid))
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Kill a process and its descendants at the end of the block, also if the test fails."""
    try:
        yield process
    finally:
        end(process)


def kill(processes: Iterable[int]) -> None:
    """Send SIGKILL to those that still exist."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def own_children() -> set[int]:
    """Return the children of this process, without a scan of all processes."""
    found: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread may have ended
            found.update(map(int, file.read_text().split()))
    return found


def is_running(process: int) -> bool:
    """Return whether there is such a process, and it is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pid_of(process: Any) -> int:
    """Return the id of a bot's process when its supervisor has reported it.

    The bot itself may have answered before, on a busy machine.
    """
    wait_until(lambda: process.pid is not None or not process.read_status())
    pid: int = process.pid
    return pid


def wait_until(true: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Evaluate a condition repeatedly until it holds; fail after a time that no machine needs."""
    give_up = monotonic() + seconds
    while not true():
        assert monotonic() < give_up, "this should have happened long ago"
        select.select([], [], [], 0.01)


def open_descriptors() -> set[str]:
    """Return the open descriptors of this process."""
    with os.scandir("/proc/self/fd") as entries:
        return {entry.name for entry in entries}
