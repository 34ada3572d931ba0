"""Helpers of attacks: output, waiting, and reports of attempts."""

import errno
import os
import select
import sys
import time

MAX_LIFE_SECONDS = 20
"""Maximum duration of the processes of an attack."""
ANSWERED = True
"""Return value of an attack that has answered itself, or never will."""
LEGAL = []
"""The moves of the turn that was asked last."""
FACTS = {}
"""What there is to attack."""
THINKING_SECONDS = 0.3
"""Processor time per turn of an opponent that thinks."""


def say(text):
    """Write to standard output at once."""
    write_all(1, text.encode() if isinstance(text, str) else text)


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


def info(text):
    say(f"info {text}\n")


def wait(seconds=MAX_LIFE_SECONDS):
    """Do nothing for this many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        select.select([], [], [], max(0, end - time.monotonic()))
    return ANSWERED


def burn(seconds):
    """Use this much of the processor."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def note_legal_moves(line):
    """Keep the moves that are legal in a turn."""
    fields = dict(field.split("=", 1) for field in line.split()[1:])
    LEGAL[:] = fields["legal"].split(";")


def play_on_and_report_use(processes):
    """Play two turns, and report whether these ran while an opponent thought about its own.

    Until they are stopped they may use a quarter of what it uses.
    """
    used = 0.0
    for _ in range(2):
        say(f"move {LEGAL[0]}\n")
        before = sum(map(processor_time, processes))
        select.select([0], [], [])
        used += sum(map(processor_time, processes)) - before
        note_legal_moves(sys.stdin.readline())
    info("is stopped" if used < 2 * THINKING_SECONDS / 4 else f"pwned: it used {used} s")


def processor_time(process):
    """Return the processor time that a process has used."""
    scheduled = 2
    return time.clock_gettime(~process << 3 | scheduled)


def wait_and_exit():
    """Wait in a child, and exit."""
    wait()
    os._exit(0)


def attempt(deed, *values):
    """Do what must not be possible, and report the result."""
    try:
        deed(*values)
    except OSError as error:
        info(f"refused {errno.errorcode[error.errno]}")
    else:
        info("pwned")


def attempt_to_read(path):
    """Read a file that is hidden from bots."""
    attempt(read, path)


def attempt_to_write(path):
    """Open a file for writing that belongs to others; change nothing."""
    attempt(lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)))


def read(path):
    with open(path, "rb") as file:
        return file.read(100_000)


def scratch():
    """Return the only folder that it may write to."""
    return os.environ["TMPDIR"]


def in_scratch(name):
    return os.path.join(scratch(), name)


def child(deed, *values):
    """Do something in a child."""
    process = os.fork()
    if process == 0:
        try:
            deed(*values)
        finally:
            os._exit(0)
    return process


def leave_session():
    """Start a session of its own, where that is permitted."""
    try:
        os.setsid()
    except PermissionError:
        return


def daemon(deed, *values):
    """Do something in a process without parent and session, as daemons do."""

    def leave():
        leave_session()
        child(deed, *values)

    os.waitpid(child(leave), 0)


def leave_main_thread(deed):
    """Continue in another thread, and end the main thread."""
    import threading

    def wait_and_do():
        while b") Z" not in read("/proc/self/stat"):
            time.sleep(0.001)
        deed()

    threading.Thread(target=wait_and_do).start()
    system_call("exit", 0)


CALLS = {
    # name: x86_64, aarch64
    "bpf": (321, 280),
    "exit": (60, 93),
    "fallocate": (285, 47),
    "fanotify_init": (300, 262),
    "ioprio_set": (251, 30),
    "chroot": (161, 51),
    "clone": (56, 220),
    "close_range": (436, 436),
    "clone3": (435, 435),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "mbind": (237, 235),
    "mount": (165, 40),
    "openat2": (437, 437),
    "msgget": (68, 186),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "process_vm_readv": (310, 270),
    "ptrace": (101, 117),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "sched_setattr": (314, 274),
    "seccomp": (317, 277),
    "sendfile": (40, 71),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setrlimit": (160, 164),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "splice": (275, 76),
    "tee": (276, 77),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
    # On x86_64, all calls have a second number for programs of another kind.
    "getpid by its other number": (0x4000_0027, 0x4000_0027),
}


def system_call(name, *values):
    """Make a system call without a function in Python, by name or number; may raise OSError."""
    import ctypes

    number = CALLS[name][os.uname().machine == "aarch64"] if isinstance(name, str) else name
    library = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_long(value) if isinstance(value, int) else value for value in values]
    result = library.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
