"""One bot's supervisor: starts it, watches it, stops and wakes it, and ends all of it.

It talks with the referee over the status socket. It says what became of the bot:

    started 123 | failed WHY | refused ERRNO WHAT | unwrapped 1 | exit 1 | signal 9
    over memory 1100000000 | over scratch 70000000 | over haste 0 | over rest 0
    busy | stopped RUNNING MILLISECONDS | running

(`failed`: the system would not run the bot's program; `refused`: it would not give the supervisor
what that needs, or the sandbox could not be made; `unwrapped`: the wrapper ended with that status,
and had not run the bot's command; `busy`, once: the bot has more than one running thread). It takes
single letters: stop all processes of the bot (`s`, answered with how many threads were running, and
the processor time that they took until all stood still), or let them run again (`r`, answered with
`running`). As soon as the socket is closed at the other end, because the referee wants it so or
because it was killed, every process below it is ended.
"""

import errno
import os
import select
import signal
from time import monotonic, sleep

from referee.launcher import cgroup, confine, process_tree, scratch_folder, socket_memory
from referee.launcher.file_metadata import Metadata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Request = dict[str, Any]
    """What bot.py sends: arguments, folder, environment and cage."""

WATCH_MS, WATCH_STOPPED_MS = 100, 500
"""How often a bot is looked at, while it runs and while it is stopped."""
PAUSE_SECONDS = 0.002
GROUP_ROOM = 32 * 2**20
"""What a control group may hold besides the memory and the scratch files of a bot."""
ACTIVE_SHARE = 0.25
"""A bot that used a smaller part of the time since the last look is not looked at more closely."""
FILES_EVERY = 10
"""Its files are looked at so many times less often."""
NICENESS = 2
"""How much later than the referee and its supervisor a bot runs, where both could."""
UMASK = 0o022
"""Of a bot in a cage, whatever ours is."""
REFUSALS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""What says nothing about the program that was to be run."""
COMMAND_RAN = b'"exit-code"'
"""Bubblewrap reports this of a command that it could run, and only then."""


def supervise(command: "Request", descriptors: list[int]) -> None:
    """Run one bot, report how it is, and in the end leave nothing of it."""
    Supervisor(command, descriptors[:3], descriptors[3]).run()


class Supervisor:
    """What a supervisor process knows of its bot."""

    def __init__(self, command: "Request", standard: list[int], status: int) -> None:
        self.command = command
        self.standard = standard
        self.status = status
        self.confinement: confine.Confinement | None = command["confinement"]
        if self.confinement is not None:
            self.confinement["user"] = confine.choose_user(self.confinement)
        self.bot = 0
        self.is_started = False
        self.doing = ""
        """What the system is asked for next, before the bot runs."""
        self.scratch: str | None = None
        self.wrapper_report: int | None = None
        """Where bubblewrap says what became of its command, out of the bot's reach."""
        self.metadata: Metadata | None = None
        self.group: str | None = None
        """The control group of the bot, where there can be one."""
        self.stopped: process_tree.Stopped | None = None
        self.looks = 0
        self.activity: Activity | None = Activity()
        self.is_over = False
        """Whether it was ended for taking more than it may."""

    def run(self) -> None:
        # What dies below us without a parent comes to us instead of to process 1.
        confine.become_subreaper()
        try:
            self.doing = "a pipe for a supervisor"
            wake = wake_when_children_end()
            self.doing = "a scratch folder"
            self._make_scratch()
            self._make_group()
            with confine.owned(self.confinement):
                try:
                    self._start()
                    self._attend(wake)
                finally:
                    self._end_all()
        except OSError as error:
            if self.is_started:
                raise
            self._report(f"refused {error.errno} {self.doing}")
        finally:
            if self.group is not None:
                cgroup.remove(self.group)
            if self.scratch is not None:
                scratch_folder.remove(self.scratch)

    def _make_scratch(self) -> None:
        """A folder of its own, where the cage does not bring one."""
        if self.confinement is not None and self.confinement["scratch_in"]:
            self.scratch = scratch_folder.make(self.confinement["scratch_in"])
            confine.give(self.scratch, self.confinement["user"])

    def _make_group(self) -> None:
        """A second bound for memory: above the first, because it counts scratch files as well."""
        if self.confinement is not None:
            memory = self.confinement["memory"] + self.confinement["scratch"] + GROUP_ROOM
            self.group = cgroup.make(
                memory, self.confinement["processes"] + confine.WRAPPER_PROCESSES
            )

    def _start(self) -> None:
        self.doing = "a process, or its pipes"
        failure, failed = os.pipe()
        told: int | None = None
        if self.confinement is not None and self.confinement["reports"]:
            self.wrapper_report, told = os.pipe()
            os.set_blocking(self.wrapper_report, False)
        supervisor = os.getpid()
        with confine.NamespaceGate(self.confinement) as gate:
            self.bot = os.fork()
            if self.bot == 0:
                os.close(failure)
                try:
                    self._become_bot(supervisor, gate, told)
                except BaseException as error:
                    os.write(failed, self._why_not_started(error).encode())
                finally:
                    os._exit(127)
            gate.open_for(self.bot)
            if gate.listener is not None and self.confinement is not None:
                self.metadata = Metadata(gate.listener, self._own_folders(self.confinement))
        for descriptor in (failed, *self.standard, *(() if told is None else (told,))):
            os.close(descriptor)
        why = os.read(failure, 1000).decode(errors="replace")
        os.close(failure)
        self.is_started = True
        self._report(why or f"started {self.bot}")

    def _why_not_started(self, error: BaseException) -> str:
        """What to report of a process that could not become the bot."""
        number = error.errno if isinstance(error, OSError) else 0
        if self.doing or number in REFUSALS:
            return f"refused {number} {self.doing or 'a process'}"
        return f"failed {os.strerror(number)}" if number else f"refused 0 {error!r}"

    def _become_bot(self, supervisor: int, gate: confine.NamespaceGate, report: int | None) -> None:
        """Turn this process into the bot; only returns by an exception."""
        self.doing = "a sandbox"
        os.setsid()
        os.nice(NICENESS)
        signal.set_wakeup_fd(-1)
        reset_signals()
        # Above 2 first, so that no descriptor is overwritten before it is used.
        for target, source in enumerate([os.dup(descriptor) for descriptor in self.standard]):
            os.dup2(source, target)
        arguments: list[str] = self.command["arguments"]
        environment: dict[str, str] = self.command["environment"]
        if self.scratch is not None:
            environment = {"HOME": self.scratch, "TMPDIR": self.scratch, **environment}
        folder: str = self.command["folder"]
        if self.confinement is None:
            self.doing = ""  # the folder is the bot's
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
        self.doing = ""
        os.execvpe(arguments[0], arguments, environment)

    def _attend(self, wake: int) -> None:
        """Report, obey and watch until the referee hangs up."""
        poll = select.poll()
        poll.register(self.status, select.POLLIN)
        poll.register(wake, select.POLLIN)
        if self.metadata is not None:
            poll.register(self.metadata.listener, select.POLLIN)
        next_look = monotonic()
        while True:
            watches = not self.is_over
            left_ms = max(0.0, (next_look - monotonic()) * 1000)
            ready = dict(poll.poll(left_ms if watches else None))
            if self.metadata is not None and self.metadata.listener in ready:
                if ready[self.metadata.listener] & select.POLLIN:
                    self.metadata.answer()
                else:
                    poll.unregister(self.metadata.listener)  # no process is left to ask
            if wake in ready:
                os.read(wake, 4096)
                self._report_ended()
            if self.status in ready and not self._obey():
                return
            # However much else there is to do: a bot could see to it that there always is.
            if watches and monotonic() >= next_look:
                self._look()
                next_look = monotonic() + (WATCH_STOPPED_MS if self.stopped else WATCH_MS) / 1000

    def _obey(self) -> bool:
        """Do what the referee says; False when it has hung up."""
        try:
            orders = os.read(self.status, 64)
        except ConnectionError:
            return False
        for order in orders.decode():
            if order == "s":
                self._stop()
            elif order == "r":
                if self._has_rested():
                    process_tree.wake_all()
                self.stopped = None
                self._report("running")
        return bool(orders)

    def _stop(self) -> None:
        self.stopped = process_tree.stop_all()
        if self.stopped is None:
            self._end_for("over haste 0")
        else:
            if self.stopped.running:
                process_tree.lower_priority()
            used_ms = self.stopped.used_ns / 1e6
            self._report(f"stopped {self.stopped.running} {used_ms:.3f}")

    def _has_rested(self) -> bool:
        """Whether a stopped bot stood still since; one that did not is ended."""
        if self.stopped is not None and not self.is_over and self.stopped.has_run():
            self._end_for("over rest 0")
        return not self.is_over

    def _look(self) -> None:
        """End a bot that does what it may not; report one that does several things at once."""
        if self.stopped is not None:
            self._has_rested()
            return
        if self.activity is not None and self.activity.is_manifold():
            self.activity = None
            process_tree.lower_priority()
            self._report("busy")
        if self.confinement is not None:
            self._watch(self.confinement)

    def _watch(self, confinement: "confine.Confinement") -> None:
        """End a bot that takes more than it may."""
        memory = confinement["memory"]
        processes = list(process_tree.descendants())
        used = process_tree.memory_used(processes, memory) + socket_memory.bytes_held(processes)
        if used > memory:
            self._end_for(f"over memory {used}")
            return
        self.looks += 1
        if self.looks % FILES_EVERY == 0:
            self._watch_files(confinement)

    def _watch_files(self, confinement: "confine.Confinement") -> None:
        processes = list(process_tree.descendants())
        folders = self._own_folders(confinement)
        written = sum(map(scratch_folder.bytes_below, folders))
        if folders:
            written += scratch_folder.bytes_without_name(processes)
        if confinement["wrapper"] and scratch_folder.is_crowded(processes):
            written = scratch_folder.UNCOUNTABLE
        if written > confinement["scratch"]:
            self._end_for(f"over scratch {min(written, scratch_folder.UNCOUNTABLE)}")

    def _own_folders(self, confinement: "confine.Confinement") -> list[str]:
        """Those that the bot may write to, if they are folders of this machine."""
        return [*([self.scratch] if self.scratch else []), *confinement["write"]]

    def _end_for(self, why: str) -> None:
        """End the bot; what comes and goes too fast for that is ended when the referee hangs up."""
        self.is_over = True
        self._report(why)
        process_tree.kill_all()

    def _report_ended(self) -> None:
        for process, how in ended_children():
            if process == self.bot:
                if self.group is not None and cgroup.is_out_of_memory(self.group):
                    assert self.confinement is not None
                    self._report(f"over memory {self.confinement['memory']}")
                code = os.waitstatus_to_exitcode(how)
                if code > 0 and self.wrapper_report is not None and not self._command_ran():
                    self._report(f"unwrapped {code}")
                else:
                    self._report(f"signal {-code}" if code < 0 else f"exit {code}")

    def _command_ran(self) -> bool:
        """Whether bubblewrap, which has ended, says that it ran its command."""
        assert self.wrapper_report is not None
        try:
            return COMMAND_RAN in os.read(self.wrapper_report, 4096)
        except BlockingIOError:
            return False

    def _report(self, text: str) -> None:
        """Tell the referee; if it is gone the status socket says so by itself."""
        try:
            os.write(self.status, text.encode() + b"\n")
        except OSError:
            return

    def _end_all(self) -> None:
        """Kill what is left of the bot until nothing is."""
        while True:
            process_tree.signal_all(signal.SIGKILL, self.bot)
            try:
                reaped, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not reaped:
                sleep(PAUSE_SECONDS)  # and look again: a list of children can miss one


