"""Common part of games and analyses on a cluster: submit tasks, handle results and workers.

Dask transports functions, files and results, queues and runs the tasks of a worker, reports results
as they complete and which workers exist, and releases what a lost coordinator leaves behind.

All events of the cluster are handlers in one queue, put there by coroutines on Dask's event loop
and called by the main thread. So nothing is locked, and no call waits for a lost worker.
"""

import asyncio
import pickle
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Generic, TypeVar

from referee import __version__
from referee.cluster.connection import Connection
from referee.errors import OutsideError
from referee.system.signals import deferred

WATCH_SECONDS = 0.5
ANSWER_SECONDS = 30.0
"""Timeout after which the scheduler is regarded as lost."""
RESUME_HINT = "Everything that was finished is kept; run the same command to go on"
T = TypeVar("T")


class TaskClient(Generic[T]):
    """A coordinator whose handlers return values of type T; it closes the connection."""

    def __init__(
        self, connection: Connection, wait_seconds: float, warn: Callable[[str], None]
    ) -> None:
        """Watch the workers from now on."""
        self._connection = connection
        self._client = connection.client
        self._wait_seconds = wait_seconds
        self._warn = warn
        self._threads = 0
        """Of all workers."""
        self._empty_since: float | None = None
        self._inbox: SimpleQueue[Callable[[], list[T]]] = SimpleQueue()
        self._watch = self._start(self._watch_members())

    def close(self) -> None:
        """Disconnect: Dask cancels the tasks, and releases their results."""
        with deferred():
            self._watch.cancel()
            self._connection.close()

    def _submit(
        self, function: Callable[..., Any], *arguments: Any, worker: str | None = None
    ) -> Any:
        return self._client.submit(function, *arguments, pure=False, workers=worker)

    def _when_done(
        self, awaitable: Awaitable[Any], handler: Callable[..., list[T]], *arguments: Any
    ) -> Any:
        """Await a future or coroutine; then call the handler with its result or error."""

        async def run() -> None:
            try:
                result = await awaitable
            except (Exception, asyncio.CancelledError) as error:
                result = error
            self._inbox.put(partial(handler, *arguments, result))

        return self._start(run())

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)

    def _process_events(self) -> Iterator[T]:
        """Wait up to 0.1 s for a handler, and call all that have arrived.

        Each value is yielded before the next handler is called, which may raise.
        """
        with suppress(Empty):
            handler = self._inbox.get(timeout=0.1)
            while True:
                yield from handler()
                handler = self._inbox.get_nowait()

    async def _watch_members(self) -> None:
        """Report the addresses of all workers, until the scheduler does not answer."""
        with suppress(Exception):
            # A client that has lost its scheduler is not "running" while it tries to reconnect.
            while self._client.status == "running":
                threads = await asyncio.wait_for(self._client.nthreads(), ANSWER_SECONDS)
                self._inbox.put(partial(self._on_members, threads))
                await asyncio.sleep(WATCH_SECONDS)
        self._inbox.put(self._on_scheduler_lost)

    def _on_members(self, threads: Mapping[str, int]) -> list[T]:
        """Handle the number of threads by worker; OutsideError if there is none for too long."""
        self._threads = sum(threads.values())
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
        return []

    def _on_scheduler_lost(self) -> list[T]:
        where = self._connection.address
        raise OutsideError(f"the scheduler at {where} does not answer any more. {RESUME_HINT}")


def guarded(function: Callable[[], Any]) -> Callable[[], Any]:
    """Return a task that calls the function, or returns a text: why its worker cannot be used.

    A worker exits if it cannot import the module of a task. A nested function is pickled by value,
    not by the name of its module, and so runs on workers that have another referee or none.
    """
    version, pickled = __version__, pickle.dumps(function)

    def call() -> Any:  # annotations are pickled, too: none of a class of the referee
        import pickle

        try:
            import referee
        except ImportError:
            return "it has no referee: pip install '.[cluster]' in a checkout there"
        if referee.__version__ != version:
            return f"it has version {referee.__version__} of the referee, here is {version}"
        return pickle.loads(pickled)()

    return call
