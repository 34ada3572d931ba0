"""What sockets hold: data that was sent and not read is memory of the kernel, and of no process.

Each socket counts for as much as it can hold, because how much it does hold is not told.
"""

import os
from contextlib import suppress

from referee.launcher import process_tree

_TABLE = "/proc/{}/net/unix"
_DATAGRAMS = b"0002"
_QUEUED = 11
"""Messages of other senders that wait at a socket for datagrams (net.unix.max_dgram_qlen)."""


def _largest_buffer() -> int:
    """Bytes that a socket's buffer can be set to; the kernel doubles what is asked for."""
    try:
        with open("/proc/sys/net/core/wmem_max", "rb") as file:
            return 2 * int(file.read())
    except OSError:
        return 2 * 212_992


_BUFFER = _largest_buffer()


def bytes_held(processes: list[int]) -> int:
    """The most that the sockets of these processes can hold.

    In a network of its own all sockets are in one table, also those that no process has open:
    connections that were not accepted, descriptors that are on their way. Elsewhere a bot has no
    such sockets (see seccomp.py), and its descriptors are counted.
    """
    try:
        own = os.stat(_TABLE.format("self")).st_ino
    except OSError:
        return 0
    tables: dict[int, int] = {}
    open_ones: set[str] = set()
    for process in processes:
        with suppress(OSError):
            table = os.stat(_TABLE.format(process)).st_ino
            if table != own:
                tables[table] = process
                continue
        with suppress(OSError, process_tree.Unreadable):
            task, names = process_tree.descriptors(process)
            links = [os.readlink(f"/proc/{task}/fd/{name}") for name in names]
            open_ones.update(link for link in links if link.startswith("socket:"))
    return _BUFFER * (len(open_ones) + sum(map(_in_table, tables.values())))


def _in_table(process: int) -> int:
    """Sockets in the network of a process, by the number of buffers that they can fill."""
    try:
        with open(_TABLE.format(process), "rb") as file:
            lines = file.readlines()[1:]
    except OSError:
        return 0
    return sum(_QUEUED if line.split(None, 5)[4] == _DATAGRAMS else 1 for line in lines)
