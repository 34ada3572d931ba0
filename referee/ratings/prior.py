"""The width of the prior of strengths, estimated from the games. Pure.

Where pairings depend on results, a fixed wide prior makes intervals too narrow: bots are paired
because of their luck. There the width is unknown, too: fits with different widths are averaged,
weighted by the marginal likelihood of the games (Laplace's approximation). docs/statistics.md has
the reasons and the limits.
"""

import math

import numpy as np

from referee.ratings.bradley_terry import PRIOR_SD, Fit, fit
from referee.ratings.design import Design
from referee.ratings.elo_scale import ELO

NARROWEST = 20 / ELO
_STEPS = 20
_NEGLIGIBLE = 0.001
"""Fits with a smaller weight, as a fraction of the largest, are left out."""


def weighted_fits(design: Design) -> list[tuple[float, Fit]]:
    """Fit with priors of different widths; return the likely ones with their weights."""
    widths = np.linspace(NARROWEST, PRIOR_SD, _STEPS)
    fits = [fit(design, float(width)) for width in widths]
    likelihoods = [_marginal_likelihood(design, each) for each in fits]
    # Wider priors are likelier before the games: with equal weights, intervals are too narrow.
    weights = [
        float(width) * math.exp(value - max(likelihoods))
        for width, value in zip(widths, likelihoods, strict=True)
    ]
    largest = max(weights)
    likely = [
        (weight, each)
        for weight, each in zip(weights, fits, strict=True)
        if weight > _NEGLIGIBLE * largest
    ]
    total = sum(weight for weight, _ in likely)
    return [(weight / total, each) for weight, each in likely]


def _marginal_likelihood(design: Design, fitted: Fit) -> float:
    """Approximate the logarithm of the probability of all games, given the width of the prior."""
    expected = fitted.expected
    lost = design.games - design.points
    likelihood = (design.points * np.log(expected) + lost * np.log1p(-expected)).sum()
    penalty = (fitted.prior_precision * fitted.coefficients**2).sum() / 2
    _, log_determinant = np.linalg.slogdet(fitted.inverse_information)
    width = np.log(fitted.prior_precision).sum() / 2
    return float(likelihood - penalty + log_determinant / 2 + width)
