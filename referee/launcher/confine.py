"""Puts a process into its cage before it becomes a bot.

A cage is plain data that the referee made (see sandbox.py). Here it is carried out, in the process
that is about to become the bot and, where that one has given up the rights for it, in its
supervisor.
"""

import os
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from referee.launcher import landlock, private_root, seccomp, syscalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Confinement = dict[str, Any]

INNER_USER = 1000
"""What an unprivileged user is called inside a user namespace."""
FIRST_USER = 1_500_000_000
"""Bots started by root run as users from here on, which exist nowhere else."""
FIRST_SMALL_USER, SMALL_USERS = 20_000, 40_000
"""The same inside containers that have only a few users."""
WRAPPER_PROCESSES = 2
"""Those that bubblewrap runs beside the bot."""
COUNT_ROOM = 8
"""So many processes may start elsewhere while they are counted."""
MOST_PROCESSES = 2**22
"""More than this the kernel has no numbers for."""
SHELL, ENV = "/bin/sh", "/usr/bin/env"
VARIABLE = "BOT_"
"""Begins the names under which wrappers carry the bot's variables, as data that means nothing."""


def choose_user(confinement: "Confinement") -> int:
    """The user that this supervisor's bot runs as, different from all others; 0: as we do."""
    if not confinement["drops_root"]:
        return 0
    number = FIRST_USER + os.getpid()
    if _is_mapped(number):
        return number
    return FIRST_SMALL_USER + os.getpid() % SMALL_USERS


def _is_mapped(user: int) -> bool:
    if not syscalls.IS_LINUX:
        return False
    with open("/proc/self/uid_map") as file:
        ranges = [tuple(map(int, line.split())) for line in file]
    return any(first <= user < first + count for first, _, count in ranges)


def become_subreaper() -> None:
    """What is left without a parent below this process becomes its child."""
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """End when the parent ends, by whatever way."""
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def give(path: str, user: int) -> None:
    """Make the bot the owner of a file or folder, if it is somebody else."""
    if user:
        os.chown(path, user, user, follow_symlinks=False)


@contextmanager
def owned(confinement: "Confinement | None") -> Iterator[None]:
    """While it runs, the bot owns the folders it may write to (and nobody else's)."""
    folders: list[str] = (
        confinement["write"] if confinement is not None and confinement["user"] else []
    )
    for folder in folders:
        _change_owner(folder, confinement["user"] if confinement else 0)
    try:
        yield
    finally:
        for folder in folders:
            _change_owner(folder, 0)


