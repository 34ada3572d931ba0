"""A filter of system calls, put together here: no compiler and no library is needed for that.

It takes away what no bot needs and what has been the way out of many a sandbox: other processes'
memory, new namespaces, mounts, kernel modules, and (unless they are allowed) network sockets.
See https://docs.kernel.org/userspace-api/seccomp_filter.html for the format of such a program.
"""

import ctypes
import errno
import os
import struct

from referee.launcher import kernel

_NUMBERS = {
    # name: x86_64, aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "sched_setaffinity": (203, 122),
}
_MISSING = {
    "io_uring_setup": (425, 425),
    "clone3": (435, 435),
    # Memory that no process shows as its own, so that nobody could count it; and what stays when
    # its owner is gone.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
}
"""Answered as if the kernel did not know them: programs then take the older way."""
_CLONE = (56, 220)
_SOCKET = (41, 198)
_IOCTL = (16, 29)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column above, and what the kernel calls the machine."""
_X32_BIT = 0x4000_0000
"""On x86_64, calls with this bit are the same ones under other numbers."""

_NEW_NAMESPACES = 0x7E02_0000
"""All flags of `clone` that ask for a namespace."""
_AF_UNIX = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
"""Typing into somebody's terminal."""

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
"""Where the filter finds these (the lower halves of the arguments)."""
_ALLOW, _ERRNO, _KILL = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
_FILTER_MODE = 2


def is_offered() -> bool:
    """Whether there is a filter for this machine."""
    return kernel.IS_LINUX and os.uname().machine in _MACHINES


def program(network: bool, sees_sockets: bool) -> bytes:
    """The filter, as the kernel (and bubblewrap) reads it.

    Sockets that have a place among the files are beyond Landlock. A bot that could find those of
    others (the desktop's, an agent's with keys) may have none at all; pairs of them are no danger.
    """
    column, machine = _MACHINES[os.uname().machine]
    refuse, missing = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    lines = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        lines += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, missing)]
    for numbers, answer in ((_NUMBERS, refuse), (_MISSING, missing)):
        for number in numbers.values():
            lines += [(_EQUAL, 0, 1, number[column]), (_RETURN, 0, 0, answer)]
    lines += _on(_CLONE[column], [(_LOAD, 0, 0, _FIRST), (_ANY_BIT, 0, 1, _NEW_NAMESPACES)], refuse)
    for request in (_TIOCSTI, _TIOCLINUX):
        lines += _on(_IOCTL[column], [(_LOAD, 0, 0, _SECOND), (_EQUAL, 0, 1, request)], refuse)
    if not network:
        lines += _on(_SOCKET[column], [(_LOAD, 0, 0, _FIRST), (_EQUAL, 1, 0, _AF_UNIX)], refuse)
    if sees_sockets:
        lines += _on(_SOCKET[column], [(_LOAD, 0, 0, _FIRST), (_EQUAL, 0, 1, _AF_UNIX)], refuse)
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


Line = tuple[int, int, int, int]


def _on(number: int, test: list[Line], answer: int) -> list[Line]:
    """Give this answer to a call whose arguments pass a test; then look at the number again."""
    block = [*test, (_RETURN, 0, 0, answer)]
    return [(_EQUAL, 0, len(block), number), *block, (_LOAD, 0, 0, _NUMBER)]


def restrict(network: bool, sees_sockets: bool) -> None:
    """Filter this process and all its children from now on."""
    lines = program(network, sees_sockets)
    text = ctypes.create_string_buffer(lines, len(lines))
    head = struct.pack("HxxxxxxP", len(lines) // 8, ctypes.addressof(text))
    kernel.prctl(
        kernel.PR_SET_SECCOMP,
        _FILTER_MODE,
        ctypes.cast(ctypes.c_char_p(head), ctypes.c_void_p),
    )


def as_file(network: bool, sees_sockets: bool) -> int:
    """A descriptor with the filter in it, for another program to read."""
    file = os.memfd_create("seccomp", 0)
    os.write(file, program(network, sees_sockets))
    os.lseek(file, 0, os.SEEK_SET)
    return file
