"""The only module that touches bots' processes and pipes (table.py waits for several at once).

A `BotProcess` is one run of a bot's program. A `Bot` is a program that outlives its processes. A
person can take the place of a process (see human.py), so what the two have in common is a `Player`.

Nothing here blocks without an absolute deadline, and no thread is involved.
"""

import contextlib
import marshal
import os
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Protocol

from referee.cage import Cage
from referee.errors import RefereeError
from referee.faults import BotFault
from referee.launcher.serve import PROGRAM
from referee.outcome import Reason
from referee.protocol import (
    QUIT,
    LineBuffer,
    Phase,
    is_info,
    read_answer,
    unexpected_line,
)
from referee.transcript import HeadAndTail

CHUNK = 64 * 1024
QUIT_SECONDS = 1.0
"""How long a bot may take to go after `quit`."""
KILL_SECONDS = 10.0
"""How long the system may take to end killed processes before that is an error of ours."""
WRAPPER_FAILED = re.compile(rb"(?:setpriv: failed to execute|bwrap: execvp) .*: ([^:]*)\n")
"""What a wrapper prints if it cannot start the bot's program."""
HUMAN = "human"
"""The command of a person, for whom nothing is started."""


@dataclass(frozen=True)
class Command:
    """How a bot is started."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """All its variables in a cage; without one, those it has besides ours."""
    cage: Cage | None = None

    @property
    def is_human(self) -> bool:
        """Whether a person is meant, and not a program."""
        return self.arguments == (HUMAN,)


class Starter(Protocol):
    """Whatever can put somebody at a table."""

    def start(self, command: Command) -> "Player":
        """Begin with what the command says."""


class Launcher:
    """The helper process that forks bots for us (see launcher/); started when first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def __enter__(self) -> "Launcher":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def start(self, command: Command) -> "BotProcess":
        """Start a bot; whether that works is told by its status later."""
        ours: list[int] = []
        theirs: list[int] = []
        try:
            for bot_reads in (True, False, False):
                read, write = os.pipe()
                theirs.append(read if bot_reads else write)
                ours.append(write if bot_reads else read)
            status, status_end = socket.socketpair()
            theirs.append(status_end.detach())
            ours.append(status.detach())
            self._request(command, theirs)
        except BaseException:
            for descriptor in ours:
                os.close(descriptor)
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        for descriptor in ours:
            os.set_blocking(descriptor, False)
        wrapped = command.cage is not None and bool(command.cage.wrapper)
        stdin, stdout, stderr, status_socket = ours
        return BotProcess(stdin, stdout, stderr, status_socket, wrapped)

    def _request(self, command: Command, descriptors: list[int]) -> None:
        caged = command.cage is not None
        request = {
            "arguments": list(command.arguments),
            "folder": str(command.folder),
            "environment": {**({} if caged else os.environ), **command.environment},
            "cage": {**vars(command.cage)} if command.cage else None,
        }
        self._send(request, descriptors)

    def _send(self, request: dict[str, Any], descriptors: list[int]) -> None:
        body = marshal.dumps(request)
        requests = self.prepare()
        socket.send_fds(requests, [len(body).to_bytes(4, "big")], descriptors)
        requests.sendall(body)

    def prepare(self) -> socket.socket:
        """Where the helper takes requests; it starts by itself while we do something else."""
        # It never says anything: something to read there is its end.
        if self._requests is None or select.select([self._requests], [], [], 0)[0]:
            self.close()
            self._requests = self._spawn()
        return self._requests

    def another(self, core: int | None = None) -> "Launcher":
        """A launcher that is forked off this one, which is quicker than starting one.

        Its bots run on this core.
        """
        other = Launcher()
        other._requests, theirs = socket.socketpair()
        with theirs:
            self._send({"core": core}, [theirs.fileno()])
        return other

    def give_away(self) -> None:
        """A process that we forked has it now: end nothing."""
        if self._requests is not None:
            self._requests.close()
            self._requests = None

    def _spawn(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", PROGRAM),
                    *(str(Path(__file__).parents[1]), str(theirs.fileno())),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the referee
            )
        return ours

    def close(self) -> None:
        """End the helper; bots that are still there have supervisors of their own."""
        requests, self._requests = self._requests, None
        if requests is not None:
            # Whoever we forked has this socket too; and the helper is gone when its end is closed.
            with contextlib.suppress(OSError), requests:
                requests.settimeout(KILL_SECONDS)
                requests.shutdown(socket.SHUT_WR)
                requests.recv(1)
        if self._process is not None:
            self._process.wait()
            self._process = None


