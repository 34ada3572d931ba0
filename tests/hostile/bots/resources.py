"""Attacks by excessive use of resources: memory, disk, descriptors."""

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
    read,
    system_call,
    wait,
    wait_and_exit,
)

MIB = 2**20
MAX_MEMORY = 320 * MIB
"""More than the limit in the tests, and harmless to a machine."""
MAX_DISK = 128 * MIB
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
    pieces = bytearray(b"\1") * MAX_MEMORY
    wait()
    return bool(pieces)


@attack("memory")
def memory_in_many_processes():
    """Use a little memory in each of many processes."""

    def take():
        pieces = bytearray(b"\1") * (MAX_MEMORY // 10)
        wait()
        return pieces

    for _ in range(10):
        child(take)
    return wait()


@attack("memory")
def memory_in_a_daemon():
    def take():
        pieces = bytearray(b"\1") * MAX_MEMORY
        wait()
        return pieces

    daemon(take)
    return wait()


def shared_memory(descriptor=-1):
    """Keep pages that are no longer mapped and belong to no process."""
    shared = mmap.mmap(descriptor, MAX_MEMORY, prot=mmap.PROT_READ)
    for place in range(0, MAX_MEMORY, mmap.PAGESIZE):
        shared[place]
    shared.madvise(mmap.MADV_DONTNEED)
    wait()


@attack(says="refused EPERM")
def memory_that_is_shared():
    attempt(shared_memory)


@attack(says="refused (ENODEV|EACCES)")
def memory_that_is_shared_by_a_device():
    """Do the same through a device."""
    attempt(lambda: shared_memory(os.open("/dev/zero", os.O_RDONLY)))


@attack("memory")
def memory_behind_a_bustle():
    """Let orphans exit all the time, so that a supervisor is always busy."""
    pieces = bytearray(b"\1") * MAX_MEMORY
    end = time.monotonic() + 10
    while time.monotonic() < end:
        daemon(lambda: None)
    return bool(pieces)


@attack("memory")
def memory_behind_an_ended_thread():
    """End the main thread: the process looks like a zombie, its other threads run."""

    def take():
        pieces = bytearray(b"\1") * MAX_MEMORY
        wait()
        return pieces

    leave_main_thread(take)


@attack("memory")
def memory_in_page_tables():
    """Map one page at very many places."""
    per_table, no_reserve, no_huge_pages = 2 * MIB, 0x4000, 15
    size = MAX_MEMORY // mmap.PAGESIZE * per_table
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
    pages = mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ)
    pages.madvise(no_huge_pages)
    for place in range(0, size, per_table):
        pages[place]
    return wait()


@attack(says="refused EPERM")
def memory_in_freed_parts_of_huge_pages():
    """Get huge pages, of which freed parts are charged to no process."""
    huge_pages, collapse, set_disabled = 14, 25, 41
    pages = mmap.mmap(-1, 8 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    attempt(system_call, "prctl", set_disabled, 0, 0, 0, 0)
    for advice in (huge_pages, collapse):
        with suppress(OSError):  # unknown to an old kernel
            pages.madvise(advice)
        pages[:] = b"\1" * len(pages)
    if b"AnonHugePages:         0 kB" not in read("/proc/self/smaps_rollup"):
        info("pwned")


@attack("crash")
def memory_in_locks():
    """Lock every other byte of many files."""
    import fcntl

    files = [create(in_scratch(str(number))) for number in range(50)]
    for file in files:
        for place in range(500, 0, -2):
            fcntl.lockf(file, fcntl.LOCK_SH, 1, place)
    return wait()


@attack(says="refused EINVAL")
def memory_in_locks_of_a_file_in_transit():
    """Lock an open file itself: in the queue of a socket it is listed for no process."""
    import fcntl
    import struct

    file = create(in_scratch("file"))
    lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 1, 0)
    for set_lock in (37, 38):
        attempt(fcntl.fcntl, file, set_lock, lock)


@attack("crash")
def watches_that_take_long_to_list():
    """Watch each file under many numbers, which are then free again."""
    import select

    def watch():
        queues = [select.epoll() for _ in range(10)]
        pipes = [pipe for _ in range(10) for pipe in os.pipe()]
        for pipe in pipes:
            numbers = []
            with suppress(OSError):
                while True:
                    numbers.append(os.dup(pipe))
            for number in numbers:
                for queue in queues:
                    queue.register(number, 0)
            for number in numbers:
                os.close(number)
        wait()

    for _ in range(5):
        child(watch)
    return wait()


