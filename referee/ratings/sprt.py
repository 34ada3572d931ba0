"""Sequential probability ratio test of two bots on encounters. Pure.

After each encounter, the log-likelihood ratio of the differences `elo1` and `elo0` is computed from
the counts of results; the test ends when it passes a bound. docs/statistics.md explains each number
and names its source.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import Literal, get_args

from referee.ratings.stopping import Walk, solve_decreasing

EncounterCounts = tuple[int, int, int, int, int]
"""Number of encounters in which the first bot scored 0, 0.5, 1, 1.5 and 2 points."""

NONE_PLAYED: EncounterCounts = (0, 0, 0, 0, 0)
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of an encounter, as a fraction of its two points
ZERO_COUNT = 1e-3  # replaces a count of 0, as in fishtest
MIN_SCORE = 1e-3  # scores are clipped to this distance from 0 and 1, as in fishtest
EXTRA_SQUARES = 0.25  # added to the sum of squares, which is 0 for a few equal results
UNCERTAINTY = 6.0  # in encounters: a variance that was estimated from few of them is increased
MIN_ENCOUNTERS = 10  # results of fewer get a note
NORMALIZED_ELO = 800 / math.log(10)  # per standard deviation of the score of one game
MAX_ITERATIONS = 100  # of the fit of a normalised difference

Model = Literal["auto", "logistic", "normalized"]
MODELS: tuple[Model, ...] = get_args(Model)


class SprtDecision(StrEnum):
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
    model: Model = "auto"

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise ValueError("elo0 must be below elo1, and both from -1000 to 1000")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta must lie between 0 and 0.5")

    def model_for(self, counts: EncounterCounts) -> Model:
        """Return the model in use: `auto` is normalized if most encounters end 1-1."""
        if self.model != "auto":
            return self.model
        return "normalized" if 2 * counts[2] > sum(counts) else "logistic"

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
class SprtState:
    """The state of a test with its numbers."""

    decision: SprtDecision
    llr: float
    lower: float
    upper: float
    encounters: int
    model: Model


def add_encounter(counts: EncounterCounts, own: float, other: float) -> EncounterCounts:
    """Add an encounter by the points of both bots; a game that both lost counts as a draw."""
    index = round(own - other) + 2
    return tuple(count + (place == index) for place, count in enumerate(counts))  # type: ignore[return-value]


def decide(test: SequentialTest, counts: EncounterCounts) -> SprtState:
    """Evaluate the test after these encounters."""
    model = test.model_for(counts)
    ratio = normalized_ratio if model == "normalized" else log_likelihood_ratio
    llr = ratio(test.elo0, test.elo1, counts)
    decision = SprtDecision.PLAY_ON
    if llr >= test.upper:
        decision = SprtDecision.BETTER
    elif llr <= test.lower:
        decision = SprtDecision.NOT_BETTER
    return SprtState(decision, llr, test.lower, test.upper, sum(counts), model)


def expected_score(elo: float) -> float:
    """Convert an Elo difference to the expected fraction of points."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Convert a fraction of points to an Elo difference; finite for 0 and 1 too."""
    score = min(max(score, MIN_SCORE), 1 - MIN_SCORE)
    return 400 * math.log10(score / (1 - score))


def log_likelihood_ratio(elo0: float, elo1: float, counts: EncounterCounts) -> float:
    """Compute the generalized log-likelihood ratio of `elo1` and `elo0`."""
    if not any(counts):
        return 0.0
    weights = [count or ZERO_COUNT for count in counts]
    likelihoods = []
    for elo in (elo0, elo1):
        distances = [score - expected_score(elo) for score in SCORES]
        likelihoods.append(_tilted(weights, distances))
    return _ratio(weights, *likelihoods)


def normalized_ratio(elo0: float, elo1: float, counts: EncounterCounts) -> float:
    """Compute the same for differences in normalised Elo."""
    if not any(counts):
        return 0.0
    weights = [count or ZERO_COUNT for count in counts]
    # An encounter has two games, so its mean has half the variance.
    leads = (elo / NORMALIZED_ELO * math.sqrt(2) for elo in (elo0, elo1))
    return _ratio(weights, *(_normalized_fit(weights, lead) for lead in leads))


def _ratio(weights: list[float], shares0: list[float], shares1: list[float]) -> float:
    """Compare the likelihoods of two distributions."""
    parts = zip(weights, shares0, shares1, strict=True)
    return sum(weight * math.log(share1 / share0) for weight, share0, share1 in parts)


def _tilted(weights: list[float], distances: list[float]) -> list[float]:
    """Find the likeliest distribution in which these distances have the mean 0."""
    tilt = _tilt(list(zip(weights, distances, strict=True)))
    total = sum(weights)
    return [
        weight / total / (1 + tilt * distance)
        for weight, distance in zip(weights, distances, strict=True)
    ]


