"""Selection of the encounters that a worker plays next. Independent of Dask.

Dask would run the tasks of a lost worker again on other workers, as often as the configuration of
its scheduler allows. A game that kills workers would kill several of them so, and the tasks beside
it would fail with it. Therefore the games of a lost worker are quarantined here: each encounter is
played by a worker that has no other task, and only the cause of the losses stays void.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from referee.run.engine import Task
from referee.schedule.fixtures import Fixture

BATCH_SECONDS = 0.5
"""Intended duration of a batch of short encounters."""
LONG_SECONDS = 1.0
"""If encounters take longer, a worker gets its next batch when it has finished the last."""
MAX_BATCH = 64
NextTask: TypeAlias = Callable[[], Task | None]


@dataclass(eq=False)
class Batch:
    """Encounters that are assigned to a worker in one Dask task."""

    tasks: list[Task]
    is_quarantined: bool = False
    """Whether its worker gets no other batch."""
    future: Any = None

    @property
    def fixtures(self) -> list[Fixture]:
        """Return the fixtures of all encounters, in the order of play."""
        return [fixture for task in self.tasks for fixture in task]


class Dispatcher:
    """Tasks that are not assigned yet: new ones, drawn one ahead, and quarantined ones."""

    def __init__(self) -> None:
        self._next: Task | None = None
        self._quarantined: deque[Task] = deque()
        self._suspects: set[str] = set()
        """Ids of the fixtures that were assigned to lost workers."""
        self._seconds = BATCH_SECONDS
        """Moving average of the duration of an encounter."""

    def has_tasks(self, next_task: NextTask) -> bool:
        """Return whether a task is left; one is drawn ahead from `next_task`."""
        while self._next is None and (task := next_task()) is not None:
            if self._suspects.isdisjoint(fixture.id for fixture in task):
                self._next = task
            else:
                self._quarantined.append(task)
        return self._next is not None or bool(self._quarantined)

    @property
    def max_batches(self) -> int:
        """Return the batches per worker; a second one in its queue hides the latency."""
        return 1 if self._seconds > LONG_SECONDS else 2

    def next_batch(self, is_idle: bool, next_task: NextTask) -> Batch | None:
        """Return the next batch of a worker; quarantined tasks are for idle workers only."""
        size = max(1, min(MAX_BATCH, int(BATCH_SECONDS / self._seconds)))
        tasks: list[Task] = []
        while len(tasks) < size and self.has_tasks(next_task) and self._next is not None:
            tasks.append(self._next)
            self._next = None
        if tasks:
            return Batch(tasks)
        if is_idle and self._quarantined:
            return Batch([self._quarantined.popleft()], is_quarantined=True)
        return None

    def add_duration(self, batch: Batch, seconds: float) -> None:
        """Update the average duration of an encounter, from which the size of batches follows."""
        self._seconds += (seconds / len(batch.tasks) - self._seconds) / 2

    def quarantine(self, batch: Batch) -> None:
        """Let the games of a batch be played alone when `next_task` returns them again."""
        self._suspects.update(fixture.id for fixture in batch.fixtures)
