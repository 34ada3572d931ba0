"""standoff: place next to your own blocks, never next to your opponent's."""

from referee.rules import Variant
from referee.rules.grid import Grid, Size
from referee.variants.placing import Placing, State


class Standoff(Placing):
    """A block closes its up to eight neighbours to the opponent only."""

    def __init__(self, size: Size) -> None:
        grid = Grid(size, origin=1)
        super().__init__(grid, grid.all_neighbours, to_both=False)

    def draw(self, state: State) -> str:
        """Return the board in the style of the rule book: `[X][ ][O]`."""
        rows = self.board(state).replace(".", " ").split("/")
        return "\n".join("".join(f"[{mark}]" for mark in row) for row in rows)


VARIANT = Variant(
    name="standoff",
    summary="place on an empty cell that touches no block of your opponent's",
    size=Size(5, 5),
    rules=Standoff,
)
