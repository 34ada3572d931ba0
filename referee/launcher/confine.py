"""Application of a confinement to a process before it becomes a bot.

A confinement is plain data that the referee computed (see sandbox/rungs.py). It is applied in the
process that becomes the bot and, where that one no longer has the rights, in its supervisor.
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
    from referee.launcher.request import ConfinementFields

INNER_USER = 1000
"""The id of an unprivileged user inside a user namespace."""
FIRST_USER = 1_500_000_000
"""The first user id of bots started by root; no accounts have ids in this range."""
FIRST_SMALL_USER, SMALL_USERS = 20_000, 40_000
"""The same inside containers that map only a few user ids."""
WRAPPER_PROCESSES = 2
"""Processes of bubblewrap beside the bot."""
COUNT_ROOM = 8
"""Processes of the user that may start while they are counted."""
MAX_PROCESSES = 2**22
"""The largest number of processes that Linux supports (PID_MAX_LIMIT)."""
NO_CORE_DUMP = 1
"""With 0 a crash would still start the machine's program for core dumps, if it has one: as root, on
any core, and on the opponent's time. This value starts none (`do_coredump` of the kernel)."""
PENDING_SIGNALS = 1024
"""Signals and timers of the user up to which a bot gets more."""
SHELL, ENV = "/bin/sh", "/usr/bin/env"
VARIABLE = "BOT_"
"""Prefix of the variables that pass the bot's own variables through the wrappers unused."""


def choose_user(confinement: "ConfinementFields") -> int:
    """Return the id of a user that no other bot runs as; 0: the current user."""
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
    """Make this process the parent of orphaned processes below it."""
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Request SIGKILL for this process when its parent ends, for any reason."""
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def set_owner(path: str, user: int) -> None:
    """Make the bot's user the owner of a file or folder; 0: leave it unchanged."""
    if user:
        os.chown(path, user, user, follow_symlinks=False)


@contextmanager
def owned(confinement: "ConfinementFields | None") -> Iterator[None]:
    """Make the bot's user the owner of the folders it may write to, and root afterwards."""
    if confinement is None or not confinement["user"]:
        yield
        return
    for folder in confinement["write"]:
        _set_owner_below(folder, confinement["user"])
    try:
        yield
    finally:
        for folder in confinement["write"]:
            _set_owner_below(folder, 0)


def _set_owner_below(folder: str, user: int) -> None:
    """Set the owner of a folder and of everything below it."""
    os.chown(folder, user, user)
    pending = [folder]  # no recursion: a bot can nest folders deeper than Python's limit
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                os.chown(entry.path, user, user, follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)


class NamespaceGate:
    """Synchronisation of a bot's process with its supervisor, which maps its user ids."""

    def __init__(self, confinement: "ConfinementFields | None") -> None:
        self._confinement = confinement
        self._ready, self._set_ready = os.pipe()
        self._mapped, self._set_mapped = os.pipe()
        self.listener: int | None = None
        """The seccomp descriptor for changes of metadata, see file_metadata.py."""
        self._has_listener = confinement is not None and _delegates_metadata(confinement)
        self._ours, self._theirs = socket.socketpair()

    def __enter__(self) -> "NamespaceGate":
        return self

    def __exit__(self, *error: object) -> None:
        for descriptor in (self._ready, self._mapped, self._set_mapped):
            os.close(descriptor)
        self._ours.close()
        self._theirs.close()

    def open_for(self, process: int) -> None:
        """Wait in the supervisor for the process, and map its user ids if it needs that."""
        os.close(self._set_ready)
        self._theirs.close()
        if self._has_listener:
            _, received, _, _ = socket.recv_fds(self._ours, 1, 1)
            self.listener = received[0] if received else None
        confinement = self._confinement
        if confinement is None or not confinement["wrapper"] or not confinement["user"]:
            return
        user = confinement["user"]
        if os.read(self._ready, 1):
            # Root is mapped too: bubblewrap binds files below folders that only root may enter.
            for name in ("uid_map", "gid_map"):
                with open(f"/proc/{process}/{name}", "w") as file:
                    file.write(f"0 0 1\n{INNER_USER} {user} 1\n")
            os.write(self._set_mapped, b".")

    def pass_through(self) -> None:
        """Enter a new user namespace in the bot's process, and wait until its ids are mapped."""
        user, group = os.getuid(), os.getgid()
        syscalls.unshare(syscalls.CLONE_NEWUSER)
        if self._confinement is not None and self._confinement["user"]:
            os.write(self._set_ready, b".")
            if not os.read(self._mapped, 1):
                os._exit(1)
            _write("/proc/sys/user/max_user_namespaces", "0")
        else:
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/uid_map", f"{user} {user} 1")
            _write("/proc/self/gid_map", f"{group} {group} 1")

    def hand_over(self, listener: int) -> None:
        """Send the listener from the bot's process to the supervisor."""
        socket.send_fds(self._theirs, [b"."], [listener])
        os.close(listener)


