"""Supervised runs of programs that are no bots: their output and how they ended."""

import os
import select
from dataclasses import dataclass
from time import monotonic

from referee.bots.command import Command
from referee.bots.exit_status import ExitStatus
from referee.bots.launcher import Launcher
from referee.bots.process import CHUNK, BotProcess
from referee.errors import OutsideError
from referee.protocol.transcript import BoundedCapture
from referee.text import printable_lines


@dataclass(frozen=True)
class CompletedRun:
    """The result of a run."""

    lines: list[str]
    """Its standard output and standard error, with control characters escaped."""
    exit_status: ExitStatus | None
    """How it ended; None if its time was up or it could not be started."""
    start_error: OSError | None
    """Why it could not be started."""
    over: str | None
    """The limit that it exceeded, in words."""

    @property
    def in_time(self) -> bool:
        """Whether it ended, or failed to start, before its time was up."""
        return self.exit_status is not None or self.start_error is not None

    @property
    def succeeded(self) -> bool:
        """Whether it exited with status 0."""
        return self.exit_status is not None and self.exit_status.is_success

    @property
    def ending(self) -> str:
        """How it ended, in words; `running` if its time was up."""
        if self.start_error is not None:
            return f"could not be started: {self.start_error.strerror}"
        return "running" if self.exit_status is None else str(self.exit_status)


class SupervisedRun:
    """A program that runs in the background until `finish` waits for it."""

    def __init__(self, command: Command, launcher: Launcher) -> None:
        self._process = launcher.start(command)
        self._process.close_input()

    def finish(self, seconds: float) -> CompletedRun:
        """Wait for its end, at most this many seconds, and kill all its processes."""
        process, output = self._process, BoundedCapture()
        try:
            _collect(process, output, monotonic() + seconds)
            if process.output.lost:
                raise OutsideError(process.output.lost)
            start_error = process.output.start_error
            exit_status = None if start_error else process.output.exit_status
        finally:
            process.kill()
        lines = printable_lines(output.text()) if output.size else []
        over = process.output.pending_fault.detail if process.output.pending_fault else None
        return CompletedRun(lines, exit_status, start_error, over)


def run_supervised(
    command: Command, seconds: float, launcher: Launcher | None = None
) -> CompletedRun:
    """Run a command, with this launcher if there is one, and kill all its processes."""
    if launcher is None:
        with Launcher() as launcher:
            return run_supervised(command, seconds, launcher)
    return SupervisedRun(command, launcher).finish(seconds)


def _collect(process: BotProcess, output: BoundedCapture, deadline: float) -> None:
    """Read until the program has ended and its output is read, or time is up."""
    poll = select.poll()
    for descriptor in (process.stdout, process.stderr, process.status):
        poll.register(descriptor, select.POLLIN)
    while True:
        ended = process.output.has_ended
        left_ms = (deadline - monotonic()) * 1000
        # Its output is in the pipe when it has ended; that of processes it left is not awaited.
        events = poll.poll(0 if ended else max(0.0, left_ms))
        if not events:
            return
        for descriptor, _ in events:
            if descriptor == process.status:
                more = process.read_status()
            else:
                chunk = os.read(descriptor, CHUNK)
                output.add(chunk)
                more = bool(chunk)
            if not more:
                poll.unregister(descriptor)
