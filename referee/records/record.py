"""Records: a game that was played, as one JSON object on one line of the games file."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from json.scanner import make_scanner
from operator import itemgetter
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple

from referee.errors import RecordError
from referee.game.config import GameConfig, GameSetup
from referee.game.result import PlayedGame
from referee.protocol.answers import is_info
from referee.protocol.faults import Fault
from referee.protocol.info_values import read_values
from referee.protocol.transcript import Transcript
from referee.text import printable

SCHEMA = 1
MAX_INFO, MAX_INFO_LENGTH = 100, 200
"""`info` lines kept per game and seat, and characters of each."""

Record = dict[str, Any]
_REQUIRED: dict[str, type | UnionType] = {
    "id": str,
    "variant": str,
    "rows": int,
    "cols": int,
    "bots": list,
    "encounter": int,
    "opening": int,
    "moves": list,
    "ms": list,
    "score": list,
    "reason": str,
    "fault": dict | None,
    "settings": str,
    "hashes": list,
}
"""Type of the value of each required key."""
_CHECKED_KEYS = tuple(dict.fromkeys(("bots", "score", "hashes", "moves", "ms", *_REQUIRED)))
_checked_values = itemgetter(*_CHECKED_KEYS)
_EXPECTED_TYPES = {
    tuple(fault if key == "fault" else _REQUIRED[key] for key in _CHECKED_KEYS)
    for fault in (dict, type(None))
}


class RecordWriter:
    """Writer of the records of games with the same bots and settings.

    What these records have in common is encoded once. A line takes a half to a third of the time
    of `to_line`, and is the same text.
    """

    def __init__(
        self,
        config: GameConfig,
        bots: tuple[str, str],
        *,
        settings: str,
        hashes: tuple[str, str],
        sandbox: str,
        host: str,
    ) -> None:
        rows, cols = config.size
        board = {"variant": config.variant, "rows": rows, "cols": cols, "bots": bots}
        provenance = {"settings": settings, "hashes": hashes, "sandbox": sandbox, "host": host}
        clocks = {"clocks": [str(time) for time in config.times]}
        self._board, self._provenance, self._clocks = (
            _encode(part)[1:-1] for part in (board, provenance, clocks)
        )

    def line(self, setup: GameSetup, played: PlayedGame, encounter: int, started: str) -> bytes:
        """Encode the record of a finished game: the bytes that `to_line` gives."""
        outcome: Any = played.outcome  # mypyc converts whole numbers in a pair of floats to floats
        one, two = outcome.score
        mean, longest = played.latency_ms
        fault = _encode(_fault_keys(played.faults[0])) if played.faults else "null"
        more = ""
        if len(played.faults) > 1:
            more += f',"faults":{_encode([_fault_keys(fault) for fault in played.faults])}'
        if any(played.off_turn_ms):
            more += f',"off_turn_ms":{_numbers(played.off_turn_ms)}'
        if info := info_lines(played.transcript):
            more += f',"info":{_encode(info)}'
        line = (
            f'{{"schema":{SCHEMA},"id":{_quote(setup.id)},{self._board},"encounter":{encounter}'
            f',"opening":{len(setup.opening)},"moves":{_moves(played.moves_text)}'
            f',"ms":{_numbers(played.ms)},"score":[{one},{two}]'
            f',"reason":{_quote(outcome.reason)},"fault":{fault},{self._provenance}'
            f',"started":{_quote(started)},"seed":{setup.seed},{self._clocks}'
            f',"startup_ms":{_numbers(played.startup_ms)},"latency_ms":[{mean},{longest}]{more}}}\n'
        )
        return line.encode("ascii")


def _moves(moves_text: str) -> str:
    """Encode moves, joined by `;`, as a JSON list; no move contains `;`."""
    return f"[{_quote(moves_text).replace(';', _BETWEEN_MOVES)}]" if moves_text else "[]"


def _numbers(numbers: Iterable[float | None]) -> str:
    return f"[{','.join([_texts.get(number) or _cached_text(number) for number in numbers])}]"


_texts: dict[float | None, str] = {}
"""Cache of numbers in JSON: the times of fast bots have few values, in steps of 0.01 ms."""
_MAX_CACHED = 100


def _cached_text(number: float | None) -> str:
    if len(_texts) >= _MAX_CACHED:
        _texts.clear()
    text = _texts[number] = "null" if number is None else repr(number)
    return text


def make_record(writer: RecordWriter, setup: GameSetup, played: PlayedGame, started: str) -> Record:
    """Make the record of a game that is not part of a tournament."""
    record: Record = _decoder.decode(writer.line(setup, played, 1, started).decode())
    return record


def _fault_keys(fault: Fault) -> dict[str, Any]:
    return {"seat": fault.seat, "reason": str(fault.reason), "detail": fault.detail}


def info_lines(transcript: Transcript) -> list[list[Any]]:
    """List ply, seat and text of the first `info` lines of each seat.

    A line with the same keys as an earlier one of the same ply replaces it, so that a bot may
    report `depth=1`, `depth=2`, … while it thinks.
    """
    found: list[list[Any]] = []
    if not transcript.has_info:
        return found
    ply = 0
    kept = {1: 0, 2: 0}
    latest: dict[tuple[int, int, str], list[Any]] = {}
    for entry in transcript.entries:
        if entry.sent and entry.line.startswith(b"turn ply="):
            ply = int(entry.line[9 : entry.line.index(b" ", 9)])
        elif not entry.sent and is_info(entry.line):
            text = printable(entry.line[5:], MAX_INFO_LENGTH)
            keys = (ply, entry.seat, " ".join(read_values(text)))
            if keys in latest:
                latest[keys][2] = text
            elif kept[entry.seat] < MAX_INFO:
                kept[entry.seat] += 1
                found.append([ply, entry.seat, text])
                if keys[2]:
                    latest[keys] = found[-1]
    return found


_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_quote = json.encoder.encode_basestring_ascii
_BETWEEN_MOVES = '","'
_decoder = json.JSONDecoder()
_scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_decoder)  # type: ignore[arg-type]


def to_line(record: Record) -> bytes:
    """Encode a record as a line of the games file."""
    return f"{_encode(record)}\n".encode()


class FileSegment(NamedTuple):
    """Consecutive lines of a games file."""

    offset: int = 0
    """Position of the first line, in bytes."""
    number: int = 0
    """Number of lines before the first."""
    lines: int | None = None
    """Number of lines; None means all up to the end of the file."""


WHOLE = FileSegment()


def read_records(path: Path, segment: FileSegment = WHOLE) -> Iterator[Record]:
    """Iterate over the records of a games file; ignore an incomplete last line."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        file.seek(segment.offset)
        lines = islice(file, segment.lines)
        for number, line in enumerate(lines, start=segment.number + 1):
            if not line.endswith(b"\n"):
                return
            yield _read_line(path, number, line)


