"""Supervisor of one bot: starts it, watches it, stops and resumes it, and ends all its processes.

It reports over the status socket to the referee, one line each:

    started 123 | failed ERRNO | refused ERRNO WHAT | unwrapped 1 | exit 1 | signal 9
    over memory 1100000000 | over scratch 70000000
    over files 0 | over mappings 0 | over locks 0 | over forks 0 | over resumed 0
    busy | stopped RUNNING MILLISECONDS | running

- `failed`: the system did not execute the bot's program.
- `refused`: the system refused a resource to the supervisor, or the sandbox failed.
- `unwrapped`: the wrapper exited with that status, and had not run the bot's command.
- `over`: the bot exceeded a limit and is killed. `files`: its scratch files cannot be measured.
  `forks`: it starts processes faster than they can be stopped. `resumed`: it ran while it was
  stopped.
- `busy`, once: the bot has more than one running thread.

Commands are lines: `stop NANOSECONDS` stops all processes of the bot, and has the time at which it
was sent (the reply `stopped` has the number of threads that were running, and the processor time
they took until they were stopped), `resume` resumes them (reply `running`). When the other end of
the socket is closed, by the referee or because it was killed, every process below the supervisor is
killed.
"""

import errno
import os
import select
import signal
from time import monotonic, monotonic_ns, sleep

from referee.launcher import (
    cgroup,
    confine,
    process_memory,
    process_tree,
    scratch_folder,
    socket_memory,
)
from referee.launcher.file_metadata import Metadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from referee.launcher.request import BotRequest, ConfinementFields

