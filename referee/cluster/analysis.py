"""Analysis of games on a Dask cluster. A game is one task, which Dask may run again elsewhere."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from distributed import KilledWorker

from referee import __version__
from referee.cluster.connection import Connection
from referee.errors import InputError, OutsideError, RefereeError
from referee.records.analysis_file import StoredAnalysis
from referee.run.analysis_task import AnalysisTask

AHEAD = 3
"""Games per thread of the cluster that have been submitted and have not ended."""
POLL_SECONDS = 0.5
RESUME_HINT = "Everything that was analysed is kept; run the same command to go on"


class ClusterAnalysis:
    """The workers of a cluster; the connection is closed by `close`."""

    def __init__(
        self, connection: Connection, wait_seconds: float, warn: Callable[[str], None]
    ) -> None:
        self._connection = connection
        self._client = connection.client
        self._wait_seconds = wait_seconds
        self._warn = warn
        self._empty_since: float | None = None

    def analyse(self, tasks: Iterable[AnalysisTask]) -> Iterator[list[StoredAnalysis]]:
        """Yield the analyses of games that ended together; nothing, now and then."""
        waiting = iter(tasks)
        run = _make_run(__version__)
        futures: dict[Any, str] = {}
        ended: SimpleQueue[Any] = SimpleQueue()
        while True:
            threads = self._threads()
            while len(futures) < AHEAD * threads and (task := next(waiting, None)):
                future = self._client.submit(run, pickle.dumps(task), pure=False)
                futures[future] = task.id
                future.add_done_callback(ended.put)
            if not futures and threads:
                return
            results: list[StoredAnalysis] = []
            with suppress(Empty):
                future = ended.get(timeout=POLL_SECONDS)
                while True:
                    try:
                        results.append(_result_of(future, futures.pop(future)))
                    except RefereeError:
                        yield results
                        raise
                    future = ended.get_nowait()
            yield results

    def _threads(self) -> int:
        """Count the threads of all workers; OutsideError if there is none for too long."""
        try:
            threads = int(sum(self._client.nthreads().values()))
        except (OSError, TimeoutError, RuntimeError) as error:
            where = self._connection.address
            raise OutsideError(
                f"the scheduler at {where} does not answer any more. {RESUME_HINT}"
            ) from error
        if threads:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = monotonic()
            self._warn(f"no worker is there: waiting for one for {self._wait_seconds:.0f} s")
        elif monotonic() - self._empty_since > self._wait_seconds:
            raise OutsideError(
                f"no worker has joined the scheduler at {self._connection.address} for"
                f" {self._wait_seconds:.0f} s. {RESUME_HINT}"
            )
        return threads

    def close(self) -> None:
        """Disconnect: Dask cancels the tasks."""
        self._connection.close()


def _result_of(future: Any, game_id: str) -> StoredAnalysis:
    """Return the analysis that a task returned; raise its error, or OutsideError if it has none."""
    try:
        result = future.result()
    except RefereeError:
        raise
    except KilledWorker as error:
        raise OutsideError(f"the workers that analysed {game_id} died. {RESUME_HINT}") from error
    except Exception as error:
        raise OutsideError(
            f"{game_id} could not be analysed: {type(error).__name__}: {error}. {RESUME_HINT}"
        ) from error
    if isinstance(result, str):
        raise InputError(f"a worker of the cluster cannot be used: {result}")
    analysis: StoredAnalysis = result
    return analysis


def _make_run(version: str) -> Callable[[bytes], Any]:
    """Return a function that runs a task, or returns the reason why its worker cannot.

    A nested function is pickled by value, and so runs on workers that have another referee or none.
    The task is unpickled only where that is possible.
    """

    def run(pickled: bytes) -> Any:
        import pickle

        try:
            import referee
        except ImportError:
            return "it has no referee: pip install '.[cluster]' in a checkout there"
        if referee.__version__ != version:
            return f"it has version {referee.__version__} of the referee, here is {version}"
        return pickle.loads(pickled).run()

    return run
