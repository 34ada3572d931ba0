"""Records in, tables out: a fold over games, whatever their order. Pure.

A `Tally` counts; everything else is computed from its counts each time it is asked for. Points are
kept in halves so that sums are exact. A thousand bots are a million pairings: of these there are
counts and nothing more, and what two bots did against each other is put together for who asks.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import repeat
from typing import NamedTuple

from referee.evidence import Score
from referee.gist import Gist

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

    def add(self, game: Gist) -> None:
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


@dataclass(frozen=True)
class Row:
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


@dataclass(frozen=True)
class Standings:
    """The table of one board, or of all."""

    rows: tuple[Row, ...]
    tie_breaks: tuple[str, ...]
    withdrawn: tuple[str, ...]
    """Bots whose games do not count."""
    meetings: Meetings
    games: int


def make_standings(
    tally: Tally,
    bots: Iterable[str],
    tie_breaks: Sequence[str],
    withdrawn: Iterable[str] = (),
    board: str | None = None,
    byes: Mapping[str, float] | None = None,
    bracket: Sequence[Sequence[str]] = (),
) -> Standings:
    """The standings of one board, or of all of them together; byes are points without games.

    With a bracket, which has all bots in groups of equal rank, the ranks are those of its groups;
    points and tie-breaks order the rows of a group.
    """
    gone = set(withdrawn)
    names = [bot for bot in bots if bot not in gone]
    counts = _Counts(tally, set(names), board, byes or {})
    groups = [sorted(names, key=lambda bot: (bot.casefold(), bot))]
    groups = _split(groups, {bot: counts.points(bot) for bot in names})
    values: dict[str, list[float]] = {bot: [] for bot in names}
    for tie_break in tie_breaks:
        measured: dict[str, float] = {}
        for group in groups:
            measured |= TIE_BREAKS[tie_break](counts, group)
        for bot, value in measured.items():
            values[bot].append(value)
        groups = _split(groups, measured)
    if bracket:
        places = {bot: place for place, group in enumerate(bracket) for bot in group}
        ordered = [bot for group in groups for bot in group]
        groups = [[bot for bot in ordered if places[bot] == at] for at in range(len(bracket))]
    rows: list[Row] = []
    for group in groups:
        rank = len(rows) + 1
        rows += [counts.row(rank, bot, tuple(values[bot])) for bot in group]
    return Standings(
        rows=tuple(rows),
        tie_breaks=tuple(tie_breaks),
        withdrawn=tuple(sorted(gone & set(bots), key=str.casefold)),
        meetings=counts.meetings,
        games=counts.total,
    )


class _Counts:
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
        won, lost = _won_and_lost(mine, theirs)
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

    def row(self, rank: int, bot: str, tie_breaks: tuple[float, ...]) -> Row:
        first, second = self._seats[bot, 1], self._seats[bot, 2]
        both = [int(one + two) for one, two in zip(first[1:], second[1:], strict=True)]
        games, wins, losses, draws = both
        return Row(
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


Measure = Callable[[_Counts, Sequence[str]], dict[str, float]]
"""A tie-break: a number for each bot of a group that is equal so far; more is better."""


def head_to_head(counts: _Counts, group: Sequence[str]) -> dict[str, float]:
    """Points from the games among the bots that are equal."""
    meetings = counts.meetings
    return {
        bot: sum(met.points for other in group if (met := meetings.get((bot, other))) is not None)
        for bot in group
    }


def sonneborn_berger(counts: _Counts, group: Sequence[str]) -> dict[str, float]:
    """Points weighted by the opponents' points: who scored against the strong ones."""
    return {bot: counts.sonneborn_berger[bot] for bot in group}


def fewest_faults(counts: _Counts, group: Sequence[str]) -> dict[str, float]:
    """Minus the number of faults."""
    return {bot: -float(counts.faults[bot].total()) for bot in group}


def wins_from_seat_2(counts: _Counts, group: Sequence[str]) -> dict[str, float]:
    """Games won when moving second."""
    return {bot: counts.wins_from(bot, 2) for bot in group}


TIE_BREAKS: dict[str, Measure] = {
    "head-to-head": head_to_head,
    "sonneborn-berger": sonneborn_berger,
    "fewest-faults": fewest_faults,
    "wins-from-seat-2": wins_from_seat_2,
}


def _split(groups: list[list[str]], values: Mapping[str, float]) -> list[list[str]]:
    """Each group of equals in smaller groups, the better first; names keep their order."""
    finer: list[list[str]] = []
    for group in groups:
        for value in sorted({values[bot] for bot in group}, reverse=True):
            finer.append([bot for bot in group if values[bot] == value])
    return finer
