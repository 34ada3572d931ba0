"""A board's text as people see it: its cells by name, and their colours on a terminal."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_CELL = re.compile(r"[0-9]+,[0-9]+")
_BOLD_CYAN, _BOLD_YELLOW, _RED, _GREEN = "1;36", "1;33", "31", "32"
_REVERSE = "7"


def marks_by_cell(board: str, origin: int) -> Iterator[tuple[str, str]]:
    """Every cell's name and mark, row by row."""
    for row, marks in enumerate(board.split("/"), start=origin):
        for col, mark in enumerate(marks, start=origin):
            yield f"{row},{col}", mark


def cells_of(move: str) -> list[str]:
    """The cells that a move names."""
    return _CELL.findall(move)


@dataclass(frozen=True)
class Paint:
    """How a cell looks: plain, or with colour."""

    colour: bool = False
    marks: tuple[str, str] = ("1", "2")
    """What belongs to seat 1 and to seat 2."""
    last: Collection[str] = ()
    """The cells of the last move."""
    legal: Collection[str] = ()
    """The cells where one may play, if they are to be marked."""
    dot: str = "*"

    def cell(self, name: str, mark: str, text: str) -> str:
        """The text of a cell, dotted and coloured."""
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
