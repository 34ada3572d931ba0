"""lockdown: mark a cell, and all its empty neighbours are blocked for both."""

from referee.rules import Variant
from referee.rules.grid import Grid, Size
from referee.variants.placing import Placing


class Lockdown(Placing):
    """A mark blocks its up to eight empty neighbours for both players."""

    def __init__(self, size: Size) -> None:
        grid = Grid(size, origin=1)
        super().__init__(grid, grid.all_neighbours, to_both=True)


VARIANT = Variant(
    name="lockdown",
    summary="mark a cell, its 8 neighbours are blocked; on 4x4 seat 2 always wins: go larger",
    size=Size(4, 4),
    rules=Lockdown,
)
