"""The games of a results folder, to step through them."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee.commands.game_pages import Page, make_pages, players_text
from referee.commands.results_folder import rules_or_problem
from referee.records.analysis_file import AnalysisIndex
from referee.records.games_file import GamesFile
from referee.records.manifest import Manifest
from referee.records.record import Record
from referee.rules import Variant
from referee.text import printable


@dataclass(frozen=True)
class GameFolder:
    """The games of a results folder, in the order of the file."""

    manifest: Manifest
    file: GamesFile
    variants: Mapping[str, Variant]
    """Those of --variant-file, by name."""
    analyses: AnalysisIndex
    """Empty if the games are not analysed."""

    def line_of(self, game_id: str) -> int:
        """Return the number of a game, from 1."""
        line = self.file.line_of(game_id)
        assert line is not None  # `replay` has found it
        return line

    def open(self, line: int, colour: bool) -> "OpenGame":
        """Read a game; raise a RefereeError if its record cannot be trusted."""
        record: Record = self.file.record_at(self.manifest, line)
        rules, problem = rules_or_problem(record, self.variants)
        analysis = self.analyses.get(record["id"], record["moves"])
        pages = make_pages(record, rules, colour=colour, analysis=analysis)
        return OpenGame(printable(record["id"]), players_text(record, rules), pages, problem)


@dataclass(frozen=True)
class OpenGame:
    """A game on the screen."""

    id: str
    players: str
    pages: list[Page]
    problem: str
    """Why there are no boards; empty if there are."""

    @property
    def plies(self) -> int:
        """The number of plies."""
        return len(self.pages) - 2  # less the start and the end
