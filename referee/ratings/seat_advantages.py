"""The advantage of seat 1 in each variant. Pure."""

from dataclasses import dataclass

import numpy as np

from referee.ratings.bradley_terry import Fit
from referee.ratings.covariance import opening_variance
from referee.ratings.design import MIN_DISTINCT_GAMES, Design
from referee.ratings.elo_scale import MIN_VARIANCE_SHARE, Z95, interval
from referee.ratings.encounter_table import Floats, sum_by_place


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """The advantage of seat 1 in a variant, in Elo; below 0, seat 2 is better."""

    variant: str
    elo: float
    low: float
    high: float
    distinct: int
    note: str | None


def seat_advantage(
    design: Design, fitted: Fit, total_covariance: Floats, variant: int, name: str
) -> SeatAdvantage:
    """Estimate a seat advantage; it varies by opening, because all pairings share the openings."""
    chosen, index = design.variant[design.cell] == variant, design.bots + variant
    openings, opening = np.unique(design.opening[chosen], return_inverse=True)
    residuals, weights = fitted.residuals[:, chosen].sum(axis=0), fitted.weights[chosen]
    independent = fitted.advantage_variance[variant]
    own = max(total_covariance[index, index], MIN_VARIANCE_SHARE * independent)
    prediction_variance = np.full(len(residuals), independent)
    excess = opening_variance(opening, residuals, weights, prediction_variance, len(openings))
    squares = float((sum_by_place(opening, weights, len(openings)) ** 2).sum())
    extra = excess * squares * independent**2
    quantile = Z95
    if extra > 0:  # Satterthwaite: only `extra` has few degrees of freedom.
        quantile = _student(max(2.0, (len(openings) - 1) * ((own + extra) / extra) ** 2))
    distinct, note = int(design.encounter_games[:, chosen].sum()), None
    if distinct < MIN_DISTINCT_GAMES:
        note = f"too few games: {distinct} different"
    elif len(openings) == 1:
        note = "one opening only: others may differ"
    numbers = interval(fitted.coefficients[index], own + extra, quantile)
    return SeatAdvantage(name, *numbers, distinct, note)


def _student(freedom: float) -> float:
    """Approximate the 97.5 % quantile of Student's t (Abramowitz and Stegun 26.7.5)."""
    first = (Z95**3 + Z95) / 4
    second = (5 * Z95**5 + 16 * Z95**3 + 3 * Z95) / 96
    third = (3 * Z95**7 + 19 * Z95**5 + 17 * Z95**3 - 15 * Z95) / 384
    return Z95 + first / freedom + second / freedom**2 + third / freedom**3
