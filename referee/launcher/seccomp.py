"""A filter of system calls, assembled here without a compiler or a library.

It refuses calls that no bot needs and that have been used to escape from sandboxes: access to the
memory, limits and priorities of other processes, new namespaces, mounts, kernel modules, memory
that no process is charged for, and (unless they are allowed) network sockets.
See https://docs.kernel.org/userspace-api/seccomp_filter.html for the format of such a program.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Mapping

from referee.launcher import syscalls

_NUMBERS = {
    # name: x86_64, aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
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
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "open_tree_attr": (467, 467),
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
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "sched_setaffinity": (203, 122),
    # Where the kernel schedules by session (autogroup), each session gets the same share of the
    # processor, whatever the priority of its processes.
    "setsid": (112, 157),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "quotactl_fd": (443, 443),
    # System V objects and message queues belong to no process: those of others can be opened by
    # a number or a name.
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_unlink": (241, 181),
}
_MISSING: "Calls" = {
    "io_uring_setup": (425, 425),
    "clone3": (435, 435),
    # Memory that is listed for no process and so cannot be measured, and objects that stay after
    # the process that created them has ended.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mbind": (237, 235),
    "set_mempolicy_home_node": (450, 450),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "landlock_create_ruleset": (444, 444),
    # Their number is limited per user or machine, so that a bot could take those of others; and
    # Landlock does not cover what they do.
    "io_setup": (206, 0),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "file_setattr": (469, 469),
    # The mode of a new file is in memory, where a filter cannot read it.
    "openat2": (437, 437),
}
"""Fail with ENOSYS, as on an old kernel: programs then use older calls."""
_PINNING: "Calls" = {
    "splice": (275, 76),
    "tee": (276, 77),
    "vmsplice": (278, 75),
    "sendfile": (40, 71),
}
"""They put pages of memory and of files into pipes and sockets without a copy. Such a page stays,
the whole huge page around it included, when it is unmapped or its file is truncated, and is then
charged to no process. They fail with EINVAL: programs then read and write."""
_TRUNCATING = {"truncate": (76, 45)}
"""Takes a path; old versions of Landlock do not cover it."""
_OWNERS = {
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
}
_ATTRIBUTES = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
}
"""If the scratch folder of `limits` is in memory, they take memory that no size of a file shows."""
_FALLOCATE = {"fallocate": (285, 47)}
"""Takes space on the disk at once, more than the size limit of a file permits. They then write."""
METADATA = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
"""Changes of metadata that programs make to files of their own: see file_metadata.py."""
_MODES = {
    # name: x86_64, aarch64, the place of the mode among the arguments
    "chmod": (90, None, 1),
    "fchmod": (91, 52, 1),
    "fchmodat": (268, 53, 2),
    "fchmodat2": (452, 452, 2),
    "creat": (85, None, 1),
    "mknod": (133, None, 1),
    "mknodat": (259, 33, 2),
    "open": (2, None, 2),
    "openat": (257, 56, 3),
}
"""Calls with the permissions of a file. Setuid and setgid bits are refused: another user of the
machine could run such a file with the rights of the referee's user."""
_SETUID_SETGID = 0o6000
_O_CREAT_TMPFILE = 0o20000100
"""Flags of `open`, without which it has no mode."""
_MESSAGES = {"sendmsg": (46, 211), "sendmmsg": (307, 269)}
"""They can carry descriptors: then no process holds the file, and it cannot be measured."""
_OF_ITSELF = {
    "prlimit64": (302, 261),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
}
"""Calls whose first argument is a process: a bot may only name itself, by 0."""
_SETPRIORITY = (141, 140)
_SETRLIMIT, _RLIMIT_CORE = (160, 164), 4
_MMAP = (9, 222)
_FCNTL = (72, 25)
_CLONE = (56, 220)
_PRCTL = (157, 167)
_SOCKET, _SOCKETPAIR, _SETSOCKOPT = (41, 198), (53, 199), (54, 208)
_IOCTL = (16, 29)
_CLOSE_RANGE = 436
"""The same number on all machines."""
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The column of the tables above, and the kernel's AUDIT_ARCH value of the machine."""
_X32_BIT = 0x4000_0000
"""On x86_64, numbers with this bit are the same calls in the x32 ABI."""

