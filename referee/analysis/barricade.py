"""barricade: negamax with a table. Every move but the last adds a blockade, so every game ends."""

from referee.analysis.bitset import bit, count, lowest, permutation, with_neighbours
from referee.analysis.budget import Budget
from referee.analysis.position_table import PositionTable
from referee.rules.grid import Grid, Size
from referee.rules.mypyc_compat import i64
from referee.rules.symmetry import transposition

FAR: i64 = 20
"""The distance that counts for a goal that cannot be reached."""


class BarricadeSearch:
    """Negamax on one board of up to 62 cells.

    The board is turned so that the player to move has its goal in the last cell.
    """

    def __init__(self, size: Size, table: PositionTable) -> None:
        """Create it; results have one bit."""
        grid = Grid(size, 0)
        self._all: i64 = i64(grid.all_cells)
        self._last: i64 = len(grid.names) - 1
        self._steps: list[i64] = [i64(mask) for mask in grid.orthogonal_neighbours]
        self._around: list[i64] = [i64(mask) for mask in grid.all_neighbours]
        self._grow = with_neighbours(grid.orthogonal_neighbours)
        self._turn = permutation(range(len(grid.names))[::-1])
        self._is_square = size.rows == size.cols
        diagonal = transposition(size) if self._is_square else ()
        self._diagonal_cell: list[i64] = [i64(target) for target in diagonal]
        self._diagonal = permutation(diagonal)
        self._table = table

    def wins(self, own: i64, opponent: i64, blockades: i64, budget: Budget) -> bool:
        """Return whether the player to move wins: its cell, that of the opponent, the blockades."""
        budget.spend()
        steps = self._steps[own] & ~(blockades | bit(opponent))
        if not steps:
            return False
        if steps >> self._last & 1:
            return True
        first, second = blockades, own << 6 | opponent
        if self._is_square:
            other = self._diagonal.apply(blockades)
            if other <= first:
                other_second = self._diagonal_cell[own] << 6 | self._diagonal_cell[opponent]
                if other < first or other_second < second:
                    first, second = other, other_second
        known = self._table.get(first, second)
        if known >= 0:
            return known == 1
        won = self._search(own, opponent, blockades, steps, budget)
        self._table.put(first, second, 1 if won else 0)
        return won

    def _search(self, own: i64, opponent: i64, blockades: i64, steps: i64, budget: Budget) -> bool:
        """Return whether one of the moves wins, the most promising first."""
        moves: list[i64] = []
        while steps:
            to = lowest(steps)
            steps &= steps - 1
            cells = self._around[to] & ~(blockades | bit(opponent))
            while cells:
                cell = lowest(cells)
                cells &= cells - 1
                after = blockades | bit(cell)
                answers = self._steps[opponent] & ~(after | bit(to))
                if not answers:
                    return True
                if answers & 1:
                    continue  # the opponent steps onto its goal
                score = self._score(to, opponent, after) - 3 * count(answers)
                moves.append((4096 - score) << 12 | to << 6 | cell)
        moves.sort()
        for move in moves:
            to = move >> 6 & 63
            after = self._turn.apply(blockades | bit(move & 63))
            if not self.wins(self._last - opponent, self._last - to, after, budget):
                return True
        return False

    def _score(self, own: i64, opponent: i64, blockades: i64) -> i64:
        """Estimate a position after a move of the player at `own`, whose goal is the last cell."""
        free = self._all & ~blockades
        score = 2 * count(self._steps[own] & free) - 4 * self._lead(opponent, own, free)
        score += self._distance(opponent, 1, free)
        return score - self._distance(own, bit(self._last), free)

    def _lead(self, one: i64, other: i64, free: i64) -> i64:
        """Count the cells that `one`, who is to move, reaches first, minus those of the other."""
        lead: i64 = 0
        near, far = bit(one), bit(other)
        free &= ~(near | far)
        while near or far:
            near = self._grow.apply(near) & free
            free &= ~near
            far = self._grow.apply(far) & free
            free &= ~far
            lead += count(near) - count(far)
        return lead

    def _distance(self, start: i64, goal: i64, free: i64) -> i64:
        """Count the steps from a cell to a goal; markers are no obstacles."""
        reached = bit(start)
        steps: i64 = 0
        while not reached & goal:
            grown = self._grow.apply(reached) & free | reached
            if grown == reached:
                return FAR
            reached = grown
            steps += 1
        return min(steps, FAR)
