"""Analyses of games for the page: who wins at each ply, errors, the moves that keep a win.

js/analysis.js shows them. Who wins and which moves were errors is there for every analysed game of
the page; the moves that keep the win are there for the newest games, within a bound.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from referee.analysis.bot_summary import AnalysedGame, BotSummary
from referee.analysis.game_analysis import GameAnalysis, PlyAnalysis
from referee.analysis.verdict import Value
from referee.errors import InputError
from referee.records.analysis_file import AnalysisIndex, analysed_games
from referee.records.record import Record
from referee.report.encoding import MoveTable
from referee.report.selection import EncodedGame

ALL_KEEPING = 600_000
"""Maximum characters of the moves that keep a win, over all games."""


class GameAnalyses:
    """The analyses of a results folder, as the page needs them; none if there is no file."""

    def __init__(self, folder: Path | None = None) -> None:
        self._index: AnalysisIndex | None = None
        self._problem = ""
        self._bots: dict[str, BotSummary] = {}
        if folder is None:
            return
        try:
            index = AnalysisIndex(folder)
        except InputError as error:
            self._problem = f"{error}; the page is written without it"
        else:
            self._index = index if len(index) or index.unreadable else None

    def find(self, record: Record) -> list[AnalysedGame]:
        """Return the analysis of a game, if there is one."""
        return [] if self._index is None else list(analysed_games([record], self._index))

    def add(self, summaries: Iterable[BotSummary]) -> None:
        """Add the errors of further games."""
        for summary in summaries:
            self._bots.setdefault(summary.bot, BotSummary(summary.bot)).merge(summary)

    def of_bot(self, bot: str) -> BotSummary | None:
        """Return the errors of a bot; None if none of its games is analysed."""
        return self._bots.get(bot)

    @property
    def games(self) -> int:
        """The number of analysed games."""
        return sum(summary.games for summary in self._bots.values()) // 2

    def encode(self, record: Record, table: MoveTable) -> dict[str, Any] | None:
        """Encode the analysis of a game; None if there is none."""
        for game in self.find(record):
            return encode_game(game, table.pack)
        return None

    def warnings(self) -> list[str]:
        """Describe an analysis that is there and cannot be used."""
        if self._problem:
            return [self._problem]
        if self._index is not None and not self._bots:
            return [
                f"{self._index.path.name} was made from other games, or by another version of the"
                " referee: run `referee analyse` again"
            ]
        return []

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()


def encode_game(
    game: AnalysedGame, pack: Callable[[Sequence[str]], str | list[str]]
) -> dict[str, Any] | None:
    """Encode the analysis of a game; None if its seats do not alternate, as the page expects."""
    if any(ply.seat != 1 + at % 2 for at, ply in enumerate(game.analysis.plies)):
        return None
    return encode_analysis(game.analysis, game.moves, game.opening, pack)


def encode_analysis(
    analysis: GameAnalysis,
    moves: Sequence[str],
    opening: int,
    pack: Callable[[Sequence[str]], str | list[str]],
) -> dict[str, Any]:
    """Encode an analysis; `pack` encodes moves.

    winners  a letter per position: the seat that wins, `=` if it is drawn, `?` if it is unproved
    errors   the plies of the moves that gave a win away, from 1
    counts   for each position that is won by the seat to move: its winning, unproved and legal
             moves
    wins     the winning moves of these positions
    """
    won = [ply for ply in analysis.plies if ply.value is Value.WON]
    return {
        "winners": "".join(map(_winner, analysis.plies)),
        "errors": [ply + 1 for ply in analysis.errors(moves, opening)],
        "counts": [
            count for ply in won for count in (len(ply.winning), len(ply.unproved), ply.legal)
        ],
        "wins": pack([move for ply in won for move in ply.winning]),
    }


def _winner(ply: PlyAnalysis) -> str:
    if ply.winner is not None:
        return str(ply.winner)
    return "=" if ply.value is Value.DRAWN else "?"


def limit_analyses(games: Sequence[EncodedGame]) -> None:
    """Remove the moves that keep a win from the oldest games, if there are too many."""
    room = ALL_KEEPING
    for game in reversed(games):
        analysis = game.extras.get("analysis")
        if analysis is not None:
            room -= len(str(analysis["counts"])) + len(str(analysis["wins"]))
            if room < 0:
                del analysis["counts"], analysis["wins"]
