"""Symmetries of boards: rotations and reflections, as permutations of cells. Pure.

Cells are numbered row by row from the top left, as in `grid`. A symmetry lists, for each cell, the
number of the cell that it is moved to.
"""

import re
from collections.abc import Sequence

from referee.rules.grid import Size, cells

Symmetry = tuple[int, ...]
_CELL = re.compile(r"([0-9]+),([0-9]+)")


def transposition(size: Size) -> Symmetry:
    """Return the reflection in the diagonal from the top left; only for square boards."""
    rows, cols = size
    return tuple(col * cols + row for row in range(rows) for col in range(cols))


def left_right_reflection(size: Size) -> Symmetry:
    """Return the exchange of left and right."""
    rows, cols = size
    return tuple(row * cols + cols - 1 - col for row in range(rows) for col in range(cols))


def board_symmetries(size: Size) -> list[Symmetry]:
    """List the rotations and reflections of a board without the identity.

    A square board has seven, others have three.
    """
    rows, cols = size
    left_right = left_right_reflection(size)
    half_turn = tuple(reversed(range(rows * cols)))
    found = [left_right, half_turn, tuple(half_turn[cell] for cell in left_right)]
    if rows == cols:
        diagonal = transposition(size)
        found += [diagonal, *(tuple(symmetry[cell] for cell in diagonal) for symmetry in found)]
    return found


def map_mask(mask: int, symmetry: Symmetry) -> int:
    """Return the mask of the images of the cells in a mask."""
    return sum(1 << symmetry[cell] for cell in cells(mask))


def map_board(board: str, symmetry: Symmetry) -> str:
    """Return the image of a board text."""
    rows = board.split("/")
    cols = len(rows[0])
    image = [""] * len(symmetry)
    for mark, cell in zip("".join(rows), symmetry, strict=True):
        image[cell] = mark
    return "/".join("".join(image[start : start + cols]) for start in range(0, len(image), cols))


def map_move(move: str, symmetry: Symmetry, size: Size, origin: int) -> str:
    """Return the image of a move in the notation `[cell][xcell]`."""

    def image(cell: re.Match[str]) -> str:
        row, col = divmod(
            symmetry[(int(cell[1]) - origin) * size.cols + int(cell[2]) - origin], size.cols
        )
        return f"{row + origin},{col + origin}"

    return _CELL.sub(image, move)


def canonical_board(board: str, symmetries: Sequence[Symmetry]) -> str:
    """Return the board text that comes first among the images of a board and itself.

    Boards that are symmetric to each other have the same one.
    """
    return min((board, *(map_board(board, symmetry) for symmetry in symmetries)))
