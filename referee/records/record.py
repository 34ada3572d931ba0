"""A game played, as one JSON object on one line: the only truth about it."""

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
from referee.protocol.transcript import Transcript
from referee.text import printable

SCHEMA = 1
MAX_INFO, MAX_INFO_LENGTH = 100, 200
"""`info` lines kept per game, and characters of each."""

Record = dict[str, Any]
_NEEDED: dict[str, type | UnionType] = {
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
"""What every record has."""
_USUAL_KEYS = tuple(dict.fromkeys(("bots", "score", "hashes", "moves", "ms", *_NEEDED)))
_usual_values = itemgetter(*_USUAL_KEYS)
_USUAL_TYPES = {
    tuple(fault if key == "fault" else _NEEDED[key] for key in _USUAL_KEYS)
    for fault in (dict, type(None))
}


class RecordWriter:
    """Writes the records of games that two bots play on the same terms.

    A line is made for every game, so what they have in common is written once.
    """

    def __init__(
        self,
        terms: GameConfig,
        bots: tuple[str, str],
        *,
        settings: str,
        hashes: tuple[str, str],
        sandbox: str,
        host: str,
    ) -> None:
        rows, cols = terms.size
        board = {"variant": terms.variant, "rows": rows, "cols": cols, "bots": bots}
        manifest = {"settings": settings, "hashes": hashes, "sandbox": sandbox, "host": host}
        clocks = {"clocks": [str(time) for time in terms.times]}
        self._board, self._about, self._clocks = (
            _encode(part)[1:-1] for part in (board, manifest, clocks)
        )

    def line(self, setup: GameSetup, played: PlayedGame, encounter: int, started: str) -> bytes:
        """The record of a finished game, as a line of the games file: as `to_line` makes it."""
        outcome: Any = played.outcome  # compiled, a pair of floats would make fractions of points
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
            f',"reason":{_quote(outcome.reason)},"fault":{fault},{self._about}'
            f',"started":{_quote(started)},"seed":{setup.seed},{self._clocks}'
            f',"startup_ms":{_numbers(played.startup_ms)},"latency_ms":[{mean},{longest}]{more}}}\n'
        )
        return line.encode("ascii")


def _moves(moves_text: str) -> str:
    """A JSON list of moves that are joined by `;`, which none of them has."""
    return f"[{_quote(moves_text).replace(';', _BETWEEN)}]" if moves_text else "[]"


def _numbers(numbers: Iterable[float | None]) -> str:
    return f"[{','.join([_texts.get(number) or _text(number) for number in numbers])}]"


_texts: dict[float | None, str] = {}
"""Numbers in JSON: quick bots take the same few hundredths of a millisecond for most moves."""
_MAX_TEXTS = 100


def _text(number: float | None) -> str:
    if len(_texts) >= _MAX_TEXTS:
        _texts.clear()
    text = _texts[number] = "null" if number is None else repr(number)
    return text


def make_record(
    recorder: RecordWriter, setup: GameSetup, played: PlayedGame, started: str
) -> Record:
    """The record of a game that is played by itself."""
    record: Record = _decoder.decode(recorder.line(setup, played, 1, started).decode())
    return record


def _fault_keys(fault: Fault) -> dict[str, Any]:
    return {"seat": fault.seat, "reason": str(fault.reason), "detail": fault.detail}


def info_lines(transcript: Transcript) -> list[list[Any]]:
    """The first `info` lines of a game, each with the number of the ply it was said at."""
    found: list[list[Any]] = []
    if not transcript.has_info:
        return found
    ply = 0
    for entry in transcript.entries:
        if entry.sent and entry.line.startswith(b"turn ply="):
            ply = int(entry.line[9 : entry.line.index(b" ", 9)])
        elif not entry.sent and is_info(entry.line) and len(found) < MAX_INFO:
            found.append([ply, entry.seat, printable(entry.line[5:], MAX_INFO_LENGTH)])
    return found


_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_quote = json.encoder.encode_basestring_ascii
_BETWEEN = '","'
_decoder = json.JSONDecoder()
_scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_decoder)  # type: ignore[arg-type]


def to_line(record: Record) -> bytes:
    """A record as a line of the games file."""
    return f"{_encode(record)}\n".encode()


class FileSegment(NamedTuple):
    """Lines of a games file that follow each other."""

    offset: int = 0
    """Where they begin, in bytes."""
    number: int = 0
    """How many lines there are before them."""
    lines: int | None = None
    """How many they are; None is all there are."""


WHOLE = FileSegment()


def read_records(path: Path, stretch: FileSegment = WHOLE) -> Iterator[Record]:
    """The records of a games file, one by one; a torn last line is passed over."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        file.seek(stretch.offset)
        lines = islice(file, stretch.lines)
        for number, line in enumerate(lines, start=stretch.number + 1):
            if not line.endswith(b"\n"):
                return
            yield _read_line(path, number, line)


def _parse(line: str) -> Any:
    """The value of a line; that it is one object and nothing else is soon seen."""
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
    # All at once first: a large tournament has a million records, and hardly ever a wrong one.
    if not _has_expected_types(record):
        _check(path, number, record)
    usual: Record = record
    return usual


def _has_expected_types(record: Any) -> bool:
    """Whether a record has all it needs, and in the shape that we give it."""
    try:
        bots, score, hashes, moves, ms, *_ = values = _usual_values(record)
    except (TypeError, KeyError):
        return False
    return (
        tuple(map(type, values)) in _USUAL_TYPES
        and len(bots) == len(score) == len(hashes) == 2
        and len(ms) == len(moves)
        and record.get("schema") == SCHEMA
        and type(bots[0]) is type(bots[1]) is str
    )


def _check(path: Path, number: int, record: Any) -> None:
    """RecordError if something is wrong with a record."""
    if not isinstance(record, dict) or "schema" not in record:
        raise RecordError(f"{path}: line {number} is not a record: it has no schema")
    if record["schema"] != SCHEMA:
        raise RecordError(
            f"{path}: line {number} has schema {record['schema']!r}, this referee reads {SCHEMA}"
        )
    for key, kind in _NEEDED.items():
        value = record.get(key)
        if key not in record or not isinstance(value, kind) or isinstance(value, bool):
            raise RecordError(f"{path}: line {number} is not a record: {key} is missing or wrong")
    for key, length in (("bots", 2), ("score", 2), ("hashes", 2), ("ms", len(record["moves"]))):
        if len(record[key]) != length:
            raise RecordError(f"{path}: line {number} is not a record: {key} has another length")
    if not all(isinstance(bot, str) for bot in record["bots"]):
        raise RecordError(f"{path}: line {number} is not a record: bots are named by texts")
