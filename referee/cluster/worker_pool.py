"""The workers of a cluster as the coordinator knows them. Knows nothing of Dask."""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from referee.cluster.worker_session import PreparationReport, WorkerInfo
from referee.run.engine import Task
from referee.schedule.fixtures import Fixture


class WorkerState(Enum):
    """How far a worker is."""

    ARRIVED = "is being made ready"
    TRIED = "was made ready, and is to be judged"
    READY = "gets games"
    UNFIT = "gets no games"


@dataclass(eq=False)
class Batch:
    """Encounters that a worker was given together."""

    tasks: list[Task]
    future: Any = None

    @property
    def fixtures(self) -> list[Fixture]:
        return [fixture for task in self.tasks for fixture in task]


@dataclass(eq=False)
class ClusterWorker:
    """One worker process of the cluster."""

    address: str
    stage: WorkerState = WorkerState.ARRIVED
    greeting: Any = None
    """The making ready, while that lasts."""
    survey: WorkerInfo | None = None
    readiness: PreparationReport | None = None
    lease: Any = None
    """Kept, it keeps the station of this run on that worker alive."""
    core: int | None = None
    batches: deque[Batch] = field(default_factory=deque)
    """What it was given, in the order in which it plays."""
    is_under_suspicion: bool = False
    """Whether it plays what may have ended another worker, and so is given nothing else."""
    why: str = ""
    """If it is unfit."""

    def __str__(self) -> str:
        return f"{self.survey.host}, {self.address}" if self.survey else self.address


class WorkerPool:
    """All workers there are now."""

    def __init__(self, pin: bool) -> None:
        self.members: dict[str, ClusterWorker] = {}
        self._pin = pin

    def at(self, stage: WorkerState) -> list[ClusterWorker]:
        """Those who are that far."""
        return [member for member in self.members.values() if member.stage is stage]

    def give_core(self, member: ClusterWorker) -> None:
        """Reserve a core that no other worker of that machine has, if there is one."""
        assert member.survey is not None
        taken = {other.core for other in self._neighbours(member) if other is not member}
        free = [core for core in member.survey.cores if core not in taken]
        member.core = free[0] if free and self._pin else None

    def core_of(self, member: ClusterWorker) -> int | None:
        """Where it plays; a machine with more workers than cores had better choose itself."""
        neighbours = self._neighbours(member)
        return None if any(other.core is None for other in neighbours) else member.core

    def _neighbours(self, member: ClusterWorker) -> list[ClusterWorker]:
        assert member.survey is not None
        return [
            other
            for other in self.at(WorkerState.READY)
            if other.survey is not None and other.survey.machine == member.survey.machine
        ]
