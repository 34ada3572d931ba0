"""Selection of the tasks of a worker, without a cluster."""

from collections.abc import Iterator

import pytest

from referee.cluster.dispatch import BATCH_SECONDS, LONG_SECONDS, MAX_BATCH, Batch, Dispatcher
from referee.run.engine import Task
from referee.schedule.fixtures import Fixture


def task(number: int) -> Task:
    """Return an encounter of two games."""
    ids = (f"{number}a", f"{number}b")
    return tuple(Fixture(name, "standoff-5x5", ("a", "b"), number, (), 0) for name in ids)


class Schedule:
    """Tasks that are drawn one after the other; more can be added."""

    def __init__(self, *numbers: int) -> None:
        self.tasks = [task(number) for number in numbers]
        self.drawn = 0

    def __call__(self) -> Task | None:
        if not self.tasks:
            return None
        self.drawn += 1
        return self.tasks.pop(0)


def batches(dispatcher: Dispatcher, schedule: Schedule) -> Iterator[Batch]:
    """Yield the batches of idle workers until no task is left."""
    while batch := dispatcher.next_batch(True, schedule):
        yield batch


def test_dispatcher_assigns_every_task_once_and_in_order() -> None:
    """One encounter per batch until their duration is known."""
    dispatcher, schedule = Dispatcher(), Schedule(1, 2, 3)
    assigned = list(batches(dispatcher, schedule))
    assert [batch.tasks for batch in assigned] == [[task(1)], [task(2)], [task(3)]]
    assert [batch.fixtures for batch in assigned] == [list(task(n)) for n in (1, 2, 3)]
    assert not dispatcher.has_tasks(schedule)


def test_dispatcher_draws_one_task_ahead() -> None:
    """A bot may be withdrawn before further tasks are assigned."""
    dispatcher, schedule = Dispatcher(), Schedule(1, 2, 3)
    assert dispatcher.has_tasks(schedule)
    assert dispatcher.has_tasks(schedule)
    assert schedule.drawn == 1


@pytest.mark.parametrize(
    ("seconds", "size", "depth"),
    [(BATCH_SECONDS / 10, 10, 2), (1e-6, MAX_BATCH, 2), (LONG_SECONDS * 2, 1, 1)],
)
def test_dispatcher_size_of_batches_follows_the_duration(
    seconds: float, size: int, depth: int
) -> None:
    """Short encounters share a batch; a worker has no second batch of long ones."""
    dispatcher = Dispatcher()
    for _ in range(40):
        dispatcher.add_duration(Batch([task(0), task(1)]), 2 * seconds)
    batch = dispatcher.next_batch(True, Schedule(*range(100)))
    assert batch is not None
    assert abs(len(batch.tasks) - size) <= 1
    assert dispatcher.max_batches == depth


def test_dispatcher_quarantines_tasks_of_a_lost_worker() -> None:
    """Only workers without another batch get them, one encounter each."""
    dispatcher, schedule = Dispatcher(), Schedule(1, 2)
    for _ in range(40):
        dispatcher.add_duration(Batch([task(0)]), 0.001)
    lost = dispatcher.next_batch(True, schedule)
    assert lost is not None
    assert lost.tasks == [task(1), task(2)]
    dispatcher.quarantine(lost)
    schedule.tasks += [task(1)[:1], task(3), task(2)]  # as the arena returns void games
    batch = dispatcher.next_batch(False, schedule)
    assert batch is not None
    assert (batch.tasks, batch.is_quarantined) == ([task(3)], False)
    assert dispatcher.next_batch(False, schedule) is None
    assert dispatcher.has_tasks(schedule)
    alone = list(batches(dispatcher, schedule))
    assert [batch.tasks for batch in alone] == [[task(1)[:1]], [task(2)]]
    assert all(batch.is_quarantined for batch in alone)
    assert not dispatcher.has_tasks(schedule)


def test_dispatcher_assigns_quarantined_tasks_last() -> None:
    """When no other task is left."""
    dispatcher, schedule = Dispatcher(), Schedule(1)
    lost = dispatcher.next_batch(True, schedule)
    assert lost is not None
    dispatcher.quarantine(lost)
    schedule.tasks += [task(1), task(2), task(3)]
    assigned = list(batches(dispatcher, schedule))
    assert [batch.tasks for batch in assigned] == [[task(2)], [task(3)], [task(1)]]
    assert [batch.is_quarantined for batch in assigned] == [False, False, True]
