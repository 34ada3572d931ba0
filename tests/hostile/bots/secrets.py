"""Attacks on data of other processes."""

import os
import signal
import socket

from .registry import attack
from .tools import FACTS, attempt, attempt_to_read, info, read, system_call

SECRET = b"REFEREE_SECRET="
"""Stands in the environment of the referee."""
OTHERS = "refused (EPERM|ESRCH|EACCES)"
HARMLESS = signal.SIGURG
"""A signal without effect, which the referee of the tests detects."""
PTRACE_ATTACH = 16


def referee():
    return int(FACTS["referee"])


def opponent():
    return int(FACTS["opponent"])


@attack(says="finds nothing")
def reads_its_environment():
    found = any(name.startswith("REFEREE_") for name in os.environ)
    info("pwned" if found else "finds nothing")


@attack(says="finds nothing")
def reads_all_environments():
    """Read the environments of its ancestors, of the first process and of all others."""
    processes = {1, os.getppid(), referee(), opponent(), *range(referee(), os.getpid())}
    try:
        processes.update(int(name) for name in os.listdir("/proc") if name.isdigit())
    except PermissionError:
        info("cannot list them")
    for process in processes:
        try:
            text = read(f"/proc/{process}/environ")
        except OSError:
            continue
        if SECRET in text:
            info(f"pwned by process {process}")
    info("finds nothing")


@attack(says="refused (EACCES|ENOENT|EPERM)")
def reads_the_environment_of_the_referee():
    attempt_to_read(f"/proc/{FACTS['referee']}/environ")


@attack(says="refused (EACCES|ENOENT|EPERM)")
def reads_the_memory_of_its_opponent():
    attempt_to_read(f"/proc/{FACTS['opponent']}/mem")


@attack(says="refused (EACCES|ENOENT|EPERM)")
def reads_the_descriptors_of_its_opponent():
    attempt(os.listdir, f"/proc/{FACTS['opponent']}/fd")


@attack(says="holds 0 1 2", when="start")
def inherits_descriptors():
    """Use descriptors that the referee did not close."""
    held = []
    for number in range(256):
        try:
            os.fstat(number)
        except OSError:
            continue
        held.append(str(number))
    info(f"holds {' '.join(held)}")


@attack(says=OTHERS)
def traces_its_parent():
    attempt(system_call, "ptrace", PTRACE_ATTACH, os.getppid(), 0, 0)


@attack(says=OTHERS)
def traces_its_opponent():
    attempt(system_call, "ptrace", PTRACE_ATTACH, opponent(), 0, 0)


@attack(says=OTHERS)
def reads_the_memory_of_the_referee():
    import ctypes  # here: libffi 3.5 keeps a descriptor open that inherits_descriptors would see

    room = ctypes.create_string_buffer(16)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(room), 16)
    there = (ctypes.c_void_p * 2)(0x400000, 16)
    attempt(system_call, "process_vm_readv", referee(), here, 1, there, 1, 0)


@attack(says="refused (EPERM|ESRCH|EACCES)")
def takes_a_descriptor_of_the_referee():
    def take():
        system_call("pidfd_getfd", system_call("pidfd_open", referee(), 0), 1, 0)

    attempt(take)


def set_limit(process):
    """Set the limit that is set already: whether that is allowed is enough."""
    import ctypes
    import resource

    limits = (ctypes.c_uint64 * 2)(*(2**64 - 1 for _ in range(2)))
    system_call("prlimit64", process, resource.RLIMIT_CPU, limits, None)


@attack(says=OTHERS)
def limits_its_opponent():
    attempt(set_limit, opponent())


@attack(says=OTHERS)
def limits_the_referee():
    attempt(set_limit, referee())


def set_priority(kind, number):
    """Set the priority that is set already: a higher one is refused without any sandbox."""
    os.setpriority(kind, number, os.getpriority(kind, number))


