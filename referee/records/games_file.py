"""Reader of a games file: a large one is read with several processes, in the order of the file.

The file is split into segments; reader `i` of `n` forked processes reads the segments `i`, `i + n`,
and so on. A segment that a reader does not return, for any reason, is read by the parent
process: so a failed reader blocks nothing, and errors are raised in the parent.
"""

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

from referee.errors import RecordError, RefereeError
from referee.records.checks import RecordChecker
from referee.records.fixture_ids import FixtureIdSet
from referee.records.manifest import Manifest
from referee.records.record import FileSegment, Record, read_records
from referee.records.summary import GameSummary
from referee.system.cores import usable_cores
from referee.system.garbage_collection import gc_disabled
from referee.system.parent_death import die_with_parent

SEGMENT_BYTES = 2**19
MIN_SEGMENTS = 32
"""A file with fewer is read faster by one process."""
MAX_READERS = 4
"""With more, the parent process that adds the results up is the bottleneck."""

RecordedGame = tuple[Record, GameSummary]
Reduced = TypeVar("Reduced")
Reduce = Callable[[int, Iterable[RecordedGame]], Reduced]
"""A function of the number of games before a segment and the games of the segment. It may run in a
forked process: its result must be picklable, its side effects are lost."""


class GamesFile:
    """A games file as of the creation of this object: lines appended later are ignored."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._segments = list(_split(path))

    @property
    def total(self) -> int:
        """The number of complete lines in the file."""
        return sum(segment.lines for segment in self._segments if segment.lines is not None)

    def records(self) -> Iterator[Record]:
        """Iterate over all records."""
        for segment in self._segments:
            yield from read_records(self.path, segment)

    def games(self, manifest: Manifest) -> Iterator[RecordedGame]:
        """Iterate over records and summaries; raise InputError for an invalid or second record."""
        checker = RecordChecker(manifest, self.path)
        ids = FixtureIdSet()
        for segment in self._segments:
            for record, summary in _checked(checker, self.path, segment):
                if not ids.add(summary.id):
                    raise self.duplicate(summary.id)
                yield record, summary

    def find(self, manifest: Manifest, fixture_id: str) -> Record | None:
        """Return the record of one game, or None; raise InputError if it is invalid."""
        line = self.line_of(fixture_id)
        return None if line is None else self.record_at(manifest, line)

    def line_of(self, fixture_id: str) -> int | None:
        """Return the number of the line with the record of one game, from 1; None without one."""
        records = enumerate(self.records(), start=1)
        return next((line for line, record in records if record["id"] == fixture_id), None)

    def record_at(self, manifest: Manifest, line: int) -> Record:
        """Return the record in a line; raise InputError if it is invalid."""
        segment = next(part for part in reversed(self._segments) if part.number < line)
        record = next(islice(read_records(self.path, segment), line - segment.number - 1, None))
        RecordChecker(manifest, self.path).check(line, record)
        return record

    def duplicate(self, fixture_id: str) -> RecordError:
        """Make the error for a game that has more than one record."""
        records = enumerate(self.records(), start=1)
        lines = (line for line, record in records if record["id"] == fixture_id)
        first, second = islice(lines, 2)
        return RecordError(
            f"{self.path}: line {second}: {fixture_id} has a record already, in line {first};"
            " remove one of them"
        )

    def read(
        self, manifest: Manifest, reduce: "Reduce[Reduced]", add: Callable[[Reduced], None]
    ) -> None:
        """Call `reduce` for the games of each segment, and `add` for each result, in file order.

        Raise a RefereeError for a record that cannot be read, is damaged or is not part of this
        tournament; all games before it have been added.
        """

        checker = RecordChecker(manifest, self.path)

        def read(segment: FileSegment) -> "tuple[Reduced, RefereeError | None]":
            games = _UpToError(_checked(checker, self.path, segment))
            return reduce(segment.number, games), games.error

        with gc_disabled(), closing(_ReaderPool()) as readers:
            readers.start(read, self._segments)
            for index, segment in enumerate(self._segments):
                reduced, error = readers.result(index) or read(segment)
                add(reduced)
                if error is not None:
                    raise error


def _checked(checker: RecordChecker, path: Path, segment: FileSegment) -> Iterator[RecordedGame]:
    """Iterate over the records of a segment and their summaries; raise InputError if invalid."""
    records = read_records(path, segment)
    for line, record in enumerate(records, start=segment.number + 1):
        yield record, checker.check(line, record)


def _split(path: Path) -> Iterator[FileSegment]:
    """Split a games file into segments of about the same size; omit an incomplete last line."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        offset = number = 0
        while block := file.read(SEGMENT_BYTES):
            lines = block.count(b"\n") + file.readline().count(b"\n")
            if lines:
                yield FileSegment(offset, number, lines)
            offset, number = file.tell(), number + lines


class _UpToError:
    """An iterable of games that ends at an error and stores it."""

    def __init__(self, games: Iterator[RecordedGame]) -> None:
        self.error: RefereeError | None = None
        self._games = games

    def __iter__(self) -> Iterator[RecordedGame]:
        try:
            yield from self._games
        except RefereeError as error:
            self.error = error


class _ReaderPool:
    """Forked processes that read segments; none if the file is small or forking is unsafe."""

    def __init__(self) -> None:
        self._readers: list[tuple[BaseProcess, Connection]] = []
        self._count = 1

    def start(self, read: Callable[[FileSegment], Any], segments: Sequence[FileSegment]) -> None:
        """Fork the readers."""
        # A lock that another thread holds stays locked in the forked process.
        can_fork = sys.platform == "linux" and threading.active_count() == 1
        if not can_fork or len(segments) < MIN_SEGMENTS:
            return
        self._count = max(1, min(MAX_READERS, len(usable_cores())))
        if self._count == 1:
            return
        # Python ignores exceptions in the hooks around a fork, KeyboardInterrupt included: deliver
        # SIGINT afterwards.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            for number in range(self._count):
                self._spawn_reader(read, segments[number :: self._count])
        except OSError:
            pass  # No more processes can be created: the parent reads their segments.
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _spawn_reader(
        self, read: Callable[[FileSegment], Any], segments: Sequence[FileSegment]
    ) -> None:
        context = multiprocessing.get_context("fork")
        receiver, sender = context.Pipe(duplex=False)
        with sender:
            process = context.Process(
                target=_run_reader, args=(read, segments, sender), daemon=True
            )
            process.start()
        self._readers.append((process, receiver))

    def result(self, index: int) -> Any:
        """Return what a reader made of a segment; None if there is none, or it has failed."""
        with suppress(IndexError, EOFError, OSError):
            return self._readers[index % self._count][1].recv()
        return None

    def close(self) -> None:
        """Kill the readers and wait for their end."""
        for process, connection in self._readers:
            process.kill()
            connection.close()
        for process, _ in self._readers:
            process.join()


def _run_reader(
    read: Callable[[FileSegment], Any], segments: Sequence[FileSegment], results: Connection
) -> None:
    """Read segments and send the results; the main function of a reader."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent process handles it.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    die_with_parent()
    # An error ends this reader: the parent reads the segment and raises the same error.
    with suppress(Exception):
        for segment in segments:
            results.send(read(segment))
