"""Who meets whom: round robin, gauntlet, Swiss and knockout. Pure.

A schedule makes rounds of matches. The next round may depend on the scores of those before, so it
is a generator that is asked for another round when the last one was played; resuming is going
through it again with the scores there are. A match is one or more encounters on every board.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from referee.matching import pair_by_preference

Pair = tuple[str, str]
Scores = Mapping[tuple[Pair, int], tuple[float, float]]
"""For a pair (in the order of `pair_of`) and the number of an encounter: the points of both."""


def pair_of(one: str, two: str) -> Pair:
    """A pair in the order in which it is always named."""
    first, second = sorted((one, two), key=lambda name: (name.casefold(), name))
    return first, second


@dataclass(frozen=True, slots=True)
class Match:
    """Two bots and the numbers of their encounters."""

    pair: Pair
    numbers: range

    def score(self, scores: Scores) -> tuple[float, float]:
        """The points of both, as far as they have been played."""
        played = [scores.get((self.pair, number), (0.0, 0.0)) for number in self.numbers]
        return sum(one for one, _ in played), sum(two for _, two in played)


@dataclass
class Round:
    """Matches that can be played at the same time."""

    title: str
    matches: list[Match]
    bye: str | None = None
    """Who had no opponent and gets the points of a won match."""


@dataclass
class Schedule:
    """A way to run a tournament; `rounds` grows as it is played."""

    bots: Sequence[str]
    """In the order of the file, which is the order of seeding."""
    encounters: int
    rounds: list[Round] = field(default_factory=list)

    def play(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        """Round after round; ask for the next one when this one was played."""
        for round in self._make(scores):
            self.rounds.append(round)
            yield round

    def _make(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        raise NotImplementedError

    @property
    def byes(self) -> dict[str, int]:
        """How many rounds each bot had no opponent in."""
        found: dict[str, int] = {}
        for round in self.rounds:
            if round.bye is not None:
                found[round.bye] = found.get(round.bye, 0) + 1
        return found

    @property
    def match_count(self) -> int:
        """How many matches there will be, without play-offs."""
        raise NotImplementedError

    def _first(self, pairs: Sequence[Pair]) -> list[Match]:
        numbers = range(1, self.encounters + 1)
        return [Match(pair, numbers) for pair in pairs]


class RoundRobin(Schedule):
    """Everybody meets everybody."""

    def _make(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        # By name, so that the order of play does not change with the order of the file.
        names = sorted(self.bots, key=lambda name: (name.casefold(), name))
        yield Round("", self._first(list(combinations(names, 2))))

    @property
    def match_count(self) -> int:
        return len(self.bots) * (len(self.bots) - 1) // 2


@dataclass
class Gauntlet(Schedule):
    """A few challengers meet all the others."""

    challengers: Sequence[str] = ()

    def _pairs(self) -> list[Pair]:
        rest = [bot for bot in self.bots if bot not in self.challengers]
        return [pair_of(one, two) for one in self.challengers for two in rest]

    def _make(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        yield Round("", self._first(self._pairs()))

    @property
    def match_count(self) -> int:
        return len(self._pairs())


@dataclass
class Swiss(Schedule):
    """Each round pairs bots of equal score, upper half against lower half, nobody twice."""

    round_count: int = 1
    win: float = 1.0
    """The points of a won match, which a bye is worth."""

    @property
    def match_count(self) -> int:
        return self.round_count * (len(self.bots) // 2)

    def _make(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        met: dict[Pair, int] = {}
        for number in range(1, self.round_count + 1):
            points = self._points(scores())
            ranked = sorted(self.bots, key=lambda bot: -points[bot])  # seeds decide equal scores
            bye = self._choose_bye(ranked, met) if len(ranked) % 2 else None
            playing = [bot for bot in ranked if bot != bye]
            pairs = _pair_swiss(playing, points, met)
            matches = []
            for pair in pairs:
                before = met.get(pair, 0)
                start = before * self.encounters + 1
                matches.append(Match(pair, range(start, start + self.encounters)))
                met[pair] = before + 1
            yield Round(f"Round {number}", matches, bye)

    def _points(self, scores: Scores) -> dict[str, float]:
        points = {bot: self.win * self.byes.get(bot, 0) for bot in self.bots}
        for round in self.rounds:
            for match in round.matches:
                for bot, gained in zip(match.pair, match.score(scores), strict=True):
                    points[bot] += gained
        return points

    def _choose_bye(self, ranked: Sequence[str], met: Mapping[Pair, int]) -> str:
        """The lowest who had none yet, and whose absence lets the others meet somebody new."""
        fewest = min(self.byes.get(bot, 0) for bot in ranked)
        candidates = [bot for bot in reversed(ranked) if self.byes.get(bot, 0) == fewest]

        def rematches(bye: str) -> int:
            others = [bot for bot in ranked if bot != bye]
            pairs = _pair_swiss(others, dict.fromkeys(others, 0.0), met)
            return sum(met.get(pair, 0) > 0 for pair in pairs)

        return next((bot for bot in candidates if not rematches(bot)), candidates[0])


def _pair_swiss(
    ranked: Sequence[str], points: Mapping[str, float], met: Mapping[Pair, int]
) -> list[Pair]:
    """Upper half against lower half within each score group; those left over move down."""

    def prefer(one: int, others: Sequence[int]) -> list[int]:
        group = [other for other in others if points[ranked[other]] == points[ranked[one]]]
        # With the one who chooses, the group has an upper and a lower half.
        half = (len(group) + 1) // 2
        ordered = group[half - 1 if half else 0 :] + group[: half - 1 if half else 0]
        return ordered + [other for other in others if other not in set(group)]

    def is_new(one: int, two: int) -> bool:
        return not met.get(pair_of(ranked[one], ranked[two]), 0)

    return [
        pair_of(ranked[a], ranked[b]) for a, b in pair_by_preference(len(ranked), prefer, is_new)
    ]


@dataclass
class Knockout(Schedule):
    """Who loses a match is out. Seeds are far apart, the best of them have byes; the losers of
    the semi-finals play for the third place.

    A match that is level after its encounters goes on, one encounter at a time, for as many again;
    if it is still level the better seed goes through.
    """

    champion: str | None = None
    places: list[str] = field(default_factory=list)
    """Champion, runner-up, and third if there was a match for it."""

    @property
    def match_count(self) -> int:
        return len(self.bots) - 1 + (len(self.bots) >= 4)

    def _make(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        size = 1
        while size < len(self.bots):
            size *= 2
        seeds: list[str | None] = [*self.bots, *[None] * (size - len(self.bots))]
        field = [seeds[number] for number in _bracket(size)]
        semi_final_losers: list[str] = []
        while len(field) > 1:
            matches = list(zip(field[::2], field[1::2], strict=True))
            pairs = [(one, two) for one, two in matches if one is not None and two is not None]
            third = len(field) == 2 and len(semi_final_losers) == 2
            if third:
                pairs.append((semi_final_losers[0], semi_final_losers[1]))
            title = _round_title(len(field)) + (" and third place" if third else "")
            yield from self._decide(title, [pair_of(*pair) for pair in pairs], scores)
            winners = {pair: self._winner(pair_of(*pair), scores()) for pair in pairs}
            if len(field) == 4:
                semi_final_losers = [one if winners[one, two] == two else two for one, two in pairs]
            if len(field) == 2:
                self.champion = winners[pairs[0]]
                loser = next(bot for bot in pairs[0] if bot != self.champion)
                self.places = [self.champion, loser, *([winners[pairs[1]]] if third else [])]
                return
            field = [
                winners[one, two] if one is not None and two is not None else one or two
                for one, two in matches
            ]
        self.champion = field[0]

    def _decide(
        self, title: str, pairs: list[Pair], scores: Callable[[], Scores]
    ) -> Iterator[Round]:
        """A round, and further encounters for those who are level."""
        yield Round(title, self._first(pairs))
        for number in range(self.encounters + 1, 2 * self.encounters + 1):
            level = [pair for pair in pairs if self._is_level(pair, scores())]
            if not level:
                return
            matches = [Match(pair, range(number, number + 1)) for pair in level]
            yield Round(f"{title}, encounter {number}", matches)

    def _score(self, pair: Pair, scores: Scores) -> tuple[float, float]:
        return Match(pair, range(1, 2 * self.encounters + 1)).score(scores)

    def _is_level(self, pair: Pair, scores: Scores) -> bool:
        one, two = self._score(pair, scores)
        return one == two

    def _winner(self, pair: Pair, scores: Scores) -> str:
        one, two = self._score(pair, scores)
        if one == two:
            return min(pair, key=list(self.bots).index)
        return pair[0] if one > two else pair[1]


def _bracket(size: int) -> list[int]:
    """Seed numbers from top to bottom, so that the best two can only meet in the final."""
    order = [0]
    while len(order) < size:
        last = 2 * len(order) - 1
        order = [seed for number in order for seed in (number, last - number)]
    return order


def _round_title(players: int) -> str:
    return {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}.get(players, f"Round of {players}")
