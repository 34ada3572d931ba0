"""What is counted of a game: the same small value whether it was just played or is read. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from referee.outcome import Score, Seat

Record = Mapping[str, Any]
ThinkingTime = tuple[int, float, float]
"""How many moves a bot thought about, for how many milliseconds in all, and for how many about the
one that took longest."""


class GameSummary(NamedTuple):
    """What tables need of a game; a tuple, because it goes from process to process."""

    id: str
    board: str
    """The board's name, like `standoff-5x5`."""
    bots: tuple[str, str]
    """Seat 1 and seat 2, as in all that follows."""
    encounter: int
    score: Score
    faults: tuple[tuple[Seat, str], ...]
    """Who made one, and its reason."""
    moves_key: int
    """Equal for equal moves."""
    thought: tuple[ThinkingTime, ThinkingTime]
    startup_ms: tuple[float | None, float | None]
    """How long each bot took to be ready, if its process was new."""
    host: str
    latency_ms: tuple[float, float]
    """The referee's own time before each question: mean and longest."""
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
    """The gist of a game: `said` is its moves, joined by `;`; `ms` has the thinking time of each
    ply, but for those of the opening.
    """
    # Seat 1 moves first, and seats alternate.
    answers, others = _sum_up(ms[opening::2]), _sum_up(ms[opening + 1 :: 2])
    thought = (others, answers) if opening % 2 else (answers, others)
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
    """What is counted of a record; an error of some kind if there are odd things in it."""
    first, second = record["bots"]
    one, two = record["score"]
    ready_1, ready_2 = record.get("startup_ms", (None, None))
    mean, longest = record.get("latency_ms", (0.0, 0.0))
    hash_1, hash_2 = record["hashes"]
    return summarize_game(
        record["id"],
        board_of(record),
        (_same(first), _same(second)),
        record["encounter"],
        (one, two),
        _faults(record),
        ";".join(record["moves"]),
        record["ms"],
        record["opening"],
        (ready_1, ready_2),
        _same(record.get("host", "")),
        (mean, longest),
        (_same(hash_1), _same(hash_2)),
    )


@lru_cache(maxsize=10_000)
def _same(text: str) -> str:
    """Equal texts as one: every record brings strings of its own, but they are few different ones,
    and what is the same travels once."""
    return text


def board_of(record: Record) -> str:
    """A record's variant and size: `standoff-5x5`."""
    return _board_name(record["variant"], record["rows"], record["cols"])


@lru_cache(maxsize=1000)
def _board_name(variant: str, rows: int, cols: int) -> str:
    return f"{variant}-{rows}x{cols}"


def faults_of(record: Record) -> Sequence[dict[str, Any]]:
    """The faults of a game: none, one, or both bots'."""
    if "faults" in record:
        return list(record["faults"])
    return [record["fault"]] if record["fault"] else ()


def _faults(record: Record) -> tuple[tuple[Seat, str], ...]:
    faults = faults_of(record)
    return tuple([(fault["seat"], fault["reason"]) for fault in faults]) if faults else ()


def _sum_up(thought: Sequence[float]) -> ThinkingTime:
    return (len(thought), float(sum(thought)), max(thought)) if thought else (0, 0.0, 0.0)


def moves_key(moves_text: str) -> int:
    """A number of 64 bits for the moves of a game, joined by `;`: the same for the same moves,
    wherever they were played. Python's own `hash` differs between the processes of a cluster.
    """
    text = moves_text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