def wake_when_children_end() -> int:
    """Catch SIGCHLD; a descriptor that can be read whenever children have ended."""
    wake, awakened = os.pipe()
    for descriptor in (wake, awakened):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(awakened, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return wake


def reset_signals() -> None:
    """Give every signal its default action, and block none.

    Handlers end with exec. What is ignored or blocked would be inherited: by Python itself, by
    `nohup`, or by the service that a cluster's worker was started from.
    """
    for number in signal.valid_signals():
        if signal.getsignal(number) not in (signal.SIG_DFL, None):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


class Activity:
    """How much a bot computes, from one look to the next."""

    def __init__(self) -> None:
        self._looked = monotonic()
        self._used_ns = 0

    def is_manifold(self) -> bool:
        """Whether it has several running threads; those of a bot that hardly ran go uncounted."""
        processes = list(process_tree.descendants())
        used_ns, now = sum(map(process_tree.processor_ns, processes)), monotonic()
        is_active = used_ns - self._used_ns > (now - self._looked) * 1e9 * ACTIVE_SHARE
        self._used_ns, self._looked = used_ns, now
        return is_active and sum(map(process_tree.count_running, processes)) > 1


def ended_children() -> list[tuple[int, int]]:
    """The children that ended since the last look, with their wait status."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            process, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if process == 0:
            return ended
        ended.append((process, how))
