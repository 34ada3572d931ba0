"""Head-to-head results of all pairs of bots. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import repeat
from typing import NamedTuple

from referee.outcome import Score
from referee.scoring.tally import Counts


class Meeting(NamedTuple):
    """What one bot achieved against another."""

    points: float
    wins: int
    losses: int
    games: int


NOT_MET = Meeting(0.0, 0, 0, 0)


class Meetings(Mapping[tuple[str, str], Meeting]):
    """What each bot achieved against each other one.

    A view of a tally's counts, good until the next game is counted. Ask for a bot at a time: that
    is what `of` is made for.
    """

    def __init__(self, games: Sequence[tuple[Score, Counts]], names: Iterable[str]) -> None:
        """The games that count, and all bots, whether they met anybody or not."""
        self._games = games
        self._names = sorted(names)

    @cached_property
    def _by_seat(self) -> list[tuple[Score, Counts, Counts]]:
        """Each score with its games, by the bot in seat 1 and by that in seat 2."""
        return [(score, counts, _turned(counts)) for score, counts in self._games]

    def of(self, bot: str) -> dict[str, Meeting]:
        """What a bot achieved against each that it met, in no order."""
        found: dict[str, Meeting] = {}
        for (one, two), of_seat_1, of_seat_2 in self._by_seat:
            for mine, theirs, counts in ((one, two, of_seat_1), (two, one, of_seat_2)):
                met = counts.get(bot, {})
                before = map(found.get, met, repeat(NOT_MET))
                after = map(_add_games, before, repeat(mine), repeat(theirs), met.values())
                found.update(zip(met, after, strict=True))
        return found

    def in_order(self) -> Iterator[tuple[str, str, float, int, int, int]]:
        """Bot, opponent and what came of it, by name."""
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


def _turned(counts: Counts) -> Counts:
    """The same games, by the bot in seat 2."""
    turned: Counts = defaultdict(dict)
    for first, row in counts.items():
        for second, count in row.items():
            turned[second][first] = count
    return turned


@lru_cache(maxsize=10_000)  # The same few results come again and again.
def _add_games(before: Meeting, mine: float, theirs: float, count: int) -> Meeting:
    won, lost = _won_and_lost(mine, theirs)
    points, wins, losses, games = before
    return Meeting(points + mine * count, wins + won * count, losses + lost * count, games + count)


def _won_and_lost(mine: float, theirs: float) -> tuple[bool, bool]:
    return mine > theirs, mine < theirs or mine == theirs == 0