_NEW_NAMESPACES = 0x7E02_0000
"""All flags of `clone` that create a namespace."""
_AF_UNIX = 1
_SOCKET_TYPE, _SOCK_STREAM, _SOCK_SEQPACKET = 0xF, 1, 5
_SOL_SOCKET, _SOCKET_FILTERS = 1, (26, 50, 51, 52)
"""Options of sockets that attach a filter, which takes kernel memory in addition to the buffers."""
_SO_SNDBUF = 7
"""Sets the size of a buffer, up to megabytes: see socket_memory.py. The call has no effect and
succeeds, as with a size that is already the maximum."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
"""Requests that insert input into a terminal."""
_IOCTL_TYPE, _FILE_IOCTLS = 0xFF00, (0x6600, 0x5800, 0x7600, 0x9400)
"""Requests that change attributes of files, by the type in their number."""
_F_SETLEASE, _F_NOTIFY, _F_SETDELEG = 1024, 1026, 1040
"""A lease blocks processes that open the file, a delegation also those that change a folder; a
notification reports accesses to a folder."""
_F_OFD_SETLK, _F_OFD_SETLKW = 37, 38
"""Locks that belong to an open file: in transit through a socket it is listed for no process. They
fail with EINVAL, as on an old kernel."""
_PR_SET_THP_DISABLE = syscalls.PR_SET_THP_DISABLE
"""Permits transparent huge pages again: see `forbid_huge_pages` in confine.py."""
_PR_FUTEX_HASH = 78
"""Allocates kernel memory of any size for a process."""
_PR_SCHED_CORE = 62
"""Keeps processes of others from the other threads of a core while the process runs."""
_CLONE_THREAD, _CLONE_FILES, _CLONE_FS = 0x1_0000, 0x400, 0x200
_CLOSE_RANGE_UNSHARE = 2
"""Gives a thread a table of descriptors of its own."""
_MAP_TYPE_OR_ANONYMOUS, _MAP_SHARED_ANONYMOUS = 0x2F, 0x21
_MAP_HUGETLB = 0x4_0000
"""Pages from a pool of the whole machine, which are not part of a process's resident memory."""

_LOAD, _AND, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x45, 0x35, 0x06
_NUMBER, _MACHINE, _FIRST, _SECOND, _THIRD, _FOURTH = 0, 4, 16, 24, 32, 40
"""Offsets in `struct seccomp_data` (of arguments, the lower halves)."""
_ALLOW, _ERRNO, _NOTIFY, _KILL = 0x7FFF_0000, 0x0005_0000, 0x7FC0_0000, 0x8000_0000
_NO_EFFECT = _ERRNO
"""The call is not executed and returns 0."""
_FILTER_MODE = 2
_SECCOMP = (317, 277)
_NEW_LISTENER = 1 << 3


def is_offered() -> bool:
    """Return whether there is a filter for this machine."""
    return syscalls.IS_LINUX and os.uname().machine in _MACHINES


def call_numbers(calls: "Calls") -> dict[int, str]:
    """Return the names of these calls by their numbers on this machine."""
    column, _ = _MACHINES[os.uname().machine]
    found = {}
    for name, numbers in calls.items():
        number = numbers[column]
        if number is not None:
            found[number] = name
    return found


