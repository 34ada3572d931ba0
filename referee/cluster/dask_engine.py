"""An engine on a Dask cluster: assigns batches of games to workers and collects the results.

The coordinator chooses the worker of every batch, so that the games of a lost worker are
identified. All events of the cluster arrive in one queue, filled by coroutines on Dask's event
loop.
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
"""Intended duration of a batch of short encounters."""
LONG_SECONDS = 1.0
"""If batches take longer than this, a worker gets the next one when it has finished the last."""
MAX_BATCH = 64
WATCH_SECONDS = 0.5
ANSWER_SECONDS = 30.0
"""Timeout after which the scheduler is regarded as lost."""
RESUME_HINT = "Everything that was finished is kept; run the same command to go on"


@dataclass(frozen=True)
class _Members:
    """The addresses of all workers of the cluster."""

    addresses: frozenset[str]


@dataclass(frozen=True)
class _Prepared:
    """A worker was prepared, or the reason why it was not."""

    worker: ClusterWorker
    report: PreparationReport | None
    lease: Any
    reason: str = ""


@dataclass(frozen=True)
class _Played:
    """A batch has a result or an error."""

    worker: ClusterWorker
    batch: Batch
    results: BatchResult | BaseException


@dataclass(frozen=True)
class _Lost:
    """The scheduler does not answer."""


class DaskEngine:
    """Engine on the workers of a Dask cluster; each plays one game at a time."""

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
        self._bundle = RunBundle(
            run=uuid.uuid4().hex,
            version=__version__,
            portable_plan=portable_plan,
            variants=_variant_files(portable_plan),
            sandbox=sandbox,
        )
        self._pool = WorkerPool(portable_plan.play.pin_cores)
        self._inbox: SimpleQueue[_Members | _Prepared | _Played | _Lost] = SimpleQueue()
        self._seconds = TASK_SECONDS
        """Moving average of the duration of an encounter."""
        self._returned: deque[Task] = deque()
        """Tasks of a worker whose session had expired before it started them."""
        self._quarantined: deque[Task] = deque()
        """Tasks that may kill workers: each is played alone on a worker."""
        self._quarantine: set[str] = set()
        self._peeked: Task | None = None
        self._stopping = False
        self._sent_stop = False
        self._accepted: frozenset[str] | None = None
        """Bots that are allowed to be broken; None until the first workers are accepted."""
        self._has_members = False
        """Whether the list of workers has arrived."""
        self._empty_since: float | None = None
        self._packed = _pack_all(files, folder)
        self._watch = self._start(self._watch_members())

    @property
    def slots(self) -> int:
        """Return the number of games that run at the same time."""
        return len(self._pool.in_state(WorkerState.READY))

    @property
    def sandboxes(self) -> list[PreparationReport]:
        """Return one report for each isolation in use."""
        ready = [m.report for m in self._pool.in_state(WorkerState.READY) if m.report is not None]
        return list({report.sandbox: report for report in ready}.values())

    @property
    def hosts(self) -> list[str]:
        """Return the names of the hosts that play."""
        return sorted({m.info.host for m in self._pool.in_state(WorkerState.READY) if m.info})

    def assemble(self) -> None:
        """Prepare all workers that are connected; InputError if none can play."""
        while (
            not self._has_members
            or not self._pool.workers
            or self._pool.in_state(WorkerState.ARRIVED)
        ):
            for _ in self._process_events():
                pass  # no game has started
            self._check_workers_available()
        prepared = self._pool.in_state(WorkerState.PREPARED)
        broken = [frozenset(m.report.problems) for m in prepared if m.report is not None]
        self._accepted = (
            frozenset.intersection(*broken) if self._forfeit and broken else frozenset()
        )
        for worker in prepared:
            self._accept_or_reject(worker)
        problems = self._rejections()
        if not prepared:
            raise InputError("\n".join(["no worker can play.", *problems]))
        if not self.slots:
            raise InputError(format_startup_failures(problems))
        example = prepared[0].report
        assert example is not None
        for problem in [*problems, *(example.problems[bot] for bot in self._accepted)]:
            self._warn(problem)

    def _accept_or_reject(self, worker: ClusterWorker) -> None:
        """Reject a worker on which a bot is broken that can play elsewhere: it would lose games."""
        assert worker.report is not None
        assert self._accepted is not None
        wrong = {
            bot: text for bot, text in worker.report.problems.items() if bot not in self._accepted
        }
        if wrong:
            self._reject(worker, "\n".join(wrong.values()))
            return
        worker.state = WorkerState.READY
        self._pool.reserve_core(worker)
        if worker.info is not None and worker.info.threads > 1:
            self._warn(
                f"the worker {worker} has {worker.info.threads} threads, and plays one game at a"
                " time all the same: start one worker per core with --nthreads 1"
            )

    def _reject(self, worker: ClusterWorker, reason: str) -> None:
        worker.state, worker.reason, worker.lease = WorkerState.REJECTED, reason.rstrip(), None

    def _rejections(self) -> list[str]:
        """Describe the rejected workers, grouped by reason."""
        by_reason: dict[str, list[str]] = {}
        for worker in self._pool.in_state(WorkerState.REJECTED):
            by_reason.setdefault(worker.reason, []).append(str(worker))
        return [f"no games for {'; '.join(who)}: {reason}" for reason, who in by_reason.items()]

    def play(self, next_task: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Assign batches to workers with capacity, and collect the results."""
        while True:
            yield from self._assign_batches(next_task)
            if not self._has_more(next_task) and not any(m.batches for m in self._workers):
                return
            yield from self._process_events()
            self._check_workers_available()
            yield None

    @property
    def _workers(self) -> list[ClusterWorker]:
        return list(self._pool.workers.values())

    # Assigning batches

    def _assign_batches(self, next_task: Callable[[], Task | None]) -> Iterator[Event]:
        if self._stopping:
            self._abandon_queued()
            return
        for depth in range(self._max_batches()):
            for worker in self._pool.in_state(WorkerState.READY):
                if len(worker.batches) > depth or worker.in_quarantine:
                    continue
                tasks: list[Task] = []
                while len(tasks) < self._batch_size() and (found := self._next(next_task)):
                    task, is_new = found
                    tasks.append(task)
                    if is_new:
                        yield GamesStarted(task)
                if tasks:
                    self._assign(worker, tasks)
                elif not worker.batches and self._quarantined:
                    worker.in_quarantine = True
                    task = self._quarantined.popleft()
                    yield GamesStarted(task)
                    self._assign(worker, [task])

    def _max_batches(self) -> int:
        """Return the batches per worker; a second one in its queue hides latency."""
        return 1 if self._seconds > LONG_SECONDS else 2

    def _batch_size(self) -> int:
        return max(1, min(MAX_BATCH, int(TASK_SECONDS / self._seconds)))

    def _next(self, next_task: Callable[[], Task | None]) -> tuple[Task, bool] | None:
        """Return a task, and whether it is assigned for the first time."""
        if self._returned:
            return self._returned.popleft(), False
        if not self._has_more(next_task) or self._peeked is None:
            return None
        task, self._peeked = self._peeked, None
        return task, True

    def _has_more(self, next_task: Callable[[], Task | None]) -> bool:
        """Look ahead for a task outside the quarantine; return whether any task is left."""
        while self._peeked is None and not self._stopping and (task := next_task()) is not None:
            if self._quarantine.isdisjoint(fixture.id for fixture in task):
                self._peeked = task
            else:
                self._quarantined.append(task)
        return bool(self._returned or self._quarantined or self._peeked is not None)

    def _assign(self, worker: ClusterWorker, tasks: list[Task]) -> None:
        batch = Batch(tasks)
        core = self._pool.core_of(worker)
        batch.future = self._submit(
            worker, worker_session.play, self._bundle.run, batch.fixtures, core
        )
        worker.batches.append(batch)
        self._start(self._deliver(worker, batch))

    def _submit(self, worker: ClusterWorker, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._client.submit(
            function,
            *arguments,
            key=f"referee-{function.__name__}-{uuid.uuid4().hex}",
            pure=False,
            workers=[worker.address],
            allow_other_workers=False,
            retries=0,
        )

    def _abandon_queued(self) -> None:
        """Cancel queued batches and let the workers finish their running games."""
        self._returned.clear()
        self._quarantined.clear()
        self._peeked = None
        for worker in self._workers:
            while len(worker.batches) > 1:
                self._client.cancel([worker.batches.pop().future])
        if not self._sent_stop:
            self._sent_stop = True
            self._start(self._send_stop())

    async def _send_stop(self) -> None:
        """Let the workers start no further game of their batches."""
        ready = [worker.address for worker in self._pool.in_state(WorkerState.READY)]
        with suppress(Exception):  # a worker that was lost in the meantime
            await self._client.run(
                worker_session.stop,
                self._bundle.run,
                workers=ready,
                on_error="ignore",
                asynchronous=True,
            )

    # Coroutines on Dask's event loop

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)

    async def _watch_members(self) -> None:
        """Report the addresses of all workers, until the scheduler does not answer."""
        while True:
            reply = asyncio.ensure_future(self._client.nthreads(asynchronous=True))
            give_up = monotonic() + ANSWER_SECONDS
            # A client that has lost its scheduler tries to reconnect for a long time.
            while not reply.done() and monotonic() < give_up and self._client.status == "running":
                await asyncio.wait({reply}, timeout=WATCH_SECONDS)
            if not reply.done() or reply.exception() is not None:
                reply.cancel()
                self._inbox.put(_Lost())
                return
            self._inbox.put(_Members(frozenset(reply.result())))
            await asyncio.sleep(WATCH_SECONDS)

    async def _prepare(self, worker: ClusterWorker) -> None:
        """Send a worker its bots, and let it build and start them."""
        try:
            found = await self._client.gather(
                self._submit(worker, _presence_check()), asynchronous=True
            )
            if not found:
                reason = "it has no referee: pip install '.[cluster]' in a checkout there"
                self._inbox.put(_Prepared(worker, None, None, reason))
                return
            future = self._submit(worker, worker_session.survey, list(self._packed))
            info: WorkerInfo = await self._client.gather(future, asynchronous=True)
            worker.info = info
            if info.version != self._bundle.version:
                reason = f"it has version {info.version} of the referee, here is {__version__}"
                self._inbox.put(_Prepared(worker, None, None, reason))
                return
            archives = {
                digest: await self._client.scatter(
                    self._packed[digest].read_bytes(),
                    workers=[worker.address],
                    hash=False,
                    asynchronous=True,
                )
                for digest in sorted(info.missing)
            }
            lease = self._submit(worker, worker_session.prepare, self._bundle, archives)
            report = await self._client.gather(lease, asynchronous=True)
            self._inbox.put(_Prepared(worker, report, lease))
        except InputError as error:
            self._inbox.put(_Prepared(worker, None, None, str(error)))
        except Exception as error:
            reason = f"it could not be prepared: {type(error).__name__}: {error}"
            self._inbox.put(_Prepared(worker, None, None, reason))

    async def _deliver(self, worker: ClusterWorker, batch: Batch) -> None:
        try:
            results = await self._client.gather(batch.future, asynchronous=True)
        except (Exception, CancelledError, asyncio.CancelledError) as error:
            results = error
        self._inbox.put(_Played(worker, batch, results))

    # Processing events

    def _process_events(self) -> Iterator[Event]:
        """Wait up to 0.1 s for events of the cluster, and process all that have arrived."""
        try:
            message = self._inbox.get(timeout=0.1)
        except Empty:
            return
        while True:
            if isinstance(message, _Members):
                yield from self._on_members(message.addresses)
            elif isinstance(message, _Prepared):
                self._on_prepared(message)
            elif isinstance(message, _Played):
                yield from self._on_played(message)
            else:
                raise OutsideError(
                    f"the scheduler at {self._connection.address} does not answer any more."
                    f" {RESUME_HINT}"
                )
            try:
                message = self._inbox.get_nowait()
            except Empty:
                return

    def _on_members(self, addresses: frozenset[str]) -> Iterator[Event]:
        """Add workers that joined and remove workers that were lost."""
        self._has_members = True
        for address in self._pool.workers.keys() - addresses:
            yield from self._on_worker_lost(self._pool.workers.pop(address))
        for address in sorted(addresses - self._pool.workers.keys()):
            worker = ClusterWorker(address)
            self._pool.workers[address] = worker
            worker.preparation = self._start(self._prepare(worker))

    def _on_worker_lost(self, worker: ClusterWorker) -> Iterator[Event]:
        """Quarantine the games of a lost worker: any of them may have killed it."""
        if worker.preparation is not None:
            worker.preparation.cancel()
        if worker.batches:
            self._client.cancel([batch.future for batch in worker.batches])
            self._warn(f"the worker {worker} was lost; its games are played again")
        for batch in worker.batches:
            yield from self._void(batch, f"the worker {worker} was lost while it played this")
        worker.batches.clear()

    def _void(self, batch: Batch, reason: str) -> Iterator[Event]:
        """Report games as void and quarantine them; played alone, only the cause stays void."""
        self._quarantine.update(fixture.id for fixture in batch.fixtures)
        yield batch_of(GameVoid(fixture, reason) for fixture in batch.fixtures)

    def _on_prepared(self, event: _Prepared) -> None:
        worker = event.worker
        if self._pool.workers.get(worker.address) is not worker:
            return
        worker.preparation = None
        worker.report, worker.lease = event.report, event.lease
        if event.report is None:
            self._reject(worker, event.reason)
        else:
            worker.state = WorkerState.PREPARED
            if self._accepted is not None:
                self._accept_or_reject(worker)
        if self._accepted is not None:
            if worker.state is WorkerState.READY:
                self._say(f"the worker {worker} joined")
            else:
                self._warn(f"no games for {worker}: {worker.reason}")

    def _on_played(self, played: _Played) -> Iterator[Event]:
        worker, batch, results = played.worker, played.batch, played.results
        if batch not in worker.batches:
            return  # cancelled: its games were assigned again
        worker.batches.remove(batch)
        worker.in_quarantine = False
        if isinstance(results, BatchResult):
            encounter = results.seconds / len(batch.tasks)
            self._seconds += (encounter - self._seconds) / 2
            yield results.games
        elif isinstance(results, SessionExpired):
            # The worker released the lease, for example to spill memory: prepare it again.
            self._returned.extend(batch.tasks)
            for other in worker.batches:
                self._client.cancel([other.future])
                self._returned.extend(other.tasks)
            del self._pool.workers[worker.address]
        elif isinstance(results, KilledWorker):
            yield from self._void(batch, f"the worker {worker} was lost while it played this")
        else:
            reason = f"{type(results).__name__}: {results}"
            yield batch_of(GameVoid(fixture, reason) for fixture in batch.fixtures)

    def _check_workers_available(self) -> None:
        """Raise OutsideError if no worker can play, and none joins in time."""
        pool = self._pool
        if pool.workers or not self._has_members:
            self._empty_since = None
            all_rejected = pool.workers and len(pool.in_state(WorkerState.REJECTED)) == len(
                pool.workers
            )
            if all_rejected and self._accepted is not None:
                raise OutsideError(
                    "\n".join([f"no worker can play. {RESUME_HINT}", *self._rejections()])
                )
        elif self._empty_since is None:
            self._empty_since = monotonic()
            self._warn(f"no worker is there: waiting for one for {self._wait_seconds:.0f} s")
        elif monotonic() - self._empty_since > self._wait_seconds:
            raise OutsideError(
                f"no worker has joined the scheduler at {self._connection.address} for"
                f" {self._wait_seconds:.0f} s. {RESUME_HINT}"
            )

    def finish_soon(self) -> None:
        """Start no further game."""
        self._stopping = True

    def close(self) -> None:
        """Release everything on the cluster; the finalizers of the leases kill the bots."""
        with deferred():
            self._watch.cancel()
            for worker in self._workers:
                if worker.preparation is not None:
                    worker.preparation.cancel()
                with suppress(Exception):
                    self._client.cancel([batch.future for batch in worker.batches])
                worker.batches.clear()
                worker.lease = None
            self._connection.close()


def _presence_check() -> Callable[[], bool]:
    """Return a function that tests whether a worker has the referee.

    A worker exits if it cannot import the module of a task. Nested functions are pickled by value,
    not by the name of their module.
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
    """Pack every bot into an archive file; later edits of the bots have no effect on the run."""
    folder.mkdir(parents=True, exist_ok=True)
    packed: dict[str, Path] = {}
    for bot, found in files.items():
        path = packed[found.hash] = folder / f"{found.hash}.tar.gz"
        if not path.exists():
            unfinished = path.with_name(f"{path.name}.part")
            unfinished.write_bytes(pack(bot, found))
            unfinished.replace(path)
    return packed