@attack("crash")
def memory_in_mappings():
    """Each page has other permissions than its neighbours, and none of them is there."""
    import ctypes

    pages = 140_000
    library = ctypes.CDLL(None)
    library.mmap.restype = ctypes.c_void_p
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = library.mmap(None, ctypes.c_size_t(pages * 4096), 1, flags, -1, ctypes.c_long(0))
    for number in range(0, pages, 2):
        page = ctypes.c_void_p(start + number * 4096)
        if library.mprotect(page, ctypes.c_size_t(4096), 0) != 0:
            break
    child(wait_and_exit)
    return wait()


@attack("memory")
def memory_in_links_between_mappings():
    """Each process has mappings, and links from them to all processes that forked it."""
    pieces = [mmap.mmap(-1, 8192, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for _ in range(1400)]
    # Neighbours would become one mapping.
    for piece in pieces[::2]:
        piece.madvise(mmap.MADV_DONTFORK)
    for piece in pieces[1::2]:
        piece[0] = 1
    for _ in range(60):
        if os.fork():
            break
    return wait()


@attack("memory")
def memory_of_a_family_without_first_threads():
    """The first threads of parents and children have no memory, and so none in common."""

    def take(generations):
        def hold():
            if generations:
                child(take, generations - 1)
            pieces = bytearray(b"\1") * (60 * MIB)
            wait()
            return pieces

        leave_main_thread(hold)

    child(take, 3)
    return wait()


@attack(says="shares")
def memory_that_children_share():
    """It counts once, as it is there once."""
    pieces = bytearray(b"\1") * (60 * MIB)
    for _ in range(10):
        child(wait_and_exit)
    wait(0.5)
    info("shares" if pieces else "")


@attack("memory")
def memory_that_children_share_no_more():
    """Each of them writes to its copy."""
    pieces = bytearray(b"\1") * (60 * MIB)

    def write():
        for place in range(0, len(pieces), mmap.PAGESIZE):
            pieces[place] = 2
        wait()

    for _ in range(10):
        child(write)
    return wait()


@attack("memory")
def memory_in_sockets():
    """Fill sockets that are never read."""

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
    """Do the same in connections that are neither accepted nor open any more."""
    name = "\0mine"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        listener.listen(4096)
        for _ in range(MAX_MEMORY // (128 * 1024)):
            with socket.socket(socket.AF_UNIX) as line:
                line.setblocking(False)
                line.connect(name)
                with suppress(BlockingIOError):
                    while True:
                        line.send(PIECE[:65536])
        return wait()


@attack(says="has the usual size")
def memory_in_large_buffers_of_sockets():
    """Ask for larger ones, which count as smaller ones do."""
    for line in socket.socketpair():
        usual = line.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
        size = line.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        info("has the usual size" if size == usual else f"pwned: {size}")


@attack(says="has sockets")
def sockets_of_an_ordinary_program():
    """They are not as large as the kernel permits them to be: Linux 6.18 permits 8 MiB each."""
    kept = [socket.socketpair() for _ in range(20)]
    wait(0.5)
    info("has sockets" if kept else "")


@attack(says="refused EINVAL")
def memory_in_pipes():
    """Put pages into a pipe, and unmap them or truncate their file: huge ones stay as a whole."""
    import ctypes

    pipe, other = os.pipe(), os.pipe()
    page = ctypes.create_string_buffer(mmap.PAGESIZE)
    parts = (ctypes.c_void_p * 2)(ctypes.addressof(page), len(page))
    file = create(in_scratch("page"))
    os.write(file, page.raw)
    os.write(other[1], b"x")
    attempt(system_call, "vmsplice", pipe[1], parts, 1, 0)
    attempt(system_call, "tee", other[0], pipe[1], 1, 0)
    for call in ("splice", "sendfile"):
        os.lseek(file, 0, os.SEEK_SET)
        values = (file, None, pipe[1], None, 1, 0)
        attempt(system_call, call, *(values if call == "splice" else (pipe[1], file, None, 1)))


@attack(says="refused EPERM")
def memory_in_huge_pages():
    """Take pages from a pool of the whole machine, which count as resident for no process."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000  # MAP_HUGETLB
    attempt(lambda: mmap.mmap(-1, 2 * MIB, flags=flags))


@attack(says="refused ENOSYS")
def memory_in_policies():
    """Give each page of a file a policy for NUMA, which stays when it is unmapped."""
    import ctypes

    pages = mmap.mmap(-1, 2 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    place = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    bind, nodes = 2, ctypes.c_ulong(1)
    attempt(system_call, "mbind", place, mmap.PAGESIZE, bind, ctypes.byref(nodes), 64, 0)


@attack(says="refused EPERM")
def memory_in_a_table_of_futexes():
    """Choose the size of a table in the kernel (Linux 6.16)."""
    futex_hash, set_slots = 78, 1
    attempt(system_call, "prctl", futex_hash, set_slots, 2**20, 0, 0)


@attack(says="refused EPERM")
def memory_in_filters_of_sockets():
    """Attach a program to a socket."""
    import ctypes
    import struct

    length = 4096
    lines = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xFFFF) * length)
    head = struct.pack("HxxxxxxP", length, ctypes.addressof(lines))
    attach_filter = 26
    for line in socket.socketpair():
        attempt(line.setsockopt, socket.SOL_SOCKET, attach_filter, head)


@attack(says="refused EPERM")
def memory_in_filters():
    """Keep filters of system calls in the kernel, also after their process has ended."""
    import ctypes
    import struct

    lines = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF_0000), 8)
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(lines)))
    set_filter, new_listener = 1, 8
    for flags in (0, new_listener):
        attempt(system_call, "seccomp", set_filter, flags, head)
    set_seccomp, filter_mode = 22, 2
    attempt(system_call, "prctl", set_seccomp, filter_mode, head, 0, 0)


@attack(says="refused ENOSYS")
def memory_without_owner():
    """Fill a file in memory that no process lists as its own."""
    attempt(os.memfd_create, "hidden")


@attack(says="refused (ENOSYS|EPERM)")
def memory_that_stays():
    """Create a shared-memory segment that outlives its process."""
    attempt(system_call, "shmget", 0, MIB, 0o1600)


@attack(says="refused (ENOSYS|EPERM)")
def messages_that_stay():
    """Create a message queue that outlives its process."""
    attempt(system_call, "msgget", 0, 0o1600)


@attack(
    {"bwrap": PLAYS_ON, "limits": "crash"},
    says={"bwrap": "refused ENOSPC", "limits": None},
)
def fills_its_scratch():
    """Write too many files of an allowed size."""

    def take():
        for number in range(MAX_DISK // (8 * MIB)):
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
    """Write files that have no name any more."""

    def take():
        for number in range(MAX_DISK // (8 * MIB)):
            descriptor = create(in_scratch(str(number)))
            os.unlink(in_scratch(str(number)))
            fill(descriptor, 8 * MIB)
        wait()

    attempt(take)


def fill_unseen():
    """Write files without a name until the disk is full."""
    for number in range(MAX_DISK // (8 * MIB)):
        descriptor = create(in_scratch(str(number)))
        os.unlink(in_scratch(str(number)))
        fill(descriptor, 8 * MIB)
    wait()
    info("pwned")


@attack("crash", rungs=("limits",))
def fills_its_scratch_with_folders():
    """Many file systems take a block for each; in the others too many can be counted."""
    os.mkdir(in_scratch("first"))
    takes_a_block = os.stat(in_scratch("first")).st_blocks * 512 >= 4096
    for number in range(8000 if takes_a_block else 11_000):
        os.mkdir(in_scratch(str(number)))
    return wait()


@attack(says="refused (ENOTSUP|EOPNOTSUPP)", rungs=("limits",))
def takes_the_disk_at_once():
    """The size limit of a file does not apply to space behind its end."""
    keep_size = 1
    attempt(system_call, "fallocate", create(in_scratch("big")), keep_size, 0, 64 * MIB)


@attack(says="refused (ENOTSUP|EOPNOTSUPP)", rungs=("limits",))
def writes_into_attributes():
    """In a file system in memory they belong to no file's size."""
    os.close(create(in_scratch("file")))
    attempt(os.setxattr, in_scratch("file"), "user.note", PIECE[:4000])


@attack("crash", rungs=("limits",))
def fills_its_scratch_behind_an_ended_thread():
    """End the main thread: the process looks like a zombie without open files."""
    leave_main_thread(fill_unseen)


@attack("crash", rungs=("limits",))
def fills_its_scratch_behind_a_curtain():
    """Forbid other processes of the user to list its open files."""
    import ctypes

    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    fill_unseen()


@attack(says="refused EPERM")
def files_that_a_thread_alone_has_open():
    """Give a thread a table of descriptors of its own, which is listed for no process."""
    unshare = 2
    attempt(system_call, "close_range", 1000, 1001, unshare)
    system_call("close_range", 1000, 1001, 0)


@attack("crash", rungs=("limits",))
def fills_its_scratch_in_mappings():
    """Map files without a name that are not open."""
    import ctypes

    library = ctypes.CDLL(None)  # Python itself would keep them open
    for number in range(MAX_DISK // (8 * MIB)):
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
    """Create nested folders, deeper than a path can be long."""

    def take():
        os.chdir(in_scratch(""))
        for _ in range(600):
            os.mkdir("a-folder")
            os.chdir("a-folder")
        for number in range(MAX_DISK // (8 * MIB)):
            descriptor = create(str(number))
            fill(descriptor, 8 * MIB)
            os.close(descriptor)
        wait()

    attempt(take)


@attack(says="refused (EFBIG|ENOSPC)")
def one_huge_file():
    attempt(lambda: fill(create(in_scratch("huge")), MAX_DISK))


@attack()
def many_small_files():
    for number in range(1000):
        os.close(create(in_scratch(str(number))))


@attack(when="end")
def folders_without_end():
    """Create nested folders that take long to remove."""
    os.chdir(in_scratch(""))
    for _ in range(2000):
        os.mkdir("a-folder")
        os.chdir("a-folder")


@attack()
def folders_without_key():
    """Create folders without permissions."""
    os.mkdir(in_scratch("locked"))
    os.close(create(in_scratch("locked/file")))
    os.chmod(in_scratch("locked"), 0)
    with suppress(PermissionError):  # where the folder itself is not its own
        os.chmod(in_scratch(""), 0)


@attack(says={"bwrap": "refused ENOSPC", "limits": "refused (EACCES|ENOENT)"})
def fills_shared_memory():
    """Fill a file system in memory."""
    attempt(lambda: fill(create("/dev/shm/big"), 32 * MIB))


@attack("crash", rungs=("bwrap",))
def more_files_in_shared_memory_than_can_be_counted():
    """Empty ones take no space."""
    for number in range(60_000):
        os.close(create(f"/dev/shm/{number}"))
    return wait()


@attack(says="refused (ENOENT|EACCES|EPERM|ENXIO)")
def opens_terminals():
    """Their number is limited for the whole machine."""
    attempt(lambda: os.close(os.open("/dev/ptmx", os.O_RDWR)))


@attack("crash", rungs=("limits",))
def more_files_than_can_be_counted():
    for number in range(11_000):
        os.close(create(in_scratch(str(number))))
    return wait()


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


@attack(says="refused EPERM")
def lets_its_crashes_start_a_program():
    """With another limit, the machine's program for core dumps would run, as root."""
    import ctypes

    core, wanted = 4, (ctypes.c_uint64 * 2)(0, 0)

    def limits():
        found = (ctypes.c_uint64 * 2)(0, 0)
        system_call("prlimit64", 0, core, None, found)
        return list(found)

    before = limits()
    attempt(system_call, "prlimit64", 0, core, wanted, (ctypes.c_uint64 * 2)(0, 0))
    # No error, and no effect: programs that want no core dumps end if they cannot set the limit.
    system_call("prlimit64", 0, core, wanted, None)
    system_call("setrlimit", core, wanted)
    info("has the limit" if limits() == before else f"pwned: {limits()}")


@attack(says="refused (EPERM|EACCES)")
def takes_priority():
    """Raise its priority."""
    attempt(os.setpriority, os.PRIO_PROCESS, 0, -10)


@attack(says="refused EPERM")
def takes_the_processor():
    """Request a real-time scheduling policy."""
    attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))


@attack(says="refused EPERM")
def leaves_its_core():
    """Move to another core than that of its game."""
    attempt(os.sched_setaffinity, 0, range(os.cpu_count()))


@attack(says="waits")
def processes_that_wait():
    """Start the maximum number of processes, all of which sleep."""
    for _ in range(20):
        child(wait_and_exit)
    info("waits")