WATCH_MS, WATCH_STOPPED_MS = 100, 500
"""Intervals between checks of a bot, while it runs and while it is stopped."""
PAUSE_SECONDS = 0.002
GROUP_ROOM = 32 * 2**20
"""Memory of a control group in addition to the memory and the scratch files of a bot."""
ACTIVE_SHARE = 0.25
"""Share of the time since the last check from which on the running threads of a bot are counted."""
UNSEEN_NS = 10_000_000
"""Processor time of a bot between the command to stop it and a late stop, from which on it counts
as running off-turn."""
FILES_EVERY = 10
"""Checks of memory for each check of the files."""
NICENESS = 1
"""The nice value of a bot, so that the referee and the supervisor are scheduled first. The smallest
one: with 2 the bot is not scheduled as soon as a turn is written, which adds 5 % to short games."""
UMASK = 0o022
"""The umask of a confined bot, independent of ours."""
REFUSALS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Errors of exec that do not concern the program itself."""
COMMAND_RAN = b'"exit-code"'
"""Bubblewrap reports this if and only if it ran the command."""


def supervise(request: "BotRequest", descriptors: list[int]) -> None:
    """Run one bot, report its status, and end all its processes."""
    Supervisor(request, descriptors[:3], descriptors[3]).run()


class Supervisor:
    """The state of a supervisor process."""

    def __init__(self, request: "BotRequest", standard: list[int], status: int) -> None:
        self.request = request
        self.standard = standard
        self.status = status
        self.confinement = request["confinement"]
        if self.confinement is not None:
            self.confinement["user"] = confine.choose_user(self.confinement)
        self.bot = 0
        self.is_started = False
        self.requesting = ""
        """The resource that is requested next, for error messages; empty when the bot runs."""
        self.scratch: str | None = None
        self.wrapper_report: int | None = None
        """The pipe to which bubblewrap writes the status of its command; the bot has no access."""
        self.metadata: Metadata | None = None
        self.group: str | None = None
        """The control group of the bot, if one could be created."""
        self.stopped: process_tree.Stopped | None = None
        self.checks = 0
        self.memory = process_memory.MemoryMeter()
        self.mapping_bytes = 0
        """Kernel memory of the bot's mappings when its files were last checked."""
        self.commands = select.poll()
        self.commands.register(status, select.POLLIN)
        self.activity: Activity | None = Activity()
        self.check_began_ns = self.checked_ns = 0
        """When the last check began, and the processor time of the bot during it if a command
        arrived meanwhile: a bot can make a check slow, and run until it is stopped late."""
        self.is_over = False
        """Whether the bot was ended because it exceeded a limit."""

    def run(self) -> None:
        """Start the bot, serve the status socket until it is closed, and clean up."""
        # Orphaned processes become children of this process instead of process 1.
        confine.become_subreaper()
        try:
            self.requesting = "a pipe for a supervisor"
            wake = wake_when_children_end()
            self.requesting = "a scratch folder"
            self._make_scratch()
            self._make_group()
            with confine.owned(self.confinement):
                try:
                    self._start()
                    self._serve(wake)
                finally:
                    self._end_all()
        except OSError as error:
            if self.is_started:
                raise
            self._report(f"refused {error.errno} {self.requesting}")
        finally:
            if self.group is not None:
                cgroup.remove(self.group)
            if self.scratch is not None:
                scratch_folder.remove(self.scratch)

    def _make_scratch(self) -> None:
        """Create the scratch folder, unless the wrapper mounts one."""
        if self.confinement is not None and self.confinement["scratch_in"]:
            self.scratch = scratch_folder.make(self.confinement["scratch_in"])
            confine.set_owner(self.scratch, self.confinement["user"])

    def _make_group(self) -> None:
        """Create the control group; its limit is higher because it counts scratch files, too."""
        if self.confinement is not None:
            memory = self.confinement["memory"] + self.confinement["scratch"] + GROUP_ROOM
            self.group = cgroup.make(
                memory, self.confinement["processes"] + confine.WRAPPER_PROCESSES
            )

    def _start(self) -> None:
        self.requesting = "a process, or its pipes"
        failure, failed = os.pipe()
        report: int | None = None
        if self.confinement is not None and self.confinement["reports"]:
            self.wrapper_report, report = os.pipe()
            os.set_blocking(self.wrapper_report, False)
        supervisor = os.getpid()
        with confine.NamespaceGate(self.confinement) as gate:
            self.bot = os.fork()
            if self.bot == 0:
                os.close(failure)
                try:
                    self._become_bot(supervisor, gate, report)
                except BaseException as error:
                    os.write(failed, self._start_failure(error).encode())
                finally:
                    os._exit(127)
            gate.open_for(self.bot)
            if gate.listener is not None and self.confinement is not None:
                self.metadata = Metadata(gate.listener, self._own_folders(self.confinement))
        for descriptor in (failed, *self.standard, *(() if report is None else (report,))):
            os.close(descriptor)
        failure_line = os.read(failure, 1000).decode(errors="replace")
        os.close(failure)
        self.is_started = True
        self._report(failure_line or f"started {self.bot}")

    def _start_failure(self, error: BaseException) -> str:
        """Return the status line for a process that could not become the bot."""
        number = error.errno if isinstance(error, OSError) else 0
        if self.requesting or number in REFUSALS:
            return f"refused {number} {self.requesting or 'a process'}"
        return f"failed {number}" if number else f"refused 0 {error!r}"

    def _become_bot(self, supervisor: int, gate: confine.NamespaceGate, report: int | None) -> None:
        """Execute the bot in this process; it returns only by an exception."""
        self.requesting = "a sandbox"
        os.setsid()
        process_tree.set_session_priority(os.getpid(), os.nice(NICENESS))
        signal.set_wakeup_fd(-1)
        reset_signals()
        # Duplicated above 2 first, so that dup2 overwrites none that is still needed.
        for target, source in enumerate([os.dup(descriptor) for descriptor in self.standard]):
            os.dup2(source, target)
        arguments, environment = self.request["arguments"], self.request["environment"]
        if self.scratch is not None:
            environment = {"HOME": self.scratch, "TMPDIR": self.scratch, **environment}
        folder = self.request["folder"]
        if self.confinement is None:
            self.requesting = ""  # a missing folder is a failure of the bot
            os.chdir(folder)
        else:
            os.umask(UMASK)
            if self.group is not None:
                cgroup.enter(self.group)
            if self.confinement["wrapper"]:
                arguments, environment = confine.wrap(
                    self.confinement, arguments, environment, gate, report
                )
            else:
                confine.confine(self.confinement, folder, self.scratch, gate)
        confine.die_with_parent(supervisor)
        self.requesting = ""
        os.execvpe(arguments[0], arguments, environment)

    def _serve(self, wake: int) -> None:
        """Report, execute commands and check limits until the referee closes the socket."""
        poll = select.poll()
        poll.register(self.status, select.POLLIN)
        poll.register(wake, select.POLLIN)
        if self.metadata is not None:
            poll.register(self.metadata.listener, select.POLLIN)
        next_check = monotonic()
        while True:
            has_checks = not self.is_over
            left_ms = max(0.0, (next_check - monotonic()) * 1000)
            ready = dict(poll.poll(left_ms if has_checks else None))
            if self.metadata is not None and self.metadata.listener in ready:
                if ready[self.metadata.listener] & select.POLLIN:
                    self.metadata.answer()
                else:
                    poll.unregister(self.metadata.listener)  # all filtered processes have ended
            if wake in ready:
                os.read(wake, 4096)
                self._report_ended()
            if self.status in ready and not self._execute_commands():
                return
            # Also if there were events: a bot could cause a continuous stream of them.
            if has_checks and monotonic() >= next_check:
                self._check()
                next_check = monotonic() + (WATCH_STOPPED_MS if self.stopped else WATCH_MS) / 1000

    def _execute_commands(self) -> bool:
        """Execute the commands of the referee; return False when it has closed the socket."""
        try:
            commands = os.read(self.status, 4096)
        except ConnectionError:
            return False
        for command, *sent_ns in map(str.split, commands.decode().splitlines()):
            if command == "stop":
                self._stop(int(sent_ns[0]))
            elif command == "resume":
                if self._stayed_stopped():
                    process_tree.resume_all()
                self.stopped = None
                self._report("running")
            self.checked_ns = 0
        return bool(commands)

    def _stop(self, sent_ns: int) -> None:
        self.stopped = process_tree.stop_all()
        if self.stopped is None:
            self._end_for("over forks 0")
        else:
            running, used_ns = self.stopped.running, self.stopped.used_ns
            unseen_ns = self._unseen_ns(sent_ns)
            if unseen_ns > UNSEEN_NS:
                running, used_ns = max(1, running), used_ns + unseen_ns
            if running:
                process_tree.lower_priority()
            self._report(f"stopped {running} {used_ns / 1e6:.3f}")

    def _unseen_ns(self, sent_ns: int) -> int:
        """Return the least processor time that the bot used in the last check after a command.

        Before the command, which it may have needed for its answer, it used all cores at most.
        """
        before_ns = max(0, sent_ns - self.check_began_ns) * len(os.sched_getaffinity(0))
        return max(0, self.checked_ns - before_ns)

    def _stayed_stopped(self) -> bool:
        """Return whether a stopped bot has not run since; end it if it has."""
        if self.stopped is not None and not self.is_over and self.stopped.has_run():
            self._end_for("over resumed 0")
        return not self.is_over

    def _check(self) -> None:
        """End a bot that breaks a limit; report one with several running threads."""
        if self.stopped is not None:
            self._stayed_stopped()
            return
        if self.activity is not None and self.activity.has_several_running_threads():
            self.activity = None
            process_tree.lower_priority()
            self._report("busy")
        if self.confinement is not None:
            self.check_began_ns, before_ns = monotonic_ns(), process_tree.used_ns()
            self._check_limits(self.confinement)
            self.checked_ns = process_tree.used_ns() - before_ns if self._has_command() else 0

    def _check_limits(self, confinement: "ConfinementFields") -> None:
        """End a bot that exceeds its memory or, checked less often, its scratch folder."""
        memory = confinement["memory"]
        processes = list(process_tree.descendants())
        used = self.memory.used(processes, memory, self._has_command)
        have_usual_size = confinement["filters_calls"] and not confinement["network"]
        used += socket_memory.bytes_held(processes, have_usual_size) + self.mapping_bytes
        if used > memory:
            self._end_for(f"over memory {used}")
            return
        self.checks += 1
        if self.checks % FILES_EVERY == 0:
            self._check_files(confinement)

    def _check_files(self, confinement: "ConfinementFields") -> None:
        processes = list(process_tree.descendants())
        mappings = process_memory.count_mappings(processes)
        if mappings > process_memory.MAX_MAPPINGS:
            self._end_for("over mappings 0")
            return
        self.mapping_bytes = process_memory.bytes_of_mappings(mappings, len(processes))
        if process_memory.has_too_many_locks(processes):
            self._end_for("over locks 0")
            return
        folders = self._own_folders(confinement)
        is_build = bool(confinement["write"])
        most = scratch_folder.MAX_BUILD_FILES if is_build else scratch_folder.MAX_FILES
        written = sum(scratch_folder.bytes_below(folder, most) for folder in folders)
        if folders:
            written += scratch_folder.bytes_without_name(processes)
        is_crowded = confinement["wrapper"] and scratch_folder.is_crowded(processes)
        if is_crowded or written >= scratch_folder.UNCOUNTABLE:
            self._end_for("over files 0")
        elif written > confinement["scratch"]:
            self._end_for(f"over scratch {written}")

    def _has_command(self) -> bool:
        """Return whether the referee waits for this process: the turn of the opponent may begin."""
        return bool(self.commands.poll(0))

    def _own_folders(self, confinement: "ConfinementFields") -> list[str]:
        """Return the folders that the bot may write to and that the supervisor sees, too."""
        return [*([self.scratch] if self.scratch else []), *confinement["write"]]

    def _end_for(self, status_line: str) -> None:
        """Report a broken limit and kill the bot.

        Processes that start too fast for that are killed when the referee closes the socket.
        """
        self.is_over = True
        self._report(status_line)
        process_tree.kill_all()

    def _report_ended(self) -> None:
        for process, wait_status in ended_children():
            if process == self.bot:
                if self.group is not None and cgroup.is_out_of_memory(self.group):
                    assert self.confinement is not None
                    self._report(f"over memory {self.confinement['memory']}")
                code = os.waitstatus_to_exitcode(wait_status)
                if code > 0 and self.wrapper_report is not None and not self._command_ran():
                    self._report(f"unwrapped {code}")
                else:
                    self._report(f"signal {-code}" if code < 0 else f"exit {code}")

    def _command_ran(self) -> bool:
        """Return whether bubblewrap, which has ended, reported that it ran its command."""
        assert self.wrapper_report is not None
        try:
            return COMMAND_RAN in os.read(self.wrapper_report, 4096)
        except BlockingIOError:
            return False

    def _report(self, text: str) -> None:
        """Send a status line; if the referee has ended, the next poll of the socket shows that."""
        try:
            os.write(self.status, text.encode() + b"\n")
        except OSError:
            return

    def _end_all(self) -> None:
        """Kill the processes of the bot until none is left."""
        while True:
            process_tree.signal_all(signal.SIGKILL, self.bot)
            try:
                reaped, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not reaped:
                sleep(PAUSE_SECONDS)  # then list again, because the list can miss a process


