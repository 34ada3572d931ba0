"""Layouts of boards as text: cells with row and column numbers. Pure."""

from collections.abc import Callable, Sequence

Paint = Callable[[str, str, str], str]
"""A function of the name, the mark and the text of a cell; it returns the text to display."""


def _unchanged(name: str, mark: str, text: str) -> str:
    return text


class BoardLayout:
    """Cells separated by blanks, numbers above and on the left."""

    def draw(self, board: str, origin: int, paint: Paint = _unchanged) -> str:
        """Draw a board text in several lines; numbers start at `origin`."""
        rows = board.split("/")
        row_numbers = range(origin, origin + len(rows))
        col_numbers = range(origin, origin + max(map(len, rows)))
        lines = self.head(row_numbers, col_numbers)
        for row, marks in zip(row_numbers, rows, strict=True):
            cells = [
                paint(f"{row},{col}", mark, self.cell_text(mark))
                for col, mark in zip(col_numbers, marks, strict=False)
            ]
            lines.append(self.row_text(row, cells, row_numbers, col_numbers))
        return "\n".join(line.rstrip() for line in lines)

    def head(self, rows: Sequence[int], cols: Sequence[int]) -> list[str]:
        """Return the lines above the first row."""
        width = _digits(cols)
        return [" " * _digits(rows) + "  " + " ".join(f"{col:>{width}}" for col in cols)]

    def cell_text(self, mark: str) -> str:
        """Return the text of a cell with this mark."""
        return mark

    def row_text(
        self, number: int, cells: Sequence[str], rows: Sequence[int], cols: Sequence[int]
    ) -> str:
        """Return the line of a row."""
        gap = " " * _digits(cols)
        return f"{number:>{_digits(rows)}} {gap}{gap.join(cells)}"


class BracketLayout(BoardLayout):
    """Cells in brackets: `[X][ ][O]`."""

    def head(self, rows: Sequence[int], cols: Sequence[int]) -> list[str]:
        """Return the line of column numbers."""
        return [" " * _digits(rows) + "  " + "".join(f"{col:>2} " for col in cols)]

    def cell_text(self, mark: str) -> str:
        """Return the mark; an empty cell is blank."""
        return " " if mark == "." else mark

    def row_text(
        self, number: int, cells: Sequence[str], rows: Sequence[int], cols: Sequence[int]
    ) -> str:
        """Return the line of a row."""
        return f"{number:>{_digits(rows)}}  " + "".join(f"[{cell}]" for cell in cells)


class PieceLayout(BoardLayout):
    """A table with a head of its own, in which players are `P1` and `P2`."""

    def head(self, rows: Sequence[int], cols: Sequence[int]) -> list[str]:
        """Return the line of column numbers, underlined."""
        numbers = "Row\\Col |" + "".join(f"{col:>2}  " for col in cols)
        return [numbers, "-" * len(numbers)]

    def cell_text(self, mark: str) -> str:
        """Return the name of a player, or another mark below the column number."""
        return f"P{mark}" if mark in "12" else f" {mark}"

    def row_text(
        self, number: int, cells: Sequence[str], rows: Sequence[int], cols: Sequence[int]
    ) -> str:
        """Return the line of a row."""
        return f"{number:>4}    |{'  '.join(cells)}"


def _digits(numbers: Sequence[int]) -> int:
    """Return the number of digits of the largest number."""
    return len(str(numbers[-1])) if numbers else 1
