"""The analysis of a tournament's games, `analysis.jsonl`: one JSON object per game and line.

It is derived from the games file, and may be deleted at any time. An object is used only if it
belongs to a recorded game: a hash of its moves is compared. Unreadable lines are skipped.
"""

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple

from referee.analysis.bot_summary import AnalysedGame
from referee.analysis.game_analysis import GameAnalysis, PlyAnalysis
from referee.analysis.solver import VERSION
from referee.analysis.verdict import Value
from referee.errors import InputError, OutsideError
from referee.records.plain_files import open_plain
from referee.records.record import Record

FILE = "analysis.jsonl"
SCHEMA = 1
SYNC_SECONDS = 1.0
_LOCK = ".analysis.lock"
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


@dataclass(frozen=True, slots=True)
class StoredAnalysis:
    """The analysis of one game, and how it was made."""

    id: str
    moves_hash: str
    """Hash of the moves of the game, see `hash_moves`."""
    solver: int
    """Version of the solver."""
    nodes: int
    """Budget of each position."""
    budget_ms: int | None
    """Limit of the time of each position, if there was one."""
    analysis: GameAnalysis

    def to_line(self) -> bytes:
        """Encode as a line of the file."""
        plies = self.analysis.plies
        content = {
            "schema": SCHEMA,
            "id": self.id,
            "solver": self.solver,
            "nodes": self.nodes,
            "budget_ms": self.budget_ms,
            "moves": self.moves_hash,
            "seats": "".join(str(ply.seat) for ply in plies),
            "values": [str(ply.value) for ply in plies],
            "legal": [ply.legal for ply in plies],
            "winning": [";".join(ply.winning) for ply in plies],
            "unproved": [";".join(ply.unproved) for ply in plies],
            "plies": [ply.plies for ply in plies],
        }
        return f"{_encode(content)}\n".encode()


def hash_moves(moves: Sequence[str]) -> str:
    """Return a hash of the moves of a game."""
    return hashlib.sha256(";".join(moves).encode()).hexdigest()[:16]


def read_line(line: bytes) -> StoredAnalysis:
    """Decode a line of the file; ValueError if it is not an analysis."""
    try:
        content: dict[str, Any] = json.loads(line)
        if content["schema"] != SCHEMA:
            raise ValueError(f"it has schema {content['schema']!r}, this referee reads {SCHEMA}")
        columns = zip(
            content["seats"],
            content["values"],
            content["legal"],
            content["winning"],
            content["unproved"],
            content["plies"],
            strict=True,
        )
        plies = tuple(
            PlyAnalysis(int(seat), Value(value), legal, _split(winning), _split(unproved), length)
            for seat, value, legal, winning, unproved, length in columns
        )
        for ply in plies:
            if ply.seat not in (1, 2) or not _is_count(ply.legal):
                raise ValueError("a seat or a number of legal moves is wrong")
            if ply.plies is not None and not _is_count(ply.plies):
                raise ValueError("a number of plies is wrong")
        if type(content["id"]) is not str:
            raise ValueError("the id is not a text")
        return StoredAnalysis(
            id=content["id"],
            moves_hash=content["moves"],
            solver=content["solver"],
            nodes=content["nodes"],
            budget_ms=content["budget_ms"],
            analysis=GameAnalysis(plies),
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"a key is missing or wrong: {error}") from error


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _split(moves: str) -> tuple[str, ...]:
    return tuple(moves.split(";")) if moves else ()


class _IndexEntry(NamedTuple):
    """Place of an analysis in the file, and the properties that decide whether it is current."""

    offset: int
    length: int
    moves_hash: str
    solver: int
    budget: tuple[int, int | None]
    is_proven: bool