def _delegates_metadata(confinement: "ConfinementFields") -> bool:
    """Return whether the supervisor changes metadata of files for the bot.

    It does if the bot sees files that it may not change: those of its user, or those that all users
    may change. Without Landlock the bot could change their content anyway.
    """
    is_separate = confinement["wrapper"] or confinement["private_root"]
    return bool(confinement["landlock"] and confinement["filters_calls"] and not is_separate)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def wrap(
    confinement: "ConfinementFields",
    arguments: list[str],
    environment: dict[str, str],
    gate: NamespaceGate,
    report: int | None,
) -> tuple[list[str], dict[str, str]]:
    """Drop the rights that bubblewrap does not drop; return its command line and environment.

    `report` is the descriptor to which bubblewrap writes whether it ran the command.
    """
    gate.pass_through()
    options = []
    if confinement["filters_calls"]:  # a file that may be larger than those of the bot
        file = seccomp.as_file(confinement["network"])
        os.set_inheritable(file, True)
        options += ["--seccomp", str(file)]
    _set_limits(confinement, confinement["processes"] + WRAPPER_PROCESSES)
    forbid_huge_pages()
    if report is not None:
        os.set_inheritable(report, True)
        options += ["--json-status-fd", str(report)]
    # The loader would apply LD_PRELOAD and similar variables to the wrapper, too: so the bot's
    # variables get their names only when the last wrapper runs the bot. They are not passed on
    # a command line, which other users can read.
    renamed = {
        f"{VARIABLE}{number}": f"{name}={value}"
        for number, (name, value) in enumerate(environment.items())
    }
    start = [SHELL, "-c", _exec_script(len(renamed), arguments[0]), "sh", *arguments]
    return [*confinement["wrapper"], *options, "--", *confinement["inside"], *start], renamed


def _exec_script(variables: int, program: str) -> str:
    """Return the shell script that executes the bot with its own variables and no others."""
    words = "".join(f' "${VARIABLE}{number}"' for number in range(variables))
    # `env` would take a program with this sign in its path for one more variable.
    through = f""" {SHELL} -c 'exec "$@"' sh""" if "=" in program else ""
    return f'exec {ENV} -i --{words}{through} "$@"'


def confine(
    confinement: "ConfinementFields", folder: str, scratch: str | None, gate: NamespaceGate
) -> None:
    """Drop the rights that a bot may not have, without a wrapper, and change to its folder."""
    user = confinement["user"]
    write = [*confinement["write"], *([scratch] if scratch else [])]
    has_own_count = bool(user)  # whether RLIMIT_NPROC counts only processes of this bot
    if confinement["private_root"]:
        if not user:
            gate.pass_through()  # other users than root may mount only in a user namespace
            has_own_count = True
        private_root.enter(confinement["read"], write, folder)
    os.chdir(folder)
    others = 0 if has_own_count else count_processes(os.getuid())
    _set_limits(confinement, confinement["processes"] + others)
    forbid_huge_pages()
    if user:
        _switch_user(user, confinement["reads_closed"])
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if confinement["landlock"]:
        landlock.restrict(
            confinement["read"], [*write, *private_root.DEVICES], confinement["network"]
        )
    if _delegates_metadata(confinement):
        listener = seccomp.delegate_metadata()
        if listener is not None:
            gate.hand_over(listener)
    if confinement["filters_calls"]:
        is_covered = confinement["private_root"] or landlock.version() >= landlock.TRUNCATE_SINCE
        seccomp.restrict(confinement["network"], sees_files=True, truncates=is_covered)


def _switch_user(user: int, reads_closed: bool) -> None:
    """Switch to this user; with `reads_closed`, keep the capability to read all files."""
    if reads_closed:
        syscalls.prctl(syscalls.PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if reads_closed:
        syscalls.keep_capability(syscalls.CAP_DAC_READ_SEARCH)


def _set_limits(confinement: "ConfinementFields", processes: int) -> None:
    limits = {
        resource.RLIMIT_NOFILE: confinement["files"],
        resource.RLIMIT_FSIZE: confinement["file_size"],
        resource.RLIMIT_CORE: NO_CORE_DUMP,
    }
    if syscalls.IS_LINUX:  # elsewhere the number of the user's other processes is unknown
        limits[resource.RLIMIT_NPROC] = processes
        # They are counted per user: other processes may have more, so that some are left to them.
        limits[resource.RLIMIT_SIGPENDING] = PENDING_SIGNALS
        # Systems for audio work permit some users real-time priorities.
        limits[resource.RLIMIT_RTPRIO] = limits[resource.RLIMIT_NICE] = 0
    for limit, value in limits.items():
        _, hard = resource.getrlimit(limit)
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(limit, (value, value))


def forbid_huge_pages() -> None:
    """Let the kernel give small pages only to this process and all that it starts.

    A huge page of which a part is freed stays as a whole until memory gets short, and the freed
    part is charged to no process.
    """
    with suppress(OSError):  # a kernel without huge pages
        syscalls.prctl(syscalls.PR_SET_THP_DISABLE, 1)


def count_processes(user: int) -> int:
    """Count the processes and threads of this user, all of which RLIMIT_NPROC counts.

    Those in other containers are not visible here, so the smallest limit that permits a fork is
    searched for.
    """
    if not syscalls.IS_LINUX:
        return 0
    visible = _count_visible_tasks(user)
    low, high = visible, visible + COUNT_ROOM
    if _may_fork(high):
        return visible
    while not _may_fork(high):
        low, high = high, 2 * high
        if high > MAX_PROCESSES:
            return visible  # forks fail for another reason
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _may_fork(middle) else (middle, high)
    return low


def _count_visible_tasks(user: int) -> int:
    """Count the processes and threads of a user that /proc lists."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                if os.stat(f"/proc/{name}").st_uid == user:
                    count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _may_fork(limit: int) -> bool:
    """Return whether a fork succeeds under this limit, or the limit cannot be that high."""
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
