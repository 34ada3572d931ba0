"""Cells of a board text: their names, and their appearance on a terminal."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from referee.rules import Rules
from referee.text import printable_block

_CELL = re.compile(r"[0-9]+,[0-9]+")
_BOLD_CYAN, _BOLD_YELLOW, _RED, _GREEN = "1;36", "1;33", "31", "32"
_REVERSE = "7"


def marks_by_cell(board: str, origin: int) -> Iterator[tuple[str, str]]:
    """Yield the name and mark of every cell, row by row."""
    for row, marks in enumerate(board.split("/"), start=origin):
        for col, mark in enumerate(marks, start=origin):
            yield f"{row},{col}", mark


def cells_of(move: str) -> list[str]:
    """Return the cells that a move names."""
    return _CELL.findall(move)


@dataclass(frozen=True)
class CellStyle:
    """Appearance of cells: marks, highlighted cells, colour."""

    colour: bool = False
    marks: tuple[str, str] = ("1", "2")
    """Marks of seat 1 and seat 2."""
    last: Collection[str] = ()
    """The cells of the last move."""
    legal: Collection[str] = ()
    """Cells of legal moves, if they are to be marked."""
    dot: str = "*"

    def cell(self, name: str, mark: str, text: str) -> str:
        """Return the text of a cell, with a dot if it is legal and with colour codes."""
        if mark == "." and name in self.legal:
            text, code = text[:-1] + self.dot, _GREEN
        elif mark in self.marks:
            code = (_BOLD_CYAN, _BOLD_YELLOW)[self.marks.index(mark)]
        else:
            code = "" if mark == "." else _RED
        if not self.colour:
            return text
        if name in self.last:
            code = f"{code};{_REVERSE}" if code else _REVERSE
        return f"\x1b[{code}m{text}\x1b[0m" if code else text


def draw_position(
    rules: Rules[Any], state: Any, moves: Sequence[str] = (), *, colour: bool = False
) -> str:
    """Draw a position; in colour, the cells of the last of `moves` are marked.

    A game with a `draw` of its own is drawn by that, without colour.
    """
    if not colour or type(rules).draw is not Rules.draw:
        return printable_block(rules.draw(state))
    board = "".join(mark if mark.isprintable() else "?" for mark in rules.board(state))
    last = cells_of(moves[-1]) if moves else ()
    style = CellStyle(colour=True, marks=rules.marks, last=last)
    return rules.layout.draw(board, rules.origin, style.cell)
