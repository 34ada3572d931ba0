"""The process that plays for a Dask worker.

A worker talks to its scheduler all the time. If games were played in the same process, the bots'
clocks would wait for that; so there is a second process that only plays, as in a local run.
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

LOOK_UP_SECONDS = 0.5
"""How often a worker that waits for a game sees whether it is wanted still."""
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:];"
    "from referee.cluster.game_process import main; main(int(sys.argv[1]))"
)


class GameProcessDied(Exception):
    """The process is gone; its text says how."""


class GameProcess:
    """Such a process, seen from the worker."""

    def __init__(self, plan: Plan, core: int | None) -> None:
        self.core = core
        ours, theirs = socket.socketpair()
        with theirs, blocked(STOP):  # until it has a handler for it
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), *sys.path],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._connection = Connection(ours.detach())
        self._connection.send((plan, core))

    def play(self, fixtures: Sequence[Fixture], is_over: Callable[[], bool]) -> Iterator[Result]:
        """Play these games one after the other; PlayerDied if it does not get to their end."""
        try:
            self._connection.send(list(fixtures))
            for _ in fixtures:
                while not self._connection.poll(LOOK_UP_SECONDS):
                    if is_over():
                        self.kill()
                yield self._connection.recv()
        except (EOFError, OSError) as error:
            code = self._process.wait()
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            raise GameProcessDied(how) from error

    def stop(self) -> None:
        """Let it end after the game that is running."""
        self._process.send_signal(STOP)

    def kill(self) -> None:
        """End it at once; its bots' supervisors see that and end the bots."""
        self._process.kill()
        self._process.wait()


def main(descriptor: int) -> None:
    """The life of the process: encounters in, games out, until the worker is gone or says so."""
    stop = StopFlag()
    die_with_parent()
    tasks = Connection(descriptor)
    try:
        plan, core = tasks.recv()
        if core is not None:
            os.sched_setaffinity(0, {core})
        with worker(plan) as player:
            while not stop.is_set:
                for result in player.play(tasks.recv(), stop):
                    tasks.send(result)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
