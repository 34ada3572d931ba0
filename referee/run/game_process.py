"""A process that plays the games of a worker of a cluster.

The worker exchanges messages with its scheduler all the time, which would delay the reading of
moves. It has threads, so it must not fork, and `multiprocessing` allows it no child processes.
"""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection

from referee.config.plan import Plan
from referee.run.events import GameBatch, GameVoid, Result, batch_of
from referee.run.worker import open_worker
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


class SessionExpired(Exception):
    """The session was closed, or its worker is closing: its games have no results."""


class GameSession:
    """The game process of one run on a worker: started for games, and again if it dies."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._process: GameProcess | None = None
        self._stopping = False
        self._closed = False
        # A worker with several threads plays one game at a time, too.
        self._playing = threading.Lock()

    def play(
        self, fixtures: Sequence[Fixture], core: int | None, is_closing: Callable[[], bool]
    ) -> GameBatch:
        """Play these games; one is void if the game process exits, the next gets a new process.

        Games that have not started when `stop` is called are left out.
        """
        games: list[Result] = []
        with self._playing:
            while len(games) < len(fixtures) and not self._stopping:
                process = self._process_on(core)
                if self._stopping:
                    break  # `stop` may have been called before the process existed
                try:
                    for game in process.play(fixtures[len(games) :], is_closing):
                        games.append(game)
                except GameProcessDied as death:
                    self._process = None
                    if self._closed or is_closing():
                        raise SessionExpired from death
                    if self._stopping:
                        break
                    reason = f"the process that played it died ({death})"
                    games.append(GameVoid(fixtures[len(games)], reason))
        return batch_of(games)

    def _process_on(self, core: int | None) -> GameProcess:
        """Return the game process, pinned to that core."""
        if self._closed:
            raise SessionExpired
        if self._process is not None and self._process.core != core:
            self._process.kill()
            self._process = None
        if self._process is None:
            self._process = GameProcess(self._plan, core)
        if self._closed:  # during the start
            self._process.kill()
        return self._process

    def stop(self) -> None:
        """Let the game process exit after the running game."""
        self._stopping = True
        process = self._process
        if process is not None:
            process.stop()

    def close(self) -> None:
        """Kill the game process and so the bots, also during a game."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()


def main(descriptor: int) -> None:
    """Run the process: receive fixtures, send results, until the worker exits or sends `STOP`."""
    stop = StopFlag()
    die_with_parent()
    tasks = Connection(descriptor)
    try:
        plan, core = tasks.recv()
        if core is not None:
            os.sched_setaffinity(0, {core})
        with open_worker(plan) as worker:
            while not stop.is_set:
                for result in worker.play(tasks.recv(), stop):
                    tasks.send(result)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
