"""Counts of all games of a tournament, the input of standings. Pure."""

from collections import Counter

from referee.outcome import Score
from referee.records.summary import GameSummary

Counts = dict[str, dict[str, int]]
"""Number of games by the bot in seat 1 and the bot in seat 2."""


class Tally:
    """Number of games and faults of a tournament."""

    def __init__(self) -> None:
        self.games: dict[tuple[str, Score], Counts] = {}
        """Number of games by board and score, then by seats."""
        self.faults: Counter[tuple[str, str, str, str]] = Counter()
        """Number of faults by board, bot, opponent and reason."""
        self._names: dict[str, str] = {}
        """Each name once: every record has new strings."""

    def add(self, game: GameSummary) -> None:
        """Add one game."""
        first, second = game.bots
        counts = self.games.setdefault((game.board, game.score), {})
        row = counts.get(first)
        if row is None:
            row = counts[first] = {}
        if second in row:
            row[second] += 1
        else:
            row[self._names.setdefault(second, second)] = 1
        for seat, reason in game.faults:
            bot, opponent = (first, second) if seat == 1 else (second, first)
            self.faults[game.board, bot, opponent, reason] += 1
