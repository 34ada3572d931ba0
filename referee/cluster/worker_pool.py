"""State of the workers of a cluster, on the coordinator. Independent of Dask."""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from referee.cluster.worker_session import PreparationReport, WorkerInfo
from referee.run.engine import Task
from referee.schedule.fixtures import Fixture


class WorkerState(Enum):
    """Progress of a worker from its arrival to its first game."""

    ARRIVED = "is being prepared"
    PREPARED = "is prepared, and not yet accepted"
    READY = "gets games"
    REJECTED = "gets no games"


@dataclass(eq=False)
class Batch:
    """Encounters that were assigned to a worker in one Dask task."""

    tasks: list[Task]
    future: Any = None

    @property
    def fixtures(self) -> list[Fixture]:
        """Return the fixtures of all encounters, in the order of play."""
        return [fixture for task in self.tasks for fixture in task]


@dataclass(eq=False)
class ClusterWorker:
    """One worker process of the cluster."""

    address: str
    state: WorkerState = WorkerState.ARRIVED
    preparation: Any = None
    """The running preparation."""
    info: WorkerInfo | None = None
    report: PreparationReport | None = None
    lease: Any = None
    """Future of `prepare`. While it is referenced, the session of this run on the worker exists."""
    core: int | None = None
    batches: deque[Batch] = field(default_factory=deque)
    """Assigned batches, in the order of play."""
    in_quarantine: bool = False
    """Whether it plays a task that may have killed another worker, and gets no other task."""
    reason: str = ""
    """Why it was rejected."""

    def __str__(self) -> str:
        return f"{self.info.host}, {self.address}" if self.info else self.address


class WorkerPool:
    """The workers that are connected to the scheduler now."""

    def __init__(self, pin: bool) -> None:
        self.workers: dict[str, ClusterWorker] = {}
        self._pin = pin

    def in_state(self, state: WorkerState) -> list[ClusterWorker]:
        """Return the workers in that state."""
        return [worker for worker in self.workers.values() if worker.state is state]

    def reserve_core(self, worker: ClusterWorker) -> None:
        """Reserve a core that no other worker of the same machine has, if there is one."""
        assert worker.info is not None
        taken = {other.core for other in self._neighbours(worker) if other is not worker}
        free = [core for core in worker.info.cores if core not in taken]
        worker.core = free[0] if free and self._pin else None

    def core_of(self, worker: ClusterWorker) -> int | None:
        """Return the core to pin its games to; None on a machine with more workers than cores."""
        neighbours = self._neighbours(worker)
        return None if any(other.core is None for other in neighbours) else worker.core

    def _neighbours(self, worker: ClusterWorker) -> list[ClusterWorker]:
        assert worker.info is not None
        return [
            other
            for other in self.in_state(WorkerState.READY)
            if other.info is not None and other.info.machine == worker.info.machine
        ]
