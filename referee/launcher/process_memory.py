"""Memory and open files of processes, as the kernel lists them."""

import os
from collections.abc import Callable
from contextlib import suppress

from referee.launcher import syscalls
from referee.launcher.process_tree import number_in, processor_ns, status_of, tasks

_HELD = (b"\nVmRSS:", b"\nVmSwap:", b"\nVmPTE:")
MAX_MAPPINGS = 100_000
"""Mappings of all processes of a bot: each takes time to read."""
MAPPING_BYTES, LINK_BYTES = 300, 64
"""Kernel memory of a mapping, and of a link from it to a process that it may share pages with
(`vm_area_struct`, `anon_vma` and `anon_vma_chain`): the kernel lists neither."""
MAX_LOCKS = 10_000
"""Locks on files and watches of `epoll` of all processes of a bot: each takes kernel memory that is
listed nowhere, and time to read. One `epoll` can watch each file many times, under other
numbers."""
_COUNTED = (b"lock:", b"tfd:")
"""How their lines start in the description of a descriptor."""
MIN_TABLES, TABLES_PER_MEMORY = 2**20, 128
"""Shared pages are counted only in processes whose page tables are no larger than the first, or
than the limit of memory divided by the second: the time for it depends on the tables. Tables that
are full take a 512th of the memory."""


class MemoryMeter:
    """The memory of the processes of one bot, measured repeatedly."""

    def __init__(self) -> None:
        self._shares: dict[int, tuple[int, int]] = {}
        """The processor time and the bytes of each process when it was last measured, in that
        order."""

    def used(self, processes: list[int], limit: int, is_interrupted: Callable[[], bool]) -> int:
        """Return the bytes of memory that these processes hold together.

        Shared pages are counted once only if the simple sum exceeds the limit, because that takes
        milliseconds per process. So it is done only for processes that have run since the last
        time, and ends when it is interrupted; the next call continues.
        """
        held = [memory_of(process) for process in processes]
        if sum(held) <= limit:
            return sum(held)
        if max(held) > limit:
            return max(held)
        current = set(processes)
        self._shares = {
            process: share for process, share in self._shares.items() if process in current
        }
        most_tables = max(MIN_TABLES, limit // TABLES_PER_MEMORY)
        for process in [*(current - self._shares.keys()), *self._shares]:
            used_ns = processor_ns(process)
            if process not in self._shares or self._shares[process][0] != used_ns:
                if is_interrupted():
                    break
                self._shares.pop(process, None)
                if not _is_in_memory_of_parent(process, current):
                    self._shares[process] = used_ns, _proportional(process, most_tables)
        total = sum(share for _, share in self._shares.values())
        if total > limit:
            # A process that was measured may have ended since, or executed another program: then
            # the pages that it shared count fully in the process that forked it.
            total = sum(min(share, memory_of(p)) for p, (_, share) in self._shares.items())
        return total


def count_mappings(processes: list[int]) -> int:
    """Return the number of mappings of these processes, or one above the maximum."""
    count = 0
    for process in processes:
        for task in tasks(process):
            try:
                with open(f"/proc/{task}/maps", "rb") as file:
                    while lines := file.readlines(2**16):
                        count += len(lines)
                        if count > MAX_MAPPINGS:
                            return count
            except OSError:
                continue
            break
    return count


def bytes_of_mappings(count: int, processes: int) -> int:
    """Return an upper bound of the kernel memory of these numbers of mappings and processes."""
    return count * (MAPPING_BYTES + LINK_BYTES * processes)


def has_too_many_locks(processes: list[int]) -> bool:
    """Return whether these processes hold more locks on files and watches than a bot may hold.

    Not from /proc/locks: reading that makes every process of the machine that locks a file wait.
    """
    count = 0
    for process in processes:
        with suppress(Unreadable):
            task, names = descriptors(process)
            for name in names:
                with suppress(OSError), open(f"/proc/{task}/fdinfo/{name}", "rb") as file:
                    count += sum(line.startswith(_COUNTED) for line in file)
                if count > MAX_LOCKS:
                    return True
    return False


def memory_of(process: int) -> int:
    """Return the bytes that a process holds: resident and swapped pages, and page tables.

    The entry of a leader that has ended is empty: then that of another thread is read.
    """
    for task in tasks(process):
        status = status_of(task)
        if b"\nVmRSS:" in status:
            return sum(number_in(status, name) for name in _HELD) * 1024
    return 0


def _is_in_memory_of_parent(process: int, processes: set[int]) -> bool:
    """Return whether a process runs in the memory of its parent, one of these processes.

    After vfork(2) it does until it executes another program, and is no second copy.
    """
    parent = number_in(status_of(process), b"\nPPid:")
    if parent not in processes or not syscalls.share_memory(process, parent):
        return False
    # Two processes whose first threads have ended would be equal as well: those have no memory.
    return b"\nVmRSS:" in status_of(process)


def descriptors(process: int) -> tuple[int, list[str]]:
    """Return a live task of a process and its open descriptors; Unreadable if that is refused.

    All threads of a process share one table of descriptors: see seccomp.py.
    """
    is_refused = False
    for task in tasks(process):
        try:
            names = os.listdir(f"/proc/{task}/fd")
        except PermissionError:
            is_refused = True
        except OSError:
            continue
        else:
            if names:
                return task, names
    # The entry of an ended process belongs to root, and it holds nothing.
    if is_refused and memory_of(process):
        raise Unreadable
    return process, []


class Unreadable(Exception):
    """The descriptors of a process cannot be read."""


def _proportional(process: int, most_tables: int) -> int:
    """Return the bytes of a process, of shared pages its share; all if it has many page tables."""
    for task in tasks(process):
        if number_in(status_of(task), b"\nVmPTE:") * 1024 > most_tables:
            break
        try:
            with open(f"/proc/{task}/smaps_rollup", "rb") as file:
                text = file.read()
        except OSError:
            continue
        pages = number_in(text, b"\nPss:") + number_in(text, b"\nSwapPss:")
        return (pages + number_in(status_of(task), b"\nVmPTE:")) * 1024
    return memory_of(process)
