"""The Bradley-Terry fit with seat advantages and a prior. Pure.

docs/statistics.md has the formulas.
"""

from dataclasses import dataclass

import numpy as np

from referee.ratings.design import Design
from referee.ratings.elo_scale import ELO
from referee.ratings.encounter_table import Floats

PRIOR_SD = 1400 / ELO  # of strengths, in logits
SEAT_PRIOR_SD = 600 / ELO  # of seat advantages
MAX_NEWTON_STEPS = 100
MAX_STEP_LENGTH = 2.0  # of a Newton step, in logits
TOLERANCE = 1e-9  # of the last Newton step, in logits


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The maximum of the posterior density, in logits."""

    coefficients: Floats  # (size,)
    expected: Floats  # (2, cells): score of seat 1
    variance: Floats  # (2, cells): of the score of one game
    inverse_information: Floats  # (size, size): covariance if all games were independent
    prior_precision: Floats  # (size,)
    difference_variance: Floats  # (cells,): of the bots' difference, from inverse_information
    advantage_variance: Floats  # (variants,): of seat advantages, likewise
    residuals: Floats  # (2, encounters)
    weights: Floats  # (encounters,): variance of the points of both games


def fit(design: Design, prior_sd: float = PRIOR_SD) -> Fit:
    """Maximize the posterior density by Newton's method; the prior makes it strictly concave."""
    one, two, games, points = design.one, design.two, design.games, design.points
    prior_precision = np.full(design.size, 1 / SEAT_PRIOR_SD**2)
    prior_precision[: design.bots] = 1 / prior_sd**2
    coefficients = np.zeros(design.size)
    for _ in range(MAX_NEWTON_STEPS):
        difference = coefficients[one] - coefficients[two]
        advantage = coefficients[design.bots + design.variant]
        expected = 1 / (1 + np.exp(-np.stack([advantage + difference, advantage - difference])))
        variance = expected * (1 - expected)
        direct, swapped = games * variance
        information = design.quadratic_form(direct + swapped, direct - swapped, direct + swapped)
        inverse: Floats = np.asarray(
            np.linalg.inv(add_to_diagonal(information, prior_precision)), dtype=np.float64
        )
        direct, swapped = points - games * expected
        of_bots = design.sum_by_bot(direct - swapped, swapped - direct)
        gradient = np.concatenate([of_bots, design.sum_by_variant(direct + swapped)])
        step = inverse @ (gradient - prior_precision * coefficients)
        length = float(np.abs(step).max(initial=0.0))
        if length < TOLERANCE:
            break
        coefficients += step * min(1.0, MAX_STEP_LENGTH / length)
    diagonal = np.diag(inverse)
    return Fit(
        coefficients=coefficients,
        expected=expected,
        variance=variance,
        inverse_information=inverse,
        prior_precision=prior_precision,
        difference_variance=diagonal[one] + diagonal[two] - 2 * inverse[one, two],
        advantage_variance=diagonal[design.bots :],
        residuals=design.encounter_points - design.encounter_games * expected[:, design.cell],
        weights=(design.encounter_games * variance[:, design.cell]).sum(axis=0),
    )


def add_to_diagonal(matrix: Floats, values: Floats) -> Floats:
    """Add values to the diagonal of a matrix in place, and return it."""
    matrix[np.diag_indices(len(matrix))] += values
    return matrix
