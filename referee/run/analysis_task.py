"""The analysis of one game as a task that can be sent to another process or machine."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from referee.analysis.game_analysis import Openings, analyse_game
from referee.analysis.solver import VERSION
from referee.errors import InputError, RecordError
from referee.records.analysis_file import StoredAnalysis, hash_moves
from referee.rules import Size, Variant, find_variant, play_moves
from referee.rules.registry import is_variant_file
from referee.system.deadline import make_deadline


@dataclass(frozen=True)
class VariantSource:
    """Source of the rules of a game."""

    name: str
    """Argument of `find_variant`: the variant's name, or the path of its file."""
    content: bytes | None = None
    """The content of the file, for another machine."""

    def portable(self) -> "VariantSource":
        """Return a source that another machine can load."""
        if not is_variant_file(self.name):
            return self
        return VariantSource(self.name, Path(self.name).read_bytes())

    def load(self) -> Variant:
        """Find the variant; InputError if it is not installed, or its file cannot be loaded."""
        return _load(self)


@lru_cache(maxsize=64)
def _load(source: VariantSource) -> Variant:
    if source.content is None:
        return find_variant(source.name)
    with tempfile.TemporaryDirectory(prefix="referee-variant-") as folder:
        path = Path(folder, Path(source.name).name)
        path.write_bytes(source.content)
        return find_variant(str(path))


@dataclass(frozen=True)
class AnalysisTask:
    """A game to be analysed, and the budget of each of its positions."""

    id: str
    source: VariantSource
    size: Size
    moves: tuple[str, ...]
    opening: int
    """Number of opening plies at the head of the moves."""
    nodes: int
    budget_ms: int | None = None

    def run(self) -> StoredAnalysis:
        """Analyse the game; RecordError if its moves are not legal."""
        rules = self.source.load().on(self.size)
        try:
            play_moves(rules, self.moves)
        except InputError as error:
            raise RecordError(f"{self.id}: {error}") from error
        openings = _openings(self.source, self.size, self.nodes, self.budget_ms)
        analysis = analyse_game(
            rules, self.moves, self.opening, self.nodes, self._make_expired, openings
        )
        return StoredAnalysis(
            id=self.id,
            moves_hash=hash_moves(self.moves),
            solver=VERSION,
            nodes=self.nodes,
            budget_ms=self.budget_ms,
            analysis=analysis,
        )

    def _make_expired(self) -> Callable[[], bool]:
        return make_deadline(self.budget_ms)


@lru_cache(maxsize=16)
def _openings(source: VariantSource, size: Size, nodes: int, budget_ms: int | None) -> Openings:
    """Return the analysed openings of a game and budget in this process."""
    return {}
