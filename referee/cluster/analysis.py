"""Analysis of games on a Dask cluster. A game is one task, which Dask may run again elsewhere."""

from asyncio import CancelledError
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError as FutureCancelled
from typing import Any

from distributed import KilledWorker

from referee.cluster.task_client import RESUME_HINT, TaskClient, guarded
from referee.errors import InputError, OutsideError, RefereeError
from referee.records.analysis_file import StoredAnalysis
from referee.run.analysis_task import AnalysisTask

AHEAD = 3
"""Games per thread of the cluster that have been submitted and have not ended."""


class ClusterAnalysis(TaskClient[StoredAnalysis]):
    """The workers of a cluster; the connection is closed by `close`."""

    _running = 0
    """Number of games that have been submitted and have not ended."""

    def analyse(self, tasks: Iterable[AnalysisTask]) -> Iterator[list[StoredAnalysis]]:
        """Yield new analyses several times a second; the list is empty if there are none."""
        waiting = iter(tasks)
        while True:
            while self._running < AHEAD * self._threads and (task := next(waiting, None)):
                self._running += 1
                self._when_done(self._submit(guarded(task.run)), self._on_analysed, task.id)
            if self._threads and not self._running:
                return
            for analysis in self._process_events():
                yield [analysis]
            yield []

    def _on_analysed(self, game_id: str, result: Any) -> list[StoredAnalysis]:
        """Return the analysis; raise the error of the task, or OutsideError if it has none."""
        self._running -= 1
        match result:
            case StoredAnalysis():
                return [result]
            case str():
                raise InputError(f"a worker of the cluster cannot be used: {result}")
            case RefereeError():
                raise result
            case KilledWorker():
                raise OutsideError(f"the workers that analysed {game_id} died. {RESUME_HINT}")
            case CancelledError() | FutureCancelled():  # by Dask, when it lost the scheduler
                return self._on_scheduler_lost()
        raise OutsideError(
            f"{game_id} could not be analysed: {type(result).__name__}: {result}. {RESUME_HINT}"
        )
