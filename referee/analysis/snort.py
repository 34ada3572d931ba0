"""Snort, which standoff is: a mark closes its neighbours to the opponent only.

A cell is contested if the opponent can still close it or mark it. The others of a player are free
moves: none of them changes anything else, so that only the difference of their numbers counts (in
combinatorial game theory they are integers). A position is therefore the contested cells of both
players and that difference.
"""

from referee.analysis.bitset import MaskMap, bit, count, lowest, with_neighbours
from referee.analysis.budget import Budget
from referee.analysis.position_table import PositionTable
from referee.rules.mypyc_compat import i64

MAX_CELLS = 56
"""The difference of free moves takes the other bits of a word."""
MANY_CELLS = 30
"""With at least this number of contested cells, symmetric positions are recognised. Below it, that
costs more than it saves."""


class Snort:
    """Negamax with a table, on one graph of up to 56 vertices."""

    def __init__(
        self, neighbours: list[int], symmetries: list[MaskMap], table: PositionTable
    ) -> None:
        """Create it from the mask of neighbours of each vertex; results have one bit."""
        self._closed: list[i64] = [
            i64(mask) | bit(vertex) for vertex, mask in enumerate(neighbours)
        ]
        """For each vertex, itself and its neighbours."""
        self._with_neighbours = with_neighbours(neighbours)
        self._symmetries = symmetries
        self._table = table

    def wins(self, own: i64, opponent: i64, surplus: i64, budget: Budget) -> bool:
        """Return whether the player to move wins.

        `own` and `opponent` are the cells that are open to each player. `surplus` is the number of
        further free moves of the player to move, minus that of the opponent.
        """
        budget.spend()
        free = own & ~self._with_neighbours.apply(opponent)
        opponent_free = opponent & ~self._with_neighbours.apply(own)
        own ^= free
        opponent ^= opponent_free
        surplus += count(free) - count(opponent_free)
        # A player who answers with free moves only has enough of them, if the other has at most
        # as many moves; the player to move needs one more.
        if surplus > count(opponent):
            return True
        if -surplus >= count(own):
            return False
        first, second = own, opponent
        if count(own) + count(opponent) >= MANY_CELLS:
            for symmetry in self._symmetries:
                other = symmetry.apply(own)
                if other <= first:
                    other_second = symmetry.apply(opponent)
                    if other < first or other_second < second:
                        first, second = other, other_second
        first |= (surplus + 64) << MAX_CELLS
        known = self._table.get(first, second)
        if known >= 0:
            return known == 1
        won = self._search(own, opponent, surplus, budget)
        self._table.put(first, second, 1 if won else 0)
        return won

    def _search(self, own: i64, opponent: i64, surplus: i64, budget: Budget) -> bool:
        """Return whether one of the moves wins, the most promising first."""
        moves: list[i64] = []
        left = own
        while left:
            cell = lowest(left)
            left &= left - 1
            own_after = own & ~bit(cell)
            opponent_after = opponent & ~self._closed[cell]
            # The free moves of both count twice, all moves once.
            score = count(own_after) - count(opponent_after)
            score += 2 * count(own_after & ~self._with_neighbours.apply(opponent_after))
            score -= 2 * count(opponent_after & ~self._with_neighbours.apply(own_after))
            moves.append((512 - score) << 6 | cell)
        moves.sort()
        for move in moves:
            cell = move & 63
            after = own & ~bit(cell)
            if not self.wins(opponent & ~self._closed[cell], after, -surplus, budget):
                return True
        # A free move last: it gains nothing but the turn.
        return surplus > 0 and not self.wins(opponent, own, 1 - surplus, budget)
