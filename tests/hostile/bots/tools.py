"""What attacks share: talking, waiting, and telling how an attempt went."""

import errno
import os
import select
import time

LONGEST_LIFE = 20
"""Seconds after which whatever an attack started ends by itself."""
ANSWERED = True
"""An attack says so if it gave an answer of its own, or will never give one."""
LEGAL = []
"""The moves of the turn that was asked last."""
FACTS = {}
"""What there is to attack."""


def say(text):
    """Write to standard output at once."""
    write_all(1, text.encode() if isinstance(text, str) else text)


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


def info(text):
    say(f"info {text}\n")


def wait(seconds=LONGEST_LIFE):
    """Do nothing for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        select.select([], [], [], max(0, end - time.monotonic()))
    return ANSWERED


def wait_and_exit():
    """The life of a child that does nothing."""
    wait()
    os._exit(0)


def attempt(deed, *values):
    """Do what must not be possible, and tell how it went."""
    try:
        deed(*values)
    except OSError as error:
        info(f"refused {errno.errorcode[error.errno]}")
    else:
        info("pwned")


def attempt_to_read(path):
    """A file that is none of its business."""
    attempt(read, path)


def attempt_to_write(path):
    """A file that is none of its business; opening it is enough, and hurts nothing."""
    attempt(lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)))


def read(path):
    with open(path, "rb") as file:
        return file.read(100_000)


def scratch():
    """The one folder that it may write to."""
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


def daemon(deed, *values):
    """Do something in a process without parent and session, as daemons do."""

    def leave():
        os.setsid()
        child(deed, *values)

    os.waitpid(child(leave), 0)


def leave_main_thread(deed):
    """Go on in another thread, and end the one that the process began with."""
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
    "fanotify_init": (300, 262),
    "ioprio_set": (251, 30),
    "chroot": (161, 51),
    "clone": (56, 220),
    "clone3": (435, 435),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "msgget": (68, 186),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "process_vm_readv": (310, 270),
    "ptrace": (101, 117),
    "prlimit64": (302, 261),
    "sched_setattr": (314, 274),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    # On x86_64, all calls have a second number for programs of another kind.
    "getpid by its other number": (0x4000_0027, 0x4000_0027),
}


def system_call(name, *values):
    """One that Python has no function for; the result, or OSError."""
    import ctypes

    number = CALLS[name][os.uname().machine == "aarch64"]
    library = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_long(value) if isinstance(value, int) else value for value in values]
    result = library.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
