"""Who meets whom: round robin, gauntlet, Swiss and knockout. Pure.

A schedule makes rounds of matches. The next round may depend on the scores of those before, so it
is a generator that is asked for another round when the last one was played; resuming is going
through it again with the scores there are. A match is one or more encounters on every board.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import ceil
from typing import Literal

from referee.matching import pair_by_preference

Pair = tuple[str, str]
Scores = Mapping[tuple[Pair, int], tuple[float, float]]
"""For a pair (in the order of `pair_of`) and the number of an encounter: the points of both."""


def in_name_order(bots: Iterable[str]) -> list[str]:
    """Sort names as the two of a pair are: capital letters make a difference only at the end."""
    return sorted(bots, key=lambda name: (name.casefold(), name))


def pair_of(one: str, two: str) -> Pair:
    """A pair in the order in which it is always named."""
    first, second = in_name_order((one, two))
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
    decisions: "list[Decision]" = field(default_factory=list)
    """Matches of a knockout that this round decided; known when it was played."""


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

    @property
    def planned_encounters(self) -> int:
        """Encounters of a pairing on each board, without play-offs."""
        return self.encounters

    @property
    def most_encounters(self) -> int:
        """The highest number that an encounter can have."""
        return self.encounters

    def place_of(self, pair: Pair) -> tuple[int, int]:
        """Where the match of a pair stands in its round, as numbers that sort like the matches."""
        raise NotImplementedError

    def _first(self, pairs: Sequence[Pair]) -> list[Match]:
        numbers = range(1, self.encounters + 1)
        return [Match(pair, numbers) for pair in pairs]


class RoundRobin(Schedule):
    """Everybody meets everybody."""

    def _make(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        # By name, so that the order of play does not change with the order of the file.
        yield Round("", self._first(list(combinations(in_name_order(self.bots), 2))))

    @property
    def match_count(self) -> int:
        return len(self.bots) * (len(self.bots) - 1) // 2

    @cached_property
    def _places(self) -> dict[str, int]:
        return {bot: place for place, bot in enumerate(in_name_order(self.bots))}

    def place_of(self, pair: Pair) -> tuple[int, int]:
        return self._places[pair[0]], self._places[pair[1]]


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

    @cached_property
    def _places(self) -> dict[str, int]:
        rest = [bot for bot in self.bots if bot not in self.challengers]
        # Challengers are not counted among the others, so their numbers may be the same.
        return {bot: at for bots in (self.challengers, rest) for at, bot in enumerate(bots)}

    def place_of(self, pair: Pair) -> tuple[int, int]:
        one, two = pair if pair[0] in self.challengers else reversed(pair)
        return self._places[one], self._places[two]


@dataclass
class Swiss(Schedule):
    """Each round pairs bots of equal score, upper half against lower half. Two bots meet again only
    where that cannot be avoided, and rematches are spread evenly.
    """

    round_count: int = 1
    win: float = 1.0
    """The points of a won match, which a bye is worth."""

    @property
    def match_count(self) -> int:
        return self.round_count * (len(self.bots) // 2)

    @property
    def planned_encounters(self) -> int:
        return self.encounters * ceil(self.round_count / max(1, len(self.bots) - 1))

    @property
    def most_encounters(self) -> int:
        # Towards the end of a cycle, those who have not met yet may not be pairable: then a few
        # pairings are one meeting ahead of the others.
        ahead = self.encounters if len(self.bots) > 2 else 0
        return min(self.planned_encounters + ahead, self.round_count * self.encounters)

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
        """Of those with the fewest byes, the one without whom the others have the fewest
        rematches; the lowest of several such.
        """
        fewest = min(self.byes.get(bot, 0) for bot in ranked)
        best: tuple[tuple[int, int], str] | None = None
        for bye in reversed(ranked):
            if self.byes.get(bye, 0) > fewest:
                continue
            others = [bot for bot in ranked if bot != bye]
            pairs = _pair_swiss(others, dict.fromkeys(others, 0.0), met)
            before = [met.get(pair, 0) for pair in pairs]
            rematches = sum(count > 0 for count in before), sum(before)
            if best is None or rematches < best[0]:
                best = rematches, bye
            if not rematches[0]:
                break  # no other can be better
        assert best is not None
        return best[1]


def _pair_swiss(
    ranked: Sequence[str], points: Mapping[str, float], met: Mapping[Pair, int]
) -> list[Pair]:
    """Upper half against lower half within each score group; those left over move down."""

    def prefer(one: int, others: Sequence[int]) -> list[int]:
        own = points[ranked[one]]
        group = [other for other in others if points[ranked[other]] == own]
        # With the one who chooses, the group has an upper and a lower half.
        half = (len(group) + 1) // 2
        ordered = group[half - 1 if half else 0 :] + group[: half - 1 if half else 0]
        return ordered + [other for other in others if points[ranked[other]] != own]

    places = {bot: place for place, bot in enumerate(ranked)}
    meetings: dict[tuple[int, int], int] = {}
    for (first, second), count in met.items():
        if first in places and second in places:
            one, two = places[first], places[second]
            meetings[one, two] = meetings[two, one] = count
    pairs = pair_by_preference(len(ranked), prefer, meetings)
    return [pair_of(ranked[one], ranked[two]) for one, two in pairs]


Rule = Literal["score", "play-off", "seed"]


@dataclass(frozen=True, slots=True)
class Decision:
    """How a match of a knockout ended."""

    pair: Pair
    winner: str
    rule: Rule
    """What decided: the encounters of the round, a play-off, or the order of seeding."""
    score: tuple[float, float]
    """The points of both in all encounters, play-offs included."""
    play_offs: int

    @property
    def loser(self) -> str:
        return self.pair[0] if self.winner == self.pair[1] else self.pair[1]


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
    ranking: list[list[str]] = field(default_factory=list)
    """All bots in groups of equal rank, the best first: those who are still in, then those who
    are out, the last to go first."""

    @property
    def match_count(self) -> int:
        return len(self.bots) - 1 + (len(self.bots) >= 4)

    @property
    def most_encounters(self) -> int:
        return 2 * self.encounters

    def _make(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        self.ranking = [list(self.bots)]
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
            decided = yield from self._decide(title, [pair_of(*pair) for pair in pairs], scores)
            winners = {pair: decided[pair_of(*pair)].winner for pair in pairs}
            if len(field) == 4:
                semi_final_losers = [decided[pair_of(*pair)].loser for pair in pairs]
            if len(field) == 2:
                self.champion = winners[pairs[0]]
                loser = decided[pair_of(*pairs[0])].loser
                self.places = [self.champion, loser, *([winners[pairs[1]]] if third else [])]
                return
            field = [
                winners[one, two] if one is not None and two is not None else one or two
                for one, two in matches
            ]
        self.champion = field[0]

    def _decide(
        self, title: str, pairs: list[Pair], scores: Callable[[], Scores]
    ) -> Generator[Round, None, dict[Pair, Decision]]:
        """Play a round, and play-offs of one encounter each for those who are level."""
        decided: dict[Pair, Decision] = {}
        before = self.ranking
        round = Round(title, self._first(pairs))
        for play_offs in range(self.encounters + 1):
            if play_offs:
                level = [pair for pair in pairs if pair not in decided]
                if not level:
                    break
                number = self.encounters + play_offs
                matches = [Match(pair, range(number, number + 1)) for pair in level]
                round = Round(f"{title}, play-off {play_offs}", matches)
            yield round
            for match in round.matches:
                decision = self._decision(match.pair, play_offs, scores())
                if decision is not None:
                    round.decisions.append(decision)
                    decided[match.pair] = decision
            losers = {decision.loser for decision in decided.values()}
            self.ranking = _ranked_below(before, losers)
        return decided

    def _decision(self, pair: Pair, play_offs: int, scores: Scores) -> Decision | None:
        """Decide a match after so many play-offs; None if there is to be another one."""
        # Only what was played by then: scores may have later encounters already.
        one, two = score = Match(pair, range(1, self.encounters + play_offs + 1)).score(scores)
        if one != two:
            winner = pair[0] if one > two else pair[1]
            return Decision(pair, winner, "play-off" if play_offs else "score", score, play_offs)
        if play_offs == self.encounters:
            winner = min(pair, key=list(self.bots).index)
            return Decision(pair, winner, "seed", score, play_offs)
        return None


def _ranked_below(ranking: list[list[str]], losers: set[str]) -> list[list[str]]:
    """Put the losers of each group into a group of their own behind the others."""
    split = (
        part
        for group in ranking
        for part in (
            [bot for bot in group if bot not in losers],
            [bot for bot in group if bot in losers],
        )
    )
    return [part for part in split if part]


def _bracket(size: int) -> list[int]:
    """Seed numbers from top to bottom, so that the best two can only meet in the final."""
    order = [0]
    while len(order) < size:
        last = 2 * len(order) - 1
        order = [seed for number in order for seed in (number, last - number)]
    return order


def _round_title(players: int) -> str:
    return {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}.get(players, f"Round of {players}")
