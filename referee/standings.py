"""Records in, tables out: a fold over games, whatever their order. Pure.

A `Tally` counts; everything else is computed from its counts each time it is asked for. Points are
kept in halves so that sums are exact.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

Record = Mapping[str, Any]


class Tally:
    """What the games of a tournament add up to."""

    def __init__(self) -> None:
        self.games: Counter[tuple[str, str, str, tuple[float, float]]] = Counter()
        """How often a board, a bot in seat 1, a bot in seat 2 and a score came together."""
        self.faults: Counter[tuple[str, str, str, str]] = Counter()
        """How often a board, a bot, its opponent and the reason of its fault came together."""
        self.faults_of_bot: Counter[str] = Counter()
        self.repeated: Counter[tuple[str, str, str]] = Counter()
        """Per board and seats, games with the same moves as an earlier one."""
        self._seen: set[int] = set()

    def add(self, record: Record) -> None:
        """Count one game."""
        board = board_of(record)
        first, second = record["bots"]
        one, two = record["score"]
        self.games[board, first, second, (one, two)] += 1
        for fault in faults_of(record):
            seat = fault["seat"]
            bot, opponent = (first, second) if seat == 1 else (second, first)
            self.faults[board, bot, opponent, fault["reason"]] += 1
            self.faults_of_bot[bot] += 1
        moves = hash((board, first, second, tuple(record["moves"])))
        if moves in self._seen:
            self.repeated[board, first, second] += 1
        self._seen.add(moves)


def board_of(record: Record) -> str:
    """A record's variant and size: `standoff-5x5`."""
    return f"{record['variant']}-{record['rows']}x{record['cols']}"


def faults_of(record: Record) -> list[dict[str, Any]]:
    """The faults of a game: none, one, or both bots'."""
    if "faults" in record:
        return list(record["faults"])
    return [record["fault"]] if record["fault"] else []


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


@dataclass(frozen=True, slots=True)
class Meeting:
    """What one bot achieved against another."""

    points: float
    wins: int
    losses: int
    games: int


@dataclass(frozen=True)
class Standings:
    """The table of one board, or of all."""

    rows: tuple[Row, ...]
    tie_breaks: tuple[str, ...]
    withdrawn: tuple[str, ...]
    """Bots whose games do not count."""
    meetings: dict[tuple[str, str], Meeting]
    games: int
    repeated: int


def make_standings(
    tally: Tally,
    bots: Iterable[str],
    tie_breaks: Sequence[str],
    withdrawn: Iterable[str] = (),
    board: str | None = None,
    byes: Mapping[str, float] | None = None,
) -> Standings:
    """The standings of one board, or of all of them together; byes are points without games."""
    gone = set(withdrawn)
    names = [bot for bot in bots if bot not in gone]
    counts = _Counts(tally, set(names), board, byes or {})
    groups = [sorted(names, key=lambda bot: (bot.casefold(), bot))]
    groups = _split(groups, lambda group: {bot: counts.points(bot) for bot in group})
    values: dict[str, list[float]] = {bot: [] for bot in names}
    for tie_break in tie_breaks:
        measure = TIE_BREAKS[tie_break]
        for group in groups:
            for bot, value in measure(counts, group).items():
                values[bot].append(value)
        groups = _split(groups, partial(measure, counts))
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
        repeated=counts.repeated,
    )


class _Counts:
    """A tally seen from each bot, without those that do not count."""

    def __init__(
        self, tally: Tally, names: set[str], board: str | None, byes: Mapping[str, float]
    ) -> None:
        self.total = 0
        self._byes = byes
        self._seats: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, 0, 0, 0, 0])
        pairs: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0, 0, 0])
        for (where, first, second, score), count in tally.games.items():
            if board not in (None, where) or first not in names or second not in names:
                continue
            self.total += count
            for bot, opponent, seat in ((first, second, 1), (second, first, 2)):
                mine, theirs = score[seat - 1], score[2 - seat]
                won, lost = mine > theirs, mine < theirs or mine == theirs == 0
                points, wins, losses = mine * count, won * count, lost * count
                line = self._seats[bot, seat]
                line[0] += points
                line[1] += count
                line[2] += wins
                line[3] += losses
                line[4] += count - wins - losses
                pair = pairs[bot, opponent]
                pair[0] += points
                pair[1] += wins
                pair[2] += losses
                pair[3] += count
        self.meetings = {
            pair: Meeting(points, int(wins), int(losses), int(games))
            for pair, (points, wins, losses, games) in pairs.items()
        }
        self.repeated = sum(
            count
            for (where, first, second), count in tally.repeated.items()
            if board in (None, where) and first in names and second in names
        )
        self.faults: dict[str, Counter[str]] = defaultdict(Counter)
        for (where, bot, opponent, reason), count in tally.faults.items():
            if board in (None, where) and bot in names and opponent in names:
                self.faults[bot][reason] += count

    def points(self, bot: str) -> float:
        return self._seats[bot, 1][0] + self._seats[bot, 2][0] + self._byes.get(bot, 0.0)

    @cached_property
    def sonneborn_berger(self) -> dict[str, float]:
        """Everybody's points, each weighted by the points of the opponent."""
        points = {bot: self.points(bot) for pair in self.meetings for bot in pair}
        scores: dict[str, float] = defaultdict(float)
        for (bot, opponent), meeting in self.meetings.items():
            scores[bot] += meeting.points * points[opponent]
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


Measure = Callable[[_Counts, Sequence[str]], dict[str, float]]
"""A tie-break: a number for each bot of a group that is equal so far; more is better."""


def head_to_head(counts: _Counts, group: Sequence[str]) -> dict[str, float]:
    """Points from the games among the bots that are equal."""
    return {
        bot: sum(
            counts.meetings[bot, other].points for other in group if (bot, other) in counts.meetings
        )
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


def _split(
    groups: list[list[str]], measure: Callable[[Sequence[str]], dict[str, float]]
) -> list[list[str]]:
    """Each group of equals in smaller groups, the better first; names keep their order."""
    finer: list[list[str]] = []
    for group in groups:
        values = measure(group)
        for value in sorted(set(values.values()), reverse=True):
            finer.append([bot for bot in group if values[bot] == value])
    return finer