def _parse(line: str) -> Any:
    """Parse a line; call the scanner directly, and `decode` for white space and for errors."""
    try:
        value, end = _scan(line, 0)
    except StopIteration:
        return _decoder.decode(line)
    return value if end == len(line) - 1 else _decoder.decode(line)


def _read_line(path: Path, number: int, line: bytes) -> Record:
    try:
        record = _parse(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: line {number} is not a record: {error}") from error
    # Almost all records pass the quick check; the other finds out what is wrong.
    if not _has_expected_types(record):
        _check_keys(path, number, record)
    checked: Record = record
    return checked


def _has_expected_types(record: Any) -> bool:
    """Check all keys, types and lengths at once."""
    try:
        bots, score, hashes, moves, ms, *_ = values = _checked_values(record)
    except (TypeError, KeyError):
        return False
    return (
        tuple(map(type, values)) in _EXPECTED_TYPES
        and len(bots) == len(score) == len(hashes) == 2
        and len(ms) == len(moves)
        and record.get("schema") == SCHEMA
        and type(bots[0]) is type(bots[1]) is str
    )


def _check_keys(path: Path, number: int, record: Any) -> None:
    """Check key by key; raise RecordError with the first problem."""
    if not isinstance(record, dict) or "schema" not in record:
        raise RecordError(f"{path}: line {number} is not a record: it has no schema")
    if record["schema"] != SCHEMA:
        raise RecordError(
            f"{path}: line {number} has schema {record['schema']!r}, this referee reads {SCHEMA}"
        )
    for key, kind in _REQUIRED.items():
        value = record.get(key)
        if key not in record or not isinstance(value, kind) or isinstance(value, bool):
            raise RecordError(f"{path}: line {number} is not a record: {key} is missing or wrong")
    for key, length in (("bots", 2), ("score", 2), ("hashes", 2), ("ms", len(record["moves"]))):
        if len(record[key]) != length:
            raise RecordError(f"{path}: line {number} is not a record: {key} has another length")
    if not all(isinstance(bot, str) for bot in record["bots"]):
        raise RecordError(f"{path}: line {number} is not a record: bots are named by texts")
