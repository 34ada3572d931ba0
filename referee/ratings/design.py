"""The games of the chosen variants by cell and by encounter, the input of fits. Pure.

A cell is a pairing in a variant. Of arrays with two rows, the first is of games with the first bot
of the pair in seat 1 ("direct"), the second of those with the seats swapped.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.ratings.encounter_table import EncounterTable, Floats, Ints, sum_by_place

MIN_DISTINCT_GAMES = 10  # a bot with fewer distinct games gets a note


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
class BotCounts:
    """Games of each bot, for the notes; all arrays have the shape (bots,)."""

    distinct: Floats  # distinct games
    points: Floats
    component: Ints  # equal for bots that are connected by games

    @property
    def side(self) -> Ints:
        """1 for bots that won every game, -1 for those that lost every game, 0 for others."""
        won, lost = self.points == self.distinct, self.points == 0
        return np.where(self.distinct > 0, won.astype(np.int64) - lost, 0)


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
        opening=table.opening[used],
        encounter_games=games,
        encounter_points=points,
    )


def count_by_bot(design: Design) -> BotCounts:
    """Sum up the distinct games and points of bots, and find the connected ones."""
    games, lost = design.games.sum(axis=0), design.games - design.points
    return BotCounts(
        distinct=design.sum_by_bot(games, games),
        points=design.sum_by_bot(design.points[0] + lost[1], lost[0] + design.points[1]),
        component=_components(design),
    )


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
