"""Attacks on the isolation: namespaces, mounts, privileges, rare system calls."""

import ctypes
import errno
import os
import struct

from .registry import attack
from .tools import FACTS, attempt, in_scratch, info, read, system_call

NEW_USER = 0x1000_0000
SIGCHLD = 17


@attack(says="refused EPERM")
def new_user_namespace():
    attempt(system_call, "unshare", NEW_USER)


@attack(says="refused EPERM")
def new_user_namespace_for_a_child():
    def clone():
        if system_call("clone", NEW_USER | SIGCHLD, 0, 0, 0, 0) == 0:
            os._exit(0)

    attempt(clone)


@attack(says="refused ENOSYS")
def new_namespace_by_another_call():
    def clone():
        arguments = (ctypes.c_uint64 * 8)(NEW_USER, 0, 0, 0, SIGCHLD, 0, 0, 0)
        if system_call("clone3", arguments, 64) == 0:
            os._exit(0)

    attempt(clone)


@attack(says="refused (EPERM|ENOSYS)")
def calls_by_other_numbers():
    """Make the same system calls by the numbers of another architecture."""
    attempt(system_call, "getpid by its other number")


@attack(says="refused (EPERM|ENOENT|EACCES)")
def enters_another_namespace():
    attempt(lambda: system_call("setns", os.open("/proc/1/ns/mnt", os.O_RDONLY), 0))


@attack(says="refused EPERM")
def mounts():
    kind = ctypes.c_char_p(b"tmpfs")
    where = ctypes.c_char_p(in_scratch("").encode())
    attempt(system_call, "mount", kind, where, kind, 0, None)


@attack(says="refused EPERM")
def changes_its_root():
    attempt(system_call, "chroot", ctypes.c_char_p(in_scratch("").encode()))


@attack(says="refused (EPERM|EINVAL)")
def becomes_root():
    attempt(os.setuid, 0)


@attack(says="refused (EPERM|EINVAL)")
def becomes_another_group():
    attempt(os.setgroups, [0])


@attack(says="refused")
def becomes_root_by_a_program():
    """Run set-user-ID programs."""
    quiet = os.open("/dev/null", os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, quiet, number) for number in (0, 1, 2)]
    words = ["mount", "-t", "tmpfs", "none", in_scratch("")]
    try:
        process = os.posix_spawnp(words[0], words, os.environ, file_actions=actions)
    except OSError:
        info("refused")
        return
    info("pwned" if os.waitpid(process, 0)[1] == 0 else "refused")


@attack(says="has no rights")
def has_rights():
    """Return the privileges that the kernel reports."""
    lines = dict(line.split(":", 1) for line in read("/proc/self/status").decode().splitlines())
    names = ("CapInh", "CapPrm", "CapEff", "CapAmb")
    rights = [int(lines[name], 16) & ~number("rights") for name in names]
    as_root = 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid())
    may_gain = lines["NoNewPrivs"].strip() != "1" or lines["Seccomp"].strip() != "2"
    info(f"pwned: {lines}" if any(rights) or as_root or may_gain else "has no rights")


@attack(says="refused EPERM")
def reads_keys():
    session, describe = -3, 6
    attempt(system_call, "keyctl", describe, session, 0, 0)


@attack(says="refused ENOSYS")
def calls_around_the_filter():
    """Use a queue of system calls that the kernel executes by itself."""
    attempt(system_call, "io_uring_setup", 1, ctypes.create_string_buffer(120))


@attack(says="refused EPERM")
def runs_in_the_kernel():
    attempt(system_call, "bpf", 0, ctypes.create_string_buffer(120), 120)


@attack(says="refused EPERM")
def measures_others():
    attempt(system_call, "perf_event_open", ctypes.create_string_buffer(120), 0, -1, -1, 0)


@attack(says="refused EPERM")
def handles_faults_of_pages():
    attempt(system_call, "userfaultfd", 0)


@attack(says="refused (ENXIO|ENOENT|EACCES|ENOTTY|EPERM)")
def types_into_the_terminal():
    attempt(lambda: os.close(os.open("/dev/tty", os.O_RDWR)))


@attack(says="refused (EPERM|EACCES)")
def renames_the_machine():
    attempt(lambda: system_call("sethostname", ctypes.c_char_p(b"mine"), 4))


@attack("crash")
def calls_as_a_program_of_32_bits():
    """The same calls have other numbers again, and a filter by numbers would let them pass."""
    if os.uname().machine == "x86_64":
        import mmap

        get_process = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        code = mmap.mmap(-1, mmap.PAGESIZE, flags=flags, prot=7)
        code.write(get_process)
        place = ctypes.addressof(ctypes.c_char.from_buffer(code))
        info(f"pwned: {ctypes.CFUNCTYPE(ctypes.c_int)(place)()}")
    os._exit(1)  # other processors have no such way


def number(fact):
    return int(FACTS[fact])


def path(fact):
    return ctypes.c_char_p(FACTS[fact].encode())


def attributes():
    """Return scheduling attributes with its own priority: a higher one is refused anyway."""
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    return ctypes.create_string_buffer(struct.pack("IIQiI3Q", 48, 0, 0, nice, 0, 0, 0, 0))


