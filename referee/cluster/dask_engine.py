"""An engine on a Dask cluster: assigns batches of games to workers and collects the results.

Dask transports functions, files and results, queues and runs the tasks of a worker, reports results
as they complete and which workers exist, and releases what a lost coordinator leaves behind. Done
here is what Dask cannot express:

- A game that kills workers is tried alone (see `dispatch`). Dask runs the tasks of a lost worker
  again at once, on another worker; only a task that is submitted for one worker waits until it is
  cancelled. Therefore the worker of each batch is chosen here, and the pool knows the batches of
  each worker and, as Dask does not pin processes, its core.
- A worker is prepared by a task, not by a WorkerPlugin. A plugin stays registered at the scheduler
  after the coordinator was killed, and would then build the bots of a dead run on every worker that
  joins; and it prevents the start of workers that do not have the referee. The result of the task,
  a lease, ends the session when the scheduler releases it.
- Exact resume: the arena stores each result once and returns void games, so no task has `retries`.

All events of the cluster are handlers in one queue, put there by coroutines on Dask's event loop.
"""

import asyncio
import uuid
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from distributed import KilledWorker

from referee import __version__
from referee.cluster import worker_session
from referee.cluster.connection import Connection
from referee.cluster.dispatch import Batch, Dispatcher, NextTask
from referee.cluster.worker_pool import ClusterWorker, WorkerPool, WorkerState
from referee.cluster.worker_session import PreparationReport, RunBundle, SessionExpired
from referee.config.bot_archive import pack_all
from referee.config.tournament import Tournament
from referee.errors import InputError, OutsideError
from referee.run.events import Event, GamesStarted, GameVoid, batch_of
from referee.run.preparation import format_startup_failures
from referee.schedule.fixtures import Fixture
from referee.system.signals import deferred

WATCH_SECONDS = 0.5
ANSWER_SECONDS = 30.0
"""Timeout after which the scheduler is regarded as lost."""
RESUME_HINT = "Everything that was finished is kept; run the same command to go on"


