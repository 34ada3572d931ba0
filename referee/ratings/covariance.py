"""The covariance of the coefficients of a fit: games, encounters, openings and prior. Pure.

docs/statistics.md has the formulas.
"""

import math

import numpy as np

from referee.ratings.bradley_terry import Fit, add_to_diagonal
from referee.ratings.design import Design
from referee.ratings.encounter_table import Floats, Ints, sum_by_place

CAUTION = 4.0  # weight, in encounters, of the prior of correlations and of draws


def covariance(design: Design, fitted: Fit) -> Floats:
    """Compute the covariance of all coefficients, of the shape (size, size)."""
    total = sandwich_covariance(design, fitted)
    for variant in range(design.variants):
        total += opening_covariance(design, fitted, variant)
    return total


def sandwich_covariance(design: Design, fitted: Fit) -> Floats:
    """Compute the covariance that is due to games, encounters and the prior: (size, size)."""
    direct, swapped = _game_variance(design, fitted)
    common = _encounter_covariance(design, fitted)
    total = direct + swapped
    middle = design.quadratic_form(total - 2 * common, direct - swapped, total + 2 * common)
    inverse = fitted.inverse_information
    return inverse @ add_to_diagonal(middle, fitted.prior_precision) @ inverse


def _game_variance(design: Design, fitted: Fit) -> Floats:
    """Sum up the variances of games by cell, less the effect of draws: (2, cells)."""
    binary = design.games * fitted.variance  # without draws
    reduction = design.sum_by_variant(design.draws / 4)
    reduction /= design.sum_by_variant(binary.sum(axis=0)) + CAUTION / 4
    factor: Floats = 1 - reduction.clip(0, 0.95)
    return binary * factor[design.variant]


def encounter_correlation(design: Design, fitted: Fit) -> Floats:
    """Estimate the correlation of the two games of encounters, by variant: (variants,)."""
    return _common_variance(design, fitted)[2]


def _common_variance(design: Design, fitted: Fit) -> tuple[Floats, Floats, Floats]:
    """Sum up products of residuals and of standard deviations by cell, and correlate them."""
    residual_products = fitted.residuals.prod(axis=0)
    pair_counts = design.encounter_games.prod(axis=0)
    common, pairs = design.sum_by_cell(np.stack([residual_products, pair_counts]))
    product = fitted.variance.prod(axis=0)
    # Residuals of a fit are correlated even if games are independent: remove that.
    bias = fitted.advantage_variance[design.variant] - fitted.difference_variance
    common += pairs * product * bias
    scale = pairs * np.sqrt(product)
    correlation = design.sum_by_variant(common) / (design.sum_by_variant(scale) + CAUTION / 4)
    return common, scale, correlation.clip(-1, 1)


def _encounter_covariance(design: Design, fitted: Fit) -> Floats:
    """Estimate the covariance of the two games of encounters, summed by cell: (cells,).

    The estimate of a cell is shrunk towards the correlation in its variant.
    """
    common, scale, correlation = _common_variance(design, fitted)
    usual = correlation[design.variant] * scale
    encounters = sum_by_place(design.cell, np.ones(len(design.cell)), len(design.one))
    played = design.sum_by_bot(encounters, encounters)
    fewer = np.minimum(played[design.one], played[design.two])
    shrunk: Floats = (fewer * common + CAUTION * usual) / (fewer + CAUTION)
    return shrunk


def opening_covariance(design: Design, fitted: Fit, variant: int) -> Floats:
    """Compute the covariance that is due to bots' strengths varying by opening: (size, size)."""
    chosen = design.variant[design.cell] == variant
    cell, weights = design.cell[chosen], np.tile(fitted.weights[chosen], 2)
    openings, opening = np.unique(design.opening[chosen], return_inverse=True)
    # Each encounter appears twice, once for each of its bots.
    bot = np.concatenate([design.one[cell], design.two[cell]])
    groups, group = np.unique(np.tile(opening, 2) * design.bots + bot, return_inverse=True)
    residuals = fitted.residuals[0, chosen] - fitted.residuals[1, chosen]
    variance = opening_variance(
        group,
        np.concatenate([residuals, -residuals]),
        weights,
        np.tile(fitted.difference_variance[cell], 2),
        len(openings),
    )
    if variance == 0.0:
        return np.zeros_like(fitted.inverse_information)
    sums = sum_by_place(group, weights, len(groups))
    squared_sum = sum_by_place(groups % design.bots, sums, design.bots) ** 2
    sum_of_squares = sum_by_place(groups % design.bots, sums**2, design.bots)
    share = sum_of_squares / np.where(squared_sum > 0, squared_sum, 1)
    own = (design.games * fitted.variance).sum(axis=0) * (design.variant == variant)
    information = design.quadratic_form(own, 0 * own, 0 * own)
    response = fitted.inverse_information @ information[:, : design.bots]
    return variance * (response * share) @ response.T


def opening_variance(
    group: Ints, residuals: Floats, weights: Floats, prediction_variance: Floats, openings: int
) -> float:
    """Estimate the variance between groups of games with the same opening.

    All arrays have the shape (encounters,). Only what exceeds the expectation for independent
    encounters by more than one standard error counts.
    """
    groups = int(group.max(initial=-1)) + 1
    sums = sum_by_place(group, residuals, groups)
    group_weights = sum_by_place(group, weights, groups)
    cross = float((group_weights**2).sum() - (weights**2).sum())
    if openings < 2 or cross <= 1e-9 * float((group_weights**2).sum()):
        return 0.0
    free = (openings - 1) / openings  # The fit makes the sums over all openings cancel.
    leverage = np.minimum(weights * prediction_variance, 0.9)
    by_chance = (residuals**2 / (1 - leverage)).sum()
    by_chance *= 1 + math.sqrt(2 / (groups * free))
    return max(0.0, float((sums**2).sum() / free - by_chance) / cross)
