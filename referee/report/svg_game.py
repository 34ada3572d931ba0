"""A whole game as one animated SVG, without scripts, for a README or a message. Pure.

Every shape that is not on all boards has a style that shows it from one ply to another. A viewer
that does not animate, or is asked for reduced motion, shows the last position.
"""

import re
from collections.abc import Hashable, Sequence
from typing import TypeVar
from xml.sax.saxutils import escape

from referee.report.svg_board import SvgGrid, draw_fire, draw_frame, draw_ground, draw_mark

STEP_S, END_S, MAX_S = 0.8, 3.0, 60.0
"""Seconds per ply and of the last position; longer games have shorter steps."""
_HEAD, _FOOT = 34, 44
MIN_WIDTH = 250
_CELL = re.compile(r"([0-9]{1,2}),([0-9]{1,2})", re.ASCII)
_STYLE = """
svg{--su:#fff;--ra:#f2f0ec;--te:#1d2127;--mu:#59616c;--li:#dcd8d1;--s1:#1d5fbf;--s2:#b8520a;--on:#fff;
--st:#454b54;--jo:#a7adb6;--ha:#c9c5bd;--g1:#dae5f5;--g2:#f5e4d8}
@media(prefers-color-scheme:dark){svg{--su:#1b1f25;--ra:#252a32;--te:#e8e6e1;--mu:#a3abb6;--li:#363d47;
--s1:#76abf7;--s2:#f0954a;--on:#10131a;--st:#8b929d;--jo:#3c424b;--ha:#424a55;--g1:#29364a;--g2:#3d322c}}
text{font:15px system-ui,sans-serif;fill:var(--te)}.bg{fill:var(--su);stroke:var(--li)}
.co{font-size:13px;fill:var(--mu);text-anchor:middle}.gr{fill:var(--su);stroke:var(--li)}
.standoff .gr{fill:var(--ra)}.g1{fill:var(--g1)}.g2{fill:var(--g2)}
.s1{fill:var(--s1)}.s2{fill:var(--s2)}
.l1,.l2{fill:none;stroke-width:5.5;stroke-linecap:round}.l1{stroke:var(--s1)}.l2{stroke:var(--s2)}
.fi{stroke-width:3}.on{font-size:18px;font-weight:700;fill:var(--on);text-anchor:middle}
.le{font-size:22px;font-weight:700;text-anchor:middle}.st{fill:var(--st)}.jo{stroke:var(--jo);fill:none}
.hg{fill:var(--ra)}.hl{stroke:var(--ha);stroke-width:2.5;fill:none}.la{fill:none;stroke:var(--te);stroke-width:2.5}
.na{font-weight:600}.wi{font-weight:700}.sm{font-size:13px;fill:var(--mu)}.h{visibility:hidden}
.pr{fill:var(--s1);transform-origin:0 0;animation:pr var(--t) linear infinite}
@keyframes pr{from{transform:scaleX(0)}to{transform:scaleX(1)}}
@media(prefers-reduced-motion:reduce){*{animation:none!important}}
"""

Item = TypeVar("Item", bound=Hashable)
Span = tuple[int, int]
"""First ply, and the ply after the last, at which something is shown."""


def draw_game(
    *,
    boards: Sequence[str],
    marks: Sequence[str],
    variant: str,
    origin: int,
    names: Sequence[str],
    moves: Sequence[str],
    title: str,
    ending: str,
    winner: int | None,
) -> str:
    """Draw the game; `boards` are the texts of the positions, the first before any move."""
    rows = boards[0].split("/") if boards else [""]
    grid = SvgGrid(len(rows), max(map(len, rows)), origin)
    plies = max(0, len(boards) - 1) if boards else len(moves)
    animation = _Animation(plies)
    layer = f'<g class="{variant or "any"}">{draw_ground(variant, grid)}'
    cells = [_marked_cells(board, grid) for board in boards]
    for (cell, mark), spans in _runs(cells).items():
        x, y = grid.corner(cell)
        seat = 1 + list(marks).index(mark) if mark in marks else 0
        layer += animation.shown(draw_mark(variant, mark, seat, x, y), spans)
    if variant == "crossfire":
        fires = [_fires(marked, marks, grid) for marked in cells]
        for (cell, other, seat), spans in _runs(fires).items():
            layer += animation.shown(draw_fire(cell, other, seat, grid), spans)
    for ply, move in enumerate(moves[:plies], start=1):
        frames = "".join(draw_frame(*grid.corner(cell)) for cell in _cells_of(move, grid))
        layer += animation.shown(frames, [(ply, ply + 1)])
    layer += "</g>"
    width = max(MIN_WIDTH, grid.width) + 16
    height = grid.height + _HEAD + _FOOT + 8
    inner = (
        _heading(names, winner, width)
        + f'<g transform="translate({(width - grid.width) / 2 - 2:g} {_HEAD})">{layer}</g>'
        + _captions(animation, names, moves[:plies], ending, width, height)
    )
    scale = 1.6 if grid.cols <= 8 else 1
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width * scale:.0f}" height="{height * scale:.0f}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(ending)}</desc>"
        f"<style>{_STYLE}{animation.style()}</style>"
        f'<rect class="bg" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10"/>'
        f"{inner}</svg>\n"
    )


