"""Totals of each bot, the input of tie-breaks. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from referee.scoring.meetings import Meetings, won_and_lost
from referee.scoring.tally import Tally


@dataclass(frozen=True)
class StandingsRow:
    """One bot's line in the standings."""

    rank: int
    bot: str
    points: float
    """Those for byes included."""
    byes: float
    """Points for rounds without an opponent."""
    games: int
    wins: int
    losses: int
    draws: int
    seat_1: tuple[float, int]
    """Points and games from seat 1."""
    seat_2: tuple[float, int]
    tie_breaks: tuple[float, ...]
    """In the order of the declared list."""
    faults: tuple[tuple[str, int], ...]
    """Reason and count, by reason."""


class BotTotals:
    """A tally seen from each bot, without those that do not count."""

    def __init__(
        self, tally: Tally, names: set[str], board: str | None, byes: Mapping[str, float]
    ) -> None:
        self.total = 0
        self.names = names
        self._byes = byes
        self._seats: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, 0, 0, 0, 0])
        self._games = [
            (score, {first: _among(names, row) for first, row in counts.items() if first in names})
            for (where, score), counts in tally.games.items()
            if board in (None, where)
        ]
        for (one, two), counts in self._games:
            as_first = {first: sum(row.values()) for first, row in counts.items()}
            as_second: dict[str, int] = defaultdict(int)
            for row in counts.values():
                for second, count in row.items():
                    as_second[second] += count
            self._add(1, one, two, as_first)
            self._add(2, two, one, as_second)
            self.total += sum(as_first.values())
        self.meetings = Meetings(self._games, names)
        self.faults: dict[str, Counter[str]] = defaultdict(Counter)
        for (where, bot, opponent, reason), count in tally.faults.items():
            if board in (None, where) and bot in names and opponent in names:
                self.faults[bot][reason] += count

    def _add(self, seat: int, mine: float, theirs: float, games: Mapping[str, int]) -> None:
        """Count the games that ended so for the bots in this seat."""
        won, lost = won_and_lost(mine, theirs)
        for bot, count in games.items():
            line = self._seats[bot, seat]
            line[0] += mine * count
            line[1] += count
            line[2] += won * count
            line[3] += lost * count
            line[4] += (not won and not lost) * count

    def points(self, bot: str) -> float:
        return self._seats[bot, 1][0] + self._seats[bot, 2][0] + self._byes.get(bot, 0.0)

    @cached_property
    def sonneborn_berger(self) -> dict[str, float]:
        """Everybody's points, each weighted by the points of the opponent."""
        points = {bot: self.points(bot) for bot in self.names}
        scores: dict[str, float] = defaultdict(float)
        for (one, two), counts in self._games:
            for first, row in counts.items():
                for second, count in row.items():
                    scores[first] += one * count * points[second]
                    scores[second] += two * count * points[first]
        return scores

    def wins_from(self, bot: str, seat: int) -> float:
        return self._seats[bot, seat][2]

    def row(self, rank: int, bot: str, tie_breaks: tuple[float, ...]) -> StandingsRow:
        first, second = self._seats[bot, 1], self._seats[bot, 2]
        both = [int(one + two) for one, two in zip(first[1:], second[1:], strict=True)]
        games, wins, losses, draws = both
        return StandingsRow(
            rank=rank,
            bot=bot,
            points=self.points(bot),
            byes=self._byes.get(bot, 0.0),
            games=games,
            wins=wins,
            losses=losses,
            draws=draws,
            seat_1=(first[0], int(first[1])),
            seat_2=(second[0], int(second[1])),
            tie_breaks=tie_breaks,
            faults=tuple(sorted(self.faults[bot].items())),
        )


def _among(names: set[str], row: dict[str, int]) -> dict[str, int]:
    """The opponents that count; usually all of them, and then this is no copy."""
    return row if row.keys() <= names else {bot: row[bot] for bot in row if bot in names}
