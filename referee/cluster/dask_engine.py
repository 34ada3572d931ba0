"""An engine on a Dask cluster: assigns batches of games to workers and collects the results.

Dask does what `task_client` lists. Done here is what Dask cannot express:

- A game that kills workers is tried alone (see `dispatch`). Dask runs the tasks of a lost worker
  again at once, on another worker; only a task that is submitted for one worker waits until it is
  cancelled. Therefore the worker of each batch is chosen here, and the pool knows the batches of
  each worker and, as Dask does not pin processes, its core.
- A worker is prepared by a task, not by a WorkerPlugin. A plugin stays registered at the scheduler
  after the coordinator was killed, and would then build the bots of a dead run on every worker that
  joins; and it prevents the start of workers that do not have the referee. The session of a run
  ends when the scheduler releases the result of the task.
- Exact resume: the arena stores each result once and returns void games, so no task has `retries`.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from distributed import KilledWorker

from referee.cluster import worker_session
from referee.cluster.connection import Connection
from referee.cluster.dispatch import Batch, Dispatcher, NextTask
from referee.cluster.task_client import RESUME_HINT, TaskClient, guarded
from referee.cluster.worker_pool import ClusterWorker, WorkerPool, WorkerState
from referee.cluster.worker_session import PreparationReport
from referee.config.bot_archive import pack_all
from referee.config.tournament import Tournament
from referee.config.variant_files import read_variants
from referee.errors import InputError, OutsideError
from referee.run.events import Event, GamesStarted, GameVoid, batch_of
from referee.run.game_process import SessionExpired
from referee.run.preparation import format_startup_failures
from referee.schedule.fixtures import Fixture


class DaskEngine(TaskClient[Event]):
    """Engine on the workers of a Dask cluster; each plays one game at a time."""

    def __init__(
        self,
        connection: Connection,
        tournament: Tournament,
        sandbox: str,
        folder: Path,
        *,
        wait_seconds: float,
        notify: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        """Pack the bots into `folder`, and prepare workers from now on."""
        plan = tournament.portable_plan()
        self._forfeit = tournament.content.broken_bots == "forfeit"
        self._notify = notify
        self._run = uuid4().hex
        self._content = plan, read_variants(plan), sandbox
        self._archives = pack_all(tournament.specs.values(), folder)
        self._pool = WorkerPool(plan.play.pin_cores)
        self._dispatcher = Dispatcher()
        self._stopping = False
        self._accepted: frozenset[str] | None = None
        """Bots that are allowed to be broken; None until the first workers are accepted."""
        super().__init__(connection, wait_seconds, warn)

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
                arguments = self._run, batch.fixtures, self._pool.core_of(worker)
                batch.future = self._submit(worker_session.play, *arguments, worker=worker.address)
                queue.append(batch)
                self._when_done(batch.future, self._on_played, worker, batch)

    def running(self) -> list[Fixture]:
        """Return one game of each worker's first batch; a batch of several is a short one."""
        return [worker.batches[0].fixtures[0] for worker in self._workers if worker.batches]

    def finish_soon(self) -> None:
        """Start no further game: the workers return what they have not started."""
        self._stopping = True
        workers = [worker.address for worker in self._ready]
        stop = partial(self._client.run, worker_session.stop, self._run, workers=workers)
        # Errors are ignored: a worker may be lost in the meantime.
        self._when_done(stop(on_error="ignore", asynchronous=True), lambda _: [])

    async def _prepare(self, worker: ClusterWorker) -> None:
        """Send a worker its bots, and let it build and start them."""
        request = guarded(partial(worker_session.worker_info, list(self._archives)))
        info = await self._submit(request, worker=worker.address)
        if isinstance(info, str):
            raise InputError(info)
        worker.info = info
        scatter = partial(self._client.scatter, workers=[worker.address], hash=False)
        archives = {
            digest: await scatter(path.read_bytes())
            for digest, path in self._archives.items()
            if digest in info.missing
        }
        arguments = self._run, *self._content, archives
        lease = self._submit(worker_session.prepare, *arguments, worker=worker.address)
        worker.report, worker.lease = await lease, lease

    def _on_members(self, threads: Mapping[str, int]) -> list[Event]:
        """Prepare workers that joined, and remove workers that were lost."""
        events: list[Event] = []
        for worker in self._workers:
            if worker.address not in threads:
                events += self._on_worker_lost(worker)
        for address in sorted(threads.keys() - self._pool.workers.keys()):
            worker = self._pool.workers[address] = ClusterWorker(address)
            preparation = self._prepare(worker)
            worker.preparation = self._when_done(preparation, self._on_prepared, worker)
            if threads[address] > 1:
                self._warn(
                    f"the worker {worker} has {threads[address]} threads, and plays one game at a"
                    " time all the same: start one worker per core with --nthreads 1"
                )
        rejected = self._pool.in_state(WorkerState.REJECTED)
        if self._accepted is not None and rejected and rejected == self._workers:
            rejections = self._pool.rejections()
            raise OutsideError("\n".join([f"no worker can play. {RESUME_HINT}", *rejections]))
        return events + super()._on_members(threads)

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

    def _on_prepared(self, worker: ClusterWorker, error: BaseException | None) -> list[Event]:
        if self._pool.workers.get(worker.address) is not worker:
            return []
        if isinstance(error, InputError):
            worker.reject(str(error))
        elif error is not None:
            worker.reject(f"it could not be prepared: {type(error).__name__}: {error}")
        elif self._accepted is None:
            worker.state = WorkerState.PREPARED
        else:
            self._pool.accept_or_reject(worker, self._accepted)
        if self._accepted is not None:  # it joined during the run
            if worker.state is WorkerState.READY:
                self._notify(f"the worker {worker} joined")
            else:
                self._warn(f"no games for {worker}: {worker.reason}")
        return []

    def _on_played(self, worker: ClusterWorker, batch: Batch, result: Any) -> list[Event]:
        if batch not in worker.batches:
            return []  # its worker was lost
        if isinstance(result, KilledWorker | SessionExpired):
            # Its session ends if it closes, or releases the lease to spill memory. In the latter
            # case it is still a member, and is prepared again.
            return self._on_worker_lost(worker)
        worker.batches.remove(batch)
        if isinstance(result, BaseException):
            return [_void(batch, f"{type(result).__name__}: {result}")]
        games, seconds = result
        self._dispatcher.add_duration(batch, seconds)
        return [games]


def _void(batch: Batch, reason: str) -> Event:
    return batch_of(GameVoid(fixture, reason) for fixture in batch.fixtures)
