"""Ratings by maximum likelihood: without a prior and without seat advantages. Pure.

These are the numbers of programs such as Ordo, for comparison. They exist only for bots between
which wins and losses connect in both directions: for others the likelihood has no maximum.
"""

import numpy as np
from numpy.typing import NDArray

from referee.ratings.bradley_terry import MAX_NEWTON_STEPS, MAX_STEP_LENGTH, TOLERANCE
from referee.ratings.design import Design
from referee.ratings.encounter_table import Floats, Ints, sum_by_place


def maximum_likelihood(design: Design) -> Floats:
    """Compute strengths in logits whose mean is 0: (bots,); nan where there is no maximum."""
    scored = _scored(design)
    chosen = _largest_component(scored)
    found = np.full(design.bots, np.nan)
    if len(chosen) > 1:
        found[chosen] = _fit(scored[np.ix_(chosen, chosen)])
    return found


def _scored(design: Design) -> Floats:
    """Sum up the points of each bot against each other bot: (bots, bots)."""
    direct, swapped = design.points
    lost_direct, lost_swapped = design.games - design.points
    size = design.bots
    of_one = sum_by_place(design.one * size + design.two, direct + lost_swapped, size**2)
    of_two = sum_by_place(design.two * size + design.one, lost_direct + swapped, size**2)
    return (of_one + of_two).reshape(size, size)


def _fit(scored: Floats) -> Floats:
    """Maximize the likelihood by Newton's method; the strengths have the mean 0."""
    games, points = scored + scored.T, scored.sum(axis=1)
    strengths = np.zeros(len(scored))
    for _ in range(MAX_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(strengths - strengths[:, None]))
        weights = games * expected * (1 - expected)
        # Strengths are known up to a constant; the last term fixes their mean.
        information = np.diag(weights.sum(axis=1)) - weights + 1 / len(scored)
        step = np.linalg.solve(information, points - (games * expected).sum(axis=1))
        length = float(np.abs(step).max())
        strengths = strengths + step * min(1.0, MAX_STEP_LENGTH / length if length else 1.0)
        if length < TOLERANCE:
            break
    centred: Floats = strengths - strengths.mean()
    return centred


def _largest_component(scored: Floats) -> Ints:
    """Find the largest set of bots in which points lead from each bot to each other one.

    Of several, it is the one with the first bot.
    """
    beats = scored > 0
    rest = _without_extremes(beats)
    largest = np.zeros(0, dtype=np.int64)
    while rest.sum() > len(largest):
        start = np.flatnonzero(rest)[:1]
        component = _reachable(beats, start, rest) & _reachable(beats.T, start, rest)
        if component.sum() > len(largest):
            largest = np.flatnonzero(component)
        rest &= ~component
    return largest


def _without_extremes(beats: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Drop bots without wins or without losses among the others, until there are none."""
    rest = np.ones(len(beats), dtype=bool)
    while True:
        wins, losses = (beats & rest).any(axis=1), (beats & rest[:, None]).any(axis=0)
        fewer = rest & wins & losses
        if fewer.sum() == rest.sum():
            return rest
        rest = fewer


def _reachable(
    leads_to: NDArray[np.bool_], start: Ints, within: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Find what can be reached from a start by steps within a set."""
    found = np.zeros(len(leads_to), dtype=bool)
    found[start] = True
    while True:
        further = found | (leads_to[found].any(axis=0) & within)
        if further.sum() == found.sum():
            return found
        found = further
