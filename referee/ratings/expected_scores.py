"""Scores that the ratings expect of each two bots, to compare with those they had. Pure.

Where strengths are one number per bot, cycles (A beats B, B beats C, C beats A) cannot be expected:
they show as differences here.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from referee.ratings.bradley_terry import Fit
from referee.ratings.design import Design
from referee.ratings.encounter_table import sum_by_place


class ExpectedScore(NamedTuple):
    """The results of a bot against another one that it met; the other one has the rest."""

    bot: str
    opponent: str
    games: int  # that count, see `RatingRow.distinct`
    points: float
    expected: float  # points expected by the ratings, seats included


def expected_scores(
    names: Sequence[str], fits: Sequence[tuple[Design, Fit]], chosen: Sequence[int]
) -> tuple[ExpectedScore, ...]:
    """Sum up points and expected points of each two chosen bots over variants, sorted by names."""
    size = len(names)
    totals = np.zeros((3, size**2))
    for design, fitted in fits:
        place = design.one * size + design.two
        lost = design.games - design.points
        expected = design.games * fitted.expected
        for row, values in enumerate(
            (
                design.games.sum(axis=0),
                design.points[0] + lost[1],
                expected[0] + design.games[1] - expected[1],
            )
        ):
            totals[row] += sum_by_place(place, values, size**2)
    is_chosen = np.zeros(size, dtype=bool)
    is_chosen[list(chosen)] = True
    met = np.flatnonzero((totals[0] > 0) & np.outer(is_chosen, is_chosen).ravel()).tolist()
    return tuple(
        ExpectedScore(
            names[place // size],
            names[place % size],
            int(totals[0, place]),
            float(totals[1, place]),
            round(float(totals[2, place]), 2),
        )
        for place in met
    )
