"""Attacks on files: its own, its opponents', the results', the machine's."""

import ctypes
import errno
import fcntl
import os
import sys

from .registry import attack
from .tools import (
    FACTS,
    attempt,
    attempt_to_read,
    attempt_to_write,
    in_scratch,
    info,
    read,
    scratch,
    system_call,
)

REFUSED = "refused (EROFS|EACCES|EPERM|ENOENT)"


@attack(says=REFUSED)
def writes_into_its_own_folder():
    attempt_to_write("bots/new.py")


@attack(says=REFUSED)
def removes_its_own_files():
    attempt(os.unlink, "bots/__init__.py")


@attack(says=REFUSED)
def opens_its_own_folder_to_all():
    attempt(os.chmod, "bots", 0o777)


@attack(says=REFUSED)
def opens_its_own_folder_by_a_descriptor():
    attempt(lambda: os.fchmod(os.open("bots", os.O_RDONLY), 0o777))


@attack(says=REFUSED)
def closes_the_folder_of_its_opponent():
    """A mode that it has already: whether it can be set is enough, and changes nothing."""
    attempt(os.chmod, FACTS["opponent_folder"], 0o755)


@attack(says=REFUSED)
def changes_the_times_of_its_opponents_files():
    attempt(os.utime, FACTS["opponent_folder"])


@attack(says=REFUSED)
def gives_its_files_away():
    attempt(os.chown, "bots", -1, os.getgid())


@attack(says="refused (EROFS|EACCES|EPERM|ENOTSUP|EOPNOTSUPP)")
def marks_its_files():
    """A note that the next process would find."""
    attempt(os.setxattr, "bots/__init__.py", "user.note", b"I lost the last one")


@attack(says="refused EPERM")
def leases_a_file():
    """Others who open it have to wait until the lease is over."""

    def lease():
        file = os.open("bots/__init__.py", os.O_RDONLY)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)

    attempt(lease)


@attack(says="refused EPERM")
def holds_a_delegation():
    """Others who change the folder would have to wait for it (Linux 6.19)."""
    set_delegation, reading = 1040, b"\0\0\0\0\0\0\0\0"
    attempt(lambda: fcntl.fcntl(os.open("bots", os.O_RDONLY), set_delegation, reading))


@attack(says="refused EPERM")
def is_notified_of_its_opponents_files():
    attempt(lambda: fcntl.fcntl(os.open("bots", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS))


@attack(says="refused ENOSYS")
def watches_the_folder_of_its_opponent():
    def watch():
        folder = ctypes.c_char_p(FACTS["opponent_folder"].encode())
        system_call("inotify_add_watch", system_call("inotify_init1", 0), folder, 0xFFF)

    attempt(watch)


@attack(says=REFUSED)
def writes_to_the_root():
    attempt_to_write("/x")


@attack(says=REFUSED)
def writes_to_devices():
    attempt_to_write("/dev/x")


@attack(says=REFUSED)
def writes_to_settings():
    attempt_to_write("/etc/passwd")


@attack(says=REFUSED)
def writes_to_the_kernel():
    """A program named here would be run by root."""
    attempt_to_write("/proc/sys/kernel/core_pattern")


@attack(says=REFUSED)
def reads_the_kernel():
    attempt_to_read("/proc/kcore")


@attack(says=REFUSED)
def reads_the_disk():
    attempt(os.mknod, in_scratch("disk"), 0o60600, os.makedev(8, 0))


@attack(says=REFUSED)
def reads_its_opponents_files():
    attempt_to_read(os.path.join(FACTS["opponent_folder"], "bots", "__main__.py"))


@attack(says=REFUSED)
def reads_the_results():
    attempt_to_read(FACTS["results"])


@attack(says=REFUSED)
def writes_the_results():
    attempt_to_write(FACTS["results"])


@attack(says=REFUSED)
def reads_the_home_of_the_referee():
    """It may be on the way to what a bot is shown; whatever else is there is hidden."""

    def look():
        shown = [f"{path}/" for path in (os.getcwd(), *sys.path)]
        for name in os.listdir(FACTS["home"]):
            way = os.path.join(FACTS["home"], name, "")
            if not any(path.startswith(way) for path in shown):
                return
        raise FileNotFoundError(errno.ENOENT, "nothing else is there")

    attempt(look)


@attack(says=REFUSED)
def reads_passwords():
    attempt_to_read("/etc/shadow")


@attack(says=REFUSED)
def link_to_the_results():
    """A way around: a name of its own for what is not its own."""
    os.symlink(FACTS["results"], in_scratch("mine"))
    attempt_to_read(in_scratch("mine"))


@attack(says="refused (EXDEV|EACCES|EPERM|ENOENT)")
def second_name_for_the_results():
    attempt(os.link, FACTS["results"], in_scratch("mine"))


@attack(says=REFUSED)
def results_by_the_way_of_the_referee():
    """The root folder of another process is the same one."""
    attempt_to_read(f"/proc/{FACTS['referee']}/root{FACTS['results']}")


@attack(says="refused EPERM")
def lets_others_run_a_file_as_its_user():
    """A program in its scratch folder that runs with the rights of its owner for any user."""
    path = in_scratch("program")
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o755))
    for mode in (0o4755, 0o2755):
        attempt(os.chmod, path, mode)
        attempt(lambda mode=mode: os.fchmod(os.open(path, os.O_RDONLY), mode))
        attempt(lambda mode=mode: os.chmod("program", mode, dir_fd=os.open(scratch(), os.O_RDONLY)))
        attempt(os.open, in_scratch(f"new-{mode}"), os.O_CREAT | os.O_WRONLY, mode)
        attempt(os.open, scratch(), os.O_TMPFILE | os.O_WRONLY, mode)
        attempt(os.mknod, in_scratch(f"node-{mode}"), mode)
    os.chmod(path, 0o1700)


@attack(says="refused ENOSYS")
def opens_a_file_by_another_call():
    """The mode is not among the arguments of this one."""
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)
    path = ctypes.c_char_p(in_scratch("program").encode())
    attempt(system_call, "openat2", -100, path, how, 24)


@attack(says="finds nothing", when="start")
def scratch_of_an_earlier_process():
    """A message from one game to the next."""
    shown = (os.getcwd(), *sys.path)  # which may lie below, read-only
    found = [
        name
        for name in os.listdir(scratch())
        if not any(path.startswith(in_scratch(name)) for path in shown)
    ]
    for name in found:
        read(in_scratch(name))
    info(f"pwned: {found}" if found else "finds nothing")
    with open(in_scratch("message"), "w") as file:
        file.write("I lost the last one")
