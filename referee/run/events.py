"""Events that an engine emits: games started, finished or void."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from referee.records.columnar import ColumnarList
from referee.records.summary import GameSummary
from referee.schedule.fixtures import Fixture

Result: TypeAlias = "GameFinished | GameVoid"


class GameFinished(NamedTuple):
    """A game that was played."""

    summary: GameSummary
    """What is counted: nobody has to read the line for that."""
    line: bytes
    """The record as it is written: made where several are made at once."""
    dossier: str | None
    """What happened, if a bot made a fault."""
    warnings: tuple[tuple[str, str], ...]
    """Bot and sentence."""


class GameVoid(NamedTuple):
    """A game that could not be played because the referee failed; it has no record."""

    fixture: Fixture
    why: str


class GameBatch(NamedTuple):
    """Games that are told of together: as few objects as can be, because there may be many."""

    gists: ColumnarList[GameSummary]
    lines: bytes
    """Their records, in the same order."""
    dossiers: tuple[tuple[GameSummary, str], ...] = ()
    """Of those in which a bot made a fault."""
    warnings: tuple[tuple[str, str], ...] = ()
    """Bot and sentence."""
    voids: tuple[GameVoid, ...] = ()

    @property
    def ids(self) -> set[str]:
        """All of them."""
        return {*(summary.id for summary in self.gists), *(void.fixture.id for void in self.voids)}


def batch_of(results: Iterable[Result]) -> GameBatch:
    """What became of some games."""
    games: list[GameFinished] = []
    voids: list[GameVoid] = []
    for result in results:
        if isinstance(result, GameFinished):
            games.append(result)
        else:
            voids.append(result)
    return GameBatch(
        gists=ColumnarList([game.summary for game in games]),
        lines=b"".join([game.line for game in games]),
        dossiers=tuple(
            [(game.summary, game.dossier) for game in games if game.dossier is not None]
        ),
        warnings=tuple([warning for game in games for warning in game.warnings]),
        voids=tuple(voids),
    )


@dataclass(frozen=True)
class GamesStarted:
    """A worker was given these games, of one encounter or several."""

    fixtures: Sequence[Fixture]


Event = GamesStarted | GameBatch
