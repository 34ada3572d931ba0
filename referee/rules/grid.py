"""The board as bits: cell names, neighbour masks and board text of one size.

Cell number i is bit `1 << i`, row by row from the top left. Everything that depends on the size
alone is computed here once, so that the rules are a few operations on ints.

A board's text is kept as an int too, its picture: one byte per character. Marks are put onto empty
cells, and taken away again, by XOR with their ink.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

Value = TypeVar("Value")

_TOGETHER = 10
"""So many cells make few enough masks to keep the text of each."""
_NUMBER = "(?:0|[1-9][0-9]?)"
_CELL = f"{_NUMBER},{_NUMBER}"
_MOVE = re.compile(f"({_CELL})?(?:x({_CELL}))?")
_KING = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
_ROOK = [(-1, 0), (0, -1), (0, 1), (1, 0)]


class Size(NamedTuple):
    """Rows and columns of a board."""

    rows: int
    cols: int

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}"


class Grid:
    """Names and masks for a board of one size, its cells numbered from `origin`."""

    def __init__(self, size: Size, origin: int) -> None:
        rows, cols = size
        self.size = size
        self.origin = origin
        self.everything = (1 << rows * cols) - 1
        self.names = [f"{r + origin},{c + origin}" for r in range(rows) for c in range(cols)]
        self.number = {name: cell for cell, name in enumerate(self.names)}
        self.all_neighbours = [self._around(cell, _KING) for cell in range(rows * cols)]
        """The mask of the up to eight neighbours of each cell."""
        self.orthogonal_neighbours = [self._around(cell, _ROOK) for cell in range(rows * cols)]
        """The mask of the neighbours up, down, left and right of each cell."""
        self.top_row = (1 << cols) - 1
        self.bottom_row = self.top_row << (rows - 1) * cols
        left = sum(1 << row * cols for row in range(rows))
        self._not_left = self.everything & ~left
        self._not_right = self.everything & ~(left << cols - 1)
        text = "/".join(["." * cols] * rows)
        self._length = len(text)
        self.empty_board_bits = int.from_bytes(text.encode("ascii"), "little")
        """The picture of the empty board."""

    def _around(self, cell: int, steps: Iterable[tuple[int, int]]) -> int:
        rows, cols = self.size
        row, col = divmod(cell, cols)
        mask = 0
        for down, right in steps:
            if 0 <= row + down < rows and 0 <= col + right < cols:
                mask |= 1 << (row + down) * cols + col + right
        return mask

    def mark_bits(self, mark: str) -> list[int]:
        """For each cell, what turns an empty one into this mark in a picture, and back."""
        cols = self.size.cols
        change = ord(".") ^ ord(mark)
        return [change << 8 * (cell + cell // cols) for cell in range(len(self.names))]

    def text(self, board_bits: int) -> str:
        """The board text of a picture."""
        return board_bits.to_bytes(self._length, "little").decode()

    def mark(self, board: str, cell: int) -> str:
        """What a board text shows in a cell."""
        return board[cell + cell // self.size.cols]

    def is_connected(self, start: int, goal: int, free: int) -> bool:
        """Whether king steps over free cells lead from the start mask into the goal mask."""
        cols = self.size.cols
        reached = start
        while not reached & goal:
            wide = reached | (reached & self._not_left) >> 1 | (reached & self._not_right) << 1
            grown = (wide | wide << cols | wide >> cols) & free | reached
            if grown == reached:
                return False
            reached = grown
        return True

    def list_names(self, mask: int) -> str:
        """The names of these cells in words: `1,1, 1,2 and 3,3`."""
        names = [self.names[cell] for cell in cells(mask)]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    def read_move(self, move: str, example: str) -> tuple[int | None, int | None]:
        """The cells of a move `[cell][xcell]`; ValueError says what cannot be read."""
        match = _MOVE.fullmatch(move)
        if not move or not match:
            raise ValueError(f"{move!r} cannot be read as a move: one looks like {example}")
        first, second = match.groups()
        return self._cell(first), self._cell(second)

    def _cell(self, name: str | None) -> int | None:
        if name is None:
            return None
        if name not in self.number:
            low, (rows, cols) = self.origin, self.size
            raise ValueError(
                f"{name} is off the board:"
                f" rows go from {low} to {low + rows - 1}, columns from {low} to {low + cols - 1}"
            )
        return self.number[name]


def cells(mask: int) -> Iterator[int]:
    """The numbers of the cells in a mask, in order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class MaskTable(dict[int, Value]):
    """What the cells of a mask add up to, worked out when it is first asked for.

    Only for masks of few bits: what was worked out stays.
    """

    def __init__(self, nothing: Value, add: Callable[[Value, int], Value]) -> None:
        """What no cell makes, and what one more cell makes of it; they come in order."""
        self._add = add
        self[0] = nothing

    def __missing__(self, mask: int) -> Value:
        last = mask.bit_length() - 1
        value = self[mask] = self._add(self[mask ^ 1 << last], last)
        return value


class MaskText:
    """The names of the cells in a mask, joined: looked up for several cells at a time."""

    def __init__(self, names: Sequence[str]) -> None:
        tables = -(-len(names) // _TOGETHER)
        self._width = -(-len(names) // tables)
        self._low = (1 << self._width) - 1
        self._tables = [
            _join_all(names[first : first + self._width])
            for first in range(0, len(names), self._width)
        ]

    def of(self, mask: int) -> str:
        """Each name with a `;` before it."""
        text = ""
        for table in self._tables:
            text += table[mask & self._low]
            mask >>= self._width
        return text


def _join_all(names: Sequence[str]) -> list[str]:
    """For every mask of these cells, their names."""
    texts = [""]
    for name in names:
        texts += [f"{text};{name}" for text in texts]
    return texts
