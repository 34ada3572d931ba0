"""Head-to-head results of all pairs of bots. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from referee.outcome import Score
from referee.scoring.tally import Counts


class Meeting(NamedTuple):
    """The results of one bot against another."""

    points: float
    wins: int
    losses: int
    games: int


NOT_MET = Meeting(0.0, 0, 0, 0)


class Meetings(Mapping[tuple[str, str], Meeting]):
    """The results of each bot against each other bot, computed on demand.

    A view of the counts of a tally, valid until the next game is added. `of` computes all results
    of a bot at once, which is much faster than one by one.
    """

    def __init__(self, games: Sequence[tuple[Score, Counts]], names: Iterable[str]) -> None:
        """Initialize from the games that count and the names of all bots."""
        self._games = games
        self._names = sorted(names)

    @cached_property
    def _by_seat(self) -> list[tuple[Score, Counts, Counts]]:
        """Each score with its games by the bot in seat 1, and by the bot in seat 2."""
        return [(score, counts, _by_second(counts)) for score, counts in self._games]

    def of(self, bot: str) -> dict[str, Meeting]:
        """Return the results of a bot by opponent, in no order."""
        found: dict[str, Meeting] = {}
        for (one, two), of_seat_1, of_seat_2 in self._by_seat:
            for own, other, counts in ((one, two, of_seat_1), (two, one, of_seat_2)):
                for opponent, count in counts.get(bot, {}).items():
                    before = found.get(opponent, NOT_MET)
                    found[opponent] = _add_games(before, own, other, count)
        return found

    def in_order(self) -> Iterator[tuple[str, str, float, int, int, int]]:
        """Iterate over bot, opponent and the fields of their Meeting, sorted by names."""
        for bot in self._names:
            met = self.of(bot)
            for opponent in sorted(met):
                yield bot, opponent, *met[opponent]

    def __getitem__(self, pair: tuple[str, str]) -> Meeting:
        bot, opponent = pair
        found = NOT_MET
        for (one, two), counts in self._games:
            if count := counts.get(bot, {}).get(opponent):
                found = _add_games(found, one, two, count)
            if count := counts.get(opponent, {}).get(bot):
                found = _add_games(found, two, one, count)
        if found is NOT_MET:
            raise KeyError(pair)
        return found

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((bot, opponent) for bot in self._names for opponent in self.of(bot))

    def __len__(self) -> int:
        return sum(len(self.of(bot)) for bot in self._names)


def _by_second(counts: Counts) -> Counts:
    """Index games by the bot in seat 2 instead of seat 1."""
    turned: Counts = defaultdict(dict)
    for first, row in counts.items():
        for second, count in row.items():
            turned[second][first] = count
    return turned


@lru_cache(maxsize=10_000)  # A million meetings have few different values.
def _add_games(before: Meeting, own: float, other: float, count: int) -> Meeting:
    """Add games in which the bot scored `own` points and its opponent `other`."""
    won, lost = won_and_lost(own, other)
    points, wins, losses, games = before
    return Meeting(points + own * count, wins + won * count, losses + lost * count, games + count)


def won_and_lost(own: float, other: float) -> tuple[bool, bool]:
    """Return whether a game is won, and whether it is lost; a game can be lost by both."""
    return own > other, own < other or own == other == 0
