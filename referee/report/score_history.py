"""Cumulative points of each bot over its games, at a bounded number of points. Pure."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from referee.outcome import HALF_POINTS
from referee.ratings.game_columns import GameColumns

MAX_POINTS, MAX_POINTS_IN_ALL = 100, 10_000
"""Maximum points of one history, and of all histories together."""

ScoreHistory = list[tuple[int, float]]
"""Pairs of games played and points scored in them."""


def score_histories(
    game_columns: GameColumns, bots: Iterable[str], withdrawn: Iterable[str]
) -> dict[str, ScoreHistory]:
    """Compute the history of each bot; a game with a withdrawn bot counts for that bot only."""
    names, gone = list(bots), set(withdrawn)
    most = min(MAX_POINTS, max(10, MAX_POINTS_IN_ALL // max(1, len(names))))
    # One row per game, one column per seat.
    bot = np.stack([game_columns.first, game_columns.second], axis=1)
    half_points = np.zeros((max(HALF_POINTS.values()) + 1, 2))
    for score, number in HALF_POINTS.items():
        half_points[number] = score
    points = half_points[np.asarray(game_columns.half_points)]
    if gone:
        out = np.isin(bot, [number for name, number in game_columns.bots.items() if name in gone])
        counts = out | ~out.any(axis=1, keepdims=True)
        bot, points = bot[counts], points[counts]
    order = np.argsort(bot, axis=None, kind="stable")
    points, bot = points.ravel()[order], bot.ravel()[order]
    numbers = [game_columns.bots.get(name, -1) for name in names]
    begins, ends = (np.searchsorted(bot, numbers, side) for side in ("left", "right"))
    return {
        name: _history(points[begin:end], most)
        for name, begin, end in zip(names, begins, ends, strict=True)
    }


def _history(points: NDArray[np.float64], most: int) -> ScoreHistory:
    """Sum up the points of consecutive games; beyond `most` games keep every 2nd, 4th, … only."""
    games, stride = len(points), 1
    while games // stride > most:
        stride *= 2
    at = [*range(stride, games + 1, stride)]
    if games % stride:
        at.append(games)
    sums = np.cumsum(points)
    return [(number, float(sums[number - 1])) for number in at]
