"""Is the new version better? A sequential test on encounters that stops as soon as it knows.

One idea: after each encounter the evidence for a gain of `elo1` against one of only `elo0` is
weighed, and play goes on until it passes a bound. Counts come in, a verdict goes out; who plays and
when is unknown here. docs/statistics.md explains each number and names its source.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

Counts = tuple[int, int, int, int, int]
"""How many encounters gave the first bot 0, 0.5, 1, 1.5 and 2 points."""

NONE_PLAYED: Counts = (0, 0, 0, 0, 0)
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of an encounter, as a share of its two points
UNSEEN = 1e-3  # stands for a count of 0, as in fishtest
NEAREST = 1e-3  # a score is at least this far from 0 and from 1, as in fishtest
SLACK = 0.25  # a sum of squares that keeps a few equal results from looking certain
MIN_DISTINCT_GAMES = 10  # encounters


class Decision(StrEnum):
    """What the test says so far."""

    PLAY_ON = "play on"
    BETTER = "better"  # elo1 is accepted
    NOT_BETTER = "not better"  # elo0 is accepted


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """The question: is the difference `elo1` or only `elo0`, and how often may the answer err?"""

    elo0: float
    elo1: float
    alpha: float = 0.05  # how often "better" may be wrong if the difference is elo0
    beta: float = 0.05  # how often "not better" may be wrong if it is elo1

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise ValueError("elo0 must be below elo1, and both from -1000 to 1000")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta must lie between 0 and 0.5")

    @property
    def lower(self) -> float:
        """At this log-likelihood ratio `elo0` is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At this log-likelihood ratio `elo1` is accepted."""
        return math.log((1 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the first bot looks, whatever is being tested."""

    elo: float
    low: float  # the ends of the 95 % interval
    high: float
    superiority: float  # the likelihood that it is the better one; 0.1 to 99.9 percent
    note: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a test stands."""

    decision: Decision
    llr: float
    lower: float
    upper: float
    encounters: int
    difference: Difference


def add_encounter(counts: Counts, own: float, other: float) -> Counts:
    """Count an encounter by the points of both bots; a game that both lost weighs like a draw."""
    index = round(own - other) + 2
    return tuple(count + (place == index) for place, count in enumerate(counts))  # type: ignore[return-value]


def decide(test: SequentialTest, counts: Counts) -> Verdict:
    """Weigh the evidence after these encounters."""
    llr = log_likelihood_ratio(test.elo0, test.elo1, counts)
    decision = Decision.PLAY_ON
    if llr >= test.upper:
        decision = Decision.BETTER
    elif llr <= test.lower:
        decision = Decision.NOT_BETTER
    return Verdict(decision, llr, test.lower, test.upper, sum(counts), difference(counts))


def expected_score(elo: float) -> float:
    """The share of the points that a lead of so much Elo brings."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The lead that a share of the points stands for; finite for 0 and 1 too."""
    score = min(max(score, NEAREST), 1 - NEAREST)
    return 400 * math.log10(score / (1 - score))


def log_likelihood_ratio(elo0: float, elo1: float, counts: Counts) -> float:
    """The evidence for `elo1` against `elo0`, each with the draw rates that suit it best."""
    if not any(counts):
        return 0.0
    shares = [count or UNSEEN for count in counts]
    score0, score1 = expected_score(elo0), expected_score(elo1)
    tilt0, tilt1 = _tilt(shares, score0), _tilt(shares, score1)
    return sum(
        share * math.log((1 + tilt0 * (score - score0)) / (1 + tilt1 * (score - score1)))
        for share, score in zip(shares, SCORES, strict=True)
    )


def _tilt(shares: Iterable[float], mean: float) -> float:
    """Solve sum(share * d / (1 + tilt * d)) = 0 with d = score - mean.

    The likeliest distribution with that mean has shares in proportion to share / (1 + tilt * d)
    (Van den Bergh, proposition 1.1). The sum falls as the tilt grows, from one pole to the other.
    """
    terms = [(share, score - mean) for share, score in zip(shares, SCORES, strict=True)]
    low, high = -1 / (1 - mean), 1 / mean
    tilt = 0.0
    for _ in range(200):
        value = slope = 0.0
        for share, distance in terms:
            part = distance / (1 + tilt * distance)
            value += share * part
            slope -= share * part * part
        low, high = (tilt, high) if value > 0 else (low, tilt)
        newton = tilt - value / slope
        # Newton's step if it stays inside the bracket, else the middle.
        following = newton if low < newton < high else (low + high) / 2
        if abs(following - tilt) <= 1e-12 * (1 + abs(tilt)):
            break
        tilt = following
    return tilt


def difference(counts: Counts) -> Difference:
    """The Elo difference with its error bars, encounters taken as independent."""
    encounters = sum(counts)
    if not encounters:
        return Difference(0.0, elo_of(0), elo_of(1), 50.0, "no encounters yet")
    pairs = list(zip(counts, SCORES, strict=True))
    mean = sum(count * score for count, score in pairs) / encounters
    squares = sum(count * (score - mean) ** 2 for count, score in pairs)
    error = math.sqrt((squares + SLACK) / encounters**2)
    reach = NormalDist().inv_cdf(0.975) * error
    chance = 100 * NormalDist().cdf((mean - 0.5) / error)
    return Difference(
        elo=elo_of(mean),
        low=elo_of(mean - reach),
        high=elo_of(mean + reach),
        superiority=min(max(chance, 0.1), 99.9),
        note=f"too few encounters: {encounters}" if encounters < MIN_DISTINCT_GAMES else None,
    )
