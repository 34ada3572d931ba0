"""Strengths of bots with their covariance: of one variant, as a mean of several, and their zero.

A bot that won all its games has no largest plausible strength, and one that lost all no smallest:
then only a bound is known. Pure.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.ratings.bradley_terry import Fit
from referee.ratings.covariance import encounter_correlation
from referee.ratings.design import BotCounts, Design, count_by_bot
from referee.ratings.elo_scale import MIN_VARIANCE_SHARE, Z95
from referee.ratings.encounter_table import Floats, Ints, sum_by_place

UNKNOWN = 2
"""Side of a bot of which neither bound is known."""
BOUND_PROBABILITY = 0.005
"""Probability, at a bound, of results like those of the bot. Few bots win everything, and mostly
lucky ones: with 2.5 %, only 80 to 90 % of such bounds held in narrow fields."""
_BISECTIONS = 60
_MAX_DISTANCE = 20.0  # of a bound from the estimate, in logits


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """Strengths in logits; all arrays have the shape (bots,) or (bots, bots)."""

    values: Floats
    covariance: Floats
    min_covariance: Floats  # lower limit of variances
    side: Ints  # 1: at least; -1: at most; 0: an interval; UNKNOWN
    played: NDArray[np.bool_]  # whether the bot has games that count

    @property
    def is_bounded(self) -> NDArray[np.bool_]:
        """Which bots have an interval with two ends."""
        bounded: NDArray[np.bool_] = self.played & (self.side == 0)
        return bounded

    @property
    def variances(self) -> Floats:
        """The variance of each strength."""
        found: Floats = np.maximum(np.diag(self.covariance), np.diag(self.min_covariance))
        return found

    @property
    def difference_variances(self) -> Floats:
        """The variance of the difference of each two strengths."""
        found: Floats = np.maximum(
            _of_differences(self.covariance), _of_differences(self.min_covariance)
        )
        return found

    def measured_from(self, reference: NDArray[np.bool_]) -> "Strengths":
        """Subtract the mean of the reference, if it has any bots, from all values."""
        weights = reference / max(1, int(reference.sum()))
        return replace(
            self,
            values=self.values - weights @ self.values,
            covariance=_without_mean(self.covariance, weights),
            min_covariance=_without_mean(self.min_covariance, weights),
        )

    def weighted(self, weights: Floats) -> "Strengths":
        """Multiply each value by its weight."""
        squares = np.outer(weights, weights)
        return replace(
            self,
            values=weights * self.values,
            covariance=squares * self.covariance,
            min_covariance=squares * self.min_covariance,
        )


def strengths_of(
    design: Design, fitted: Fit, total_covariance: Floats, *, bounded_by_prior: bool = False
) -> Strengths:
    """Select the strengths of a fit of one variant; those of its prior are around 0.

    With `bounded_by_prior` the prior also limits the strength of bots that won or lost all games.
    """
    bots = design.bots
    counts = count_by_bot(design)
    total = total_covariance[:bots, :bots]
    if not bounded_by_prior and counts.side.any():
        total = _with_bounds(design, fitted, total, counts)
    return Strengths(
        values=fitted.coefficients[:bots],
        covariance=total,
        min_covariance=MIN_VARIANCE_SHARE * fitted.inverse_information[:bots, :bots],
        side=counts.side,
        played=counts.distinct > 0,
    )


def _with_bounds(design: Design, fitted: Fit, total: Floats, counts: BotCounts) -> Floats:
    """Replace the variances of bots that won or lost all games, so that their bounds hold.

    Such a strength is that of the opponents with two-sided results, and an independent lead.
    """
    side = counts.side
    bounded = (side == 0) & (counts.distinct > 0)
    dependence = 1 + max(0.0, float(encounter_correlation(design, fitted).sum()))
    matrix, leads = np.eye(design.bots), np.zeros(design.bots)
    for bot in np.flatnonzero(side):
        met = _games_against(design, int(bot)) * bounded
        if not met.any():
            met = (bounded if bounded.any() else counts.distinct > 0).astype(np.float64)
        matrix[bot] = met / met.sum()
        leads[bot] = _distance_of_bound(design, fitted, int(bot), int(side[bot]), dependence)
    return matrix @ total @ matrix.T + np.diag((leads / Z95) ** 2)


def _games_against(design: Design, bot: int) -> Floats:
    """Sum up the games of a bot against each other one: (bots,)."""
    games = design.games.sum(axis=0)
    met = np.zeros(design.bots)
    for own, other in ((design.one, design.two), (design.two, design.one)):
        met += sum_by_place(other, games * (own == bot), design.bots)
    return met


def _distance_of_bound(
    design: Design, fitted: Fit, bot: int, side: int, dependence: float
) -> float:
    """Compute how far the bound of a bot that won or lost all games is from its estimate.

    At the bound, these results have the probability BOUND_PROBABILITY. Where the two games of an
    encounter go the same way, they count for fewer than two (`dependence`).
    """
    leads, games = [], []
    for own, from_seat_1 in ((design.one, 0), (design.two, 1)):
        chosen = own == bot
        for row in (0, 1):
            chance = fitted.expected[row, chosen]
            sign = side if row == from_seat_1 else -side
            leads.append(sign * np.log(chance / (1 - chance)))
            games.append(design.games[row, chosen])
    lead, count = np.concatenate(leads), np.concatenate(games)
    target = dependence * math.log(BOUND_PROBABILITY)
    low, high = 0.0, _MAX_DISTANCE
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        likelihood = -float((count * np.logaddexp(0.0, middle - lead)).sum())
        low, high = (middle, high) if likelihood > target else (low, middle)
    return high


def mixed_strengths(parts: Sequence[tuple[float, Strengths]]) -> Strengths:
    """Mix estimates of the same strengths by weights: what they differ by adds to the variance."""
    first = parts[0][1]
    if len(parts) == 1:
        return first
    weights = np.array([weight for weight, _ in parts])
    values = weights @ np.stack([part.values for _, part in parts])
    total, least = np.zeros_like(first.covariance), np.zeros_like(first.covariance)
    for weight, part in parts:
        apart = part.values - values
        total += weight * (part.covariance + np.outer(apart, apart))
        least += weight * part.min_covariance
    return Strengths(values, total, least, first.side, first.played)


def mean_strengths(parts: Sequence[Strengths], bots: int) -> Strengths:
    """Average the strengths of several variants, each with the same weight.

    The strengths of each variant are measured from the mean of the bots that are in all of them. A
    bot that played only some variants has the mean of these.
    """
    if len(parts) < 2:
        return parts[0] if parts else _nothing(bots)
    everywhere = np.logical_and.reduce([part.played for part in parts])
    bounded = np.logical_and.reduce([part.is_bounded for part in parts])
    common = bounded if bounded.any() else everywhere
    played = np.stack([part.played for part in parts])
    count = np.maximum(1, played.sum(axis=0))
    total = None
    for part in parts:
        centred = part.measured_from(common if common.any() else part.played)
        weighted = centred.weighted(part.played / count)
        total = weighted if total is None else _sum(total, weighted)
    assert total is not None
    sides = np.stack([np.where(part.played, part.side, 0) for part in parts])
    highest, lowest = sides.max(axis=0), sides.min(axis=0)
    side = np.where(highest * lowest < 0, UNKNOWN, np.where(highest > 0, highest, lowest))
    return Strengths(
        values=total.values,
        covariance=total.covariance,
        min_covariance=total.min_covariance,
        side=side,
        played=np.asarray(played.any(axis=0)),
    )


def _nothing(bots: int) -> Strengths:
    """Return the strengths of bots that have played nothing."""
    nothing, unknown = np.zeros((bots, bots)), np.zeros(bots, dtype=bool)
    return Strengths(np.zeros(bots), nothing, nothing, np.zeros(bots, dtype=np.int64), unknown)


def _sum(one: Strengths, two: Strengths) -> Strengths:
    """Add the values of independent strengths; side and played are not used."""
    return Strengths(
        values=one.values + two.values,
        covariance=one.covariance + two.covariance,
        min_covariance=one.min_covariance + two.min_covariance,
        side=one.side,
        played=one.played,
    )


def from_mean(strengths: Strengths) -> Strengths:
    """Measure strengths from the mean of the bots with intervals; without any, of all bots."""
    reference = strengths.is_bounded
    if not reference.any():
        reference = strengths.played
    return strengths.measured_from(reference)


def from_bot(strengths: Strengths, bot: int) -> Strengths:
    """Measure strengths from that of one bot, whose own is then known exactly."""
    return strengths.measured_from(np.arange(len(strengths.values)) == bot)


def _without_mean(covariance: Floats, weights: Floats) -> Floats:
    """Convert the covariance of values to that of their differences from a weighted mean."""
    with_mean = covariance @ weights
    return covariance - with_mean - with_mean[:, None] + weights @ with_mean


def _of_differences(covariance: Floats) -> Floats:
    """Convert the covariance of values to the variances of their differences."""
    diagonal = np.diag(covariance)
    return np.asarray(diagonal[:, None] + diagonal - covariance - covariance.T, dtype=np.float64)
