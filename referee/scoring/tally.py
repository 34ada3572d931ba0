"""Counts of all games of a tournament. Pure."""

from collections import Counter

from referee.outcome import Score
from referee.records.summary import GameSummary

Counts = dict[str, dict[str, int]]
"""How often a bot in seat 1 met another in seat 2."""


class Tally:
    """What the games of a tournament add up to."""

    def __init__(self) -> None:
        self.games: dict[tuple[str, Score], Counts] = {}
        """For each board and score, how often who met whom."""
        self.faults: Counter[tuple[str, str, str, str]] = Counter()
        """How often a board, a bot, its opponent and the reason of its fault came together."""
        self._names: dict[str, str] = {}
        """Each name once: every record brings strings of its own."""

    def add(self, game: GameSummary) -> None:
        """Count one game."""
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