@attack(says=OTHERS)
def slows_its_opponent():
    attempt(set_priority, os.PRIO_PROCESS, opponent())


@attack(says=OTHERS)
def slows_all_of_its_user():
    attempt(set_priority, os.PRIO_USER, 0)


@attack(says=OTHERS)
def schedules_its_opponent():
    attempt(os.sched_setscheduler, opponent(), os.SCHED_OTHER, os.sched_param(0))


@attack(says="refused EPERM")
def keeps_others_from_its_core():
    """While it runs, the other threads of its core would run nothing."""
    sched_core, create, threads_of_process = 62, 1, 1
    attempt(system_call, "prctl", sched_core, create, 0, threads_of_process, 0)


@attack(says=OTHERS)
def slows_the_files_of_its_opponent():
    of_a_process, best_effort = 1, 2 << 13
    attempt(system_call, "ioprio_set", of_a_process, opponent(), best_effort)


@attack(says=OTHERS)
def removes_memory_of_others():
    attempt(system_call, "shmctl", int(FACTS["segment"]), 0, None)


@attack(says=OTHERS)
def signals_the_referee():
    attempt(os.kill, referee(), HARMLESS)


@attack(says=OTHERS)
def signals_its_opponent():
    attempt(os.kill, opponent(), HARMLESS)


@attack(says="refused .*")
def kills_its_supervisor():
    """Kill the process that would end its descendants."""
    before = os.getppid()
    try:
        os.kill(before, signal.SIGKILL)
    except PermissionError:
        info("refused EPERM")
    else:
        # The first process of a namespace does not mind.
        info("refused by nature" if before == 1 == os.getppid() else "pwned")


@attack()
def signals_everybody():
    """Signal every process; the referee checks whether it received one."""
    try:
        os.kill(-1, HARMLESS)
    except OSError:
        return


@attack(says="refused (EPERM|EACCES)")
def connects_to_this_machine():
    def connect():
        with socket.socket() as line:
            line.connect(("127.0.0.1", int(FACTS["port"])))

    attempt(connect)


@attack(says="refused (EPERM|EACCES)")
def sends_to_this_machine():
    def send():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.sendto(b"x", ("127.0.0.1", int(FACTS["port"])))

    attempt(send)


@attack(says="refused (EPERM|EACCES)")
def connects_by_the_other_protocol():
    attempt(socket.socket, socket.AF_INET6, socket.SOCK_STREAM)


@attack(says="refused (EPERM|EACCES)")
def speaks_raw():
    attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)


@attack(says="refused (EPERM|EACCES)")
def speaks_with_the_kernel():
    """Open a netlink socket."""
    attempt(socket.socket, 16, socket.SOCK_RAW)


@attack(says="refused (ECONNREFUSED|EPERM|EACCES)")
def connects_to_a_nameless_socket():
    """Connect to abstract sockets, which have no permissions."""
    attempt(connect_to_a_nameless_socket)


@attack(says="refused EPERM", network=True)
def connects_to_a_nameless_socket_of_the_network():
    """Those of the whole machine belong to the network that it may use."""
    attempt(connect_to_a_nameless_socket)


def connect_to_a_nameless_socket():
    with socket.socket(socket.AF_UNIX) as line:
        line.connect("\0" + FACTS["abstract"])


@attack(says="refused (ENOENT|EPERM|EACCES)")
def connects_to_a_socket_with_a_name():
    """Connect to sockets of the user's desktop or keys."""

    def connect():
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(FACTS["socket"])

    attempt(connect)


@attack(says="refused EPERM", rungs=("limits",))
def sends_to_a_socket_with_a_name():
    """One of a pair of datagram sockets can send to any other, too."""

    def send():
        line, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        line.sendto(b"x", FACTS["socket"])

    attempt(send)


@attack(says="refused EPERM")
def makes_a_pair_of_other_sockets():
    """The kernel loads a module for a family that it does not know yet."""
    attempt(socket.socketpair, socket.AF_INET)
