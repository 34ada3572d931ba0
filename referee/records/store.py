"""A tournament's folder: the games file, and who may write it.

Each finished game is one line, written whole and synced. Nothing that was finished is lost by a
crash, a full disk or a second run in the same folder.
"""

import contextlib
import errno
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, BinaryIO

from referee.errors import InputError, OutsideError
from referee.records.record import Record, read_records, to_line

SYNC_SECONDS = 0.1
"""The longest that a finished game waits to be synced with others."""


class Store:
    """The folder of a tournament, locked for this run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.warnings: list[str] = []
        self._waiting: list[tuple[bytes, Callable[[], None]]] = []
        self._oldest = 0.0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        except (FileExistsError, NotADirectoryError) as error:
            file = next(path for path in (folder, *folder.parents) if path.exists())
            raise InputError(f"{file} is a file: results go into a folder (--out DIR)") from error
        except OSError as error:
            raise InputError(f"{folder} cannot be written to: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise InputError(
                f"another run is at work in {folder}: wait for it, or stop it"
            ) from error
        try:
            self._games = os.open(self.games_path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            self._cut_torn_line()
        except OSError as error:
            os.close(self._lock)
            raise InputError(f"{self.games_path} cannot be written: {error.strerror}") from error

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.sync()
        finally:
            with contextlib.suppress(OSError):
                self.shortened_path.unlink(missing_ok=True)
            os.close(self._games)
            os.close(self._lock)

    @property
    def games_path(self) -> Path:
        return self.folder / "games.jsonl"

    def _cut_torn_line(self) -> None:
        """Cut off the beginning of a line that a crash left behind."""
        size = os.fstat(self._games).st_size
        end = size
        while end > 0:
            start = max(0, end - 65536)
            chunk = os.pread(self._games, end - start, start)
            newline = chunk.rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._games, end)
            self.warnings.append(
                f"the last line of {self.games_path} was torn ({size - end} bytes): it was cut off,"
                " and that game is played again"
            )

    def records(self) -> Iterator[Record]:
        """All records so far."""
        return read_records(self.games_path)

    def add(self, lines: bytes, when_synced: Callable[[], None] = lambda: None) -> None:
        """Keep the lines of records; they are on disk when `when_synced` is called, soon."""
        if not self._waiting:
            self._oldest = monotonic()
        self._waiting.append((lines, when_synced))

    def sync_if_due(self) -> None:
        """Sync what has waited long enough: one sync for all the games that ended meanwhile."""
        if self._waiting and monotonic() - self._oldest > SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Write what is waiting, whole or not at all, and make sure it stays."""
        if not self._waiting:
            return
        data = b"".join(lines for lines, _ in self._waiting)
        end = os.fstat(self._games).st_size
        try:
            written = os.write(self._games, data)
            if written < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fdatasync(self._games)
        except OSError as error:
            self._waiting.clear()
            with contextlib.suppress(OSError):
                os.ftruncate(self._games, end)
            raise OutsideError(
                f"{self.games_path} cannot be written: {error.strerror}."
                " Everything that was written before is kept; run the same command to go on"
            ) from error
        waiting, self._waiting = self._waiting, []
        for _, when_synced in waiting:
            when_synced()

    def write_text(self, name: str, text: str) -> None:
        """Write a file whole, in place of the one that was there."""
        self.write_pieces(name, [text])

    def write_pieces(self, name: str, pieces: Iterable[str]) -> None:
        """The same for a text that is made while it is written."""
        path = self.folder / name
        unfinished = path.with_name(path.name + ".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with unfinished.open("w", encoding="utf-8") as file:
                file.writelines(pieces)
            unfinished.replace(path)
        except OSError as error:
            raise OutsideError(f"{path} cannot be written: {error.strerror}") from error

    def read_json(self, name: str) -> Any:
        """What a JSON file of the folder says; None if it is not there."""
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise InputError(f"{self.folder / name} cannot be read: {error}") from error

    def prepare_drop(self, is_dropped: Callable[[Record], bool]) -> int:
        """Write a games file without some records beside the old one; how many it leaves out.

        `commit_drop` puts it in the place of the old one; without that it is removed in the end.
        """
        dropped = 0
        with self._written(self.shortened_path) as file:
            for record in self.records():
                if is_dropped(record):
                    dropped += 1
                else:
                    file.write(to_line(record))
        return dropped

    @property
    def shortened_path(self) -> Path:
        """The games file that `prepare_drop` has written."""
        return self.folder / "games.jsonl.new"

    def commit_drop(self) -> None:
        """Replace the games file by the shortened one; the old one is kept under another name."""
        number = 1
        while (old := self.folder / f"games-before-redo-{number}.jsonl").exists():
            number += 1
        # A copy and not a link: not every file system has links.
        with self._written(old) as copy, self.games_path.open("rb") as games:
            shutil.copyfileobj(games, copy)
        try:
            self.shortened_path.replace(self.games_path)
            self._sync_folder()
            os.close(self._games)
            self._games = os.open(self.games_path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise OutsideError(f"{self.games_path} cannot be replaced: {error.strerror}") from error

    @contextlib.contextmanager
    def _written(self, path: Path) -> Iterator[BinaryIO]:
        """Write a new file that is on disk afterwards; OutsideError if it cannot be."""
        try:
            with path.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                path.unlink()
            raise OutsideError(f"{path} cannot be written: {error.strerror}") from error

    def _sync_folder(self) -> None:
        """Make sure that the names in the folder stay."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def move_aside(folder: Path) -> Path | None:
    """Give a folder another name, so that a new one can take its place; the new name."""
    if not folder.exists():
        return None
    number = 1
    while (aside := folder.with_name(f"{folder.name}.{number}")).exists():
        number += 1
    try:
        folder.rename(aside)
    except OSError as error:
        raise InputError(f"{folder} cannot be moved aside: {error.strerror}") from error
    return aside
