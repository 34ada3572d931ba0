"""The coordinator's side of a cluster: who plays what, and what becomes of it.

The coordinator itself chooses the worker of every task, so that it knows what a worker was playing
when it died. Everything that happens on the cluster arrives in one inbox; coroutines of Dask's
event loop put it there.
"""

import asyncio
import uuid
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from distributed import KilledWorker

from referee import __version__
from referee.cluster import worker_session
from referee.cluster.archive import pack
from referee.cluster.connection import Connection
from referee.cluster.worker_pool import Batch, ClusterWorker, WorkerPool, WorkerState
from referee.cluster.worker_session import (
    BatchResult,
    PreparationReport,
    RunBundle,
    SessionExpired,
    WorkerInfo,
)
from referee.config.bot_files import BotFiles
from referee.config.plan import PortablePlan
from referee.errors import InputError, OutsideError
from referee.run.engine import Task
from referee.run.events import Event, GamesStarted, GameVoid, batch_of
from referee.run.preparation import format_startup_failures
from referee.system.signals import deferred

TASK_SECONDS = 0.5
"""How long a task of several short encounters should take."""
LONG_SECONDS = 1.0
"""While tasks take longer than this, workers get the next one only when they are done."""
LARGEST_BATCH = 64
WATCH_SECONDS = 0.5
ANSWER_SECONDS = 30.0
"""A scheduler that does not answer for so long is lost."""
GO_ON = "Everything that was finished is kept; run the same command to go on"


@dataclass(frozen=True)
class _Members:
    """The addresses of all workers."""

    addresses: frozenset[str]


@dataclass(frozen=True)
class _Greeted:
    """A worker was made ready, or why it was not."""

    member: ClusterWorker
    readiness: PreparationReport | None
    lease: Any
    why: str = ""


@dataclass(frozen=True)
class _Played:
    """A batch came back."""

    member: ClusterWorker
    batch: Batch
    results: BatchResult | BaseException


@dataclass(frozen=True)
class _Lost:
    """The scheduler does not answer any more."""


