"""A process that plays the games of a process with other work: a worker of a cluster.

Such a worker exchanges messages with its scheduler all the time, which would delay the reading of
moves. It has threads, so it must not fork, and `multiprocessing` allows it no child processes.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection

from referee.config.plan import Plan
from referee.run.events import Result
from referee.run.worker import worker
from referee.schedule.fixtures import Fixture
from referee.system.parent_death import die_with_parent
from referee.system.signals import STOP, StopFlag, blocked

POLL_SECONDS = 0.5
"""Interval at which a worker that waits for a result checks whether it is closing."""
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:];"
    "from referee.run.game_process import main; main(int(sys.argv[1]))"
)


class GameProcessDied(Exception):
    """The process exited before its last game ended; the text has its exit status."""


class GameProcess:
    """Handle of a game process, in the worker."""

    def __init__(self, plan: Plan, core: int | None) -> None:
        self.core = core
        ours, theirs = socket.socketpair()
        with theirs, blocked(STOP):  # until the process has installed its handler
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), *sys.path],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._connection = Connection(ours.detach())
        self._connection.send((plan, core))

    def play(self, fixtures: Sequence[Fixture], is_closing: Callable[[], bool]) -> Iterator[Result]:
        """Play these games one after the other; GameProcessDied if the process exits."""
        try:
            self._connection.send(list(fixtures))
            for _ in fixtures:
                while not self._connection.poll(POLL_SECONDS):
                    if is_closing():
                        self.kill()
                yield self._connection.recv()
        except (EOFError, OSError) as error:
            code = self._process.wait()
            status = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            raise GameProcessDied(status) from error

    def stop(self) -> None:
        """Let the process exit after the running game."""
        self._process.send_signal(STOP)

    def kill(self) -> None:
        """Kill the process; the supervisors of its bots notice that and kill the bots."""
        self._process.kill()
        self._process.wait()


def main(descriptor: int) -> None:
    """Run the process: receive fixtures, send results, until the worker exits or sends `STOP`."""
    stop = StopFlag()
    die_with_parent()
    tasks = Connection(descriptor)
    try:
        plan, core = tasks.recv()
        if core is not None:
            os.sched_setaffinity(0, {core})
        with worker(plan) as games:
            while not stop.is_set:
                for result in games.play(tasks.recv(), stop):
                    tasks.send(result)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