class _Animation:
    """The times of all plies, and the styles that show shapes at some of them."""

    def __init__(self, plies: int) -> None:
        self._plies = plies
        self._step = min(STEP_S, MAX_S / (plies + 1))
        self._total = plies * self._step + END_S
        self._spans: dict[Span, str] = {}

    def shown(self, shape: str, spans: Sequence[Span]) -> str:
        """Show a shape at some plies only."""
        if not shape:
            return ""
        parts = []
        for begin, end in spans:
            end = min(end, self._plies + 1)
            if begin == 0 and end == self._plies + 1:
                parts.append(shape)
                continue
            name = self._spans.setdefault((begin, end), f"a{len(self._spans)}")
            hidden = "" if end == self._plies + 1 else " h"
            parts.append(f'<g class="{name}{hidden}">{shape}</g>')
        return "".join(parts)

    def style(self) -> str:
        """Return the animations: from a ply on, up to a ply, or for some plies."""
        rules = [f"svg{{--t:{self._total:.2f}s}}"]
        for (begin, end), name in self._spans.items():
            steps = [f"0%{{visibility:{'visible' if begin == 0 else 'hidden'}}}"]
            if begin:
                steps.append(f"{self._percent(begin)}{{visibility:visible}}")
            if end <= self._plies:
                steps.append(f"{self._percent(end)}{{visibility:hidden}}")
            rules.append(
                f".{name}{{animation:{name} var(--t) step-end infinite}}"
                f"@keyframes {name}{{{''.join(steps)}}}"
            )
        return "\n".join(rules)

    def _percent(self, ply: int) -> str:
        return f"{100 * ply * self._step / self._total:.2f}%"


def _runs(frames: Sequence[list[Item]]) -> dict[Item, list[Span]]:
    """Return for each item the plies from and to which it is there."""
    spans: dict[Item, list[Span]] = {}
    for ply, items in enumerate(frames):
        for item in items:
            known = spans.setdefault(item, [])
            if known and known[-1][1] == ply:
                known[-1] = (known[-1][0], ply + 1)
            else:
                known.append((ply, ply + 1))
    return spans


def _marked_cells(board: str, grid: SvgGrid) -> list[tuple[int, str]]:
    return [
        (row * grid.cols + col, mark)
        for row, marks in enumerate(board.split("/"))
        for col, mark in enumerate(marks)
        if mark != "." and row < grid.rows
    ]


def _fires(
    cells: list[tuple[int, str]], marks: Sequence[str], grid: SvgGrid
) -> list[tuple[int, int, int]]:
    """Return marks of seats and the blocked cells beside them."""
    blocked = {cell for cell, mark in cells if mark == "#"}
    return [
        (cell, other, 1 + marks.index(mark))
        for cell, mark in cells
        if mark in marks
        for other in grid.beside(cell)
        if other in blocked
    ]


def _cells_of(move: str, grid: SvgGrid) -> list[int]:
    """Return the cells that a move names."""
    found = []
    for row_text, col_text in _CELL.findall(move):
        row, col = int(row_text) - grid.origin, int(col_text) - grid.origin
        if 0 <= row < grid.rows and 0 <= col < grid.cols:
            found.append(row * grid.cols + col)
    return found


def _heading(names: Sequence[str], winner: int | None, width: int) -> str:
    """Write the names, the winner's in bold."""
    texts = [_fitted(name, (width - 60) // 2) for name in names]
    style = ["wi" if winner == seat else "na" for seat in (1, 2)]
    return (
        f'<circle class="s1" cx="18" cy="20" r="6"/>'
        f'<text class="{style[0]}" x="30" y="25">{texts[0]}</text>'
        f'<circle class="s2" cx="{width - 18}" cy="20" r="6"/>'
        f'<text class="{style[1]}" x="{width - 30}" y="25" text-anchor="end">{texts[1]}</text>'
    )


def _captions(
    animation: _Animation,
    names: Sequence[str],
    moves: Sequence[str],
    ending: str,
    width: int,
    height: int,
) -> str:
    """Write the move of each ply, and the ending with the last one; draw how far the game is."""
    y = height - 22
    text = ""
    for ply, move in enumerate(moves, start=1):
        who = f"{ply}. {names[(ply - 1) % 2]} plays {move}"
        last = ply == len(moves)
        shown = _fitted(ending if last else who, width - 28, 6.6)
        name = "sm wi" if last else "sm"
        text += animation.shown(
            f'<text class="{name}" x="14" y="{y}">{shown}</text>', [(ply, ply + 1)]
        )
    bar = f'<rect class="pr" width="{width - 28}" height="3" rx="1.5"/>'
    return f'{text}<g transform="translate(14 {height - 12})">{bar}</g>'


def _fitted(text: str, width: float, letter: float = 8.6) -> str:
    """Cut a text that is too wide, given the mean width of a letter in pixels."""
    most = max(4, int(width / letter))
    return escape(text if len(text) <= most else f"{text[: most - 1]}…")
