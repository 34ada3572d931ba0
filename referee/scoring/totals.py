"""Points, games, wins and faults of each bot, the input of standings and tie-breaks. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from referee.outcome import Score
from referee.scoring.meetings import Meetings, won_and_lost
from referee.scoring.tally import Counts, Tally


@dataclass(frozen=True)
class StandingsRow:
    """The row of one bot in the standings."""

    rank: int
    bot: str
    points: float
    """With the points of byes."""
    byes: float
    """Points of rounds without an opponent."""
    bye_count: int
    """Number of these rounds."""
    games: int
    wins: int
    losses: int
    draws: int
    seat_1: tuple[float, int]
    """Points and games from seat 1."""
    seat_2: tuple[float, int]
    tie_breaks: tuple[float, ...]
    """In the order of `Standings.tie_breaks`."""
    faults: tuple[tuple[str, int], ...]
    """Reason and number, sorted by reason."""


@dataclass(slots=True)
class SeatTotals:
    """The totals of one bot in one seat."""

    points: float = 0.0
    games: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0

    def add(self, own: float, other: float, count: int) -> None:
        """Add games in which the bot scored `own` points and its opponent `other`."""
        won, lost = won_and_lost(own, other)
        self.points += own * count
        self.games += count
        if won:
            self.wins += count
        elif lost:
            self.losses += count
        else:
            self.draws += count


class BotTotals:
    """The totals of each bot, without games of bots that do not count."""

    def __init__(
        self,
        tally: Tally,
        names: set[str],
        board: str | None,
        byes: Mapping[str, float],
        match_games: int,
    ) -> None:
        self.names = names
        self.total = 0
        """Number of games."""
        self._byes = byes
        self._match_games = match_games
        """Number of games of a match, and of points of a bye."""
        self._seats: dict[tuple[str, int], SeatTotals] = defaultdict(SeatTotals)
        """By bot and seat."""
        self._games = [
            (score, {first: _select(row, names) for first, row in counts.items() if first in names})
            for (where, score), counts in tally.games.items()
            if board in (None, where)
        ]
        for score, counts in self._games:
            self._add_games(score, counts)
        self.meetings = Meetings(self._games, names)
        self.faults: dict[str, Counter[str]] = defaultdict(Counter)
        for (where, bot, opponent, reason), count in tally.faults.items():
            if board in (None, where) and bot in names and opponent in names:
                self.faults[bot][reason] += count

    def _add_games(self, score: Score, counts: Counts) -> None:
        """Add all games with one score."""
        one, two = score
        as_second: dict[str, int] = defaultdict(int)
        for first, row in counts.items():
            games = sum(row.values())
            self.total += games
            self._seats[first, 1].add(one, two, games)
            for second, count in row.items():
                as_second[second] += count
        for second, games in as_second.items():
            self._seats[second, 2].add(two, one, games)

    def points(self, bot: str) -> float:
        """Return the points of a bot from both seats and byes."""
        first, second = self._seats[bot, 1], self._seats[bot, 2]
        return first.points + second.points + self._byes.get(bot, 0.0)

    @cached_property
    def sonneborn_berger(self) -> dict[str, float]:
        """The points of each bot, each multiplied by the points of the opponent."""
        points = {bot: self.points(bot) for bot in self.names}
        scores: dict[str, float] = defaultdict(float)
        for (one, two), counts in self._games:
            for first, row in counts.items():
                for second, count in row.items():
                    scores[first] += one * count * points[second]
                    scores[second] += two * count * points[first]
        return scores

    def opponents(self, bot: str) -> list[tuple[float, float]]:
        """List the points of each opponent and the number of matches against it, in order.

        A bye counts as a match against an opponent with the points of the bot itself.
        """
        found = [
            (self.points(opponent), met.games / self._match_games)
            for opponent, met in self.meetings.of(bot).items()
        ]
        if byes := self._byes.get(bot):
            found.append((self.points(bot), byes / self._match_games))
        return sorted(found)

    def wins_from(self, bot: str, seat: int) -> int:
        """Return the number of games that a bot won from a seat."""
        return self._seats[bot, seat].wins

    def row(self, rank: int, bot: str, tie_breaks: tuple[float, ...]) -> StandingsRow:
        """Make the row of a bot."""
        first, second = self._seats[bot, 1], self._seats[bot, 2]
        return StandingsRow(
            rank=rank,
            bot=bot,
            points=self.points(bot),
            byes=self._byes.get(bot, 0.0),
            bye_count=round(self._byes.get(bot, 0.0) / self._match_games),
            games=first.games + second.games,
            wins=first.wins + second.wins,
            losses=first.losses + second.losses,
            draws=first.draws + second.draws,
            seat_1=(first.points, first.games),
            seat_2=(second.points, second.games),
            tie_breaks=tie_breaks,
            faults=tuple(sorted(self.faults[bot].items())),
        )


def _select(row: dict[str, int], names: set[str]) -> dict[str, int]:
    """Select the opponents that count; do not copy if all of them do."""
    return row if row.keys() <= names else {bot: row[bot] for bot in row if bot in names}
