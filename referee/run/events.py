"""Events that an engine emits: games started, finished or void."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from referee.records.columnar import ColumnarList
from referee.records.summary import GameSummary
from referee.schedule.fixtures import Fixture

Result: TypeAlias = "GameFinished | GameVoid"
MAX_TRIES = 3
"""Attempts to play a game before it is reported as void."""


class GameFinished(NamedTuple):
    """A game that was played."""

    summary: GameSummary
    """The input of all tables, so that the line need not be parsed."""
    line: bytes
    """The record as it is written; encoded by the workers, which run in parallel."""
    dossier: str | None
    """Text of `faults/GAME.txt` if a bot committed a fault."""
    warnings: tuple[tuple[str, str], ...]
    """Pairs of bot and message."""


class GameVoid(NamedTuple):
    """A game without a record because the referee, not a bot, failed."""

    fixture: Fixture
    why: str


class GameBatch(NamedTuple):
    """Results of several games in one message, in few objects: pickled once per message."""

    summaries: ColumnarList[GameSummary]
    lines: bytes
    """The records, in the same order."""
    dossiers: tuple[tuple[GameSummary, str], ...] = ()
    """Of the games in which a bot committed a fault."""
    warnings: tuple[tuple[str, str], ...] = ()
    """Pairs of bot and message."""
    voids: tuple[GameVoid, ...] = ()

    @property
    def ids(self) -> set[str]:
        """Return the ids of all games, void ones included."""
        played = {summary.id for summary in self.summaries}
        return played | {void.fixture.id for void in self.voids}


def batch_of(results: Iterable[Result]) -> GameBatch:
    """Collect results into one batch."""
    games: list[GameFinished] = []
    voids: list[GameVoid] = []
    for result in results:
        if isinstance(result, GameFinished):
            games.append(result)
        else:
            voids.append(result)
    return GameBatch(
        summaries=ColumnarList([game.summary for game in games]),
        lines=b"".join([game.line for game in games]),
        dossiers=tuple(
            [(game.summary, game.dossier) for game in games if game.dossier is not None]
        ),
        warnings=tuple([warning for game in games for warning in game.warnings]),
        voids=tuple(voids),
    )


@dataclass(frozen=True)
class GamesStarted:
    """Games that were assigned to a worker, of one encounter or several."""

    fixtures: Sequence[Fixture]


Event = GamesStarted | GameBatch