class AnalysisIndex:
    """The analyses of a folder, found by the id of the game; of two, the later one counts."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.stale = 0
        """Lines of the file that a later line replaces."""
        self.unreadable = 0
        """Complete lines that are not an analysis."""
        self._end = 0
        """End of the last complete line."""
        self._entries: dict[str, _IndexEntry] = {}
        try:
            self._file = open_plain(self.path, os.O_RDONLY)
        except FileNotFoundError:
            self._file = -1
            return
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror}") from error
        with os.fdopen(os.dup(self._file), "rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    self._add_entry(line)

    def _add_entry(self, line: bytes) -> None:
        """Enter a line that is at the end of the file."""
        try:
            stored = read_line(line)
        except ValueError:
            self.unreadable += 1
        else:
            budget = stored.nodes, stored.budget_ms
            proven = stored.analysis.is_proven
            self.stale += stored.id in self._entries
            self._entries[stored.id] = _IndexEntry(
                self._end, len(line), stored.moves_hash, stored.solver, budget, proven
            )
        self._end += len(line)

    def __len__(self) -> int:
        return len(self._entries)

    def has(self, game_id: str, moves: Sequence[str], nodes: int, budget_ms: int | None) -> bool:
        """Return whether a game needs no further analysis with this budget.

        What is proven does not depend on the budget.
        """
        entry = self._entry(game_id, moves)
        return entry is not None and (entry.is_proven or entry.budget == (nodes, budget_ms))

    def get(self, game_id: str, moves: Sequence[str]) -> GameAnalysis | None:
        """Return the analysis of a game with these moves; None if there is none."""
        entry = self._entry(game_id, moves)
        if entry is None:
            return None
        analysis = read_line(os.pread(self._file, entry.length, entry.offset)).analysis
        return analysis if 0 <= len(analysis.plies) - len(moves) <= 1 else None

    def _entry(self, game_id: str, moves: Sequence[str]) -> _IndexEntry | None:
        """Return the entry of a game, if it was made from these moves by this solver."""
        entry = self._entries.get(game_id)
        if entry is None or entry.solver != VERSION or entry.moves_hash != hash_moves(moves):
            return None
        return entry

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def analysed_games(records: Iterable[Record], index: AnalysisIndex) -> Iterator[AnalysedGame]:
    """Yield the games that have an analysis."""
    for record in records:
        analysis = index.get(record["id"], record["moves"])
        if analysis is not None:
            one, two = record["bots"]
            yield AnalysedGame(
                (one, two), record["moves"], record["opening"], record["score"], analysis
            )


class AnalysisStore(AnalysisIndex):
    """The analysis file of a folder, locked for this process, to add analyses."""

    def __init__(self, folder: Path) -> None:
        self.warnings: list[str] = []
        self._synced = monotonic()
        try:
            self._lock = open_plain(folder / _LOCK, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise InputError(f"{folder} cannot be written to: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise InputError(f"another analysis uses {folder}: wait for it, or stop it") from error
        try:
            self._output = open_plain(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            os.close(self._lock)
            raise InputError(f"{folder / FILE} cannot be written: {error.strerror}") from error
        super().__init__(folder)
        if os.fstat(self._output).st_size > self._end:
            os.ftruncate(self._output, self._end)
            self.warnings.append(
                f"the last line of {self.path} was torn: it was cut off, and that game is analysed"
                " again"
            )
        if self.unreadable:
            lines = "line" if self.unreadable == 1 else "lines"
            self.warnings.append(
                f"{self.unreadable:,} {lines} of {self.path} cannot be read: what is missing is"
                " analysed again"
            )

    def __enter__(self) -> "AnalysisStore":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
        os.close(self._output)
        os.close(self._lock)

    def add(self, analyses: Sequence[StoredAnalysis]) -> None:
        """Append analyses; sync them if that is due."""
        lines = [analysis.to_line() for analysis in analyses]
        data = b"".join(lines)
        try:
            if os.write(self._output, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if monotonic() - self._synced > SYNC_SECONDS:
                os.fdatasync(self._output)
                self._synced = monotonic()
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._output, self._end)
            raise OutsideError(
                f"{self.path} cannot be written: {error.strerror}. Everything that was analysed"
                " before is kept; run the same command to go on"
            ) from error
        for line in lines:
            self._add_entry(line)

    def remove_stale(self, ids: Collection[str]) -> None:
        """Replace the file by one with the last analysis of each of these games, if it differs."""
        if not self.stale and not self.unreadable and self._entries.keys() <= set(ids):
            return
        kept = {game_id: entry for game_id, entry in self._entries.items() if game_id in ids}
        part = self.path.with_name(FILE + ".part")
        try:
            part.unlink(missing_ok=True)  # it may be a link to another file of the user
            with part.open("xb") as file:
                for entry in kept.values():
                    file.write(os.pread(self._file, entry.length, entry.offset))
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
            os.close(self._output)
            self._output = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        except OSError as error:
            raise OutsideError(f"{self.path} cannot be written: {error.strerror}") from error
        self.close()
        AnalysisIndex.__init__(self, self.path.parent)
