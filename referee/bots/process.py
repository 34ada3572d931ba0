"""One process of a bot: pipes, status messages, suspend, kill."""

import contextlib
import os
import select
import socket
from collections.abc import Callable, Sequence
from time import monotonic

from referee.bots.exit_status import ExitKind, ExitStatus
from referee.bots.player import Player
from referee.errors import RefereeError
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.messages import QUIT
from referee.system.resource_errors import refusal, refusal_of_wrapper
from referee.text import printable_lines

CHUNK = 64 * 1024
COMMAND_SECONDS = 60.0
"""How long a supervisor may take to stop or resume a bot, on a machine that may be very busy."""
SLOW_STOP_SECONDS = 0.01
"""A supervisor that takes longer to stop a bot was busy with it: see `Player.slow_stop_until`."""
KILL_SECONDS = 60.0
"""How long the system may take to end killed processes before that is an error of the referee."""


class BotProcess(Player):
    """One run of a bot's program."""

    def __init__(
        self,
        stdin: int,
        stdout: int,
        stderr: int,
        status: int,
        wrapped: bool,
        is_launcher_gone: Callable[[], bool],
    ) -> None:
        super().__init__()
        self._wrapped = wrapped
        self._is_launcher_gone = is_launcher_gone
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.status = status
        self.pid: int | None = None
        self._is_suspended = False
        self._is_resumed = self._is_stopped = True
        """Whether the supervisor has confirmed the last command to resume, or to stop."""
        self._stop_sent_at = 0.0
        self._status_text = b""
        self._is_open = True
        poll = select.poll()
        for descriptor in (stdout, stderr, status):
            poll.register(descriptor, select.POLLIN)
        self.poll = poll.poll
        # Not `select`, which supports only descriptors below 1024.
        status_poll = select.poll()
        status_poll.register(status, select.POLLIN)
        self._poll_status: Callable[[float], Sequence[tuple[int, int]]] = status_poll.poll

    @property
    def is_ready_for_direct_read(self) -> bool:
        """Whether it runs, and none of its output or status messages is pending."""
        return not (self._is_suspended or self.is_restless or self.output.is_pending)

    @property
    def is_stopping(self) -> bool:
        """Whether it is being stopped, and its supervisor has not confirmed that yet."""
        return not self._is_stopped

    def readers(self) -> dict[int, Callable[[float], bool]]:
        """Return the read functions of standard output, standard error and the status pipe."""
        return {
            self.stdout: self.read_stdout,
            self.stderr: self.read_stderr,
            self.status: self.read_status,
        }

    def set_blocking_reads(self, blocking: bool) -> None:
        """Make reads of its output blocking or non-blocking."""
        if self._is_open:  # otherwise the number may belong to another file by now
            os.set_blocking(self.stdout, blocking)

    def read_stdout(self, now: float) -> bool:
        """Read what has arrived; return False if no more is to be read."""
        while True:
            try:
                chunk = os.read(self.stdout, CHUNK)
            except BlockingIOError:
                return True
            if not self.output.feed(chunk, now):
                return False
            if len(chunk) < CHUNK:
                return True

    def read_stderr(self, now: float = 0.0) -> bool:
        """Read what has arrived; return False at the end."""
        try:
            chunk = os.read(self.stderr, CHUNK)
        except BlockingIOError:
            return True
        self.output.errors.add(chunk)
        return bool(chunk)

    def read_status(self, now: float = 0.0) -> bool:
        """Read and apply messages of the supervisor; return False at the end."""
        try:
            chunk = os.read(self.status, 4096)
        except BlockingIOError:
            return True
        except ConnectionError:
            chunk = b""
        *lines, self._status_text = (self._status_text + chunk).split(b"\n")
        for line in lines:
            self._apply_status(*line.decode().split())
        if not chunk and self.output.exit_status is None:
            if self._is_open and self.output.start_error is None:
                self.output.lost = self.output.lost or self._supervisor_failure()
            self.output.exit_status = ExitStatus(ExitKind.UNKNOWN)
        if not chunk:
            self._is_stopped = True
        return bool(chunk)

    def _apply_status(self, word: str, *values: str) -> None:
        """Apply one message; launcher/supervisor.py lists them."""
        output = self.output
        match word:
            case "started":
                self.pid = int(values[0])
            case "failed":
                number = int(values[0])
                output.start_error = OSError(number, os.strerror(number))
            case "refused":
                output.lost = refusal(int(values[0]), " ".join(values[1:]))
            case "running":
                self._is_resumed = True
            case "busy":
                self.is_restless = True
            case "stopped":
                self._note_stop(values[0], values[1])
            case "over":
                self._is_stopped = True
                fault = _over_limit(values[0], int(values[1]))
                output.pending_fault = output.pending_fault or fault
            case "signal":
                output.exit_status = ExitStatus(ExitKind.KILLED, int(values[0]))
            case "unwrapped":
                output.exit_status = ExitStatus(ExitKind.EXITED, int(values[0]))
                output.lost = output.lost or self._wrapper_failure()
            case "exit" if self._wrapped:
                output.exit_status = ExitStatus.of_wrapper(int(values[0]))
            case "exit":
                output.exit_status = ExitStatus(ExitKind.EXITED, int(values[0]))

    def _note_stop(self, running: str, used_ms: str) -> None:
        self._is_stopped = True
        now = monotonic()
        if now - self._stop_sent_at > SLOW_STOP_SECONDS:
            self.slow_stop_until = now
        if running != "0":
            self.is_restless = True
            self.off_turn_ms += float(used_ms)
            self.ran_until = now

    def _supervisor_failure(self) -> str:
        """Return why its supervisor ended without a report of the bot's end."""
        if self.pid is not None:
            return "the supervisor of a bot was ended: something killed it, or memory ran out"
        if self._is_launcher_gone():
            return "the launcher was ended before it could start a bot"
        return (
            "the supervisor of a bot was ended before it could start it: something killed it, or"
            " there were too few open files (`ulimit -n`, RLIMIT_NOFILE)"
        )

    def _wrapper_failure(self) -> str:
        """Return why the sandbox failed: the bot did not run, so the wrapper printed the output."""
        self.drain_stderr()
        text = self.output.errors.text()
        lines = printable_lines(text) if text else ["no reason was printed"]
        return refusal_of_wrapper(text) or f"a sandbox could not be made: {lines[-1]}"

    def write(self, data: bytes) -> int:
        """Write what fits now; return how many bytes. For a closed input, discard the data."""
        try:
            return os.write(self.stdin, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(data)

    def write_later(self, data: bytes) -> int:
        """Keep a line, to write it together with the next one."""
        self.unsent = data
        return len(data)

    def suspend(self) -> None:
        """Send the command to stop its processes."""
        if not self._is_suspended and self.pid is not None and self.output.exit_status is None:
            self._is_suspended, self._is_stopped = True, False
            self._stop_sent_at = monotonic()
            self._send_command(f"stop {int(self._stop_sent_at * 1e9)}\n")

    def stop(self) -> None:
        """Stop its processes, and wait until all are stopped."""
        self.suspend()
        self._wait_until(lambda: self._is_stopped)

    def resume(self) -> None:
        """Resume its processes, and wait until all run, so that this is not on the bot's clock."""
        if not self._is_suspended:
            return
        self._is_suspended = self._is_resumed = False
        self._send_command("resume\n")
        self._wait_until(lambda: self._is_resumed)

    def _wait_until(self, is_done: Callable[[], bool]) -> None:
        """Wait until the supervisor has confirmed a command, or has ended."""
        deadline = monotonic() + COMMAND_SECONDS
        while not is_done():
            left = max(0.0, deadline - monotonic())
            if not self._poll_status(left * 1000):
                raise RefereeError(f"the supervisor of bot {self.pid} does not respond")
            if not self.read_status():
                return

    def _send_command(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionError):
            os.write(self.status, line.encode())

    def drain_stderr(self) -> None:
        """Read its standard error until nothing is pending, at most 16 times."""
        for _ in range(16):
            before = self.output.errors.size
            if not self.read_stderr() or self.output.errors.size == before:
                return

    def can_be_reused(self) -> bool:
        """Return whether it is running and has sent nothing unsolicited but `info`."""
        for descriptor, _ in self.poll(0):
            if descriptor == self.stderr:
                self.drain_stderr()
            else:
                self.readers()[descriptor](monotonic())
        output = self.output
        if output.pending_fault or output.is_closed or output.has_ended:
            return False
        if output.buffer.is_filled:
            try:
                for _ in output.unsolicited_lines():
                    pass
            except BotFault as fault:
                output.pending_fault = fault
        return output.pending_fault is None

    def quit(self) -> None:
        """Send `quit` and close its input."""
        if self._is_open and self.stdin >= 0:
            self.resume()
            self.write(self.unsent + f"{QUIT}\n".encode())
            self.close_input()

    def close_input(self) -> None:
        """Close its standard input, which it sees as the end of the file."""
        os.close(self.stdin)
        self.stdin = -1

    def wait_for_exit(self, deadline: float) -> bool:
        """Wait for the end of its main process; return whether it ended by the deadline."""
        poll = select.poll()
        readers = {self.status: self.read_status, self.stderr: self.read_stderr}
        for descriptor in readers:
            poll.register(descriptor, select.POLLIN)
        while not self.output.has_ended:
            left_ms = (deadline - monotonic()) * 1000
            events = poll.poll(left_ms) if left_ms > 0 else []
            if not events:
                return False
            for descriptor, _ in events:
                if not readers[descriptor]():
                    poll.unregister(descriptor)
        return True

    def kill(self) -> None:
        """Kill every process of this bot and wait until none is left."""
        if not self._is_open:
            return
        self._is_open = False
        try:
            # At the end of its input the supervisor kills all processes below it, then exits.
            with contextlib.suppress(OSError), socket.socket(fileno=os.dup(self.status)) as status:
                status.shutdown(socket.SHUT_WR)
            deadline = monotonic() + KILL_SECONDS
            while True:
                left = deadline - monotonic()
                if left <= 0 or not self._poll_status(left * 1000):
                    raise RefereeError(f"the processes of bot {self.pid} do not end")
                if not self.read_status():
                    break
        finally:
            self.drain_stderr()
            for descriptor in (self.stdin, self.stdout, self.stderr, self.status):
                if descriptor >= 0:
                    os.close(descriptor)


_STOP_CAUSES = {
    "files": "its scratch files are too many or too deep to be counted",
    "forks": "its processes came and went too fast to be stopped",
    "locks": "its processes had too many locks on files, or watches of epoll, to be counted",
    "mappings": "its processes had too many mappings of memory to be counted",
    "resumed": "its processes ran on although they were stopped",
}
"""The causes of a fault by the limit in the message `over`, except for memory and scratch."""


def _over_limit(limit: str, used: int) -> BotFault:
    """Return the fault of a bot that exceeded a limit, by the bytes that it used."""
    size = f"{used / 2**20:,.0f} MiB"
    if limit == "memory":
        return BotFault(FaultKind.OUT_OF_MEMORY, cause=size)
    cause = f"its scratch files took {size}" if limit == "scratch" else _STOP_CAUSES[limit]
    return BotFault(FaultKind.STOPPED, cause=cause)