class DaskEngine:
    """Engine on the workers of a Dask cluster; each plays one game at a time."""

    def __init__(
        self,
        connection: Connection,
        tournament: Tournament,
        sandbox: str,
        folder: Path,
        *,
        wait_seconds: float,
        say: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        """Pack the bots into `folder`, and prepare workers from now on."""
        portable_plan = tournament.portable_plan()
        self._connection = connection
        self._client = connection.client
        self._forfeit = tournament.content.broken_bots == "forfeit"
        self._wait_seconds = wait_seconds
        self._say = say
        self._warn = warn
        self._bundle = RunBundle.of(portable_plan, sandbox)
        self._archives = pack_all(tournament.files, folder)
        self._pool = WorkerPool(portable_plan.play.pin_cores)
        self._dispatcher = Dispatcher()
        self._inbox: SimpleQueue[Callable[[], list[Event]]] = SimpleQueue()
        self._stopping = False
        self._accepted: frozenset[str] | None = None
        """Bots that are allowed to be broken; None until the first workers are accepted."""
        self._empty_since: float | None = None
        self._watch = self._start(self._watch_members())

    @property
    def slots(self) -> int:
        """Return the number of games that run at the same time."""
        return len(self._ready)

    @property
    def sandboxes(self) -> list[PreparationReport]:
        """Return one report for each isolation in use."""
        reports = [worker.report for worker in self._ready if worker.report]
        return list({report.sandbox: report for report in reports}.values())

    @property
    def hosts(self) -> list[str]:
        """Return the names of the hosts that play."""
        return sorted({worker.info.host for worker in self._ready if worker.info})

    @property
    def _ready(self) -> list[ClusterWorker]:
        return self._pool.in_state(WorkerState.READY)

    @property
    def _workers(self) -> list[ClusterWorker]:
        return list(self._pool.workers.values())

    def assemble(self) -> None:
        """Prepare all workers that are connected; InputError if none can play."""
        while not self._workers or self._pool.in_state(WorkerState.ARRIVED):
            list(self._process_events())  # no game has started: there are no events
        prepared = self._pool.in_state(WorkerState.PREPARED)
        broken = [frozenset(worker.problems) for worker in prepared]
        self._accepted = frozenset()
        if self._forfeit and broken:
            self._accepted = frozenset.intersection(*broken)
        for worker in prepared:
            self._pool.accept_or_reject(worker, self._accepted)
        rejections = self._pool.rejections()
        if not prepared:
            raise InputError("\n".join(["no worker can play.", *rejections]))
        if not self._ready:
            raise InputError(format_startup_failures(rejections))
        for text in [*rejections, *(prepared[0].problems[bot] for bot in self._accepted)]:
            self._warn(text)

    def play(self, next_task: NextTask) -> Iterator[Event | None]:
        """Assign batches to workers with capacity, and collect the results."""
        while True:
            if not self._stopping:
                yield from self._assign_batches(next_task)
            has_tasks = not self._stopping and self._dispatcher.has_tasks(next_task)
            if not has_tasks and not any(worker.batches for worker in self._workers):
                return
            yield from self._process_events()
            yield None

    def _assign_batches(self, next_task: NextTask) -> Iterator[Event]:
        for depth in range(self._dispatcher.max_batches):
            for worker in self._ready:
                queue = worker.batches
                if len(queue) > depth or (queue and queue[0].is_quarantined):
                    continue
                batch = self._dispatcher.next_batch(not queue, next_task)
                if batch is None:
                    continue
                yield GamesStarted(batch.fixtures)
                arguments = self._bundle.run, batch.fixtures, self._pool.core_of(worker)
                batch.future = self._submit(worker, worker_session.play, *arguments)
                queue.append(batch)
                self._start(self._await_result(worker, batch))

    def finish_soon(self) -> None:
        """Start no further game: the workers return what they have not started."""
        self._stopping = True
        self._start(self._send_stop([worker.address for worker in self._ready]))

    def close(self) -> None:
        """Disconnect: Dask releases tasks and leases, whose finalizers kill the bots."""
        with deferred():
            self._watch.cancel()
            for worker in self._workers:
                worker.preparation.cancel()
                worker.batches.clear()
                worker.lease = None
            self._connection.close()

    # Coroutines on Dask's event loop

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)

    def _post(self, handler: Callable[..., list[Event]], *arguments: Any) -> None:
        self._inbox.put(partial(handler, *arguments))

    def _submit(self, worker: ClusterWorker, function: Callable[..., Any], *arguments: Any) -> Any:
        key = f"referee-{function.__name__}-{uuid.uuid4().hex}"
        return self._client.submit(function, *arguments, key=key, workers=[worker.address])

    async def _send_stop(self, addresses: list[str]) -> None:
        stop = partial(self._client.run, worker_session.stop, self._bundle.run)
        with suppress(Exception):  # a worker that was lost in the meantime
            await stop(workers=addresses, on_error="ignore", asynchronous=True)

    async def _watch_members(self) -> None:
        """Report the addresses of all workers, until the scheduler does not answer."""
        with suppress(Exception):
            # A client that has lost its scheduler is not "running" while it tries to reconnect.
            while self._client.status == "running":
                query = self._client.nthreads(asynchronous=True)
                threads = await asyncio.wait_for(query, ANSWER_SECONDS)
                self._post(self._on_members, threads)
                await asyncio.sleep(WATCH_SECONDS)
        self._post(self._on_scheduler_lost)

    async def _prepare(self, worker: ClusterWorker) -> None:
        """Send a worker its bots, and let it build and start them."""
        gather = partial(self._client.gather, asynchronous=True)
        scatter = partial(self._client.scatter, hash=False, asynchronous=True)
        try:
            survey = self._submit(worker, _make_survey(__version__, list(self._archives)))
            worker.info, reason = await gather(survey)
            if worker.info is None:
                raise InputError(reason)
            archives = {
                digest: await scatter(path.read_bytes(), workers=[worker.address])
                for digest, path in self._archives.items()
                if digest in worker.info.missing
            }
            lease = self._submit(worker, worker_session.prepare, self._bundle, archives)
            worker.report, worker.lease = await gather(lease), lease
        except InputError as error:
            worker.reason = str(error)
        except Exception as error:
            worker.reason = f"it could not be prepared: {type(error).__name__}: {error}"
        self._post(self._on_prepared, worker)

    async def _await_result(self, worker: ClusterWorker, batch: Batch) -> None:
        try:
            result = await self._client.gather(batch.future, asynchronous=True)
        except (Exception, asyncio.CancelledError) as error:
            result = error
        self._post(self._on_played, worker, batch, result)

    # Handlers of the events that coroutines posted

    def _process_events(self) -> Iterator[Event]:
        """Wait up to 0.1 s for a handler, and call all that have arrived.

        Each event is yielded before the next handler is called, which may raise.
        """
        with suppress(Empty):
            handler = self._inbox.get(timeout=0.1)
            while True:
                yield from handler()
                handler = self._inbox.get_nowait()

    def _on_scheduler_lost(self) -> list[Event]:
        where = self._connection.address
        raise OutsideError(f"the scheduler at {where} does not answer any more. {RESUME_HINT}")

    def _on_members(self, threads: Mapping[str, int]) -> list[Event]:
        """Prepare workers that joined, and remove workers that were lost."""
        events: list[Event] = []
        for worker in self._workers:
            if worker.address not in threads:
                events += self._on_worker_lost(worker)
        for address in sorted(threads.keys() - self._pool.workers.keys()):
            worker = self._pool.workers[address] = ClusterWorker(address)
            worker.preparation = self._start(self._prepare(worker))
            if threads[address] > 1:
                self._warn(
                    f"the worker {worker} has {threads[address]} threads, and plays one game at a"
                    " time all the same: start one worker per core with --nthreads 1"
                )
        self._check_workers_available()
        return events

    def _on_worker_lost(self, worker: ClusterWorker) -> list[Event]:
        """Quarantine the games of a lost worker: any of them may have killed it."""
        del self._pool.workers[worker.address]
        worker.preparation.cancel()
        for batch in worker.batches:
            batch.future.cancel()
            self._dispatcher.quarantine(batch)
        if worker.batches:
            self._warn(f"the worker {worker} was lost; its games are played again")
        reason = f"the worker {worker} was lost while it played this"
        lost, worker.batches = worker.batches, deque()
        return [_void(batch, reason) for batch in lost]

    def _on_prepared(self, worker: ClusterWorker) -> list[Event]:
        if self._pool.workers.get(worker.address) is not worker:
            return []
        worker.state = WorkerState.PREPARED
        if worker.report is None:
            worker.reject(worker.reason)
        elif self._accepted is not None:
            self._pool.accept_or_reject(worker, self._accepted)
        if self._accepted is not None:  # it joined during the run
            if worker.state is WorkerState.READY:
                self._say(f"the worker {worker} joined")
            else:
                self._warn(f"no games for {worker}: {worker.reason}")
        return []

    def _on_played(self, worker: ClusterWorker, batch: Batch, result: Any) -> list[Event]:
        if batch not in worker.batches:
            return []  # its worker was lost
        if isinstance(result, KilledWorker | SessionExpired):
            # The session expires if the worker closes, or releases the lease to spill memory. In
            # the latter case it is still a member, and is prepared again.
            return self._on_worker_lost(worker)
        worker.batches.remove(batch)
        if isinstance(result, BaseException):
            return [_void(batch, f"{type(result).__name__}: {result}")]
        games, seconds = result
        self._dispatcher.add_duration(batch, seconds)
        return [games]

    def _check_workers_available(self) -> None:
        """Raise OutsideError if no worker can play, and none joins in time."""
        if self._workers:
            self._empty_since = None
            rejected = self._pool.in_state(WorkerState.REJECTED)
            if self._accepted is not None and rejected == self._workers:
                rejections = self._pool.rejections()
                raise OutsideError("\n".join([f"no worker can play. {RESUME_HINT}", *rejections]))
        elif self._empty_since is None:
            self._empty_since = monotonic()
            self._warn(f"no worker is there: waiting for one for {self._wait_seconds:.0f} s")
        elif monotonic() - self._empty_since > self._wait_seconds:
            raise OutsideError(
                f"no worker has joined the scheduler at {self._connection.address} for"
                f" {self._wait_seconds:.0f} s. {RESUME_HINT}"
            )

    def running(self) -> list[Fixture]:
        """Return one game of each worker's first batch; a batch of several is a short one."""
        return [worker.batches[0].fixtures[0] for worker in self._workers if worker.batches]


def _void(batch: Batch, reason: str) -> Event:
    return batch_of(GameVoid(fixture, reason) for fixture in batch.fixtures)


def _make_survey(version: str, hashes: list[str]) -> Callable[[], Any]:
    """Return a function that returns a WorkerInfo, or the reason why its worker gets no games.

    A worker exits if it cannot import the module of a task. A nested function is pickled by value,
    not by the name of its module, and so runs on workers that have another referee or none.
    """

    def survey() -> Any:  # annotations are pickled, too: none of a class of the referee
        try:
            import referee
        except ImportError:
            return None, "it has no referee: pip install '.[cluster]' in a checkout there"
        if referee.__version__ != version:
            return None, f"it has version {referee.__version__} of the referee, here is {version}"
        from referee.cluster.worker_session import survey

        return survey(hashes), ""

    return survey
