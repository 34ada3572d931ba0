"""Reads the games of a tournament, a large file with several processes; what comes out is in the
order of the file.

The file is cut into stretches, and each of some forked readers reads every so many-th of them. What
a reader does not deliver, for whatever reason, is read here instead; so nobody is waited for in
vain, and a failure shows where it can be told of.
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
from referee.records.manifest import Manifest
from referee.records.record import FileSegment, Record, read_records
from referee.records.summary import GameSummary
from referee.system.cores import usable_cores
from referee.system.garbage_collection import gc_disabled
from referee.system.parent_death import die_with_parent

SEGMENT_BYTES = 2**19
MIN_SEGMENTS = 32
"""A file with fewer is read before other processes would be of help."""
MAX_READERS = 4
"""More would wait for whoever counts what they read."""

Game = tuple[Record, GameSummary]
Taken = TypeVar("Taken")
Take = Callable[[int, Iterable[Game]], Taken]
"""Makes something of the games of a stretch, and is told how many there are before them. It may
happen in another process: what it makes can travel, what it changes is lost."""


class GamesFile:
    """A games file as it was when this was made: what is added later is not seen."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stretches = list(_cut(path))

    @property
    def total(self) -> int:
        """How many records there are, as far as one can tell without reading them."""
        return sum(stretch.lines for stretch in self._stretches if stretch.lines is not None)

    def records(self) -> Iterator[Record]:
        """All records, one by one."""
        for stretch in self._stretches:
            yield from read_records(self.path, stretch)

    def games(self, manifest: Manifest) -> Iterator[Game]:
        """All records with their gists, one by one; InputError for one that cannot be trusted."""
        checker = RecordChecker(manifest, self.path)
        for stretch in self._stretches:
            yield from _checked(checker, self.path, stretch)

    def find(self, manifest: Manifest, id: str) -> Record | None:
        """The record of one game, if there is one; InputError if it cannot be trusted."""
        for line, record in enumerate(self.records(), start=1):
            if record["id"] == id:
                RecordChecker(manifest, self.path).check(line, record)
                return record
        return None

    def duplicate(self, id: str) -> RecordError:
        """Explain that a game has more than one record."""
        lines = (line for line, record in enumerate(self.records(), 1) if record["id"] == id)
        first, second = islice(lines, 2)
        return RecordError(
            f"{self.path}: line {second}: {id} has a record already, in line {first};"
            " remove one of them"
        )

    def read(self, manifest: Manifest, take: "Take[Taken]", add: Callable[[Taken], None]) -> None:
        """Add what is taken from each stretch, in their order.

        A RefereeError names a record that cannot be read, is damaged or does not belong to this
        tournament; all games before it were added.
        """

        checker = RecordChecker(manifest, self.path)

        def read(stretch: FileSegment) -> "tuple[Taken, RefereeError | None]":
            games = _UpToError(_checked(checker, self.path, stretch))
            return take(stretch.number, games), games.error

        with gc_disabled(), closing(_ReaderPool()) as readers:
            readers.start(read, self._stretches)
            for place, stretch in enumerate(self._stretches):
                taken, error = readers.result(place) or read(stretch)
                add(taken)
                if error is not None:
                    raise error


def _checked(checker: RecordChecker, path: Path, stretch: FileSegment) -> Iterator[Game]:
    """Each record of a stretch with its gist; InputError for one that cannot be trusted."""
    records = read_records(path, stretch)
    for line, record in enumerate(records, start=stretch.number + 1):
        yield record, checker.check(line, record)


def _cut(path: Path) -> Iterator[FileSegment]:
    """A games file in stretches of about the same size; a torn last line is left out."""
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
    """Games until one cannot be read, and then why."""

    def __init__(self, games: Iterator[Game]) -> None:
        self.error: RefereeError | None = None
        self._games = games

    def __iter__(self) -> Iterator[Game]:
        try:
            yield from self._games
        except RefereeError as error:
            self.error = error


class _ReaderPool:
    """Processes that read stretches in turn; none if it is not worth it, or cannot be done."""

    def __init__(self) -> None:
        self._hands: list[tuple[BaseProcess, Connection]] = []
        self._count = 1

    def start(self, read: Callable[[FileSegment], Any], stretches: Sequence[FileSegment]) -> None:
        """Let them begin."""
        # A lock that another thread holds would stay locked in a fork for ever.
        can_fork = sys.platform == "linux" and threading.active_count() == 1
        if not can_fork or len(stretches) < MIN_SEGMENTS:
            return
        self._count = max(1, min(MAX_READERS, len(usable_cores())))
        if self._count == 1:
            return
        # Python forgets a Ctrl-C that comes in the midst of a fork: let it come afterwards.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            for number in range(self._count):
                self._spawn_worker(read, stretches[number :: self._count])
        except OSError:
            pass  # the system has no room for more processes
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _spawn_worker(
        self, read: Callable[[FileSegment], Any], stretches: Sequence[FileSegment]
    ) -> None:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        with theirs:
            process = context.Process(target=_serve, args=(read, stretches, theirs), daemon=True)
            process.start()
        self._hands.append((process, ours))

    def result(self, place: int) -> Any:
        """What was read of the stretch at this place; None if nobody did."""
        with suppress(IndexError, EOFError, OSError):
            return self._hands[place % self._count][1].recv()
        return None

    def close(self) -> None:
        for process, connection in self._hands:
            process.kill()
            connection.close()
        for process, _ in self._hands:
            process.join()


def _serve(
    read: Callable[[FileSegment], Any], stretches: Sequence[FileSegment], results: Connection
) -> None:
    """The life of a reader: its stretches one by one; it goes on when the last was fetched."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whom it reads for says when it is over
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    die_with_parent()
    # Whatever fails here fails again where the stretch is read in its place.
    with suppress(Exception):
        for stretch in stretches:
            results.send(read(stretch))
