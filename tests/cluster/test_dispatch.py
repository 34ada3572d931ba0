"""Which tasks a worker gets next, without a cluster."""

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
    """Yield what idle workers get until there is nothing left."""
    while batch := dispatcher.next_batch(True, schedule):
        yield batch


def test_every_task_is_assigned_once_and_in_order() -> None:
    """One encounter per batch until their duration is known."""
    dispatcher, schedule = Dispatcher(), Schedule(1, 2, 3)
    assigned = list(batches(dispatcher, schedule))
    assert [batch.tasks for batch in assigned] == [[task(1)], [task(2)], [task(3)]]
    assert [batch.started for batch in assigned] == [batch.fixtures for batch in assigned]
    assert not dispatcher.has_tasks(schedule)


def test_one_task_is_drawn_ahead() -> None:
    """A bot may be withdrawn before further tasks are assigned."""
    dispatcher, schedule = Dispatcher(), Schedule(1, 2, 3)
    assert dispatcher.has_tasks(schedule)
    assert dispatcher.has_tasks(schedule)
    assert schedule.drawn == 1


@pytest.mark.parametrize(
    ("seconds", "size", "depth"),
    [(BATCH_SECONDS / 10, 10, 2), (1e-6, MAX_BATCH, 2), (LONG_SECONDS * 2, 1, 1)],
)
def test_the_size_of_batches_follows_the_duration(seconds: float, size: int, depth: int) -> None:
    """Short encounters share a batch; a worker has no second batch of long ones."""
    dispatcher = Dispatcher()
    for _ in range(40):
        dispatcher.add_duration(Batch([task(0), task(1)]), 2 * seconds)
    batch = dispatcher.next_batch(True, Schedule(*range(100)))
    assert batch is not None
    assert abs(len(batch.tasks) - size) <= 1
    assert dispatcher.max_batches == depth


def test_returned_tasks_are_assigned_first_and_not_reported_as_started_again() -> None:
    """Their worker had not started them."""
    dispatcher, schedule = Dispatcher(), Schedule(1, 2)
    first = dispatcher.next_batch(True, schedule)
    assert first is not None
    dispatcher.put_back([first])
    again, second = batches(dispatcher, schedule)
    assert (again.tasks, again.started) == ([task(1)], [])
    assert (second.tasks, second.started) == ([task(2)], list(task(2)))


def test_tasks_of_a_lost_worker_are_played_alone_and_last() -> None:
    """Only by workers that have no other batch, one encounter each."""
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
    assert [batch.started for batch in alone] == [batch.fixtures for batch in alone]
    assert not dispatcher.has_tasks(schedule)


def test_nothing_is_left_after_clear() -> None:
    """Neither returned nor quarantined tasks."""
    dispatcher, schedule = Dispatcher(), Schedule(1, 2)
    returned, lost = batches(dispatcher, schedule)
    dispatcher.put_back([returned])
    dispatcher.quarantine(lost)
    schedule.tasks.append(task(2))
    dispatcher.clear()
    dispatcher.put_back([returned])
    dispatcher.clear()
    assert dispatcher.next_batch(True, Schedule()) is None