def program(network: bool, sees_files: bool, truncates: bool = True) -> bytes:
    """Assemble the filter in the format of the kernel (and of bubblewrap).

    `sees_files`: whether the bot sees the files of the machine, protected only by permissions and
    Landlock. Landlock does not cover Unix sockets with a path, and those with abstract names belong
    to the network namespace: a bot that could connect to those of others (the desktop's, or a key
    agent's) may create none at all. Socket pairs are harmless, unless they are datagram sockets,
    which can send to any other. `truncates`: whether `truncate` is permitted.
    """
    column, _ = _MACHINES[os.uname().machine]
    refuse, missing = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    lines = _beginning()
    lines += _answer(_NUMBERS, refuse) + _answer(_MISSING, missing)
    lines += _answer(_PINNING, _ERRNO | errno.EINVAL)
    if not truncates:
        lines += _answer(_TRUNCATING, refuse)
    if sees_files and not network:
        lines += _answer(_MESSAGES, refuse)
    first, second = (_LOAD, 0, 0, _FIRST), (_LOAD, 0, 0, _SECOND)
    clone = _CLONE[column]
    lines += _on(clone, [first, (_ANY_BIT, 0, 1, _NEW_NAMESPACES)], refuse)
    # Threads must share one table of descriptors, and one current folder, so that reading those of
    # one of them is enough.
    for shared in (_CLONE_FILES, _CLONE_FS):
        thread = [first, (_ANY_BIT, 0, 2, _CLONE_THREAD), (_ANY_BIT, 1, 0, shared)]
        lines += _on(clone, thread, refuse)
    own_table = [(_LOAD, 0, 0, _THIRD), (_ANY_BIT, 0, 1, _CLOSE_RANGE_UNSHARE)]
    lines += _on(_CLOSE_RANGE, own_table, refuse)
    # Pages of shared memory stay after they are unmapped, and are then charged to no process.
    kind = [(_LOAD, 0, 0, _FOURTH), (_AND, 0, 0, _MAP_TYPE_OR_ANONYMOUS)]
    lines += _on(_MMAP[column], [*kind, (_EQUAL, 0, 1, _MAP_SHARED_ANONYMOUS)], refuse)
    flags = (_LOAD, 0, 0, _FOURTH)
    lines += _on(_MMAP[column], [flags, (_ANY_BIT, 0, 1, _MAP_HUGETLB)], refuse)
    # Filters take kernel memory, and write to the log of the machine if they should.
    lines += _answer({"seccomp": _SECCOMP}, refuse)
    for option in (syscalls.PR_SET_SECCOMP, _PR_SCHED_CORE, _PR_SET_THP_DISABLE, _PR_FUTEX_HASH):
        lines += _on(_PRCTL[column], [first, (_EQUAL, 0, 1, option)], refuse)
    for name, numbers in _MODES.items():
        lines += _refuse_setuid(name, numbers[column], numbers[2], refuse)
    for number in call_numbers(_OF_ITSELF):
        lines += _on(number, [first, (_EQUAL, 1, 0, 0)], refuse)
    # Another limit lets a crash start a program of the machine: see NO_CORE_DUMP in confine.py.
    # Reading it is permitted. Setting it has no effect and no error, because programs that want no
    # core dumps set it at their start, and some end if that fails. A request for the previous limit
    # at the same time is refused: it would remain unanswered.
    prlimit, core = _OF_ITSELF["prlimit64"][column], [second, (_EQUAL, 0, 5, _RLIMIT_CORE)]
    lines += _on(prlimit, [*core, *_is_null(_THIRD)], _ALLOW)
    lines += _on(prlimit, [*core, *_is_null(_FOURTH)], _NO_EFFECT)
    lines += _on(prlimit, [second, (_EQUAL, 0, 1, _RLIMIT_CORE)], refuse)
    lines += _on(_SETRLIMIT[column], [first, (_EQUAL, 0, 1, _RLIMIT_CORE)], _NO_EFFECT)
    # PRIO_PROCESS (0) and the caller (0); other arguments name other processes.
    itself = [first, (_EQUAL, 0, 2, 0), second, (_EQUAL, 1, 0, 0)]
    lines += _on(_SETPRIORITY[column], itself, refuse)
    for request in (_TIOCSTI, _TIOCLINUX):
        lines += _on(_IOCTL[column], [second, (_EQUAL, 0, 1, request)], refuse)
    for command in (_F_SETLEASE, _F_NOTIFY, _F_SETDELEG):
        lines += _on(_FCNTL[column], [second, (_EQUAL, 0, 1, command)], refuse)
    for command in (_F_OFD_SETLK, _F_OFD_SETLKW):
        lines += _on(_FCNTL[column], [second, (_EQUAL, 0, 1, command)], _ERRNO | errno.EINVAL)
    if sees_files:
        lines += _answer({**_ATTRIBUTES, **_FALLOCATE}, _ERRNO | errno.EOPNOTSUPP)
        for kind_of_request in _FILE_IOCTLS:
            test = [second, (_AND, 0, 0, _IOCTL_TYPE), (_EQUAL, 0, 1, kind_of_request)]
            lines += _on(_IOCTL[column], test, _ERRNO | errno.ENOTTY)
    answers = dict.fromkeys(_SOCKET_FILTERS, refuse)
    if not network:
        lines += _on(_SOCKET[column], [first, (_EQUAL, 1, 0, _AF_UNIX)], refuse)
        answers[_SO_SNDBUF] = _NO_EFFECT
    for option, answer in answers.items():
        test = [second, (_EQUAL, 0, 3, _SOL_SOCKET), (_LOAD, 0, 0, _THIRD), (_EQUAL, 0, 1, option)]
        lines += _on(_SETSOCKOPT[column], test, answer)
    if sees_files or network:
        lines += _on(_SOCKET[column], [first, (_EQUAL, 0, 1, _AF_UNIX)], refuse)
        kind = [second, (_AND, 0, 0, _SOCKET_TYPE), (_EQUAL, 2, 0, _SOCK_STREAM)]
        lines += _on(_SOCKETPAIR[column], [*kind, (_EQUAL, 1, 0, _SOCK_SEQPACKET)], refuse)
    lines += _on(_SOCKETPAIR[column], [first, (_EQUAL, 1, 0, _AF_UNIX)], refuse)
    return _packed(lines)


