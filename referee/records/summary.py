"""Summary of one game, just played or read from its record: the input of all tables. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from referee.outcome import Score, Seat

Record = Mapping[str, Any]
ThinkingTime = tuple[int, float, float]
"""Number of moves, their total time and the longest time of one, in milliseconds."""


class GameSummary(NamedTuple):
    """The values of a game that tables need; a tuple, which is pickled faster than an object."""

    id: str
    board: str
    """The board's name, like `standoff-5x5`."""
    bots: tuple[str, str]
    """Seat 1 and seat 2, as in all pairs below."""
    encounter: int
    score: Score
    faults: tuple[tuple[Seat, str], ...]
    """Seat and reason of each."""
    moves_key: int
    """Equal for equal moves, see `moves_key`."""
    thought: tuple[ThinkingTime, ThinkingTime]
    """Without the moves of the opening."""
    startup_ms: tuple[float | None, float | None]
    """Time until each bot was ready; None if its process was running already."""
    host: str
    latency_ms: tuple[float, float]
    """The referee's own time per move: mean and longest."""
    hashes: tuple[str, str]


def summarize_game(
    id: str,
    board: str,
    bots: tuple[str, str],
    encounter: int,
    score: Score,
    faults: tuple[tuple[Seat, str], ...],
    moves_text: str,
    ms: Sequence[Any],
    opening: int,
    startup_ms: tuple[float | None, float | None],
    host: str,
    latency_ms: tuple[float, float],
    hashes: tuple[str, str],
) -> GameSummary:
    """Summarize a game: `moves_text` is its moves, joined by `;`; `ms` has the time of each ply."""
    # Seat 1 moves first, and seats alternate.
    leading, following = _thinking_time(ms[opening::2]), _thinking_time(ms[opening + 1 :: 2])
    thought = (following, leading) if opening % 2 else (leading, following)
    key = moves_key(moves_text)
    return GameSummary(
        id,
        board,
        bots,
        encounter,
        score,
        faults,
        key,
        thought,
        startup_ms,
        host,
        latency_ms,
        hashes,
    )


def summarize_record(record: Record) -> GameSummary:
    """Summarize a record; raise some exception if its values are of wrong types."""
    first, second = record["bots"]
    one, two = record["score"]
    ready_1, ready_2 = record.get("startup_ms", (None, None))
    mean, longest = record.get("latency_ms", (0.0, 0.0))
    hash_1, hash_2 = record["hashes"]
    return summarize_game(
        record["id"],
        board_of(record),
        (_intern(first), _intern(second)),
        record["encounter"],
        (one, two),
        _faults(record),
        ";".join(record["moves"]),
        record["ms"],
        record["opening"],
        (ready_1, ready_2),
        _intern(record.get("host", "")),
        (mean, longest),
        (_intern(hash_1), _intern(hash_2)),
    )


@lru_cache(maxsize=10_000)
def _intern(text: str) -> str:
    """Return one object for equal texts: saves memory, and pickle writes each object once."""
    return text


def board_of(record: Record) -> str:
    """Return the name of the board of a record, like `standoff-5x5`."""
    return _board_name(record["variant"], record["rows"], record["cols"])


@lru_cache(maxsize=1000)
def _board_name(variant: str, rows: int, cols: int) -> str:
    return f"{variant}-{rows}x{cols}"


def faults_of(record: Record) -> Sequence[dict[str, Any]]:
    """List the faults of a game: none, one, or one of each bot."""
    if "faults" in record:
        return list(record["faults"])
    return [record["fault"]] if record["fault"] else ()


def _faults(record: Record) -> tuple[tuple[Seat, str], ...]:
    faults = faults_of(record)
    return tuple([(fault["seat"], fault["reason"]) for fault in faults]) if faults else ()


def _thinking_time(times_ms: Sequence[float]) -> ThinkingTime:
    return (len(times_ms), float(sum(times_ms)), max(times_ms)) if times_ms else (0, 0.0, 0.0)


def moves_key(moves_text: str) -> int:
    """Hash the moves of a game, joined by `;`, to a signed number of 64 bits.

    Python's own `hash` of a text differs between processes.
    """
    text = moves_text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
