"""Runs a program that is no bot to its end, with the same care: what it printed, how it ended."""

import os
import select
from dataclasses import dataclass
from time import monotonic

from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.process import CHUNK, BotProcess
from referee.errors import OutsideError
from referee.protocol.transcript import BoundedCapture
from referee.text import printable_lines


@dataclass(frozen=True)
class CompletedRun:
    """How it went."""

    lines: list[str]
    """What it printed to standard output and standard error, safe to show."""
    ending: str
    """`exit status 0`, `killed by SIGSEGV`, or `running` if its time was up."""
    over: str | None
    """What it took too much of, in words."""

    @property
    def in_time(self) -> bool:
        return self.ending != "running"

    @property
    def succeeded(self) -> bool:
        return self.ending == "exit status 0"


class SupervisedRun:
    """A program that runs while we do something else, until somebody asks how it went."""

    def __init__(self, command: Command, launcher: Launcher) -> None:
        self._process = launcher.start(command)
        self._process.close_input()

    def finish(self, seconds: float) -> CompletedRun:
        """Wait for its end, so long at the most from now on; nothing of it is left afterwards."""
        process, output = self._process, BoundedCapture()
        try:
            _collect(process, output, monotonic() + seconds)
            if process.lost:
                raise OutsideError(process.lost)
            failure = process.start_error
            ending = f"could not be started: {failure}" if failure else process.state
        finally:
            process.kill()
        lines = printable_lines(output.text()) if output.size else []
        return CompletedRun(
            lines, ending, process.pending_fault.detail if process.pending_fault else None
        )


def run_errand(command: Command, seconds: float, launcher: Launcher | None = None) -> CompletedRun:
    """Run a command, by this launcher if there is one; nothing of it is left afterwards."""
    if launcher is None:
        with Launcher() as launcher:
            return run_errand(command, seconds, launcher)
    return SupervisedRun(command, launcher).finish(seconds)


def _collect(process: BotProcess, output: BoundedCapture, deadline: float) -> None:
    """Read until the program has ended and said all it had to say, or time is up."""
    poll = select.poll()
    for descriptor in (process.stdout, process.stderr, process.status):
        poll.register(descriptor, select.POLLIN)
    while True:
        ended = process.exit_status is not None or process.start_error is not None
        left_ms = (deadline - monotonic()) * 1000
        # What it printed before it ended is there already; what it left running does not count.
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
