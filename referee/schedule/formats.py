"""Tournament formats: schedules, rounds and matches; round robin and gauntlet. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Literal

Pair = tuple[str, str]
Scores = Mapping[tuple[Pair, int], tuple[float, float]]
"""Points of both bots by pair (see `ordered_pair`) and number of the encounter."""

Rule = Literal["score", "play-off", "seed"]


def in_name_order(bots: Iterable[str]) -> list[str]:
    """Sort names without regard to case; case decides between names that are equal otherwise."""
    return sorted(bots, key=lambda name: (name.casefold(), name))


def ordered_pair(one: str, two: str) -> Pair:
    """Return two names in the order of all pairs."""
    first, second = in_name_order((one, two))
    return first, second


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match of a knockout."""

    pair: Pair
    winner: str
    rule: Rule
    """How it was decided: by the encounters of the round, a play-off, or the seeding."""
    score: tuple[float, float]
    """The points of both in all encounters, play-offs included."""
    play_offs: int

    @property
    def loser(self) -> str:
        """The bot of the pair that is not the winner."""
        return self.pair[0] if self.winner == self.pair[1] else self.pair[1]


@dataclass(frozen=True, slots=True)
class Match:
    """Two bots and the numbers of their encounters."""

    pair: Pair
    numbers: range
    pairing: int = 0
    """Number of the pairing, in the order of first meetings, from 0 on; openings depend on it."""

    def score(self, scores: Scores) -> tuple[float, float]:
        """Add up the points of both bots; encounters without a result count as 0."""
        played = [scores.get((self.pair, number), (0.0, 0.0)) for number in self.numbers]
        return sum(one for one, _ in played), sum(two for _, two in played)


@dataclass
class Round:
    """Matches that can be played at the same time."""

    title: str
    matches: list[Match]
    bye: str | None = None
    """Bot without an opponent, which gets the points of a won match."""
    results: "list[MatchResult]" = field(default_factory=list)
    """Results of the matches of a knockout that this round decided; empty until it was played."""


@dataclass
class Schedule:
    """A tournament format with its bots; `rounds` grows while it is played."""

    bots: Sequence[str]
    """In the order of the tournament file, which is the seeding."""
    encounters: int
    rounds: list[Round] = field(default_factory=list)

    def play(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        """Iterate over the rounds; the next one may need the scores of this one."""
        for next_round in self._make_rounds(scores):
            self.rounds.append(next_round)
            yield next_round

    def _make_rounds(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        raise NotImplementedError

    @property
    def byes(self) -> dict[str, int]:
        """Number of byes of each bot that had any."""
        byes = [played.bye for played in self.rounds if played.bye is not None]
        return dict(Counter(byes))

    @property
    def match_count(self) -> int:
        """Number of matches of the tournament, without play-offs."""
        raise NotImplementedError

    @property
    def planned_encounters(self) -> int:
        """Encounters of a pairing on each board, without play-offs."""
        return self.encounters

    @property
    def most_encounters(self) -> int:
        """The highest possible number of an encounter of a pairing."""
        return self.encounters

    def sort_key(self, pair: Pair) -> tuple[int, int]:
        """Return a sort key of a pair that orders matches as they are ordered in their round."""
        raise NotImplementedError

    def _first_matches(self, pairs: Sequence[Pair], first_pairing: int = 0) -> list[Match]:
        """Make a match of each pair, with its first encounters; pairings count from this number."""
        numbers = range(1, self.encounters + 1)
        return [Match(pair, numbers, at) for at, pair in enumerate(pairs, start=first_pairing)]


class RoundRobin(Schedule):
    """Each bot meets each other bot."""

    def _make_rounds(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        # By name, so that the order of play does not change with the order of the file.
        yield Round("", self._first_matches(list(combinations(in_name_order(self.bots), 2))))

    @property
    def match_count(self) -> int:
        """Number of pairs."""
        return len(self.bots) * (len(self.bots) - 1) // 2

    @cached_property
    def _places(self) -> dict[str, int]:
        return {bot: place for place, bot in enumerate(in_name_order(self.bots))}

    def sort_key(self, pair: Pair) -> tuple[int, int]:
        """Return the places of both in the order of names."""
        return self._places[pair[0]], self._places[pair[1]]


@dataclass
class Gauntlet(Schedule):
    """Each challenger meets each bot that is none."""

    challengers: Sequence[str] = ()

    def _pairs(self) -> list[Pair]:
        rest = [bot for bot in self.bots if bot not in self.challengers]
        return [ordered_pair(one, two) for one in self.challengers for two in rest]

    def _make_rounds(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        yield Round("", self._first_matches(self._pairs()))

    @property
    def match_count(self) -> int:
        """Number of challengers times number of other bots."""
        return len(self._pairs())

    @cached_property
    def _places(self) -> dict[str, int]:
        rest = [bot for bot in self.bots if bot not in self.challengers]
        # Challengers and others are numbered separately.
        return {bot: at for bots in (self.challengers, rest) for at, bot in enumerate(bots)}

    def sort_key(self, pair: Pair) -> tuple[int, int]:
        """Return the places of the challenger among challengers and of the other among others."""
        one, two = pair if pair[0] in self.challengers else reversed(pair)
        return self._places[one], self._places[two]
