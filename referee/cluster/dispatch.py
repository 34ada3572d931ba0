"""Queues of the tasks that are to be assigned to workers. Independent of Dask.

Dask runs the tasks of a lost worker again elsewhere, up to a limit that only the scheduler's
configuration sets. A game that kills workers would so kill several at once, and the tasks queued
beside it would fail with it. Therefore tasks of a lost worker are quarantined here: each is played
by a worker that has no other task, and only the cause of the losses stays void.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
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

    tasks: list[Task] = field(default_factory=list)
    started: list[Fixture] = field(default_factory=list)
    """The fixtures that were not assigned before, or are void since."""
    is_quarantined: bool = False
    """Whether its worker gets no other batch."""
    future: Any = None

    def add(self, task: Task, is_new: bool) -> None:
        """Append an encounter."""
        self.tasks.append(task)
        if is_new:
            self.started.extend(task)

    @property
    def fixtures(self) -> list[Fixture]:
        """Return the fixtures of all encounters, in the order of play."""
        return [fixture for task in self.tasks for fixture in task]


class Dispatcher:
    """Tasks that are new, returned by a worker, or quarantined."""

    def __init__(self) -> None:
        self._ready: deque[tuple[Task, bool]] = deque()
        """Tasks, and whether each is new; the others were returned."""
        self._quarantined: deque[Task] = deque()
        self._suspects: set[str] = set()
        """Ids of the fixtures that were assigned to lost workers."""
        self._seconds = BATCH_SECONDS
        """Moving average of the duration of an encounter."""

    def has_tasks(self, next_task: NextTask) -> bool:
        """Return whether a task is left; one is drawn ahead from `next_task`."""
        while not self._ready and (task := next_task()) is not None:
            if self._suspects.isdisjoint(fixture.id for fixture in task):
                self._ready.append((task, True))
            else:
                self._quarantined.append(task)
        return bool(self._ready or self._quarantined)

    @property
    def max_batches(self) -> int:
        """Return the batches per worker; a second one in its queue hides the latency."""
        return 1 if self._seconds > LONG_SECONDS else 2

    def next_batch(self, is_idle: bool, next_task: NextTask) -> Batch | None:
        """Return the next batch of a worker; quarantined tasks are for idle workers only."""
        batch, size = Batch(), max(1, min(MAX_BATCH, int(BATCH_SECONDS / self._seconds)))
        while len(batch.tasks) < size and self.has_tasks(next_task) and self._ready:
            batch.add(*self._ready.popleft())
        if not batch.tasks and is_idle and self._quarantined:
            batch.add(self._quarantined.popleft(), True)
            batch.is_quarantined = True
        return batch if batch.tasks else None

    def add_duration(self, batch: Batch, seconds: float) -> None:
        """Update the average duration of an encounter, from which the size of batches follows."""
        self._seconds += (seconds / len(batch.tasks) - self._seconds) / 2

    def put_back(self, batches: Iterable[Batch]) -> None:
        """Return batches that their worker has not started."""
        self._ready.extend((task, False) for batch in batches for task in batch.tasks)

    def quarantine(self, batch: Batch) -> None:
        """Let the games of a batch be played alone when `next_task` returns them again."""
        self._suspects.update(fixture.id for fixture in batch.fixtures)

    def clear(self) -> None:
        """Drop all tasks that are not assigned."""
        self._ready.clear()
        self._quarantined.clear()
