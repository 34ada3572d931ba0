"""Files of a results folder, which may come from an untrusted source: no links, FIFOs or devices.

A link could make the referee write into another file of the user, and opening a FIFO waits.
"""

import errno
import os
import stat
from pathlib import Path


def open_plain(path: Path, flags: int) -> int:
    """Open a regular file and return its descriptor; OSError if it is anything else."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return descriptor