def wake_when_children_end() -> int:
    """Catch SIGCHLD; return a descriptor that becomes readable when children have ended."""
    wake, write_end = os.pipe()
    for descriptor in (wake, write_end):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return wake


def reset_signals() -> None:
    """Give every signal its default action, and block none.

    Exec resets handlers, but ignored and blocked signals would be inherited: Python itself,
    `nohup`, or the service that started a cluster's worker may have set some.
    """
    for number in signal.valid_signals():
        if signal.getsignal(number) not in (signal.SIG_DFL, None):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


class Activity:
    """Processor time of a bot between two checks."""

    def __init__(self) -> None:
        self._checked_at = monotonic()
        self._used_ns = 0

    def has_several_running_threads(self) -> bool:
        """Return whether more than one thread is running; they are counted only if it is active."""
        processes = list(process_tree.descendants())
        used_ns, now = sum(map(process_tree.processor_ns, processes)), monotonic()
        is_active = used_ns - self._used_ns > (now - self._checked_at) * 1e9 * ACTIVE_SHARE
        self._used_ns, self._checked_at = used_ns, now
        return is_active and sum(map(process_tree.count_running, processes)) > 1


def ended_children() -> list[tuple[int, int]]:
    """Reap the children that have ended; return their ids and wait statuses."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            process, wait_status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if process == 0:
            return ended
        ended.append((process, wait_status))
