"""Sequential probability ratio test of two bots on encounters. Pure.

After each encounter, the log-likelihood ratio of the differences `elo1` and `elo0` is computed from
the counts of results; the test ends when it passes a bound. docs/statistics.md explains each number
and names its source.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

Counts = tuple[int, int, int, int, int]
"""Number of encounters in which the first bot scored 0, 0.5, 1, 1.5 and 2 points."""

NONE_PLAYED: Counts = (0, 0, 0, 0, 0)
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of an encounter, as a fraction of its two points
ZERO_COUNT = 1e-3  # replaces a count of 0, as in fishtest
MIN_SCORE = 1e-3  # scores are clipped to this distance from 0 and 1, as in fishtest
EXTRA_SQUARES = 0.25  # added to the sum of squares, which is 0 for a few equal results
MIN_ENCOUNTERS = 10  # results of fewer get a note


class Decision(StrEnum):
    """State of a test."""

    PLAY_ON = "play on"
    BETTER = "better"  # elo1 is accepted
    NOT_BETTER = "not better"  # elo0 is accepted


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """The hypotheses `elo0` and `elo1` about the difference, and the error rates."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # probability of "better" if the difference is elo0
    beta: float = 0.05  # probability of "not better" if it is elo1

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise ValueError("elo0 must be below elo1, and both from -1000 to 1000")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta must lie between 0 and 0.5")

    @property
    def lower(self) -> float:
        """Log-likelihood ratio at which `elo0` is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Log-likelihood ratio at which `elo1` is accepted."""
        return math.log((1 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True)
class Difference:
    """The estimated Elo difference of two bots."""

    elo: float
    low: float  # the ends of the 95 % interval
    high: float
    superiority: float  # likelihood that the first bot is better; 0.1 to 99.9 percent
    note: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of a test with its numbers."""

    decision: Decision
    llr: float
    lower: float
    upper: float
    encounters: int
    difference: Difference


def add_encounter(counts: Counts, own: float, other: float) -> Counts:
    """Add an encounter by the points of both bots; a game that both lost counts as a draw."""
    index = round(own - other) + 2
    return tuple(count + (place == index) for place, count in enumerate(counts))  # type: ignore[return-value]


def decide(test: SequentialTest, counts: Counts) -> Verdict:
    """Evaluate the test after these encounters."""
    llr = log_likelihood_ratio(test.elo0, test.elo1, counts)
    decision = Decision.PLAY_ON
    if llr >= test.upper:
        decision = Decision.BETTER
    elif llr <= test.lower:
        decision = Decision.NOT_BETTER
    return Verdict(decision, llr, test.lower, test.upper, sum(counts), difference(counts))


def expected_score(elo: float) -> float:
    """Convert an Elo difference to the expected fraction of points."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Convert a fraction of points to an Elo difference; finite for 0 and 1 too."""
    score = min(max(score, MIN_SCORE), 1 - MIN_SCORE)
    return 400 * math.log10(score / (1 - score))


def log_likelihood_ratio(elo0: float, elo1: float, counts: Counts) -> float:
    """Compute the generalized log-likelihood ratio of `elo1` and `elo0`."""
    if not any(counts):
        return 0.0
    weights = [count or ZERO_COUNT for count in counts]
    score0, score1 = expected_score(elo0), expected_score(elo1)
    tilt0, tilt1 = _tilt(weights, score0), _tilt(weights, score1)
    return sum(
        weight * math.log((1 + tilt0 * (score - score0)) / (1 + tilt1 * (score - score1)))
        for weight, score in zip(weights, SCORES, strict=True)
    )


def _tilt(weights: Iterable[float], mean: float) -> float:
    """Solve sum(weight * d / (1 + tilt * d)) = 0 with d = score - mean.

    The maximum-likelihood distribution with that mean is proportional to weight / (1 + tilt * d)
    (Van den Bergh, proposition 1.1). The sum decreases in the tilt, from one pole to the other.
    """
    terms = [(weight, score - mean) for weight, score in zip(weights, SCORES, strict=True)]
    low, high = -1 / (1 - mean), 1 / mean
    tilt = 0.0
    for _ in range(200):
        value = slope = 0.0
        for weight, distance in terms:
            part = distance / (1 + tilt * distance)
            value += weight * part
            slope -= weight * part * part
        low, high = (tilt, high) if value > 0 else (low, tilt)
        newton = tilt - value / slope
        # A Newton step if it stays inside the bracket, otherwise bisection.
        following = newton if low < newton < high else (low + high) / 2
        if abs(following - tilt) <= 1e-12 * (1 + abs(tilt)):
            break
        tilt = following
    return tilt


def difference(counts: Counts) -> Difference:
    """Estimate the Elo difference and its 95 % interval from independent encounters."""
    encounters = sum(counts)
    if not encounters:
        return Difference(0.0, elo_of(0), elo_of(1), 50.0, "no encounters yet")
    pairs = list(zip(counts, SCORES, strict=True))
    mean = sum(count * score for count, score in pairs) / encounters
    squares = sum(count * (score - mean) ** 2 for count, score in pairs)
    error = math.sqrt((squares + EXTRA_SQUARES) / encounters**2)
    reach = NormalDist().inv_cdf(0.975) * error
    chance = 100 * NormalDist().cdf((mean - 0.5) / error)
    return Difference(
        elo=elo_of(mean),
        low=elo_of(mean - reach),
        high=elo_of(mean + reach),
        superiority=min(max(chance, 0.1), 99.9),
        note=f"too few encounters: {encounters}" if encounters < MIN_ENCOUNTERS else None,
    )
