"""The Bradley-Terry fit with seat advantages, and its covariance. Pure.

docs/statistics.md has the formulas. A cell is a pairing in a variant: the fit needs the sums of its
games only, the covariance needs the encounters, too. Of arrays with two rows, the first is of games
with the first bot of the pair in seat 1 ("direct"), the second of those with the seats swapped.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.scoring.encounter_table import EncounterTable, Floats, Ints, sum_by_place

ELO = 400 / math.log(10)  # Elo points per natural logit
PRIOR_SD = 600 / ELO  # of strengths and of seat advantages, in logits
CAUTION = 4.0  # weight, in encounters, of the prior of correlations and of draws
MIN_VARIANCE_SHARE = 0.1  # smallest variance, as a fraction of that of independent games
MIN_DISTINCT_GAMES = 10  # a bot with fewer distinct games gets a note
DECIMALS = 1  # of Elo and percentages: further digits differ between machines
MAX_NEWTON_STEPS = 100
MAX_STEP_LENGTH = 2.0  # of a Newton step, in logits
TOLERANCE = 1e-9  # of the last Newton step, in logits
Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """The advantage of seat 1 in a variant, in Elo; below 0, seat 2 is better."""

    variant: str
    elo: float
    low: float
    high: float
    distinct: int
    note: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The games of the chosen variants, by cell and by encounter.

    The coefficients of the model are the strengths of all bots, then the seat advantages.
    """

    bots: int
    variants: int
    variant: Ints  # (cells,)
    one: Ints  # (cells,): first bot of the pair
    two: Ints  # (cells,): second bot
    games: Floats  # (2, cells)
    points: Floats  # (2, cells): of seat 1
    draws: Floats  # (cells,)
    cell: Ints  # (encounters,)
    opening: Ints  # (encounters,)
    encounter_games: Floats  # (2, encounters)
    encounter_points: Floats  # (2, encounters): of seat 1

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return self.bots + self.variants

    def sum_by_bot(self, of_one: Floats, of_two: Floats) -> Floats:
        """Sum up values of the first and of the second bot, from (cells,) to (bots,)."""
        return sum_by_place(self.one, of_one, self.bots) + sum_by_place(self.two, of_two, self.bots)

    def sum_by_variant(self, values: Floats) -> Floats:
        """Sum up values from (cells,) to (variants,)."""
        return sum_by_place(self.variant, values, self.variants)

    def sum_by_cell(self, values: Floats) -> Floats:
        """Sum up values from (2, encounters) to (2, cells)."""
        return _sum_rows(self.cell, values, len(self.one))

    def quadratic_form(self, strength: Floats, mixed: Floats, seat: Floats) -> Floats:
        """Sum up the outer products of the gradients of cells, to (size, size).

        The arguments, of the shape (cells,), are the factors of a cell for the difference of its
        bots, for the difference and the seat advantage, and for the seat advantage.
        """
        one, two, advantage = self.one, self.two, self.bots + self.variant
        flat = np.zeros(self.size**2)
        for row, column, value in (
            (one, one, strength / 2),
            (two, two, strength / 2),
            (one, two, -strength),
            (one, advantage, mixed),
            (two, advantage, -mixed),
            (advantage, advantage, seat / 2),
        ):
            flat += sum_by_place(row * self.size + column, value, self.size**2)
        half = flat.reshape(self.size, self.size)
        return half + half.T


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


@dataclass(frozen=True, slots=True, eq=False)
class Strengths:
    """Strengths relative to the mean of all bots, in logits, and their covariance."""

    values: Floats  # (bots,)
    covariance: Floats  # (bots, bots)
    min_covariance: Floats  # (bots, bots): lower limit of variances

    def variance(self, bot: int) -> float:
        """Return the variance of a strength."""
        return float(max(self.covariance[bot, bot], self.min_covariance[bot, bot]))

    def difference_variance(self, one: int, two: int) -> float:
        """Return the variance of the difference of two strengths."""
        variance, least = (
            matrix[one, one] + matrix[two, two] - matrix[one, two] - matrix[two, one]
            for matrix in (self.covariance, self.min_covariance)
        )
        return float(max(variance, least))


@dataclass(frozen=True, slots=True, eq=False)
class BotCounts:
    """Games of each bot, for the notes; all arrays have the shape (bots,)."""

    distinct: Floats  # distinct games
    points: Floats
    component: Ints  # equal for bots that are connected by games


def make_design(table: EncounterTable, chosen: list[int]) -> Design:
    """Select the encounters of the chosen variants, and sum them up by cell."""
    bots = len(table.bots)
    used: slice | NDArray[np.bool_] = slice(None)  # a view, no copy
    if len(chosen) < len(table.variants):
        used = np.isin(table.variant, chosen)
    encounter_variant = np.searchsorted(chosen, table.variant[used])
    shape = (max(1, len(chosen)), max(1, bots), max(1, bots))
    key = np.ravel_multi_index((encounter_variant, table.one[used], table.two[used]), shape)
    keys, cell = np.unique(key, return_inverse=True)
    variant, one, two = np.unravel_index(keys, shape)
    games, points = table.games[:, used], table.points[:, used]
    return Design(
        bots=bots,
        variants=len(chosen),
        variant=variant,
        one=one,
        two=two,
        games=_sum_rows(cell, games, len(keys)),
        points=_sum_rows(cell, points, len(keys)),
        draws=_sum_rows(cell, table.draws[:, used], len(keys)).sum(axis=0),
        cell=cell,
        opening=table.encounter[used],
        encounter_games=games,
        encounter_points=points,
    )