class DaskEngine:
    """Workers of a Dask cluster, each with one game at a time."""

    def __init__(
        self,
        connection: Connection,
        portable_plan: PortablePlan,
        files: Mapping[str, BotFiles],
        sandbox: str,
        folder: Path,
        *,
        forfeit: bool,
        wait_seconds: float,
        say: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        self._connection = connection
        self._client = connection.client
        self._forfeit = forfeit
        self._wait_seconds = wait_seconds
        self._say = say
        self._warn = warn
        self._kit = RunBundle(
            run=uuid.uuid4().hex,
            version=__version__,
            portable_plan=portable_plan,
            variants=_variant_files(portable_plan),
            sandbox=sandbox,
        )
        self._crew = WorkerPool(portable_plan.pin)
        self._inbox: SimpleQueue[_Members | _Greeted | _Played | _Lost] = SimpleQueue()
        self._seconds = TASK_SECONDS
        """How long an encounter takes."""
        self._returned: deque[Task] = deque()
        """Given to a worker that had let go of this run before it began with them."""
        self._suspected: deque[Task] = deque()
        """To be played by a worker that has nothing else: it may be what ends workers."""
        self._suspects: set[str] = set()
        self._ahead: Task | None = None
        self._stopping = False
        self._told_to_stop = False
        self._accepted: frozenset[str] | None = None
        """Bots that may be broken, once it is known which are."""
        self._met = False
        """Whether it is known who is there."""
        self._alone_since: float | None = None
        self._packed = _pack_all(files, folder)
        self._watch = self._start(self._keep_watch())

    @property
    def slots(self) -> int:
        return len(self._crew.at(WorkerState.READY))

    @property
    def sandboxes(self) -> list[PreparationReport]:
        """How bots are isolated, one example of each rung."""
        ready = [m.readiness for m in self._crew.at(WorkerState.READY) if m.readiness is not None]
        return list({readiness.sandbox: readiness for readiness in ready}.values())

    @property
    def hosts(self) -> list[str]:
        return sorted({m.survey.host for m in self._crew.at(WorkerState.READY) if m.survey})

    def assemble(self) -> None:
        """Make all workers ready that are there; InputError if no one can play."""
        while not self._met or not self._crew.members or self._crew.at(WorkerState.ARRIVED):
            for _ in self._attend():
                pass  # nothing is played yet
            self._check_hands()
        tried = self._crew.at(WorkerState.TRIED)
        broken = [frozenset(m.readiness.complaints) for m in tried if m.readiness is not None]
        self._accepted = (
            frozenset.intersection(*broken) if self._forfeit and broken else frozenset()
        )
        for member in tried:
            self._judge(member)
        complaints = self._complaints()
        if not tried:
            raise InputError("\n".join(["no worker can play.", *complaints]))
        if not self.slots:
            raise InputError(format_startup_failures(complaints))
        example = tried[0].readiness
        assert example is not None
        for complaint in [*complaints, *(example.complaints[bot] for bot in self._accepted)]:
            self._warn(complaint)

    def _judge(self, member: ClusterWorker) -> None:
        """A worker on which a bot is broken that plays elsewhere would cost it games."""
        assert member.readiness is not None
        assert self._accepted is not None
        wrong = {
            bot: text
            for bot, text in member.readiness.complaints.items()
            if bot not in self._accepted
        }
        if wrong:
            self._turn_away(member, "\n".join(wrong.values()))
            return
        member.stage = WorkerState.READY
        self._crew.give_core(member)
        if member.survey is not None and member.survey.threads > 1:
            self._warn(
                f"the worker {member} has {member.survey.threads} threads, and plays one game at a"
                " time all the same: start one worker per core with --nthreads 1"
            )

    def _turn_away(self, member: ClusterWorker, why: str) -> None:
        member.stage, member.why, member.lease = WorkerState.UNFIT, why.rstrip(), None

    def _complaints(self) -> list[str]:
        """What is wrong with workers that get no games, those with the same trouble together."""
        by_reason: dict[str, list[str]] = {}
        for member in self._crew.at(WorkerState.UNFIT):
            by_reason.setdefault(member.why, []).append(str(member))
        return [f"no games for {'; '.join(who)}: {why}" for why, who in by_reason.items()]

    def play(self, take: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Give batches to workers that have room, and collect what comes back."""
        while True:
            yield from self._hand_out(take)
            if not self._has_more(take) and not any(m.batches for m in self._members):
                return
            yield from self._attend()
            self._check_hands()
            yield None

    @property
    def _members(self) -> list[ClusterWorker]:
        return list(self._crew.members.values())

    # Handing out

    def _hand_out(self, take: Callable[[], Task | None]) -> Iterator[Event]:
        if self._stopping:
            self._abandon_queued()
            return
        for depth in range(self._most_batches()):
            for member in self._crew.at(WorkerState.READY):
                if len(member.batches) > depth or member.is_under_suspicion:
                    continue
                tasks: list[Task] = []
                while len(tasks) < self._batch_size() and (found := self._next(take)):
                    task, is_new = found
                    tasks.append(task)
                    if is_new:
                        yield GamesStarted(task)
                if tasks:
                    self._give(member, tasks)
                elif not member.batches and self._suspected:
                    member.is_under_suspicion = True
                    task = self._suspected.popleft()
                    yield GamesStarted(task)
                    self._give(member, [task])

    def _most_batches(self) -> int:
        """With a second one waiting there, a worker does not wait for us between short tasks."""
        return 1 if self._seconds > LONG_SECONDS else 2

    def _batch_size(self) -> int:
        return max(1, min(LARGEST_BATCH, int(TASK_SECONDS / self._seconds)))

    def _next(self, take: Callable[[], Task | None]) -> tuple[Task, bool] | None:
        """An encounter, and whether nobody was given it before."""
        if self._returned:
            return self._returned.popleft(), False
        if not self._has_more(take) or self._ahead is None:
            return None
        task, self._ahead = self._ahead, None
        return task, True

    def _has_more(self, take: Callable[[], Task | None]) -> bool:
        """Look ahead for an encounter that is above suspicion; whether anything is left at all."""
        while self._ahead is None and not self._stopping and (task := take()) is not None:
            if self._suspects.isdisjoint(fixture.id for fixture in task):
                self._ahead = task
            else:
                self._suspected.append(task)
        return bool(self._returned or self._suspected or self._ahead is not None)

    def _give(self, member: ClusterWorker, tasks: list[Task]) -> None:
        batch = Batch(tasks)
        core = self._crew.core_of(member)
        batch.future = self._submit(
            member, worker_session.play, self._kit.run, batch.fixtures, core
        )
        member.batches.append(batch)
        self._start(self._deliver(member, batch))

    def _submit(self, member: ClusterWorker, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._client.submit(
            function,
            *arguments,
            key=f"referee-{function.__name__}-{uuid.uuid4().hex}",
            pure=False,
            workers=[member.address],
            allow_other_workers=False,
            retries=0,
        )

    def _abandon_queued(self) -> None:
        """Let workers end what they play, and take back what waits there."""
        self._returned.clear()
        self._suspected.clear()
        self._ahead = None
        for member in self._members:
            while len(member.batches) > 1:
                self._client.cancel([member.batches.pop().future])
        if not self._told_to_stop:
            self._told_to_stop = True
            self._start(self._tell_to_stop())

    async def _tell_to_stop(self) -> None:
        """Let workers begin no further game of those that they were given."""
        ready = [member.address for member in self._crew.at(WorkerState.READY)]
        with suppress(Exception):  # a worker that is gone by now
            await self._client.run(
                worker_session.stop,
                self._kit.run,
                workers=ready,
                on_error="ignore",
                asynchronous=True,
            )

    # What happens on the cluster, as coroutines of Dask's event loop

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)

    async def _keep_watch(self) -> None:
        """Tell who is there, until nobody answers."""
        while True:
            asked = asyncio.ensure_future(self._client.nthreads(asynchronous=True))
            give_up = monotonic() + ANSWER_SECONDS
            # A client that lost its scheduler tries for long to find it again.
            while not asked.done() and monotonic() < give_up and self._client.status == "running":
                await asyncio.wait({asked}, timeout=WATCH_SECONDS)
            if not asked.done() or asked.exception() is not None:
                asked.cancel()
                self._inbox.put(_Lost())
                return
            self._inbox.put(_Members(frozenset(asked.result())))
            await asyncio.sleep(WATCH_SECONDS)

    async def _greet(self, member: ClusterWorker) -> None:
        """Bring a worker its bots, and let it try them."""
        try:
            found = await self._client.gather(
                self._submit(member, _presence_check()), asynchronous=True
            )
            if not found:
                why = "it has no referee: pip install '.[cluster]' in a checkout there"
                self._inbox.put(_Greeted(member, None, None, why))
                return
            asked = self._submit(member, worker_session.survey, list(self._packed))
            survey: WorkerInfo = await self._client.gather(asked, asynchronous=True)
            member.survey = survey
            if survey.version != self._kit.version:
                why = f"it has version {survey.version} of the referee, here is {__version__}"
                self._inbox.put(_Greeted(member, None, None, why))
                return
            archives = {
                hash: await self._client.scatter(
                    self._packed[hash].read_bytes(),
                    workers=[member.address],
                    hash=False,
                    asynchronous=True,
                )
                for hash in sorted(survey.missing)
            }
            lease = self._submit(member, worker_session.prepare, self._kit, archives)
            readiness = await self._client.gather(lease, asynchronous=True)
            self._inbox.put(_Greeted(member, readiness, lease))
        except InputError as error:
            self._inbox.put(_Greeted(member, None, None, str(error)))
        except Exception as error:
            why = f"it could not be made ready: {type(error).__name__}: {error}"
            self._inbox.put(_Greeted(member, None, None, why))

    async def _deliver(self, member: ClusterWorker, batch: Batch) -> None:
        try:
            results = await self._client.gather(batch.future, asynchronous=True)
        except (Exception, CancelledError, asyncio.CancelledError) as error:
            results = error
        self._inbox.put(_Played(member, batch, results))

    # Attending to what arrived

    def _attend(self) -> Iterator[Event]:
        """Wait a moment for what happens, and deal with it."""
        try:
            message = self._inbox.get(timeout=0.1)
        except Empty:
            return
        while True:
            if isinstance(message, _Members):
                yield from self._update(message.addresses)
            elif isinstance(message, _Greeted):
                self._welcome(message)
            elif isinstance(message, _Played):
                yield from self._collect(message)
            else:
                raise OutsideError(
                    f"the scheduler at {self._connection.address} does not answer any more. {GO_ON}"
                )
            try:
                message = self._inbox.get_nowait()
            except Empty:
                return

    def _update(self, addresses: frozenset[str]) -> Iterator[Event]:
        """Workers come and go."""
        self._met = True
        for address in self._crew.members.keys() - addresses:
            yield from self._lose(self._crew.members.pop(address))
        for address in sorted(addresses - self._crew.members.keys()):
            member = ClusterWorker(address)
            self._crew.members[address] = member
            member.greeting = self._start(self._greet(member))

    def _lose(self, member: ClusterWorker) -> Iterator[Event]:
        """A worker is gone, and any of the games that it was given may be why."""
        if member.greeting is not None:
            member.greeting.cancel()
        if member.batches:
            self._client.cancel([batch.future for batch in member.batches])
            self._warn(f"the worker {member} was lost; its games are played again")
        for batch in member.batches:
            yield from self._void(batch, f"the worker {member} was lost while it played this")
        member.batches.clear()

    def _void(self, batch: Batch, why: str) -> Iterator[Event]:
        """These games are played again one by one, so that in the end the right one is blamed."""
        self._suspects.update(fixture.id for fixture in batch.fixtures)
        yield batch_of(GameVoid(fixture, why) for fixture in batch.fixtures)

    def _welcome(self, greeted: _Greeted) -> None:
        member = greeted.member
        if self._crew.members.get(member.address) is not member:
            return
        member.greeting = None
        member.readiness, member.lease = greeted.readiness, greeted.lease
        if greeted.readiness is None:
            self._turn_away(member, greeted.why)
        else:
            member.stage = WorkerState.TRIED
            if self._accepted is not None:
                self._judge(member)
        if self._accepted is not None:
            if member.stage is WorkerState.READY:
                self._say(f"the worker {member} joined")
            else:
                self._warn(f"no games for {member}: {member.why}")

    def _collect(self, played: _Played) -> Iterator[Event]:
        member, batch, results = played.member, played.batch, played.results
        if batch not in member.batches:
            return  # it was given up on: whatever came back was played elsewhere, or will be
        member.batches.remove(batch)
        member.is_under_suspicion = False
        if isinstance(results, BatchResult):
            encounter = results.seconds / len(batch.tasks)
            self._seconds += (encounter - self._seconds) / 2
            yield results.games
        elif isinstance(results, SessionExpired):
            # The worker let go of it, to save memory perhaps: begin anew with this worker.
            self._returned.extend(batch.tasks)
            for other in member.batches:
                self._client.cancel([other.future])
                self._returned.extend(other.tasks)
            del self._crew.members[member.address]
        elif isinstance(results, KilledWorker):
            yield from self._void(batch, f"the worker {member} was lost while it played this")
        else:
            why = f"{type(results).__name__}: {results}"
            yield batch_of(GameVoid(fixture, why) for fixture in batch.fixtures)

    def _check_hands(self) -> None:
        """OutsideError if nobody can play, and nobody comes."""
        crew = self._crew
        if crew.members or not self._met:
            self._alone_since = None
            hopeless = crew.members and len(crew.at(WorkerState.UNFIT)) == len(crew.members)
            if hopeless and self._accepted is not None:
                raise OutsideError("\n".join([f"no worker can play. {GO_ON}", *self._complaints()]))
        elif self._alone_since is None:
            self._alone_since = monotonic()
            self._warn(f"no worker is there: waiting for one for {self._wait_seconds:.0f} s")
        elif monotonic() - self._alone_since > self._wait_seconds:
            raise OutsideError(
                f"no worker has joined the scheduler at {self._connection.address} for"
                f" {self._wait_seconds:.0f} s. {GO_ON}"
            )

    def finish_soon(self) -> None:
        self._stopping = True

    def close(self) -> None:
        """Let go of everything on the cluster: what runs there for us ends, bots included."""
        with deferred():
            self._watch.cancel()
            for member in self._members:
                if member.greeting is not None:
                    member.greeting.cancel()
                with suppress(Exception):
                    self._client.cancel([batch.future for batch in member.batches])
                member.batches.clear()
                member.lease = None
            self._connection.close()


def _presence_check() -> Callable[[], bool]:
    """Whether a worker has the referee; one that has not would die of anything else we send.

    A function within a function travels as a whole, and not by the name of its module.
    """

    def has_referee() -> bool:
        import importlib

        try:
            importlib.import_module("referee")
        except ImportError:
            return False
        return True

    return has_referee


def _variant_files(portable_plan: PortablePlan) -> dict[str, bytes]:
    sources = {board.source for board in portable_plan.boards.values()}
    return {source: Path(source).read_bytes() for source in sources if source.endswith(".py")}


def _pack_all(files: Mapping[str, BotFiles], folder: Path) -> dict[str, Path]:
    """Every bot as an archive, as it is now: what is edited later does not matter."""
    folder.mkdir(parents=True, exist_ok=True)
    packed: dict[str, Path] = {}
    for bot, found in files.items():
        path = packed[found.hash] = folder / f"{found.hash}.tar.gz"
        if not path.exists():
            unfinished = path.with_name(f"{path.name}.part")
            unfinished.write_bytes(pack(bot, found))
            unfinished.replace(path)
    return packed
