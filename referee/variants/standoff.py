"""standoff: place next to your own blocks, never next to your opponent's."""

from typing import ClassVar

from referee.rules import Variant
from referee.rules.grid import Grid, Size
from referee.rules.layout import BoardLayout, BracketLayout
from referee.variants.placing import Placing


class Standoff(Placing):
    """A block closes its up to eight neighbours to the opponent only."""

    layout: ClassVar[BoardLayout] = BracketLayout()

    def __init__(self, size: Size) -> None:
        grid = Grid(size, origin=1)
        super().__init__(grid, grid.all_neighbours, to_both=False)


VARIANT = Variant(
    name="standoff",
    summary="place on an empty cell that touches no block of your opponent's",
    size=Size(5, 5),
    rules=Standoff,
)
