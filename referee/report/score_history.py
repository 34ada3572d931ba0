"""How each bot's points grew from game to game, as a line that is not too fine. Pure."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from referee.outcome import HALF_POINTS
from referee.scoring.game_columns import GameColumns

COURSE_POINTS, ALL_COURSES = 100, 10_000
"""How finely the course of a bot is drawn at the most, and all courses together."""

ScoreHistory = list[tuple[int, float]]
"""Games played, and the points from them."""


def make_courses(
    evidence: GameColumns, bots: Iterable[str], withdrawn: Iterable[str]
) -> dict[str, ScoreHistory]:
    """The courses of all bots; a game with a withdrawn bot counts for nobody else."""
    names, gone = list(bots), set(withdrawn)
    most = min(COURSE_POINTS, max(10, ALL_COURSES // max(1, len(names))))
    # Of each game first what seat 1 got, then seat 2.
    bot = np.stack([evidence.first, evidence.second], axis=1)
    half_points = np.zeros((max(HALF_POINTS.values()) + 1, 2))
    for score, number in HALF_POINTS.items():
        half_points[number] = score
    points = half_points[np.asarray(evidence.half_points)]
    if gone:
        out = np.isin(bot, [number for name, number in evidence.bots.items() if name in gone])
        counts = out | ~out.any(axis=1, keepdims=True)
        bot, points = bot[counts], points[counts]
    order = np.argsort(bot, axis=None, kind="stable")
    points, bot = points.ravel()[order], bot.ravel()[order]
    numbers = [evidence.bots.get(name, -1) for name in names]
    begins, ends = (np.searchsorted(bot, numbers, side) for side in ("left", "right"))
    return {
        name: _course(points[begin:end], most)
        for name, begin, end in zip(names, begins, ends, strict=True)
    }


def _course(points: NDArray[np.float64], most: int) -> ScoreHistory:
    """From the points of each game; beyond `most` of them every second, fourth, … stays, and the
    last."""
    games, stride = len(points), 1
    while games // stride > most:
        stride *= 2
    at = [*range(stride, games + 1, stride)]
    if games % stride:
        at.append(games)
    sums = np.cumsum(points)
    return [(number, float(sums[number - 1])) for number in at]