class Player:
    """Whoever sits at a table, and what they have said so far; here without any process."""

    is_person = False
    """Whether to let them speak, instead of listening for what comes."""
    stdin = stdout = -1

    def __init__(self) -> None:
        self.buffer = LineBuffer()
        """What it said and nobody has asked for yet."""
        self.arrived = 0.0
        """When the last of that came."""
        self.errors = HeadAndTail()
        self.trouble: BotFault | None = None
        """It sent more than a bot may; its output is no longer read."""
        self.failure: str | None = None
        """Why it could not be started."""
        self.ended: str | None = None
        """How its main process ended."""
        self.stdout_closed = False
        self._is_frozen = False

    @property
    def is_at_ease(self) -> bool:
        """Whether it runs, and nothing that it said or did waits to be looked at."""
        return not (
            self.is_person
            or self._is_frozen
            or self.buffer.is_filled
            or self.stdout_closed
            or self.trouble
            or self.ended
            or self.failure
        )

    @property
    def state(self) -> str:
        """How the process is, in words."""
        return "never started" if self.failure else self.ended or "running"

    def news(self) -> Sequence[object]:
        """What there is to hear of it right now."""
        return ()

    def readers(self) -> dict[int, Callable[[float], bool]]:
        """What to listen to, and how it is read: False if nothing more will come."""
        return {}

    def write(self, data: bytes) -> int:
        """Hand over what fits now; how much did."""
        raise NotImplementedError

    def take(self, chunk: bytes, now: float) -> bool:
        """Keep what was read; False if nothing more will come, or may."""
        raise NotImplementedError

    def speak(self) -> None:
        """A person's turn to answer, however long it takes; BotFault if time runs out."""
        raise NotImplementedError

    def freeze(self) -> None:
        """Stop its processes, so that they take no time from anybody."""

    def thaw(self) -> None:
        """Let its processes run again."""

    def new_game(self) -> None:
        """Forget the last game's standard error."""
        self.errors = HeadAndTail()
        self.buffer.new_turn()

    def is_quiet(self) -> bool:
        """Whether it is alive and has said nothing unasked but `info`."""
        return True

    def unasked(self) -> Iterator[bytes]:
        """The `info` lines that have come; BotFault if anything else has."""
        if self.trouble:
            raise self.trouble
        while (line := self.buffer.next_line()) is not None:
            read_answer(line, Phase.IDLE)
            yield line
        if not is_info(self.buffer.rest, partial=True):
            raise unexpected_line(self.buffer.rest, Phase.IDLE)

    def quit(self) -> None:
        """Ask it to go."""

    def wait_for_exit(self, deadline: float) -> bool:
        """Whether its main process has ended by then."""
        return True

    def kill(self) -> None:
        """End every process of this bot and wait until none is left."""


