"""Formats of a tournament: rounds of matches. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Literal

Pair = tuple[str, str]
Scores = Mapping[tuple[Pair, int], tuple[float, float]]
"""By pair (see `ordered_pair`) and number of an encounter: the points of both."""


Rule = Literal["score", "play-off", "seed"]


def in_name_order(bots: Iterable[str]) -> list[str]:
    """Sort names as the two of a pair are: capital letters make a difference only at the end."""
    return sorted(bots, key=lambda name: (name.casefold(), name))


def ordered_pair(one: str, two: str) -> Pair:
    """A pair in the order in which it is always named."""
    first, second = in_name_order((one, two))
    return first, second


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
        return [ordered_pair(one, two) for one in self.challengers for two in rest]

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
