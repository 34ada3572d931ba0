"""Kernel memory held by sockets: data that was sent and not read is charged to no process.

Each socket counts with the size of its buffer and of its options, because the kernel does not
report how much of that is used.
"""

import os
from contextlib import suppress

from referee.launcher import process_memory

_TABLE = "/proc/{}/net/unix"
_DATAGRAMS = b"0002"
_QUEUED = 11
"""Messages of other senders that a datagram socket can queue: net.unix.max_dgram_qlen + 1."""


def _setting(name: str, usual: int) -> int:
    try:
        with open(f"/proc/sys/net/core/{name}", "rb") as file:
            return int(file.read())
    except OSError:
        return usual


_OPTIONS = _setting("optmem_max", 131_072)
"""The maximum size of a socket's options."""
_LARGEST = 2 * _setting("wmem_max", 212_992) + _OPTIONS
"""The maximum size of a socket's buffer, of which the kernel doubles the value requested, and of
its options."""
_USUAL = 2 * _setting("wmem_default", 212_992) + _OPTIONS
"""The same for a socket whose buffer has the usual size: the last message may exceed that."""


def bytes_held(processes: list[int], have_usual_size: bool) -> int:
    """Return the maximum number of bytes that the sockets of these processes can hold.

    `have_usual_size`: whether they cannot change the size of their buffers (see seccomp.py).
    A network namespace lists all its sockets in one table, also those that no process has open:
    connections that were not accepted, descriptors in transit. Without a namespace a bot has no
    such sockets (see seccomp.py), and its descriptors are counted.
    """
    try:
        own = os.stat(_TABLE.format("self")).st_ino
    except OSError:
        return 0
    tables: dict[int, int] = {}
    open_sockets: set[str] = set()
    for process in processes:
        with suppress(OSError):
            table = os.stat(_TABLE.format(process)).st_ino
            if table != own:
                tables[table] = process
                continue
        with suppress(OSError, process_memory.Unreadable):
            task, names = process_memory.descriptors(process)
            links = [os.readlink(f"/proc/{task}/fd/{name}") for name in names]
            open_sockets.update(link for link in links if link.startswith("socket:"))
    size = _USUAL if have_usual_size else _LARGEST
    return size * (len(open_sockets) + sum(map(_count_buffers, tables.values())))


def _count_buffers(process: int) -> int:
    """Count the buffers that sockets in the network namespace of a process can fill."""
    try:
        with open(_TABLE.format(process), "rb") as file:
            lines = file.readlines()[1:]
    except OSError:
        return 0
    return sum(_QUEUED if line.split(None, 5)[4] == _DATAGRAMS else 1 for line in lines)
