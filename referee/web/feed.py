"""A results folder that is read as it grows: the ledger so far, and the records that are new."""

import json
import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from referee.errors import RefereeError
from referee.records.checks import RecordChecker
from referee.records.manifest import FILE, Manifest, infer_manifest, load_manifest
from referee.records.record import FileSegment, Record, read_records
from referee.scoring.ledger import Ledger
from referee.web.results_folders import GAMES_FILE, is_regular_file

STEP_BYTES = 2**18
"""How much of the games file one call of `read` processes: some milliseconds of work."""
LATEST = 12
"""Number of the newest games that are kept."""
TAIL_BYTES = 2**16
"""How much of the end of the games file is searched for the newest games."""
_FileState = tuple[int, int]
"""Inode and modification time of `tournament.json`."""


class TournamentFeed:
    """One results folder. Its methods are called by one thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger: Ledger | None = None
        """All games read so far; None before there is a manifest or a game."""
        self.problem: str | None = None
        """Why the folder cannot be read."""
        self.latest: deque[Record] = deque(maxlen=LATEST)
        self.restarts = 0
        """How often the games were read from the beginning again."""
        self.is_behind = False
        """Whether more was written than the last call has read."""
        self._checker: RecordChecker | None = None
        self._manifest_state: _FileState | None = None
        self._inode = 0
        self._offset = 0
        self._lines = 0
        self._counted = (0, 0)
        """The end of the bytes whose lines were counted, and the number of these lines."""

    @property
    def _games_path(self) -> Path:
        return self.folder / GAMES_FILE

    def read(self) -> list[Record]:
        """Read what was appended, up to a bound; return the new records.

        A games file that was replaced is read from its beginning, with a new ledger.
        """
        try:
            return list(self._read())
        except RefereeError as error:
            self.problem = str(error)
        except OSError as error:
            self.problem = f"{error.filename}: {error.strerror}"
        self.is_behind = False
        return []

    def _read(self) -> Iterator[Record]:
        self._check_replaced()
        if self.ledger is None and not self._open():
            return
        assert self.ledger is not None
        assert self._checker is not None
        segment = self._next_segment()
        for number, record in enumerate(
            read_records(self._games_path, segment), start=segment.number + 1
        ):
            if self._has_new_players(record):
                self._reset()
                self.is_behind = True
                return
            if self.ledger.add(self._checker.check(number, record)):
                self.latest.append(record)
                yield record
        self.problem = None

    def _check_replaced(self) -> None:
        """Start again if the games file or the manifest is not the one that was read before."""
        state = _file_state(self.folder / FILE)
        if state != self._manifest_state and self._is_other_manifest():
            self._reset()
        self._manifest_state = state
        try:
            status = self._games_path.stat()
        except FileNotFoundError:
            self._reset()
            return
        if (self._inode and status.st_ino != self._inode) or status.st_size < self._offset:
            self._reset()
        self._inode = status.st_ino

    def _is_other_manifest(self) -> bool:
        return self.ledger is None or self._find_manifest() != self.ledger.manifest

    def _reset(self) -> None:
        self.restarts += 1
        self.ledger = self._checker = None
        self.latest.clear()
        self._inode = self._offset = self._lines = 0
        self._counted = (0, 0)

    def _open(self) -> bool:
        """Start a ledger; return False if there is nothing to read yet."""
        if not is_regular_file(self._games_path):
            return False
        manifest = self._find_manifest()
        if manifest is None:
            return False
        self.ledger = Ledger(manifest)
        self._checker = RecordChecker(manifest, self._games_path)
        return True

    def _find_manifest(self) -> Manifest | None:
        if is_regular_file(self.folder / FILE):
            return load_manifest(self.folder)
        if self._games_path.stat().st_size == 0:
            return None
        return infer_manifest(self.folder.name, read_records(self._games_path))

    def _has_new_players(self, record: Record) -> bool:
        """Check for a bot that the manifest lacks, which was inferred from the records before."""
        assert self.ledger is not None
        is_inferred = self._manifest_state is None
        return is_inferred and not set(record["bots"]) <= set(self.ledger.manifest.bots)

    def _next_segment(self) -> FileSegment:
        """Find the next complete lines, at least one, and count them as read."""
        with self._games_path.open("rb") as file:
            file.seek(self._offset)
            block = file.read(STEP_BYTES)
            if len(block) == STEP_BYTES:
                block += file.readline()
            size = os.fstat(file.fileno()).st_size
        end = block.rfind(b"\n") + 1
        segment = FileSegment(self._offset, self._lines, block.count(b"\n"))
        self._offset += end
        self._lines += segment.lines or 0
        self.is_behind = self._offset < size and end > 0
        return segment

    def count(self) -> int:
        """Return the number of records in the file, those that were not read yet included."""
        end, lines = self._counted
        if end < self._offset:
            end, lines = self._offset, self._lines
        with self._games_path.open("rb") as file:
            file.seek(end)
            while block := file.read(STEP_BYTES):
                lines += block.count(b"\n")
                end += len(block)
        self._counted = (end, lines)
        return lines

    def newest(self) -> list[Record]:
        """Return the last records of the file, while the ledger has not read all of it."""
        assert self._checker is not None
        with self._games_path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - TAIL_BYTES))
            lines = file.read(TAIL_BYTES).split(b"\n")[1:-1]
        records = []
        for line in lines[-LATEST:]:
            with suppress(ValueError, RefereeError, KeyError, TypeError):
                record = json.loads(line)
                self._checker.check(0, record)
                records.append(record)
        return records

    def find(self, game: str) -> Record | None:
        """Return the record of a game; None if there is none. It reads the whole file."""
        needle = b'"id":' + json.dumps(game).encode()
        with self._games_path.open("rb") as file:
            for line in file:
                if needle in line and line.endswith(b"\n"):
                    record: Record = json.loads(line)
                    return record
        return None


def _file_state(path: Path) -> _FileState | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def is_locked(folder: Path) -> bool:
    """Return whether a run uses the folder. The lock itself is not touched."""
    try:
        status = (folder / ".lock").stat()
        locks = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return False
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    return any("FLOCK" in line and device in line.split() for line in locks.splitlines())