def fit(design: Design) -> Fit:
    """Maximize the posterior density by Newton's method; the prior makes it strictly concave."""
    one, two, games, points = design.one, design.two, design.games, design.points
    prior_precision = np.full(design.size, 1 / PRIOR_SD**2)
    coefficients = np.zeros(design.size)
    for _ in range(MAX_NEWTON_STEPS):
        difference = coefficients[one] - coefficients[two]
        advantage = coefficients[design.bots + design.variant]
        expected = 1 / (1 + np.exp(-np.stack([advantage + difference, advantage - difference])))
        variance = expected * (1 - expected)
        direct, swapped = games * variance
        information = design.quadratic_form(direct + swapped, direct - swapped, direct + swapped)
        inverse: Floats = np.asarray(
            np.linalg.inv(_add_to_diagonal(information, prior_precision)), dtype=np.float64
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
    return inverse @ _add_to_diagonal(middle, fitted.prior_precision) @ inverse


def _game_variance(design: Design, fitted: Fit) -> Floats:
    """Sum up the variances of games by cell, less the effect of draws: (2, cells)."""
    binary = design.games * fitted.variance  # without draws
    reduction = design.sum_by_variant(design.draws / 4)
    reduction /= design.sum_by_variant(binary.sum(axis=0)) + CAUTION / 4
    factor: Floats = 1 - reduction.clip(0, 0.95)
    return binary * factor[design.variant]


def _encounter_covariance(design: Design, fitted: Fit) -> Floats:
    """Estimate the covariance of the two games of encounters, summed by cell: (cells,).

    The estimate of a cell is shrunk towards the correlation in its variant.
    """
    residual_products = fitted.residuals.prod(axis=0)
    pair_counts = design.encounter_games.prod(axis=0)
    common, pairs = design.sum_by_cell(np.stack([residual_products, pair_counts]))
    product = fitted.variance.prod(axis=0)
    # Residuals of a fit are correlated even if games are independent: remove that.
    bias = fitted.advantage_variance[design.variant] - fitted.difference_variance
    common += pairs * product * bias
    scale = pairs * np.sqrt(product)
    correlation = design.sum_by_variant(common) / (design.sum_by_variant(scale) + CAUTION / 4)
    usual = correlation.clip(-1, 1)[design.variant] * scale
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


def centre_strengths(design: Design, fitted: Fit, total_covariance: Floats) -> Strengths:
    """Express strengths and covariances relative to the mean of all bots."""
    strengths = fitted.coefficients[: design.bots]
    return Strengths(
        values=strengths - strengths.sum() / max(1, design.bots),
        covariance=_centre(total_covariance, design.bots),
        min_covariance=MIN_VARIANCE_SHARE * _centre(fitted.inverse_information, design.bots),
    )


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


def interval(logit: float, variance: float, quantile: float = Z95) -> tuple[float, float, float]:
    """Convert an estimate and the ends of its 95 % interval to Elo; adding 0 removes -0.0."""
    reach = quantile * math.sqrt(variance)
    middle, low, high = (
        round(ELO * float(end), DECIMALS) + 0.0 for end in (logit, logit - reach, logit + reach)
    )
    return middle, low, high


def count_by_bot(design: Design) -> BotCounts:
    """Sum up the distinct games and points of bots, and find the connected ones."""
    games, lost = design.games.sum(axis=0), design.games - design.points
    return BotCounts(
        distinct=design.sum_by_bot(games, games),
        points=design.sum_by_bot(design.points[0] + lost[1], lost[0] + design.points[1]),
        component=_components(design),
    )


def bot_note(counts: BotCounts, bot: int) -> str | None:
    """Explain why the rating of a bot may be unreliable; return None if it is not."""
    distinct = int(counts.distinct[bot])
    if distinct < MIN_DISTINCT_GAMES:
        return f"too few games: {distinct} different" if distinct else "no games that count"
    if counts.points[bot] in (0, distinct):
        return f"{'won' if counts.points[bot] else 'lost'} every game: by how much is a guess"
    apart = (counts.distinct > 0) & (counts.component != counts.component[bot])
    return "no games link it to some of the others" if apart.any() else None


def _components(design: Design) -> Ints:
    """Assign a number to each connected component of the graph of games: (bots,)."""
    met = np.eye(design.bots, dtype=bool)
    met[design.one, design.two] = met[design.two, design.one] = True
    component = np.full(design.bots, -1)
    for bot in range(design.bots):
        if component[bot] < 0:
            reached, new = met[bot], 1
            while new:
                further = met[reached].any(axis=0)
                reached, new = further, int(further.sum() - reached.sum())
            component[reached] = bot
    return component


def _sum_rows(place: Ints, rows: Floats, size: int) -> Floats:
    return np.stack([sum_by_place(place, row, size) for row in rows])


def _add_to_diagonal(matrix: Floats, values: Floats) -> Floats:
    """Add values to the diagonal of a matrix in place, and return it."""
    matrix[np.diag_indices(len(matrix))] += values
    return matrix


def _centre(matrix: NDArray[np.floating[Any]], bots: int) -> Floats:
    """Convert the covariance of strengths to that of their differences from the mean."""
    block = np.asarray(matrix[:bots, :bots], dtype=np.float64)
    if bots:
        block = block - block.mean(axis=0) - block.mean(axis=1)[:, None] + block.mean()
    return block


def _student(freedom: float) -> float:
    """Approximate the 97.5 % quantile of Student's t (Abramowitz and Stegun 26.7.5)."""
    first = (Z95**3 + Z95) / 4
    second = (5 * Z95**5 + 16 * Z95**3 + 3 * Z95) / 96
    third = (3 * Z95**7 + 19 * Z95**5 + 17 * Z95**3 - 15 * Z95) / 384
    return Z95 + first / freedom + second / freedom**2 + third / freedom**3
