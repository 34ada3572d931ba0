"""The summary of analysed games per bot: decisions, errors, and values of openings. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from statistics import median
from typing import Any, NamedTuple

from referee.analysis.game_analysis import GameAnalysis
from referee.analysis.verdict import Value


class AnalysedGame(NamedTuple):
    """An analysis, and what is needed of the record of its game."""

    bots: tuple[str, str]
    moves: Sequence[str]
    opening: int
    """Number of opening plies."""
    score: Sequence[float]
    analysis: GameAnalysis


@dataclass(slots=True)
class BotSummary:
    """Counts of one bot. Only its own moves count, not those of the opening."""

    bot: str
    games: int = 0
    moves: int = 0
    proven: int = 0
    """Moves in positions whose value is proven."""
    decisions: int = 0
    """Moves in won positions in which a move gives the win away, and the value of the move played
    is proven."""
    errors: int = 0
    """Decisions in which the win was given away."""
    unpunished: int = 0
    """Errors after which the opponent gave the win back at once, or ended the game by a fault."""
    first_errors: list[int] = field(default_factory=list)
    """For each game with an error of this bot, the ply of its first, counted from 1."""
    openings_won: int = 0
    """Games in which the opening left this bot a won position."""
    openings_lost: int = 0
    decided_by_opening: int = 0
    """Games that were won by the bot that the opening had left a won position, without an error
    of either bot."""

    @property
    def kept(self) -> float | None:
        """The share of decisions without an error; None without decisions."""
        return 1 - self.errors / self.decisions if self.decisions else None

    @property
    def median_first_error(self) -> float | None:
        """The median ply of the first error, over games with one."""
        return median(self.first_errors) if self.first_errors else None

    def merge(self, other: "BotSummary") -> None:
        """Add the counts of further games of this bot."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def to_json(self) -> dict[str, Any]:
        """Convert to an object for JSON."""
        return {
            "bot": self.bot,
            "games": self.games,
            "moves": self.moves,
            "proven": self.proven,
            "decisions": self.decisions,
            "errors": self.errors,
            "kept": self.kept,
            "median_first_error": self.median_first_error,
            "unpunished": self.unpunished,
            "openings_won": self.openings_won,
            "openings_lost": self.openings_lost,
            "decided_by_opening": self.decided_by_opening,
        }


_COUNTS = [one.name for one in fields(BotSummary) if one.name != "bot"]


def summarise(games: Iterable[AnalysedGame]) -> list[BotSummary]:
    """Add up analysed games: one summary per bot, in the order of names."""
    bots: dict[str, BotSummary] = {}
    for game in games:
        pair = [bots.setdefault(bot, BotSummary(bot)) for bot in game.bots]
        _add_game(pair, game)
    return [bots[name] for name in sorted(bots, key=str.casefold)]


def _add_game(pair: Sequence[BotSummary], game: AnalysedGame) -> None:
    errors = game.analysis.errors(game.moves, game.opening)
    plies = game.analysis.plies
    for summary in pair:
        summary.games += 1
    for ply, move in list(enumerate(game.moves))[game.opening :]:
        position = plies[ply]
        summary = pair[position.seat - 1]
        summary.moves += 1
        summary.proven += position.value is not Value.UNPROVED
        summary.decisions += position.is_decision and move not in position.unproved
    has_error: set[int] = set()
    for ply in errors:
        seat = plies[ply].seat
        summary = pair[seat - 1]
        summary.errors += 1
        summary.unpunished += _is_unpunished(game, ply)
        if seat not in has_error:
            has_error.add(seat)
            summary.first_errors.append(ply + 1)
    _add_opening(pair, game, not errors)


def _is_unpunished(game: AnalysedGame, ply: int) -> bool:
    """Return whether the player that erred got the win back at its next turn, or by a fault."""
    plies, seat = game.analysis.plies, game.analysis.plies[ply].seat
    for position in plies[ply + 1 :]:
        if position.seat == seat:
            return position.winner == seat
    return game.score[seat - 1] > game.score[2 - seat]


def _add_opening(pair: Sequence[BotSummary], game: AnalysedGame, without_error: bool) -> None:
    plies = game.analysis.plies
    if game.opening >= len(plies) or plies[game.opening].winner is None:
        return
    winner = plies[game.opening].winner
    assert winner is not None
    pair[winner - 1].openings_won += 1
    pair[2 - winner].openings_lost += 1
    is_won = game.score[winner - 1] > game.score[2 - winner]
    is_proven = all(ply.value is not Value.UNPROVED for ply in plies[game.opening :])
    if without_error and is_won and is_proven:
        for summary in pair:
            summary.decided_by_opening += 1
