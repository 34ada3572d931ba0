"""crossfire: mark a cell, and its empty neighbours in the four directions are blocked for both."""

from referee.rules import Variant
from referee.rules.grid import Grid, Size
from referee.variants.placing import Placing


class Crossfire(Placing):
    """A mark blocks its empty neighbours up, down, left and right for both players."""

    def __init__(self, size: Size) -> None:
        grid = Grid(size, origin=0)
        super().__init__(grid, grid.orthogonal_neighbours, to_both=True)


VARIANT = Variant(
    name="crossfire",
    summary="mark a cell, its neighbours up, down, left and right are blocked",
    size=Size(6, 6),
    rules=Crossfire,
)