class BotProcess(Player):
    """One run of a bot's program."""

    def __init__(
        self, stdin: int, stdout: int, stderr: int, status: int, wrapped: bool = False
    ) -> None:
        super().__init__()
        self._wrapped = wrapped
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.status = status
        self.pid: int | None = None
        self._is_awake = True
        self._status_text = b""
        self._open = True
        poll = select.poll()
        for descriptor in (stdout, stderr, status):
            poll.register(descriptor, select.POLLIN)
        self._poll = poll.poll

    def news(self) -> Sequence[object]:
        return self._poll(0)

    def readers(self) -> dict[int, Callable[[float], bool]]:
        return {
            self.stdout: self.read_stdout,
            self.stderr: self.read_stderr,
            self.status: self.read_status,
        }

    def read_stdout(self, now: float) -> bool:
        """Take what has come; False if nothing more will, or may."""
        while True:
            try:
                chunk = os.read(self.stdout, CHUNK)
            except BlockingIOError:
                return True
            if not self.take(chunk, now):
                return False
            if len(chunk) < CHUNK:
                return True

    def take(self, chunk: bytes, now: float) -> bool:
        if not chunk:
            self.stdout_closed = True
            return False
        self.arrived = now
        try:
            self.buffer.feed(chunk)
        except BotFault as fault:
            self.trouble = fault
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
                self.failure = number
            elif word == "running":
                self._is_awake = True
            elif word == "over":
                self.trouble = self.trouble or _over_limit(number)
            elif word == "signal":
                self.ended = f"killed by {_signal_name(int(number))}"
            else:
                self.ended = f"exit status {number}"
                self.failure = self.failure or self._failure_of_wrapper()
        if not chunk and self.ended is None:
            self.ended = "gone"
        return bool(chunk)

    def _failure_of_wrapper(self) -> str | None:
        """Why the program in the cage could not be started: only the wrapper knows, and says so."""
        if not self._wrapped or self.buffer.received:
            return None
        self.drain_stderr()
        match = WRAPPER_FAILED.fullmatch(self.errors.text())
        return match[1].decode(errors="replace") if match else None

    def write(self, data: bytes) -> int:
        """Write what fits now; how much did. A bot that closed its input reads nothing."""
        try:
            return os.write(self.stdin, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(data)

    def freeze(self) -> None:
        if not self._is_frozen and self.pid is not None and self.ended is None:
            self._is_frozen = True
            self._order(b"s")

    def thaw(self) -> None:
        """Wait until all of them run, so that none of that is on the bot's time."""
        if not self._is_frozen:
            return
        self._is_frozen = self._is_awake = False
        self._order(b"r")
        deadline = monotonic() + KILL_SECONDS
        while not self._is_awake:
            left = deadline - monotonic()
            if left <= 0 or not select.select([self.status], [], [], left)[0]:
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

    def new_game(self) -> None:
        if self.news():
            self.drain_stderr()
        super().new_game()

    def is_quiet(self) -> bool:
        if self.news():
            self.read_stdout(monotonic())
            self.read_status()
        if self.trouble or self.stdout_closed or self.ended or self.failure:
            return False
        if self.buffer.is_filled:
            try:
                for _ in self.unasked():
                    pass
            except BotFault as fault:
                self.trouble = fault
        return self.trouble is None

    def quit(self) -> None:
        if self._open and self.stdin >= 0:
            self.thaw()
            self.write(f"{QUIT}\n".encode())
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
        while self.ended is None and self.failure is None:
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
                if left <= 0 or not select.select([self.status], [], [], left)[0]:
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
        return BotFault(Reason.MEMORY, f"its processes held {mib:,.0f} MiB of memory together")
    if what == "haste":
        why = "its processes came and went too fast to be stopped"
    elif int(used) == sys.maxsize:
        why = "its scratch files are too many or too deep to be counted"
    else:
        why = f"its scratch files took {mib:,.0f} MiB"
    return BotFault(Reason.CRASH, f"was ended: {why}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Bot:
    """A program that plays games, one after the other, in one process as long as it behaves."""

    def __init__(self, name: str, command: Command, launcher: Starter) -> None:
        self.name = name
        self.command = command
        self.process: Player | None = None
        self.warnings: list[str] = []
        self._launcher = launcher

    def ready_process(self, fresh: bool) -> tuple[Player, bool]:
        """A process to play the next game, and whether it is a new one."""
        if self.process is not None:
            self.process.thaw()
            if not fresh and self.process.is_quiet():
                self.process.new_game()
                return self.process, False
            if fresh:
                self.quit()
            else:
                self.replace(_why_replaced(self.process))
        self.process = self.process or self._launcher.start(self.command)
        return self.process, True

    def replace(self, why: str) -> Player:
        """A new process in place of one that cannot be trusted any more."""
        self.warnings.append(f"{why}: a new process was started")
        self.discard()
        self.process = self._launcher.start(self.command)
        return self.process

    def discard(self) -> None:
        """End its process at once; the next game gets a new one."""
        if self.process is not None:
            process, self.process = self.process, None
            process.kill()

    def quit(self) -> None:
        """Ask its process to go, and make sure of it."""
        close_all([self])


def close_all(bots: list[Bot]) -> None:
    """Ask all of them to go at the same time, wait a moment, and end what is left."""
    for bot in bots:
        if bot.process is not None:
            bot.process.quit()
    deadline = monotonic() + QUIT_SECONDS
    for bot in bots:
        if bot.process is not None:
            bot.process.wait_for_exit(deadline)
            bot.discard()


def _why_replaced(process: Player) -> str:
    if process.ended or process.stdout_closed:
        return f"its process ended between two games ({process.state})"
    return "it spoke between two games"
