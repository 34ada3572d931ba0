"""Attacks by taking too much: memory, disk, descriptors."""

import mmap
import os
import socket
import time
from contextlib import suppress

from .registry import PLAYS_ON, attack
from .tools import (
    attempt,
    child,
    daemon,
    in_scratch,
    info,
    leave_main_thread,
    system_call,
    wait,
    wait_and_exit,
)

MIB = 2**20
MOST_MEMORY = 320 * MIB
"""More than the limit in the tests, and harmless to a machine."""
MOST_DISK = 128 * MIB
PIECE = b"\1" * MIB


def fill(descriptor, size):
    for _ in range(size // MIB):
        data = PIECE
        while data:
            data = data[os.write(descriptor, data) :]


def create(path):
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


@attack("memory")
def memory_in_one_process():
    pieces = bytearray(b"\1") * MOST_MEMORY
    wait()
    return bool(pieces)


@attack("memory")
def memory_in_many_processes():
    """None of them takes much."""

    def take():
        pieces = bytearray(b"\1") * (MOST_MEMORY // 10)
        wait()
        return pieces

    for _ in range(10):
        child(take)
    return wait()


@attack("memory")
def memory_in_a_daemon():
    def take():
        pieces = bytearray(b"\1") * MOST_MEMORY
        wait()
        return pieces

    daemon(take)
    return wait()


def shared_memory(descriptor=-1):
    """Pages that stay after they are mapped no longer, and then belong to no process."""
    shared = mmap.mmap(descriptor, MOST_MEMORY, prot=mmap.PROT_READ)
    for place in range(0, MOST_MEMORY, mmap.PAGESIZE):
        shared[place]
    shared.madvise(mmap.MADV_DONTNEED)
    wait()


@attack(says="refused EPERM")
def memory_that_is_shared():
    attempt(shared_memory)


@attack(says="refused (ENODEV|EACCES)")
def memory_that_is_shared_by_a_device():
    """The older way to the same."""
    attempt(lambda: shared_memory(os.open("/dev/zero", os.O_RDONLY)))


@attack("memory")
def memory_behind_a_bustle():
    """Orphans die all the time, so that whoever watches is always busy."""
    pieces = bytearray(b"\1") * MOST_MEMORY
    end = time.monotonic() + 10
    while time.monotonic() < end:
        daemon(lambda: None)
    return bool(pieces)


@attack("memory")
def memory_behind_an_ended_thread():
    """The process seems to be a zombie, which holds nothing; its threads live."""

    def take():
        pieces = bytearray(b"\1") * MOST_MEMORY
        wait()
        return pieces

    leave_main_thread(take)


@attack("memory")
def memory_in_page_tables():
    """Only one page is there, which is mapped at very many places."""
    per_table, no_reserve, no_huge_pages = 2 * MIB, 0x4000, 15
    size = MOST_MEMORY // mmap.PAGESIZE * per_table
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
    pages = mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ)
    pages.madvise(no_huge_pages)
    for place in range(0, size, per_table):
        pages[place]
    return wait()


@attack("memory")
def memory_in_sockets():
    """What was sent, and nobody reads."""

    def take():
        kept = []
        with suppress(OSError):
            while True:
                kept.append(socket.socketpair())
                for line in kept[-1]:
                    line.setblocking(False)
                    with suppress(BlockingIOError):
                        while True:
                            line.send(PIECE[:65536])
        wait()

    for _ in range(25):
        child(take)
    return wait()


@attack("memory", rungs=("bwrap",))
def memory_in_connections():
    """The same in connections that nobody has accepted, nor has open any more."""
    name = "\0mine"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        listener.listen(4096)
        for _ in range(MOST_MEMORY // (128 * 1024)):
            with socket.socket(socket.AF_UNIX) as line:
                line.setblocking(False)
                line.connect(name)
                with suppress(BlockingIOError):
                    while True:
                        line.send(PIECE[:65536])
        return wait()


@attack(says="refused ENOSYS")
def memory_without_owner():
    """A file in memory that no process shows as its own."""
    attempt(os.memfd_create, "hidden")


@attack(says="refused (ENOSYS|EPERM)")
def memory_that_stays():
    """A segment that outlives whoever made it."""
    attempt(system_call, "shmget", 0, MIB, 0o1600)


@attack(says="refused (ENOSYS|EPERM)")
def messages_that_stay():
    """A queue of messages that outlives whoever made it."""
    attempt(system_call, "msgget", 0, 0o1600)


@attack(
    {"bwrap": PLAYS_ON, "limits": "crash"},
    says={"bwrap": "refused ENOSPC", "limits": None},
)
def fills_its_scratch():
    """Files of a legal size, and too many of them."""

    def take():
        for number in range(MOST_DISK // (8 * MIB)):
            descriptor = create(in_scratch(str(number)))
            fill(descriptor, 8 * MIB)
            os.close(descriptor)
        wait()

    attempt(take)


@attack(
    {"bwrap": PLAYS_ON, "limits": "crash"},
    says={"bwrap": "refused (ENOSPC|EMFILE)", "limits": None},
)
def fills_its_scratch_unseen():
    """Files that have no name any more."""

    def take():
        for number in range(MOST_DISK // (8 * MIB)):
            descriptor = create(in_scratch(str(number)))
            os.unlink(in_scratch(str(number)))
            fill(descriptor, 8 * MIB)
        wait()

    attempt(take)


def fill_unseen():
    """Files without a name, until there is no room."""
    for number in range(MOST_DISK // (8 * MIB)):
        descriptor = create(in_scratch(str(number)))
        os.unlink(in_scratch(str(number)))
        fill(descriptor, 8 * MIB)
    wait()
    info("pwned")


@attack("crash", rungs=("limits",))
def fills_its_scratch_behind_an_ended_thread():
    """The process seems to be a zombie, which has no files open; its threads live."""
    leave_main_thread(fill_unseen)


@attack("crash", rungs=("limits",))
def fills_its_scratch_behind_a_curtain():
    """A process that does not let others of its user see what it has open."""
    import ctypes

    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    fill_unseen()


@attack("crash", rungs=("limits",))
def fills_its_scratch_in_mappings():
    """Files without a name that are not even open."""
    import ctypes

    library = ctypes.CDLL(None)  # Python itself would keep them open
    for number in range(MOST_DISK // (8 * MIB)):
        descriptor = create(in_scratch(str(number)))
        os.unlink(in_scratch(str(number)))
        fill(descriptor, 8 * MIB)
        size = ctypes.c_size_t(8 * MIB)
        library.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, ctypes.c_long(0))
        os.close(descriptor)
    wait()
    info("pwned")


@attack(
    {"bwrap": PLAYS_ON, "limits": "crash"},
    says={"bwrap": "refused ENOSPC", "limits": None},
)
def fills_its_scratch_far_below():
    """Folders in folders, deeper than a path can be long."""

    def take():
        os.chdir(in_scratch(""))
        for _ in range(600):
            os.mkdir("a-folder")
            os.chdir("a-folder")
        for number in range(MOST_DISK // (8 * MIB)):
            descriptor = create(str(number))
            fill(descriptor, 8 * MIB)
            os.close(descriptor)
        wait()

    attempt(take)


@attack(says="refused (EFBIG|ENOSPC)")
def one_huge_file():
    attempt(lambda: fill(create(in_scratch("huge")), MOST_DISK))


@attack()
def many_small_files():
    for number in range(1000):
        os.close(create(in_scratch(str(number))))


@attack(when="end")
def folders_without_end():
    """So deep that removing them is a task of its own."""
    os.chdir(in_scratch(""))
    for _ in range(2000):
        os.mkdir("a-folder")
        os.chdir("a-folder")


@attack()
def folders_without_key():
    """Whoever cleans up may not look inside."""
    os.mkdir(in_scratch("locked"))
    os.close(create(in_scratch("locked/file")))
    os.chmod(in_scratch("locked"), 0)
    with suppress(PermissionError):  # where the folder itself is not its own
        os.chmod(in_scratch(""), 0)


@attack(says={"bwrap": "refused ENOSPC", "limits": "refused (EACCES|ENOENT)"})
def fills_shared_memory():
    """Another place that is made of memory."""
    attempt(lambda: fill(create("/dev/shm/big"), 32 * MIB))


@attack(says="refused EMFILE")
def exhausts_descriptors():
    def take():
        for _ in range(1000):
            os.dup(0)

    attempt(take)


@attack(says="refused (EPERM|EINVAL)")
def raises_its_limits():
    import resource

    def raise_it():
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (100_000, 100_000))
        except ValueError:
            raise PermissionError(1, "not allowed") from None

    attempt(raise_it)


@attack(says="refused (EPERM|EACCES)")
def takes_priority():
    """Before all others."""
    attempt(os.setpriority, os.PRIO_PROCESS, 0, -10)


@attack(says="refused EPERM")
def takes_the_processor():
    """For itself alone, until it wishes otherwise."""
    attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))


@attack(says="refused EPERM")
def leaves_its_core():
    """Another core than the one its game was given."""
    attempt(os.sched_setaffinity, 0, range(os.cpu_count()))


@attack(says="waits")
def processes_that_wait():
    """All it may have, and every one of them sleeps."""
    for _ in range(20):
        child(wait_and_exit)
    info("waits")
