"""Node Kayles, which lockdown and crossfire are: a move removes a vertex and its neighbours.

Both players have the same moves, so a position is a sum of its connected components, and the theory
of Sprague and Grundy applies: the player to move loses if and only if the exclusive or of the
Grundy values of the components is 0. Values of components are kept, up to the symmetries of the
board.
"""

from referee.analysis.bitset import MaskMap, bit, count, lowest, with_neighbours
from referee.analysis.budget import Budget
from referee.rules.mypyc_compat import i64

MAX_KEPT = 2_000_000
"""Components whose values are kept, at about 110 bytes each."""


class NodeKayles:
    """Grundy values on one graph of up to 62 vertices."""

    def __init__(self, neighbours: list[int], symmetries: list[MaskMap]) -> None:
        """Create it from the mask of neighbours of each vertex."""
        self._closed: list[i64] = [
            i64(mask) | bit(vertex) for vertex, mask in enumerate(neighbours)
        ]
        """For each vertex, itself and its neighbours."""
        self._with_neighbours = with_neighbours(neighbours)
        self._symmetries = symmetries
        self._values: dict[int, int] = {}

    def grundy(self, free: i64, budget: Budget) -> i64:
        """Return the Grundy value of the subgraph of these vertices."""
        value: i64 = 0
        while free:
            component = self._component(free)
            free &= ~component
            value ^= self._connected(component, budget)
        return value

    def _component(self, free: i64) -> i64:
        """Return the connected component of the first vertex."""
        component = free & -free
        while True:
            grown = self._with_neighbours.apply(component) & free
            if grown == component:
                return component
            component = grown

    def _connected(self, component: i64, budget: Budget) -> i64:
        """Return the Grundy value of a connected component."""
        if count(component) <= 2:
            return 1
        key = component
        for symmetry in self._symmetries:
            other = symmetry.apply(component)
            if other < key:
                key = other
        known = self._values.get(key)
        if known is not None:
            return i64(known)
        budget.spend()
        reached: i64 = 0
        """A bit for each Grundy value that a move leads to."""
        left = component
        while left:
            reached |= bit(self.grundy(component & ~self._closed[lowest(left)], budget))
            left &= left - 1
        value = lowest(~reached)
        if len(self._values) >= MAX_KEPT:
            self._values.clear()
        self._values[key] = value
        return value
