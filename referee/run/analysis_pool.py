"""Worker processes on this machine that analyse games.

A worker gets one game at a time, and the next one in advance, so that it never waits. It ends with
the pipe to the coordinator, or with the coordinator itself.
"""

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from referee.errors import OutsideError, RefereeError
from referee.records.analysis_file import StoredAnalysis
from referee.run.analysis_task import AnalysisTask
from referee.system.open_files import make_room
from referee.system.parent_death import die_with_parent
from referee.system.resource_errors import explained
from referee.system.signals import NUMBERS, blocked

AHEAD = 2
"""Games that a worker has been sent and has not analysed."""
POLL_SECONDS = 0.1
TaskResult = StoredAnalysis | RefereeError


@dataclass
class _AnalysisWorker:
    """Handle of a worker process, in the coordinator."""

    process: BaseProcess
    connection: Connection
    tasks: deque[AnalysisTask] = field(default_factory=deque)
    """Sent and not finished."""


class AnalysisPool:
    """Worker processes, started at once and ended by `close`."""

    def __init__(self, slots: int) -> None:
        make_room(2 * slots)
        self._workers: list[_AnalysisWorker] = []
        try:
            for _ in range(slots):
                self._workers.append(self._spawn_worker())
        except BaseException:
            self.close()
            raise

    def _spawn_worker(self) -> _AnalysisWorker:
        forks = sys.platform == "linux"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        with explained("the pipe of a worker process"):
            ours, theirs = context.Pipe()
        # A forked worker closes the other pipes: while it held an end, no end of file would occur.
        inherited = [ours, *(worker.connection for worker in self._workers)] if forks else []
        process = context.Process(target=_work, args=(theirs, inherited), daemon=True)
        with explained("a worker process"), blocked(*NUMBERS):
            process.start()
        theirs.close()
        return _AnalysisWorker(process, ours)

    def analyse(self, tasks: Iterable[AnalysisTask]) -> Iterator[list[StoredAnalysis]]:
        """Yield new analyses several times a second; the list is empty if there are none.

        Raises the error of a task after the results that came before it.
        """
        waiting = iter(tasks)
        while True:
            for worker in self._workers:
                while len(worker.tasks) < AHEAD and (task := next(waiting, None)):
                    worker.tasks.append(task)
                    with suppress(BrokenPipeError, ConnectionResetError):  # see `_receive`
                        worker.connection.send(task)
            busy = {worker.connection: worker for worker in self._workers if worker.tasks}
            if not busy:
                return
            done: list[StoredAnalysis] = []
            for connection in wait(list(busy), timeout=POLL_SECONDS):
                assert isinstance(connection, Connection)
                result = self._receive(busy[connection])
                if isinstance(result, RefereeError):
                    yield done
                    raise result
                done.append(result)
            yield done

    def _receive(self, worker: _AnalysisWorker) -> TaskResult:
        try:
            result: TaskResult = worker.connection.recv()
        except (EOFError, ConnectionResetError) as error:
            worker.process.join()
            raise OutsideError(
                f"a worker process died (exit code {worker.process.exitcode}) while it analysed"
                f" {worker.tasks[0].id}. Everything that was analysed is kept; run the same"
                " command to go on"
            ) from error
        worker.tasks.popleft()
        return result

    def close(self) -> None:
        """Kill the workers; an analysis needs no cleanup."""
        for worker in self._workers:
            worker.process.kill()
            worker.connection.close()
        for worker in self._workers:
            worker.process.join()


def _work(tasks: Connection, inherited: list[Connection]) -> None:
    """Analyse games until the pipe is closed; the main function of a worker."""
    for number in NUMBERS:
        signal.signal(number, signal.SIG_IGN)  # the coordinator handles them
    signal.pthread_sigmask(signal.SIG_UNBLOCK, NUMBERS)
    die_with_parent()
    for connection in inherited:
        connection.close()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            task: AnalysisTask = tasks.recv()
            result: TaskResult
            try:
                result = task.run()
            except RefereeError as error:
                result = error
            tasks.send(result)
    os._exit(0)  # nothing to clean up, and the tables are large
