"""What becomes of a game: it was played, or it is void. And how that reaches the coordinator."""

from typing import Any, NamedTuple, TypeAlias

from referee.columns import Columns
from referee.gist import Gist
from referee.pairings import Fixture

Result: TypeAlias = "Finished | Void"


class Finished(NamedTuple):
    """A game that was played."""

    gist: Gist
    """What is counted: nobody has to read the line for that."""
    line: bytes
    """The record as it is written: made where several are made at once."""
    dossier: str | None
    """What happened, if a bot made a fault."""
    warnings: tuple[tuple[str, str], ...]
    """Bot and sentence."""

    @property
    def id(self) -> str:
        return self.gist.id


class Void(NamedTuple):
    """A game that could not be played because the referee failed; it has no record."""

    fixture: Fixture
    why: str

    @property
    def id(self) -> str:
        return self.fixture.id


class Ended(list[Result]):
    """Games that are told of together."""

    @property
    def finished(self) -> list[Finished]:
        return [result for result in self if isinstance(result, Finished)]

    @property
    def voids(self) -> list[Void]:
        return [result for result in self if isinstance(result, Void)]

    def __reduce__(self) -> tuple[Any, ...]:
        finished = self.finished
        if not finished or len(finished) < len(self):
            return Ended, (list(self),)
        gists, lines, dossiers, warnings = zip(*finished, strict=True)
        return _ended, (Columns(gists), b"".join(lines), dossiers, warnings)


def _ended(
    gists: Columns[Gist],
    lines: bytes,
    dossiers: tuple[str | None, ...],
    warnings: tuple[tuple[tuple[str, str], ...], ...],
) -> Ended:
    every = zip(gists, lines.splitlines(keepends=True), dossiers, warnings, strict=True)
    return Ended(map(Finished._make, every))
