"""Attacks on the walls themselves: namespaces, mounts, privileges, odd system calls."""

import ctypes
import os

from .registry import attack
from .tools import attempt, in_scratch, info, read, system_call

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
    """The same calls have other numbers for programs of another kind."""
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
    """Programs that run as root whoever starts them."""
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
    """What the kernel says of it."""
    lines = dict(line.split(":", 1) for line in read("/proc/self/status").decode().splitlines())
    rights = [int(lines[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")]
    as_root = 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid())
    may_gain = lines["NoNewPrivs"].strip() != "1" or lines["Seccomp"].strip() != "2"
    info(f"pwned: {lines}" if any(rights) or as_root or may_gain else "has no rights")


@attack(says="refused EPERM")
def reads_keys():
    session, describe = -3, 6
    attempt(system_call, "keyctl", describe, session, 0, 0)


@attack(says="refused ENOSYS")
def calls_around_the_filter():
    """A queue of calls that the kernel carries out by itself."""
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
