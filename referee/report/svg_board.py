"""Marks of a board as SVG, in the same shapes as js/board.js draws them. Pure."""

from collections.abc import Callable, Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape

CELL, EDGE = 44, 26
"""Side of a cell, and room for the coordinates."""


class SvgGrid(NamedTuple):
    """Size of a board, and where its coordinates begin."""

    rows: int
    cols: int
    origin: int

    @property
    def width(self) -> int:
        """Width of the drawing."""
        return EDGE + self.cols * CELL + 4

    @property
    def height(self) -> int:
        """Height of the drawing."""
        return EDGE + self.rows * CELL + 4

    def corner(self, cell: int) -> tuple[int, int]:
        """Return the top left corner of a cell."""
        return EDGE + cell % self.cols * CELL, EDGE + cell // self.cols * CELL

    def beside(self, cell: int) -> Iterator[int]:
        """Iterate over the cells up, left, right and down of a cell."""
        row, col = divmod(cell, self.cols)
        for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
            if 0 <= row + down < self.rows and 0 <= col + right < self.cols:
                yield (row + down) * self.cols + col + right


Draw = Callable[[int, int, str, int], str]
"""From corner, mark and seat (0: none) to SVG."""


def draw_mark(variant: str, mark: str, seat: int, x: int, y: int) -> str:
    """Draw a mark in a cell."""
    draw = _DRAWINGS.get(variant, {}).get(mark, _letter)
    return draw(x, y, mark, seat)


def _block(x: int, y: int, mark: str, seat: int) -> str:
    side = CELL - 12
    block = f'<rect class="s{seat}" x="{x + 6}" y="{y + 6}" width="{side}" height="{side}" rx="6"/>'
    return block + _on_colour(x, y, mark)


def _disc(x: int, y: int, mark: str, seat: int) -> str:
    disc = f'<circle class="s{seat}" cx="{x + CELL // 2}" cy="{y + CELL // 2}" r="15"/>'
    return disc + _on_colour(x, y, mark)


def _on_colour(x: int, y: int, mark: str) -> str:
    return f'<text class="on" x="{x + CELL // 2}" y="{y + 28.5}">{escape(mark)}</text>'


def _cross(x: int, y: int, mark: str, seat: int) -> str:
    return f'<path class="l1" d="M{x + 12} {y + 12}l20 20m0-20l-20 20"/>'


def _ring(x: int, y: int, mark: str, seat: int) -> str:
    return f'<circle class="l2" cx="{x + CELL // 2}" cy="{y + CELL // 2}" r="11"/>'


def _hatched(x: int, y: int, mark: str, seat: int) -> str:
    side = CELL - 2
    lines = ""
    for at in range(7, 2 * side, 7):
        start, end = min(at, side), max(0, at - side)
        lines += f"M{x + 1 + start} {y + 1 + end}L{x + 1 + end} {y + 1 + start}"
    ground = f'<rect class="hg" x="{x + 1}" y="{y + 1}" width="{side}" height="{side}"/>'
    return f'{ground}<path class="hl" d="{lines}"/>'


def _bricks(x: int, y: int, mark: str, seat: int) -> str:
    left, top, side = x + 5, y + 5, CELL - 10
    third = side / 3
    path = "".join(f"M{left} {top + third * row:.1f}h{side}" for row in (1, 2))
    for part, row in ((0.5, 0), (0.25, 1), (0.75, 1), (0.5, 2)):
        path += f"M{left + side * part:.1f} {top + third * row:.1f}v{third:.1f}"
    wall = f'<rect class="st" x="{left}" y="{top}" width="{side}" height="{side}" rx="3"/>'
    return f'{wall}<path class="jo" d="{path}"/>'


def _stone(x: int, y: int, mark: str, seat: int) -> str:
    side = CELL - 10
    return f'<rect class="st" x="{x + 5}" y="{y + 5}" width="{side}" height="{side}" rx="9"/>'


def _letter(x: int, y: int, mark: str, seat: int) -> str:
    return f'<text class="le s{seat}" x="{x + CELL // 2}" y="{y + 29}">{escape(mark)}</text>'


_DRAWINGS: dict[str, dict[str, Draw]] = {
    "standoff": {"X": _block, "O": _block},
    "lockdown": {"X": _cross, "O": _ring, "#": _hatched},
    "crossfire": {"X": _cross, "O": _ring, "#": _hatched},
    "barricade": {"A": _disc, "B": _disc, "X": _bricks},
    "runner": {"1": _disc, "2": _disc, "X": _stone},
}


def draw_ground(variant: str, grid: SvgGrid) -> str:
    """Draw coordinates, cells and goals, which do not change."""
    gap = 3 if variant == "standoff" else 0
    parts = []
    for col in range(grid.cols):
        x = EDGE + col * CELL + CELL // 2
        parts.append(f'<text class="co" x="{x}" y="17">{col + grid.origin}</text>')
    for row in range(grid.rows):
        y = EDGE + row * CELL + CELL // 2 + 5
        parts.append(f'<text class="co" x="12" y="{y}">{row + grid.origin}</text>')
    goals = _goals(variant, grid)
    side = CELL - 2 * gap
    for cell in range(grid.rows * grid.cols):
        x, y = grid.corner(cell)
        name = f"gr g{goals[cell]}" if cell in goals else "gr"
        rounded = ' rx="6"' if gap else ""
        parts.append(
            f'<rect class="{name}" x="{x + gap}" y="{y + gap}" width="{side}" height="{side}"'
            f"{rounded}/>"
        )
    return "".join(parts)


def _goals(variant: str, grid: SvgGrid) -> dict[int, int]:
    """Return the seat of each goal cell."""
    last = grid.rows * grid.cols - 1
    if variant == "barricade":
        return {last: 1, 0: 2}
    if variant == "runner":
        return dict.fromkeys(range(grid.cols), 2) | dict.fromkeys(range(last + 1)[-grid.cols :], 1)
    return {}


def draw_fire(cell: int, other: int, seat: int, grid: SvgGrid) -> str:
    """Draw how far a mark of crossfire fires."""
    (x, y), (to_x, to_y) = grid.corner(cell), grid.corner(other)
    right, down = to_x - x, to_y - y
    middle = CELL // 2
    ends = [(x + middle + right * part, y + middle + down * part) for part in (0.34, 0.62)]
    (x1, y1), (x2, y2) = ends
    return f'<path class="fi l{seat}" d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'


def draw_frame(x: int, y: int) -> str:
    """Draw the frame of the last move."""
    side = CELL - 4
    return f'<rect class="la" x="{x + 2}" y="{y + 2}" width="{side}" height="{side}" rx="6"/>'
