"""An engine that plays in worker processes on this machine."""

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
"""Encounters shorter than this are handed out many at a time, about so long in all."""
MAX_AHEAD = 256
"""Encounters that a worker has at the most."""
DESCRIPTORS = 3
"""Open files for each worker: its pipe, its end, and for a moment a socket of its launcher."""
MAX_MOVES = 2_000
"""Moves of their openings, about: a message must fit into a pipe that nobody reads, because the one
who should may be waiting for us to read what it has sent."""


@dataclass
class _WorkerHandle:
    """A worker process, seen from outside."""

    process: BaseProcess
    connection: Connection
    core: int | None
    fixtures: deque[Fixture] = field(default_factory=deque)
    """What it was given and has not finished, in order."""
    since: float = 0.0
    """When it was last heard of, or given something to do."""
    seconds: float = SHORT_SECONDS
    """How long its last games took, each."""

    @property
    def capacity(self) -> int:
        """How many encounters it should be given now.

        One at a time, so that all workers are done at about the same time; of short ones many,
        and when half of them are left, so that it need not wait.
        """
        return max(1, self._ahead // 2) if len(self.fixtures) <= self._ahead else 0

    @property
    def _ahead(self) -> int:
        return max(1, min(MAX_AHEAD, int(SHORT_SECONDS / (2 * self.seconds))))


class LocalEngine:
    """Worker processes on this machine, each on a core of its own where that is possible."""

    def __init__(self, plan: Plan, slots: int, launcher: Launcher | None = None) -> None:
        """With a launcher at hand, that of a worker need not be started but is forked off it."""
        self.slots = slots
        self._launcher = launcher
        self._plan = plan
        self._stopping = False
        make_room(slots * DESCRIPTORS)
        cores = usable_cores() if plan.pin else []
        # More workers than cores would share one: then the system had better choose.
        spread = cores if len(cores) >= slots else [None] * slots
        self._hands: list[_WorkerHandle] = []
        try:
            for number in range(slots):
                self._hands.append(self._spawn_worker(spread[number]))
        except BaseException:
            self.close()  # or the end of the program would wait for those that were started
            raise

    def _spawn_worker(self, core: int | None) -> _WorkerHandle:
        forks = sys.platform == "linux"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        with explained("the pipe of a worker process"):
            ours, theirs = context.Pipe()
        # While a worker holds an end of somebody's tasks, nobody would see them end.
        inherited = [ours, *(hand.connection for hand in self._hands)] if forks else []
        launcher = self._launcher.fork_launcher(core) if self._launcher and forks else None
        process = context.Process(
            target=_work, args=(self._plan, theirs, inherited, core, launcher)
        )
        # Signals are blocked until it has handlers of its own.
        with explained("a worker process"), blocked(*NUMBERS, STOP):
            process.start()
        theirs.close()
        if launcher is not None:
            launcher.detach()
        return _WorkerHandle(process, ours, core)

    def play(self, next_task: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Hand out tasks and collect games until both have an end."""
        while True:
            for hand in self._hands:
                yield from self._give(hand, next_task)
            busy = {hand.connection: hand for hand in self._hands if hand.fixtures}
            if not busy:
                return
            ready = wait(list(busy), timeout=0.1)
            for connection in ready:
                assert isinstance(connection, Connection)
                yield from self._collect(busy[connection])
            yield None

    def _give(self, hand: _WorkerHandle, next_task: Callable[[], Task | None]) -> Iterator[Event]:
        """As many tasks as it should have, in one message."""
        fixtures: ColumnarList[Fixture] = ColumnarList()
        capacity, moves = hand.capacity, 0
        while capacity > 0 and moves < MAX_MOVES:
            task = None if self._stopping else next_task()
            if task is None:
                break
            fixtures += task
            capacity, moves = capacity - 1, moves + len(task[0].opening)
        if fixtures:
            yield GamesStarted(fixtures)
            if not hand.fixtures:
                hand.since = monotonic()
            hand.fixtures += fixtures
            # A worker that has died is seen, and replaced, when its answers are collected.
            with suppress(BrokenPipeError, ConnectionResetError):
                hand.connection.send(fixtures)

    def _collect(self, hand: _WorkerHandle) -> Iterator[Event]:
        try:
            ended: GameBatch = hand.connection.recv()
        except (EOFError, ConnectionResetError):
            yield from self._replace(hand)
            return
        now = monotonic()
        ids = ended.ids
        hand.seconds, hand.since = (now - hand.since) / len(ids), now
        assert {hand.fixtures.popleft().id for _ in ids} == ids
        yield ended

    def _replace(self, hand: _WorkerHandle) -> Iterator[Event]:
        """A worker died: its games are void, and another one takes its place.

        When the run is to end, that is how workers stop; games without a record are void then, too,
        but nothing is tried again.
        """
        hand.process.join()
        hand.connection.close()
        if self._stopping:
            self._hands.remove(hand)
            return
        code = hand.process.exitcode
        self._hands[self._hands.index(hand)] = self._spawn_worker(hand.core)
        why = f"the worker process died (exit code {code})"
        yield batch_of(GameVoid(fixture, why) for fixture in hand.fixtures)

    def finish_soon(self) -> None:
        """Hand out no further task, and let workers begin no further game."""
        self._stopping = True
        for hand in self._hands:
            if hand.process.is_alive():
                assert hand.process.pid is not None
                os.kill(hand.process.pid, STOP)

    def close(self) -> None:
        """Workers that are idle go by themselves; one in a game is ended, and its bots with it."""
        for hand in self._hands:
            hand.connection.close()
            if hand.fixtures:
                hand.process.kill()
        for hand in self._hands:
            hand.process.join()


def _work(
    plan: Plan,
    tasks: Connection,
    inherited: list[Connection],
    core: int | None,
    launcher: Launcher | None,
) -> None:
    for connection in inherited:
        connection.close()
    serve(plan, tasks, core, launcher)
