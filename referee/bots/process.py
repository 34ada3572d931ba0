"""One process of a bot: pipes, status messages, suspend, kill."""

import contextlib
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from time import monotonic

from referee.bots.player import Player
from referee.errors import RefereeError
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.messages import QUIT
from referee.system.resource_errors import refusal, refusal_of_wrapper
from referee.text import printable_lines

CHUNK = 64 * 1024
OBEY_SECONDS = 60.0
"""How long a supervisor may take to stop or wake a bot, on a machine that may be very busy."""
KILL_SECONDS = 60.0
"""How long the system may take to end killed processes before that is an error of ours."""
FIRST_SIGNAL_CODE, LAST_SIGNAL = 128, 64
"""A wrapper reports a bot that died by signal N as exit status 128 + N, like a shell does."""


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
        self._is_awake = self._is_still = True
        """Whether an order to run, or to stop, was carried out."""
        self._status_text = b""
        self._open = True
        poll = select.poll()
        for descriptor in (stdout, stderr, status):
            poll.register(descriptor, select.POLLIN)
        self.poll = poll.poll
        # Not `select`, which knows only descriptors below 1024.
        status_poll = select.poll()
        status_poll.register(status, select.POLLIN)
        self._look_at_status: Callable[[float], Sequence[tuple[int, int]]] = status_poll.poll

    @property
    def is_stopping(self) -> bool:
        return not self._is_still

    def readers(self) -> dict[int, Callable[[float], bool]]:
        return {
            self.stdout: self.read_stdout,
            self.stderr: self.read_stderr,
            self.status: self.read_status,
        }

    def wait_when_read(self, waits: bool) -> None:
        if self._open:  # otherwise the number may be somebody else's by now
            os.set_blocking(self.stdout, waits)

    def read_stdout(self, now: float) -> bool:
        """Take what has come; False if nothing more will, or may."""
        while True:
            try:
                chunk = os.read(self.stdout, CHUNK)
            except BlockingIOError:
                return True
            if not self.feed_output(chunk, now):
                return False
            if len(chunk) < CHUNK:
                return True

    def feed_output(self, chunk: bytes, now: float) -> bool:
        if not chunk:
            self.stdout_closed = True
            return False
        self.received_at = now
        try:
            self.buffer.feed(chunk)
        except BotFault as fault:
            self.pending_fault = fault
            return False
        return True

    def read_stderr(self, now: float = 0.0) -> bool:
        """Take what has come; False if nothing more will."""
        try:
            chunk = os.read(self.stderr, CHUNK)
        except BlockingIOError:
            return True
        self.errors.add(chunk)
        return bool(chunk)

    def read_status(self, now: float = 0.0) -> bool:
        """Take the supervisor's word; False if nothing more will come."""
        try:
            chunk = os.read(self.status, 4096)
        except BlockingIOError:
            return True
        except ConnectionError:
            chunk = b""
        *lines, self._status_text = (self._status_text + chunk).split(b"\n")
        for line in lines:
            word, _, number = line.decode().partition(" ")
            if word == "started":
                self.pid = int(number)
            elif word == "failed":
                self.start_error = number
            elif word == "refused":
                code, _, what = number.partition(" ")
                self.lost = refusal(int(code), what)
            elif word == "running":
                self._is_awake = True
            elif word == "busy":
                self.is_restless = True
            elif word == "stopped":
                self._note_stop(*number.split())
            elif word == "over":
                self._is_still = True
                self.pending_fault = self.pending_fault or _over_limit(number)
            elif word == "signal":
                self.exit_status = f"killed by {_signal_name(int(number))}"
            elif word == "unwrapped":
                self.exit_status = f"exit status {number}"
                self.lost = self.lost or self._complaint_of_wrapper()
            else:
                self.exit_status = self._exit_text(int(number))
        if not chunk and self.exit_status is None:
            if self._open and self.start_error is None:
                self.lost = self.lost or self._why_lost()
            self.exit_status = "gone"
        if not chunk:
            self._is_still = True
        return bool(chunk)

    def _note_stop(self, running: str, used_ms: str) -> None:
        self._is_still = True
        if running != "0":
            self.is_restless = True
            self.off_turn_ms += float(used_ms)
            self.ran_until = monotonic()

    def _why_lost(self) -> str:
        """Why its supervisor says nothing more, although the bot was not reported to have ended."""
        if self.pid is not None:
            return "the supervisor of a bot was ended: something killed it, or memory ran out"
        if self._is_launcher_gone():
            return "the launcher was ended before it could start a bot"
        return (
            "the supervisor of a bot was ended before it could start it: something killed it, or"
            " there were too few open files (`ulimit -n`, RLIMIT_NOFILE)"
        )

    def _exit_text(self, status: int) -> str:
        """How a process with this exit status ended, as far as a wrapper lets one know."""
        number = status - FIRST_SIGNAL_CODE
        if self._wrapped and 0 < number <= LAST_SIGNAL:
            return f"killed by {_signal_name(number)}, or exit status {status}"
        return f"exit status {status}"

    def _complaint_of_wrapper(self) -> str:
        """Why the sandbox could not be made: the bot never ran, so no other program said this."""
        self.drain_stderr()
        text = self.errors.text()
        lines = printable_lines(text) if text else ["it did not say why"]
        return refusal_of_wrapper(text) or f"a sandbox could not be made: {lines[-1]}"

    def write(self, data: bytes) -> int:
        """Write what fits now; how much did. A bot that closed its input reads nothing."""
        try:
            return os.write(self.stdin, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(data)

    def suspend(self) -> None:
        if not self._is_frozen and self.pid is not None and self.exit_status is None:
            self._is_frozen, self._is_still = True, False
            self._order(b"s")

    def stop(self) -> None:
        self.suspend()
        self._obeyed(lambda: self._is_still)

    def resume(self) -> None:
        """Wait until all of them run, so that none of that is on the bot's time."""
        if not self._is_frozen:
            return
        self._is_frozen = self._is_awake = False
        self._order(b"r")
        self._obeyed(lambda: self._is_awake)

    def _obeyed(self, is_done: Callable[[], bool]) -> None:
        """Wait until the supervisor has done what it was told, or is gone."""
        deadline = monotonic() + OBEY_SECONDS
        while not is_done():
            left = max(0.0, deadline - monotonic())
            if not self._look_at_status(left * 1000):
                raise RefereeError(f"the supervisor of bot {self.pid} does not answer")
            if not self.read_status():
                return

    def _order(self, letter: bytes) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionError):
            os.write(self.status, letter)

    def drain_stderr(self) -> None:
        """Take what is there of its standard error, within reason."""
        for _ in range(16):
            before = self.errors.size
            if not self.read_stderr() or self.errors.size == before:
                return

    def can_be_reused(self) -> bool:
        for descriptor, _ in self.poll(0):
            if descriptor == self.stderr:
                self.drain_stderr()
            else:
                self.readers()[descriptor](monotonic())
        if self.pending_fault or self.stdout_closed or self.exit_status or self.start_error:
            return False
        if self.buffer.is_filled:
            try:
                for _ in self.unsolicited_lines():
                    pass
            except BotFault as fault:
                self.pending_fault = fault
        return self.pending_fault is None

    def quit(self) -> None:
        if self._open and self.stdin >= 0:
            self.resume()
            self.write(self.unsent + f"{QUIT}\n".encode())
            self.close_input()

    def close_input(self) -> None:
        """Let it see the end of its input."""
        os.close(self.stdin)
        self.stdin = -1

    def wait_for_exit(self, deadline: float) -> bool:
        poll = select.poll()
        readers = {self.status: self.read_status, self.stderr: self.read_stderr}
        for descriptor in readers:
            poll.register(descriptor, select.POLLIN)
        while self.exit_status is None and self.start_error is None:
            left_ms = (deadline - monotonic()) * 1000
            events = poll.poll(left_ms) if left_ms > 0 else []
            if not events:
                return False
            for descriptor, _ in events:
                if not readers[descriptor]():
                    poll.unregister(descriptor)
        return True

    def kill(self) -> None:
        if not self._open:
            return
        self._open = False
        try:
            # The supervisor ends everything below it when it sees this, then itself.
            with contextlib.suppress(OSError), socket.socket(fileno=os.dup(self.status)) as status:
                status.shutdown(socket.SHUT_WR)
            deadline = monotonic() + KILL_SECONDS
            while True:
                left = deadline - monotonic()
                if left <= 0 or not self._look_at_status(left * 1000):
                    raise RefereeError(f"the processes of bot {self.pid} do not end")
                if not self.read_status():
                    break
        finally:
            self.drain_stderr()
            for descriptor in (self.stdin, self.stdout, self.stderr, self.status):
                if descriptor >= 0:
                    os.close(descriptor)


def _over_limit(text: str) -> BotFault:
    """What the supervisor found: a word, and how many bytes."""
    what, _, used = text.partition(" ")
    mib = int(used) / 2**20
    if what == "memory":
        return BotFault(FaultKind.OUT_OF_MEMORY, cause=f"{mib:,.0f} MiB")
    if what == "haste":
        why = "its processes came and went too fast to be stopped"
    elif what == "rest":
        why = "its processes ran on although they were stopped"
    elif int(used) == sys.maxsize:
        why = "its scratch files are too many or too deep to be counted"
    else:
        why = f"its scratch files took {mib:,.0f} MiB"
    return BotFault(FaultKind.STOPPED, cause=why)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
