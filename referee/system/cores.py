"""Processor cores that this process may use."""

import os
from pathlib import Path

from referee.system.cpu_quota import cpu_quota


def usable_cores() -> list[int]:
    """Return one core number for each physical core that this process may use."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    allowed = sorted(os.sched_getaffinity(0))
    chosen: dict[str, int] = {}
    for core in allowed:
        path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
        try:
            siblings = path.read_text().strip()
        except OSError:
            siblings = str(core)
        chosen.setdefault(siblings, core)
    return list(chosen.values())


def default_slots() -> int:
    """Return the default number of concurrent games: one per core, or fewer under a quota."""
    cores = len(usable_cores()) or max(1, (os.cpu_count() or 2) // 2)
    quota = cpu_quota()
    return cores if quota is None else max(1, min(cores, int(quota)))
