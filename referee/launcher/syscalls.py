"""System calls of Linux that Python's library does not offer."""

import ctypes
import os
import struct
import sys
from contextlib import suppress

IS_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_SET_THP_DISABLE = 41
PR_SET_KEEPCAPS = 8
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 47, 2
CLONE_NEWNS = 0x0002_0000
CLONE_NEWUSER = 0x1000_0000
CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION = 0x2008_0522
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x4000, 0x4_0000
MNT_DETACH = 2
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 0x1, 0x2
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
"""System calls with the same number on all machines."""
_TGKILL = {"x86_64": 234, "aarch64": 131}
_KCMP, _KCMP_VM = {"x86_64": 312, "aarch64": 272}, 1
_OPEN_TREE_CLONE, _MOVE_MOUNT_F_EMPTY_PATH = 1, 4


def prctl(option: int, *values: int | ctypes.c_void_p) -> None:
    """Set a property of this process; do nothing on other systems than Linux."""
    if IS_LINUX:
        padded = [*values, 0, 0, 0, 0][:4]
        words = [ctypes.c_ulong(v) if isinstance(v, int) else v for v in padded]
        _check(_libc.prctl(option, *words), "prctl")


def unshare(flags: int) -> None:
    """Leave the namespaces of the parent."""
    _check(_libc.unshare(flags), "unshare")


def keep_capability(capability: int) -> None:
    """Drop all capabilities but this one, and pass it on to programs that are executed."""
    bits = 1 << capability
    head = struct.pack("Ii", _CAPABILITY_VERSION, 0)
    _check(_libc.capset(head, struct.pack("6I", bits, bits, bits, 0, 0, 0)), "capset")
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount a file system, or change how one is mounted."""
    words = [os.fsencode(text) for text in (source, target, kind)]
    number = ctypes.c_ulong(flags)
    _check(_libc.mount(*words, number, options.encode()), f"mount {target}")


def umount(target: str, flags: int) -> None:
    """Unmount a file system."""
    _check(_libc.umount2(os.fsencode(target), flags), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """Change the root folder."""
    _check(_libc.pivot_root(os.fsencode(new), os.fsencode(old)), "pivot_root")


def open_tree(path: str) -> int:
    """Copy the mounts at and below a path; return a descriptor of the detached copy."""
    flags = _OPEN_TREE_CLONE | AT_RECURSIVE | os.O_CLOEXEC
    return syscall(_OPEN_TREE, AT_FDCWD, ctypes.c_char_p(os.fsencode(path)), flags)


def move_mount(tree: int, path: str) -> None:
    """Attach a copy made by `open_tree`."""
    empty, target = ctypes.c_char_p(b""), ctypes.c_char_p(os.fsencode(path))
    syscall(_MOVE_MOUNT, tree, empty, AT_FDCWD, target, _MOVE_MOUNT_F_EMPTY_PATH)


def mount_setattr(folder: int, path: str, flags: int, attributes: bytes) -> None:
    """Change attributes of mounts; `attributes` is a `struct mount_attr`."""
    text, block = ctypes.c_char_p(os.fsencode(path)), ctypes.c_char_p(attributes)
    syscall(_MOUNT_SETATTR, folder, text, flags, block, len(attributes))


def tgkill(process: int, thread: int, number: int) -> None:
    """Send a signal to one thread of a process, unless it has ended."""
    call = _TGKILL.get(os.uname().machine)
    if call is not None:
        with suppress(ProcessLookupError):
            syscall(call, process, thread, number)


def share_memory(one: int, other: int) -> bool:
    """Return whether two processes have one address space; False if that is unknown."""
    call = _KCMP.get(os.uname().machine)
    if call is None:
        return False
    try:
        return syscall(call, one, other, _KCMP_VM, 0, 0) == 0
    except OSError:
        return False


def syscall(number: int, *values: object) -> int:
    """Make a system call for which the C library has no function."""
    words = [ctypes.c_long(v) if isinstance(v, int) else v for v in values]
    return _check(_libc.syscall(ctypes.c_long(number), *words), f"system call {number}")


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return int(result)
