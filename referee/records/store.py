"""The folder of a tournament: exclusive access, the games file, files that are replaced atomically.

Each finished game is one line that is written whole and synced, so a crash, a full disk or a second
run in the same folder loses no finished game.
"""

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import BinaryIO

from referee.errors import InputError, OutsideError, write_error
from referee.records.plain_files import open_plain
from referee.records.record import Record, read_records, to_line

SYNC_SECONDS = 0.1
"""Maximum time between adding a game and syncing it: one sync serves several games."""


class Store:
    """The folder of a tournament, locked for this run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.warnings: list[str] = []
        self._queue: list[tuple[bytes, Callable[[], None]]] = []
        self._queued_since = 0.0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = open_plain(folder / ".lock", os.O_RDWR | os.O_CREAT)
        except (FileExistsError, NotADirectoryError) as error:
            file = next(path for path in (folder, *folder.parents) if path.exists())
            raise InputError(f"{file} is a file: results go into a folder (--out DIR)") from error
        except OSError as error:
            raise write_error(str(folder), error) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise InputError(f"another run uses {folder}: wait for it, or stop it") from error
        except OSError as error:  # some network file systems have no locks
            os.close(self._lock)
            raise InputError(
                f"{folder} cannot be locked: {error.strerror}; choose a folder on another disk"
                " (--out DIR)"
            ) from error
        try:
            self._games = open_plain(self.games_path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            self._cut_torn_line()
        except OSError as error:
            os.close(self._lock)
            raise write_error(str(self.games_path), error) from error

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
        """Path of the games file."""
        return self.folder / "games.jsonl"

    def _cut_torn_line(self) -> None:
        """Truncate the file after the last complete line: a crash may leave a part of one."""
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
        """Iterate over all records on disk."""
        return read_records(self.games_path)

    def add(self, lines: bytes, when_synced: Callable[[], None] = lambda: None) -> None:
        """Queue the lines of records; call `when_synced` once they are on disk."""
        if not self._queue:
            self._queued_since = monotonic()
        self._queue.append((lines, when_synced))

    def sync_if_due(self) -> None:
        """Sync the queue if its oldest lines have waited for SYNC_SECONDS."""
        if self._queue and monotonic() - self._queued_since > SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Write and sync the queue; on an error, truncate the file to its length before."""
        if not self._queue:
            return
        data = b"".join(lines for lines, _ in self._queue)
        end = os.fstat(self._games).st_size
        try:
            written = os.write(self._games, data)
            if written < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fdatasync(self._games)
        except OSError as error:
            self._queue.clear()
            with contextlib.suppress(OSError):
                os.ftruncate(self._games, end)
            raise OutsideError(
                f"{self.games_path} cannot be written: {error.strerror}."
                " Everything that was written before is kept; run the same command to go on"
            ) from error
        queue, self._queue = self._queue, []
        for _, when_synced in queue:
            when_synced()

    def write_text(self, name: str, text: str) -> None:
        """Replace a file of the folder atomically."""
        self.write_pieces(name, [text])

    def write_pieces(self, name: str, pieces: Iterable[str]) -> None:
        """Replace a file atomically by a text that is generated while it is written."""
        path = self.folder / name
        part = path.with_name(path.name + ".part")
        if path.parent != self.folder and path.parent.is_symlink():
            raise OutsideError(f"{path.parent} is a link: nothing is written through it")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.unlink(missing_ok=True)  # it may be a link to another file of the user
            with part.open("x", encoding="utf-8") as file:
                file.writelines(pieces)
            part.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise OutsideError(f"{path} cannot be written: {error.strerror}") from error

    def prepare_drop(self, is_dropped: Callable[[Record], bool]) -> int:
        """Write a games file without some records beside the old one; return their number.

        `commit_drop` replaces the old file by it; without that it is removed on exit.
        """
        dropped = 0
        with self._synced_file(self.shortened_path) as file:
            for record in self.records():
                if is_dropped(record):
                    dropped += 1
                else:
                    file.write(to_line(record))
        return dropped

    @property
    def shortened_path(self) -> Path:
        """Path of the file that `prepare_drop` writes."""
        return self.folder / "games.jsonl.new"

    def commit_drop(self) -> None:
        """Replace the games file by the shortened one; keep a copy of the old one."""
        number = 1
        while (old := self.folder / f"games-before-redo-{number}.jsonl").exists():
            number += 1
        # A copy, because some file systems have no hard links.
        with self._synced_file(old) as copy, self.games_path.open("rb") as games:
            shutil.copyfileobj(games, copy)
        try:
            self.shortened_path.replace(self.games_path)
            self._sync_folder()
            os.close(self._games)
            self._games = os.open(self.games_path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise OutsideError(f"{self.games_path} cannot be replaced: {error.strerror}") from error

    @contextlib.contextmanager
    def _synced_file(self, path: Path) -> Iterator[BinaryIO]:
        """Open a new file and sync it on exit; raise OutsideError if that fails."""
        try:
            path.unlink(missing_ok=True)
            with path.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                path.unlink()
            raise OutsideError(f"{path} cannot be written: {error.strerror}") from error

    def _sync_folder(self) -> None:
        """Sync the names in the folder."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def move_aside(folder: Path) -> Path | None:
    """Rename a folder to a free name; return that, or None if there is no folder."""
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
