"""The queue of events of the engine, without a cluster."""

from queue import SimpleQueue

import pytest

from referee.cluster.dask_engine import DaskEngine
from referee.errors import OutsideError
from referee.run.events import Event, GamesStarted


def test_engine_yields_results_before_it_reports_a_lost_scheduler() -> None:
    """Also if both events arrive at the same time."""

    def scheduler_lost() -> list[Event]:
        raise OutsideError("the scheduler does not answer any more")

    engine, event = object.__new__(DaskEngine), GamesStarted([])
    engine._inbox = SimpleQueue()
    engine._inbox.put(lambda: [event])
    engine._inbox.put(scheduler_lost)
    events = engine._process_events()
    assert next(events) is event
    with pytest.raises(OutsideError):
        next(events)
