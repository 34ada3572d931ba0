"""State of the workers of a cluster, on the coordinator. Independent of Dask."""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from referee.cluster.dispatch import Batch

if TYPE_CHECKING:
    from referee.cluster.worker_session import PreparationReport, WorkerInfo


class WorkerState(Enum):
    """Progress of a worker from its arrival to its first game."""

    ARRIVED = "is being prepared"
    PREPARED = "is prepared, and not yet accepted"
    READY = "gets games"
    REJECTED = "gets no games"


@dataclass(eq=False)
class ClusterWorker:
    """One worker process of the cluster."""

    address: str
    state: WorkerState = WorkerState.ARRIVED
    preparation: Any = None
    """The running coroutine that prepares it."""
    info: "WorkerInfo | None" = None
    report: "PreparationReport | None" = None
    lease: Any = None
    """Future of `prepare`. While it is referenced, the session of this run on the worker exists."""
    core: int | None = None
    batches: deque[Batch] = field(default_factory=deque)
    """Assigned batches, in the order of play."""
    reason: str = ""
    """Why it was rejected."""

    def __str__(self) -> str:
        return f"{self.info.host}, {self.address}" if self.info else self.address

    @property
    def problems(self) -> dict[str, str]:
        """Return a paragraph for each bot that cannot play there."""
        return self.report.problems if self.report else {}

    def reject(self, reason: str) -> None:
        """Assign no games to it, and end its session."""
        self.state, self.reason, self.lease = WorkerState.REJECTED, reason.rstrip(), None


class WorkerPool:
    """The workers that are connected to the scheduler now, by address."""

    def __init__(self, pin: bool) -> None:
        self.workers: dict[str, ClusterWorker] = {}
        self._pin = pin

    def in_state(self, state: WorkerState) -> list[ClusterWorker]:
        """Return the workers in that state."""
        return [worker for worker in self.workers.values() if worker.state is state]

    def accept_or_reject(self, worker: ClusterWorker, accepted: frozenset[str]) -> None:
        """Reject a worker on which a bot is broken that can play elsewhere: it would lose games."""
        problems = [text for bot, text in worker.problems.items() if bot not in accepted]
        if problems:
            worker.reject("\n".join(problems))
            return
        assert worker.info is not None
        taken = {other.core for other in self._neighbours(worker)}
        free = [core for core in worker.info.cores if core not in taken]
        worker.core = free[0] if free and self._pin else None
        worker.state = WorkerState.READY

    def rejections(self) -> list[str]:
        """Describe the rejected workers, grouped by reason."""
        by_reason: dict[str, list[str]] = {}
        for worker in self.in_state(WorkerState.REJECTED):
            by_reason.setdefault(worker.reason, []).append(str(worker))
        return [f"no games for {'; '.join(names)}: {why}" for why, names in by_reason.items()]

    def core_of(self, worker: ClusterWorker) -> int | None:
        """Return the core to pin its games to; None on a machine with more workers than cores."""
        is_crowded = any(other.core is None for other in self._neighbours(worker))
        return None if is_crowded else worker.core

    def _neighbours(self, worker: ClusterWorker) -> list[ClusterWorker]:
        """Return the workers of the same machine that get games."""
        assert worker.info is not None
        machine, ready = worker.info.machine, self.in_state(WorkerState.READY)
        return [other for other in ready if other.info and other.info.machine == machine]
