"""Where encounters are played: on this machine, in a few worker processes.

An engine takes encounters and gives games, in whatever order they end. It knows nothing of files,
tables or people; a run asks it for the next events and decides what to do with them.
"""

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from referee.bot import Launcher
from referee.columns import Columns
from referee.ended import Ended, Void, together
from referee.interrupts import NUMBERS, STOP, blocked
from referee.open_files import make_room
from referee.pairings import Fixture
from referee.plan import Plan
from referee.quota import cpu_quota
from referee.refusals import explained
from referee.worker import serve

SHORT_SECONDS = 0.1
"""Encounters shorter than this are handed out many at a time, about so long in all."""
MOST_AHEAD = 256
"""Encounters that a worker has at the most."""
DESCRIPTORS = 3
"""Open files for each worker: its pipe, its end, and for a moment a socket of its launcher."""
MOST_MOVES = 2_000
"""Moves of their openings, about: a message must fit into a pipe that nobody reads, because the one
who should may be waiting for us to read what it has sent."""

Task = tuple[Fixture, ...]
"""The fixtures of one encounter that have no record yet."""


@dataclass(frozen=True)
class Begun:
    """A worker was given these games, of one encounter or several."""

    fixtures: Sequence[Fixture]


Event = Begun | Ended


class Engine(Protocol):
    """Plays tasks somewhere."""

    @property
    def slots(self) -> int:
        """How many games run at once."""

    def play(self, take: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Play what `take` gives until that is None and all is done; events as they happen.

        None comes now and then, so that the caller can look around.
        """

    def finish_soon(self) -> None:
        """Begin no further game."""

    def close(self) -> None:
        """End everything at once."""


@dataclass
class _Hand:
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
    def room(self) -> int:
        """How many encounters it should be given now.

        One at a time, so that all workers are done at about the same time; of short ones many,
        and when half of them are left, so that it need not wait.
        """
        return max(1, self._ahead // 2) if len(self.fixtures) <= self._ahead else 0

    @property
    def _ahead(self) -> int:
        return max(1, min(MOST_AHEAD, int(SHORT_SECONDS / (2 * self.seconds))))


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
        self._hands: list[_Hand] = []
        try:
            for number in range(slots):
                self._hands.append(self._hire(spread[number]))
        except BaseException:
            self.close()  # or the end of the program would wait for those that were started
            raise

    def _hire(self, core: int | None) -> _Hand:
        forks = sys.platform == "linux"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        with explained("the pipe of a worker process"):
            ours, theirs = context.Pipe()
        # While a worker holds an end of somebody's tasks, nobody would see them end.
        inherited = [ours, *(hand.connection for hand in self._hands)] if forks else []
        launcher = self._launcher.another(core) if self._launcher and forks else None
        process = context.Process(
            target=_work, args=(self._plan, theirs, inherited, core, launcher)
        )
        # Signals are blocked until it has handlers of its own.
        with explained("a worker process"), blocked(*NUMBERS, STOP):
            process.start()
        theirs.close()
        if launcher is not None:
            launcher.give_away()
        return _Hand(process, ours, core)

    def play(self, take: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Hand out tasks and collect games until both have an end."""
        while True:
            for hand in self._hands:
                yield from self._give(hand, take)
            busy = {hand.connection: hand for hand in self._hands if hand.fixtures}
            if not busy:
                return
            ready = wait(list(busy), timeout=0.1)
            for connection in ready:
                assert isinstance(connection, Connection)
                yield from self._collect(busy[connection])
            yield None

    def _give(self, hand: _Hand, take: Callable[[], Task | None]) -> Iterator[Event]:
        """As many tasks as it should have, in one message."""
        fixtures: Columns[Fixture] = Columns()
        room, moves = hand.room, 0
        while room > 0 and moves < MOST_MOVES:
            task = None if self._stopping else take()
            if task is None:
                break
            fixtures += task
            room, moves = room - 1, moves + len(task[0].opening)
        if fixtures:
            yield Begun(fixtures)
            if not hand.fixtures:
                hand.since = monotonic()
            hand.fixtures += fixtures
            # A worker that has died is seen, and replaced, when its answers are collected.
            with suppress(BrokenPipeError, ConnectionResetError):
                hand.connection.send(fixtures)

    def _collect(self, hand: _Hand) -> Iterator[Event]:
        try:
            ended: Ended = hand.connection.recv()
        except (EOFError, ConnectionResetError):
            yield from self._replace(hand)
            return
        now = monotonic()
        ids = ended.ids
        hand.seconds, hand.since = (now - hand.since) / len(ids), now
        assert {hand.fixtures.popleft().id for _ in ids} == ids
        yield ended

    def _replace(self, hand: _Hand) -> Iterator[Event]:
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
        self._hands[self._hands.index(hand)] = self._hire(hand.core)
        why = f"the worker process died (exit code {code})"
        yield together(Void(fixture, why) for fixture in hand.fixtures)

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


def usable_cores() -> list[int]:
    """One core number for each physical core that this process may use."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    allowed = sorted(os.sched_getaffinity(0))
    chosen: dict[str, int] = {}
    for core in allowed:
        path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
        try:
            siblings = path.read_text().strip()
        except OSError:
            siblings = str(core)
        chosen.setdefault(siblings, core)
    return list(chosen.values())


def default_slots() -> int:
    """Return how many games run at once by default: one per core, as far as a quota allows."""
    cores = len(usable_cores()) or max(1, (os.cpu_count() or 2) // 2)
    quota = cpu_quota()
    return cores if quota is None else max(1, min(cores, int(quota)))