AT_CWD = -100
ROOM = ctypes.create_string_buffer(256)
"""Arguments that are read or written somewhere: zeros."""
REACHING_PROCESSES = {
    # name: x86_64, aarch64, arguments
    "kcmp": (312, 272, lambda: (number("referee"), number("opponent"), 0, 0, 0)),
    "process_vm_writev": (311, 271, lambda: (number("opponent"), ROOM, 1, ROOM, 1, 0)),
    "process_madvise": (440, 440, lambda: (0, ROOM, 1, 0, 0)),
    "process_mrelease": (448, 448, lambda: (0, 0)),
    "sched_setparam": (142, 118, lambda: (number("opponent"), ROOM)),
    "sched_setattr": (314, 274, lambda: (number("opponent"), attributes(), 0)),
    "sched_setaffinity": (203, 122, lambda: (number("opponent"), 128, ROOM)),
    "setpriority of a group": (141, 140, lambda: (1, 0, 0)),
    "migrate_pages": (256, 238, lambda: (number("opponent"), 0, ROOM, ROOM)),
    "move_pages": (279, 239, lambda: (number("opponent"), 0, None, None, None, 0)),
    "prlimit64 of a parent": (302, 261, lambda: (os.getppid(), 0, ROOM, None)),
    "mq_open": (240, 180, lambda: (ctypes.c_char_p(b"x"), 0o102, 0o600, None)),
    "mq_unlink": (241, 181, lambda: (ctypes.c_char_p(b"x"),)),
    "semget": (64, 190, lambda: (0, 1, 0o1600)),
    "semctl": (66, 191, lambda: (0, 0, 0, 0)),
    "semop": (65, 193, lambda: (0, ROOM, 1)),
    "semtimedop": (220, 192, lambda: (0, ROOM, 1, None)),
    "msgctl": (71, 187, lambda: (0, 0, None)),
    "msgsnd": (69, 189, lambda: (0, ROOM, 1, 0o4000)),
    "msgrcv": (70, 188, lambda: (0, ROOM, 1, 0, 0o4000)),
    "shmat": (30, 196, lambda: (number("segment"), None, 0)),
    "add_key": (248, 217, lambda: (ROOM, ROOM, None, 0, -3)),
    "request_key": (249, 218, lambda: (ROOM, ROOM, None, 0)),
    "io_setup": (206, 0, lambda: (1, ROOM)),
    "landlock_create_ruleset": (444, 444, lambda: (None, 0, 1)),
    "memfd_secret": (447, 447, lambda: (0,)),
    "open_tree": (428, 428, lambda: (AT_CWD, ROOM, 0)),
    "open_tree_attr": (467, 467, lambda: (AT_CWD, ROOM, 0, None, 0)),
    "fspick": (433, 433, lambda: (AT_CWD, ROOM, 0)),
    "open_by_handle_at": (304, 265, lambda: (AT_CWD, ROOM, 0)),
}
REACHING_FILES = {
    "chmod": (90, None, lambda: (path("results"), 0o666)),
    "fchmodat": (268, 53, lambda: (AT_CWD, path("results"), 0o666)),
    "fchmodat2": (452, 452, lambda: (AT_CWD, path("results"), 0o666, 0)),
    "chown": (92, None, lambda: (path("results"), -1, -1)),
    "lchown": (94, None, lambda: (path("results"), -1, -1)),
    "fchownat": (260, 54, lambda: (AT_CWD, path("results"), -1, -1, 0)),
    "utime": (132, None, lambda: (path("results"), None)),
    "utimes": (235, None, lambda: (path("results"), None)),
    "futimesat": (261, None, lambda: (AT_CWD, path("results"), None)),
    "utimensat": (280, 88, lambda: (AT_CWD, path("results"), None, 0)),
    "setxattr": (188, 5, lambda: (path("results"), NAME, ROOM, 1, 0)),
    "lsetxattr": (189, 6, lambda: (path("results"), NAME, ROOM, 1, 0)),
    "setxattrat": (463, 463, lambda: (AT_CWD, path("results"), 0, NAME, ROOM, 16)),
    "removexattr": (197, 14, lambda: (path("results"), NAME)),
    "lremovexattr": (198, 15, lambda: (path("results"), NAME)),
    "removexattrat": (466, 466, lambda: (AT_CWD, path("results"), 0, NAME)),
    "file_setattr": (469, 469, lambda: (AT_CWD, path("results"), ROOM, 24, 0)),
    "truncate": (76, 45, lambda: (path("results"), 100)),
}
NAME = ctypes.c_char_p(b"user.note")


def attempt_all(calls, refusals):
    """Make each call; report those that were not refused as they should be."""
    machine = os.uname().machine == "aarch64"
    for name, (*numbers, arguments) in calls.items():
        if numbers[machine] is None:
            continue
        try:
            system_call(numbers[machine], *arguments())
        except OSError as error:
            if errno.errorcode[error.errno] not in refusals:
                info(f"pwned? {name}: {errno.errorcode[error.errno]}")
        else:
            info(f"pwned: {name}")
    info("all refused")


@attack(says="all refused")
def reaches_other_processes_by_any_call():
    """The filter answers before the kernel looks at the arguments."""
    attempt_all(REACHING_PROCESSES, ("EPERM", "ENOSYS"))


@attack(says="all refused")
def changes_metadata_by_any_call():
    """Of a file that its user may own, by every name of the call."""
    refusals = ("EPERM", "ENOSYS", "EACCES", "EROFS", "ENOENT", "ENOTSUP", "EOPNOTSUPP")
    attempt_all(REACHING_FILES, refusals)
