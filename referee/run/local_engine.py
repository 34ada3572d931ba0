"""An engine that plays in worker processes on this machine."""

import mmap
import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any

from referee.bots.launcher import Launcher
from referee.config.plan import Plan
from referee.records.columnar import ColumnarList
from referee.run.engine import Task
from referee.run.events import Event, GameBatch, GamesStarted, GameVoid, batch_of
from referee.run.worker import serve
from referee.schedule.fixtures import Fixture
from referee.system.cores import usable_cores
from referee.system.open_files import make_room
from referee.system.resource_errors import explained
from referee.system.signals import NUMBERS, STOP, blocked

SHORT_SECONDS = 0.1
"""Encounters shorter than this are sent in batches of about this duration."""
MAX_AHEAD = 256
"""Maximum number of encounters that a worker has been sent and has not played."""
DESCRIPTORS = 3
"""Open files per worker: its pipe, its sentinel and, during its start, a launcher socket."""
MAX_MOVES = 2_000
"""Approximate limit of the opening moves in one message. A message must fit into the pipe buffer:
the worker does not read while it waits for the coordinator to read its results."""


@dataclass
class _WorkerHandle:
    """Handle of a worker process, in the coordinator."""

    process: BaseProcess
    connection: Connection
    core: int | None
    fixtures: deque[Fixture] = field(default_factory=deque)
    """Assigned and not finished, in the order of play."""
    since: float = 0.0
    """Time of its last result, or of the assignment that ended its idleness."""
    seconds: float = SHORT_SECONDS
    """Mean duration of the games of its last result."""
    finished: int = 0
    """Number of games of which it has sent the result."""
    started: memoryview | None = None
    """Number of games that it has started, in memory that both processes share."""

    @property
    def capacity(self) -> int:
        """Return the number of encounters to assign now.

        One at a time, so that all workers finish at about the same time. Short encounters are
        assigned in batches, the next when half of the last is left, so that no worker waits.
        """
        return max(1, self._ahead // 2) if len(self.fixtures) <= self._ahead else 0

    @property
    def running(self) -> Fixture | None:
        """Return the game that it plays, or is about to start; None if it has none."""
        # Results are sent in batches: the first game without a result may be over.
        at = 0 if self.started is None else max(0, self.started[0] - self.finished - 1)
        return self.fixtures[at] if at < len(self.fixtures) else None

    @property
    def _ahead(self) -> int:
        return max(1, min(MAX_AHEAD, int(SHORT_SECONDS / (2 * self.seconds))))


class LocalEngine:
    """Worker processes on this machine, each pinned to its own core if there are enough."""

    def __init__(self, plan: Plan, slots: int, launcher: Launcher | None = None) -> None:
        """Start the workers; their launchers are forked from `launcher` if there is one."""
        self.slots = slots
        self._launcher = launcher
        self._plan = plan
        self._stopping = False
        make_room(slots * DESCRIPTORS)
        cores = usable_cores() if plan.play.pin_cores else []
        # With more workers than cores, leave the placement to the kernel.
        spread = cores if len(cores) >= slots else [None] * slots
        self._workers: list[_WorkerHandle] = []
        try:
            for number in range(slots):
                self._workers.append(self._spawn_worker(spread[number]))
        except BaseException:
            self.close()  # multiprocessing joins started processes at exit
            raise

    def _spawn_worker(self, core: int | None) -> _WorkerHandle:
        forks = sys.platform == "linux"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        with explained("the pipe of a worker process"):
            ours, theirs = context.Pipe()
        # A forked worker closes the other pipes: while it held an end, no end of file would occur.
        inherited = [ours, *(handle.connection for handle in self._workers)] if forks else []
        launcher = self._launcher.fork_launcher(core) if self._launcher and forks else None
        started = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("Q") if forks else None
        process = context.Process(
            target=_work, args=(self._plan, theirs, inherited, core, launcher, started)
        )
        # Signals are blocked until it has handlers of its own.
        with explained("a worker process"), blocked(*NUMBERS, STOP):
            process.start()
        theirs.close()
        if launcher is not None:
            launcher.detach()
        return _WorkerHandle(process, ours, core, started=started)

    def play(self, next_task: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Assign tasks and collect results until there are no more of either."""
        while True:
            for handle in self._workers:
                yield from self._assign(handle, next_task)
            busy = {handle.connection: handle for handle in self._workers if handle.fixtures}
            if not busy:
                return
            ready = wait(list(busy), timeout=0.1)
            for connection in ready:
                assert isinstance(connection, Connection)
                yield from self._collect(busy[connection])
            yield None

    def _assign(
        self, handle: _WorkerHandle, next_task: Callable[[], Task | None]
    ) -> Iterator[Event]:
        """Send a worker as many tasks as it has capacity for, in one message."""
        fixtures: ColumnarList[Fixture] = ColumnarList()
        capacity, moves = handle.capacity, 0
        while capacity > 0 and moves < MAX_MOVES:
            task = None if self._stopping else next_task()
            if task is None:
                break
            fixtures += task
            capacity, moves = capacity - 1, moves + len(task[0].opening)
        if fixtures:
            yield GamesStarted(fixtures)
            if not handle.fixtures:
                handle.since = monotonic()
            handle.fixtures += fixtures
            # `_collect` replaces a worker that has died.
            with suppress(BrokenPipeError, ConnectionResetError):
                handle.connection.send(fixtures)

    def _collect(self, handle: _WorkerHandle) -> Iterator[Event]:
        try:
            batch: GameBatch = handle.connection.recv()
        except (EOFError, ConnectionResetError):
            yield from self._replace(handle)
            return
        now = monotonic()
        ids = batch.ids
        handle.seconds, handle.since = (now - handle.since) / len(ids), now
        assert {handle.fixtures.popleft().id for _ in ids} == ids
        handle.finished += len(ids)
        yield batch

    def _replace(self, handle: _WorkerHandle) -> Iterator[Event]:
        """Start another worker in place of a dead one, whose games are void.

        When the run is stopping, workers exit this way: they are not replaced and no game is void.
        """
        handle.process.join()
        handle.connection.close()
        if self._stopping:
            self._workers.remove(handle)
            return
        code = handle.process.exitcode
        self._workers[self._workers.index(handle)] = self._spawn_worker(handle.core)
        why = f"the worker process died (exit code {code})"
        yield batch_of(GameVoid(fixture, why) for fixture in handle.fixtures)

    def running(self) -> list[Fixture]:
        """Return the game that each worker plays."""
        games = (handle.running for handle in self._workers)
        return [game for game in games if game is not None]

    def finish_soon(self) -> None:
        """Assign no further task, and signal the workers to start no further game."""
        self._stopping = True
        for handle in self._workers:
            if handle.process.is_alive():
                assert handle.process.pid is not None
                os.kill(handle.process.pid, STOP)

    def close(self) -> None:
        """Close the pipes, at which idle workers exit, and kill workers that are in a game."""
        for handle in self._workers:
            handle.connection.close()
            if handle.fixtures:
                handle.process.kill()
        for handle in self._workers:
            handle.process.join()


def _work(
    plan: Plan,
    tasks: Connection,
    inherited: list[Connection],
    core: int | None,
    launcher: Launcher | None,
    started: memoryview | None,
) -> None:
    for connection in inherited:
        connection.close()
    serve(plan, tasks, core, launcher, started)