def _normalized_fit(weights: list[float], lead: float) -> list[float]:
    """Find the likeliest distribution whose mean is `lead` standard deviations above 1/2.

    The condition is not linear in the distribution, so it is linearized at the last one found, from
    a uniform one on, until nothing changes (Van den Bergh, section 4.1).
    """
    shares = [1 / len(SCORES)] * len(SCORES)
    for _ in range(MAX_ITERATIONS):
        mean = sum(share * score for share, score in zip(shares, SCORES, strict=True))
        squares = sum(
            share * (score - mean) ** 2 for share, score in zip(shares, SCORES, strict=True)
        )
        error = math.sqrt(squares)
        distances = [
            score - 0.5 - lead * error * (1 + ((score - mean) / error) ** 2) / 2 for score in SCORES
        ]
        before, shares = shares, _tilted(weights, distances)
        if max(abs(one - two) for one, two in zip(before, shares, strict=True)) < 1e-9:
            break
    return shares


def _tilt(terms: list[tuple[float, float]]) -> float:
    """Solve sum(weight * d / (1 + tilt * d)) = 0 for terms of weights and distances d.

    The maximum-likelihood distribution in which the distances have the mean 0 is proportional to
    weight / (1 + tilt * d) (Van den Bergh, proposition 1.1). The sum decreases in the tilt, from
    one pole to the other.
    """
    low, high = -1 / max(d for _, d in terms), -1 / min(d for _, d in terms)
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


def stopped_difference(test: SequentialTest, counts: EncounterCounts) -> Difference:
    """Estimate the Elo difference after a test that may have stopped, see `stopping`."""
    state = decide(test, counts)
    encounters = sum(counts)
    if not encounters:
        return Difference(0.0, elo_of(0), elo_of(1), 50.0, "no encounters yet")
    mean, variance = _moments(counts)
    if state.model == "normalized":
        unit = math.sqrt(2 * variance) / NORMALIZED_ELO
        score0, score1 = 0.5 + test.elo0 * unit, 0.5 + test.elo1 * unit
    else:
        score0, score1 = expected_score(test.elo0), expected_score(test.elo1)
    # The ratio grows by `step` per share of points: it assumes a score between the two, so the
    # squares are those around the middle of both.
    middle_score = (score0 + score1) / 2
    squares = variance + (mean - middle_score) ** 2
    step = (score1 - score0) / squares
    inflation = 1 + UNCERTAINTY / encounters  # of the variance

    end = {SprtDecision.BETTER: test.upper, SprtDecision.NOT_BETTER: test.lower}.get(
        state.decision, step * encounters * (mean - middle_score)
    )

    def at_most(score: float) -> float:
        """Compute the probability of what happened, or less, if this is the real score."""
        drift = step * (score - middle_score)
        # If this is the real score, what is left of the squares is the variance.
        left = max(squares - (score - middle_score) ** 2, variance / 4) * inflation
        walk = Walk(test.lower, test.upper, drift, step**2 * left)
        return walk.at_most(encounters, end)

    reach = 6 * math.sqrt(variance / encounters)
    low, middle, high = (
        solve_decreasing(at_most, target, mean - reach, mean + reach)
        for target in (0.975, 0.5, 0.025)
    )
    return Difference(
        elo=elo_of(middle),
        low=elo_of(low),
        high=elo_of(high),
        superiority=min(max(100 * at_most(0.5), 0.1), 99.9),
        note=f"too few encounters: {encounters}" if encounters < MIN_ENCOUNTERS else None,
    )


def claimed_percent(superiority: float) -> float:
    """Convert a likelihood of superiority of one bot to the claim that the better-looking one is.

    Either of two equal bots may look better, so that a claim of 99 % is made for an error of half a
    percent on either side: of tests without a difference, at most 1 % claim 99 %.
    """
    error = min(superiority, 100 - superiority) / 100
    return 100 * (1 - 2 * error * (1 - error))


def _moments(counts: EncounterCounts) -> tuple[float, float]:
    """Compute mean and variance of the score of an encounter, as a fraction of its two points."""
    encounters = sum(counts)
    pairs = list(zip(counts, SCORES, strict=True))
    mean = sum(count * score for count, score in pairs) / encounters
    squares = sum(count * (score - mean) ** 2 for count, score in pairs)
    return mean, (squares + EXTRA_SQUARES) / encounters


def difference(counts: EncounterCounts) -> Difference:
    """Estimate the Elo difference and its 95 % interval from a fixed number of encounters."""
    encounters = sum(counts)
    if not encounters:
        return Difference(0.0, elo_of(0), elo_of(1), 50.0, "no encounters yet")
    mean, variance = _moments(counts)
    error = math.sqrt(variance / encounters)
    reach = NormalDist().inv_cdf(0.975) * error
    chance = 100 * NormalDist().cdf((mean - 0.5) / error)
    return Difference(
        elo=elo_of(mean),
        low=elo_of(mean - reach),
        high=elo_of(mean + reach),
        superiority=min(max(chance, 0.1), 99.9),
        note=f"too few encounters: {encounters}" if encounters < MIN_ENCOUNTERS else None,
    )
