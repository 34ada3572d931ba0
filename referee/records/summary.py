"""Summary of one game, just played or read from its record: the input of all tables. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from referee.game.result import PlayedGame
from referee.outcome import Score, Seat
from referee.rules.grid import Size
from referee.schedule.fixtures import Board, Fixture

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
    opening_key: int
    """Equal for equal moves of the opening."""
    thinking_times: tuple[ThinkingTime, ThinkingTime]
    """Without the moves of the opening."""
    startup_ms: tuple[float | None, float | None]
    """Time until each bot was ready; None if its process was running already."""
    host: str
    latency_ms: tuple[float, float]
    """The referee's own time per move: mean and longest."""
    hashes: tuple[str, str]

    @classmethod
    def from_game(
        cls, fixture: Fixture, played: PlayedGame, *, host: str, hashes: tuple[str, str]
    ) -> "GameSummary":
        """Summarize a game that was just played."""
        # Without keywords, which would take as long as the rest of this call.
        return cls(
            fixture.id,
            fixture.board,
            fixture.bots,
            fixture.encounter,
            played.outcome.score,
            tuple([(fault.seat, str(fault.reason)) for fault in played.faults]),
            moves_key(played.moves_text),
            _opening_key(fixture.opening),
            _thinking_times(played.ms, len(fixture.opening)),
            played.startup_ms,
            host,
            played.latency_ms,
            hashes,
        )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "GameSummary":
        """Summarize a record; raise some exception if its values are of wrong types."""
        first, second = record["bots"]
        first_score, second_score = record["score"]
        first_startup, second_startup = record.get("startup_ms", (None, None))
        mean_latency, longest_latency = record.get("latency_ms", (0.0, 0.0))
        first_hash, second_hash = record["hashes"]
        return cls(
            id=record["id"],
            board=board_of(record),
            bots=(_intern(first), _intern(second)),
            encounter=record["encounter"],
            score=(first_score, second_score),
            faults=_faults(record),
            moves_key=moves_key(";".join(record["moves"])),
            opening_key=_opening_key(tuple(record["moves"][: record["opening"]])),
            thinking_times=_thinking_times(record["ms"], record["opening"]),
            startup_ms=(first_startup, second_startup),
            host=_intern(record.get("host", "")),
            latency_ms=(mean_latency, longest_latency),
            hashes=(_intern(first_hash), _intern(second_hash)),
        )


@lru_cache(maxsize=10_000)
def _intern(text: str) -> str:
    """Return one object for equal texts: saves memory, and pickle writes each object once."""
    return text


def board_of(record: Mapping[str, Any]) -> str:
    """Return the name of the board of a record, like `standoff-5x5`."""
    return _board_name(record["variant"], record["rows"], record["cols"])


@lru_cache(maxsize=1000)
def _board_name(variant: str, rows: int, cols: int) -> str:
    return Board(variant, Size(rows, cols)).name


def faults_of(record: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    """List the faults of a game: none, one, or one of each bot."""
    if "faults" in record:
        return list(record["faults"])
    return [record["fault"]] if record["fault"] else ()


def _faults(record: Mapping[str, Any]) -> tuple[tuple[Seat, str], ...]:
    faults = faults_of(record)
    return tuple([(fault["seat"], fault["reason"]) for fault in faults]) if faults else ()


def _thinking_times(ms: Sequence[Any], opening: int) -> tuple[ThinkingTime, ThinkingTime]:
    """Sum up the times of all plies after the opening by seat."""
    # Seat 1 moves first, and seats alternate.
    leading, following = _sum_times(ms[opening::2]), _sum_times(ms[opening + 1 :: 2])
    return (following, leading) if opening % 2 else (leading, following)


def _sum_times(times_ms: Sequence[float]) -> ThinkingTime:
    return (len(times_ms), sum(times_ms, 0.0), max(times_ms)) if times_ms else (0, 0.0, 0.0)


@lru_cache(maxsize=10_000)
def _opening_key(moves: tuple[str, ...]) -> int:
    """Return the `moves_key` of an opening, which is played many times."""
    return moves_key(";".join(moves))


def moves_key(moves_text: str) -> int:
    """Hash the moves of a game, joined by `;`, to a signed number of 64 bits.

    Python's own `hash` of a text differs between processes.
    """
    text = moves_text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