def _change_owner(folder: str, user: int) -> None:
    os.chown(folder, user, user)
    waiting = [folder]  # deeper than Python can recur, if somebody likes
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                os.chown(entry.path, user, user, follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


class NamespaceGate:
    """Where a bot's process waits until its supervisor has said who it is in its namespace."""

    def __init__(self, confinement: "Confinement | None") -> None:
        self._cage = confinement
        self._ready, self._tell_ready = os.pipe()
        self._opened, self._open = os.pipe()
        self.listener: int | None = None
        """Where the kernel asks about changes of metadata, see metadata.py."""
        self._asks = confinement is not None and _asks_about_metadata(confinement)
        self._ours, self._theirs = socket.socketpair()

    def __enter__(self) -> "NamespaceGate":
        return self

    def __exit__(self, *error: object) -> None:
        for descriptor in (self._ready, self._opened, self._open):
            os.close(descriptor)
        self._ours.close()
        self._theirs.close()

    def open_for(self, process: int) -> None:
        """In the supervisor: wait for the process at the gate, and let it through."""
        os.close(self._tell_ready)
        self._theirs.close()
        if self._asks:
            _, received, _, _ = socket.recv_fds(self._ours, 1, 1)
            self.listener = received[0] if received else None
        if self._cage is None or not self._cage["wrapper"] or not self._cage["user"]:
            return
        user = self._cage["user"]
        if os.read(self._ready, 1):
            # Root may still open what lies below folders of its own, to show it to the bot.
            for name in ("uid_map", "gid_map"):
                with open(f"/proc/{process}/{name}", "w") as file:
                    file.write(f"0 0 1\n{INNER_USER} {user} 1\n")
            os.write(self._open, b".")

    def pass_through(self) -> None:
        """In the process: enter a user namespace of its own."""
        user, group = os.getuid(), os.getgid()
        syscalls.unshare(syscalls.CLONE_NEWUSER)
        if self._cage is not None and self._cage["user"]:
            os.write(self._tell_ready, b".")
            if not os.read(self._opened, 1):
                os._exit(1)
            _write("/proc/sys/user/max_user_namespaces", "0")
        else:
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/uid_map", f"{user} {user} 1")
            _write("/proc/self/gid_map", f"{group} {group} 1")

    def hand_over(self, listener: int) -> None:
        """In the process: give the listener to the supervisor."""
        socket.send_fds(self._theirs, [b"."], [listener])
        os.close(listener)


def _asks_about_metadata(confinement: "Confinement") -> bool:
    """Whether the bot shares its user and sees the files of others, so that nothing protects them.

    Without Landlock it could change their content anyway.
    """
    is_alone = confinement["user"] or confinement["wrapper"] or confinement["private_root"]
    return bool(confinement["landlock"] and confinement["filters_calls"] and not is_alone)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def wrap(
    confinement: "Confinement",
    arguments: list[str],
    environment: dict[str, str],
    gate: NamespaceGate,
    report: int | None,
) -> tuple[list[str], dict[str, str]]:
    """Give up what bubblewrap does not take away; its command line and its environment.

    `report` is where bubblewrap tells whether it got as far as running a command.
    """
    gate.pass_through()
    _limit(confinement, confinement["processes"] + WRAPPER_PROCESSES)
    options = []
    if confinement["filters_calls"]:
        file = seccomp.as_file(confinement["network"])
        os.set_inheritable(file, True)
        options += ["--seccomp", str(file)]
    if report is not None:
        os.set_inheritable(report, True)
        options += ["--json-status-fd", str(report)]
    # A loader obeys LD_PRELOAD and its like, in the wrapper too: the bot's variables get their
    # names only when the last of the wrappers runs the bot. They are in no command line.
    inert = {
        f"{VARIABLE}{number}": f"{name}={value}"
        for number, (name, value) in enumerate(environment.items())
    }
    start = [SHELL, "-c", _starting_script(len(inert), arguments[0]), "sh", *arguments]
    return [*confinement["wrapper"], *options, "--", *confinement["inside"], *start], inert


def _starting_script(variables: int, program: str) -> str:
    """What turns the wrapper's shell into the bot with its own variables and no others."""
    words = "".join(f' "${VARIABLE}{number}"' for number in range(variables))
    # To `env` a program with this sign in its path would be one more variable.
    through = f""" {SHELL} -c 'exec "$@"' sh""" if "=" in program else ""
    return f'exec {ENV} -i --{words}{through} "$@"'


def confine(
    confinement: "Confinement", folder: str, scratch: str | None, gate: NamespaceGate
) -> None:
    """Give up what a bot may not have, where no wrapper takes it away, and go to its folder."""
    user = confinement["user"]
    write = [*confinement["write"], *([scratch] if scratch else [])]
    counted_alone = bool(user)
    if confinement["private_root"]:
        if not user:
            gate.pass_through()  # an ordinary user may mount in a user namespace alone
            counted_alone = True
        private_root.enter(confinement["read"], write, folder)
    os.chdir(folder)
    others = 0 if counted_alone else count_processes(os.getuid())
    _limit(confinement, confinement["processes"] + others)
    if user:
        _become(user, confinement["reads_closed"])
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if confinement["landlock"]:
        landlock.restrict(
            confinement["read"], [*write, *private_root.DEVICES], confinement["network"]
        )
    if _asks_about_metadata(confinement):
        listener = seccomp.ask_about_metadata()
        if listener is not None:
            gate.hand_over(listener)
    if confinement["filters_calls"]:
        is_covered = confinement["private_root"] or landlock.version() >= landlock.TRUNCATE_SINCE
        seccomp.restrict(confinement["network"], sees_files=True, truncates=is_covered)


def _become(user: int, reads_closed: bool) -> None:
    """Become this user, who may still read what root alone may read if that is wanted."""
    if reads_closed:
        syscalls.prctl(syscalls.PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if reads_closed:
        syscalls.keep_capability(syscalls.CAP_DAC_READ_SEARCH)


def _limit(confinement: "Confinement", processes: int) -> None:
    limits = {
        resource.RLIMIT_NOFILE: confinement["files"],
        resource.RLIMIT_FSIZE: confinement["file_size"],
        resource.RLIMIT_CORE: 0,
    }
    if syscalls.IS_LINUX:  # elsewhere nobody tells how many processes the user has already
        limits[resource.RLIMIT_NPROC] = processes
        # Some users may run before all others, as a favour to their music.
        limits[resource.RLIMIT_RTPRIO] = limits[resource.RLIMIT_NICE] = 0
    for limit, most in limits.items():
        _, hard = resource.getrlimit(limit)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(limit, (most, most))


def count_processes(user: int) -> int:
    """How many processes and threads the limit counts: all of this user.

    Those in other containers cannot be seen here, so a fork is tried under the limit that is just
    enough for the others.
    """
    if not syscalls.IS_LINUX:
        return 0
    seen = _processes_of(user)
    low, high = seen, seen + COUNT_ROOM
    if _may_fork(high):
        return seen
    while not _may_fork(high):
        low, high = high, 2 * high
        if high > MOST_PROCESSES:
            return seen  # something else refuses it
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _may_fork(middle) else (middle, high)
    return low


def _processes_of(user: int) -> int:
    """How many processes and threads of a user can be seen."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == user:
                    count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _may_fork(limit: int) -> bool:
    """Whether one more process can be had under this limit, or the limit cannot be that high."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard != resource.RLIM_INFINITY and limit > hard:
        return True
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, hard))
    try:
        child = os.fork()
    except BlockingIOError:
        return False
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True
