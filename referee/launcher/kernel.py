"""What Python's library does not offer of the Linux kernel, by its system call interface."""

import ctypes
import os
import sys

IS_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWUSER = 0x1000_0000


def prctl(option: int, *values: int | ctypes.c_void_p) -> None:
    """Set a property of this process; other systems than Linux have none of them."""
    if IS_LINUX:
        padded = [*values, 0, 0, 0, 0][:4]
        words = [ctypes.c_ulong(v) if isinstance(v, int) else v for v in padded]
        _check(_libc.prctl(option, *words), "prctl")


def unshare(flags: int) -> None:
    """Leave the namespaces of the parent."""
    _check(_libc.unshare(flags), "unshare")


def syscall(number: int, *values: object) -> int:
    """A system call that the C library has no function for."""
    words = [ctypes.c_long(v) if isinstance(v, int) else v for v in values]
    return _check(_libc.syscall(ctypes.c_long(number), *words), f"system call {number}")


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return int(result)