def _refuse_setuid(name: str, number: int | None, place: int, refuse: int) -> list["Instruction"]:
    """Return lines that refuse a call with setuid or setgid bits in the mode at this place."""
    if number is None:
        return []
    mode = [(_LOAD, 0, 0, _FIRST + 8 * place), (_ANY_BIT, 0, 1, _SETUID_SETGID)]
    if name in ("open", "openat"):
        flags = _FIRST + 8 * (place - 1)
        mode = [(_LOAD, 0, 0, flags), (_ANY_BIT, 0, 3, _O_CREAT_TMPFILE), *mode]
    return _on(number, mode, refuse)


def _metadata_program(answer: int) -> bytes:
    """Assemble the second filter, with this answer to calls that change permissions and times."""
    lines = _beginning() + _answer(METADATA, answer)
    return _packed(lines + _answer(_OWNERS, _ERRNO | errno.EPERM))


def _beginning() -> list["Instruction"]:
    """Return lines that refuse calls of other architectures and load the number of a call."""
    column, machine = _MACHINES[os.uname().machine]
    lines = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        lines += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    return lines


def _packed(lines: list["Instruction"]) -> bytes:
    return b"".join(struct.pack("=HBBI", *line) for line in [*lines, (_RETURN, 0, 0, _ALLOW)])


Instruction = tuple[int, int, int, int]
Calls = Mapping[str, tuple[int, int | None]]


def _answer(calls: Calls, answer: int) -> list[Instruction]:
    """Return lines that give this answer to these calls."""
    lines: list[Instruction] = []
    for number in call_numbers(calls):
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]
    return lines


def _on(number: int, test: list[Instruction], answer: int) -> list[Instruction]:
    """Return lines that give this answer to a call whose arguments pass a test.

    They load the number of the call again for the lines that follow.
    """
    block = [*test, (_RETURN, 0, 0, answer)]
    return [(_EQUAL, 0, len(block), number), *block, (_LOAD, 0, 0, _NUMBER)]


def _is_null(argument: int) -> list[Instruction]:
    """Return a test, for the end of a test, whether both halves of an address are 0."""
    return [
        (_LOAD, 0, 0, argument),
        (_EQUAL, 0, 3, 0),
        (_LOAD, 0, 0, argument + 4),
        (_EQUAL, 0, 1, 0),
    ]


def restrict(network: bool, sees_files: bool, truncates: bool = True) -> None:
    """Install the filter for this process and all its children."""
    lines = program(network, sees_files, truncates)
    syscalls.prctl(syscalls.PR_SET_SECCOMP, _FILTER_MODE, _filter_header(lines))


def delegate_metadata() -> int | None:
    """Install the second filter; return the descriptor that reports changes of metadata.

    None if the kernel does not support that: then these changes are refused.
    """
    column, _ = _MACHINES[os.uname().machine]
    try:
        notifying = _filter_header(_metadata_program(_NOTIFY))
        return syscalls.syscall(_SECCOMP[column], 1, _NEW_LISTENER, notifying)
    except OSError:
        refusing = _filter_header(_metadata_program(_ERRNO | errno.EPERM))
        syscalls.prctl(syscalls.PR_SET_SECCOMP, _FILTER_MODE, refusing)
        return None


def _filter_header(lines: bytes) -> ctypes.c_void_p:
    """Return a `struct sock_fprog`: the number of lines, and their address."""
    text = ctypes.create_string_buffer(lines, len(lines))
    _kept.append(text)
    head = ctypes.c_char_p(struct.pack("HxxxxxxP", len(lines) // 8, ctypes.addressof(text)))
    _kept.append(head)
    return ctypes.cast(head, ctypes.c_void_p)


_kept: list[object] = []
"""References to memory that the kernel is about to read, so that it is not freed."""


def as_file(network: bool) -> int:
    """Write the filter to a memory file for another program; return its descriptor."""
    file = os.memfd_create("seccomp", 0)
    os.write(file, program(network, sees_files=False))
    os.lseek(file, 0, os.SEEK_SET)
    return file
