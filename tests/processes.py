"""What the system says of processes: asked until it is so, or until the test gives up."""

import os
import select
from collections.abc import Callable
from pathlib import Path
from time import monotonic


def children_of(process: int) -> set[int]:
    """The children of a process, zombies included."""
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


def is_running(process: int) -> bool:
    """Whether there is such a process, and it is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(true: Callable[[], bool], seconds: float = 60) -> None:
    """Look again and again until it is so; far too long for an honest wait is a failure."""
    give_up = monotonic() + seconds
    while not true():
        assert monotonic() < give_up, "this should have happened long ago"
        select.select([], [], [], 0.01)


def open_descriptors() -> set[str]:
    """The descriptors this process has open."""
    with os.scandir("/proc/self/fd") as entries:
        return {entry.name for entry in entries}
