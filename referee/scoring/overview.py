"""Standings for a terminal: one row per bot, no wider than the window. Pure.

`tables` has all columns, for files and pipes. The overview has the most important ones, and
tie-breaks only where one decided a rank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from referee.schedule.fixtures import Board
from referee.scoring.rating_tables import elo_and_error_text
from referee.scoring.standings import Standings
from referee.scoring.tables import faults_text, number, percent
from referee.scoring.totals import StandingsRow
from referee.text import printable

if TYPE_CHECKING:
    from referee.ratings.ratings import Ratings

GAP = 2
"""Spaces between two columns."""
MIN_NAME_LENGTH = 8
"""Names are not shortened below this length; columns are omitted instead."""
_NAME = "bot"
_OMITTED_FIRST = ("seat 2 %", "seat 1 %", "score %", "Elo ± 95 %", "faults")


@dataclass(frozen=True, slots=True)
class Column:
    """A header of one or two lines, and a cell for each row."""

    header: str
    cells: Sequence[str]
    side: str = ">"
    """Alignment as in a format specification: `<` or `>`."""

    @property
    def width(self) -> int:
        """Width of the longest line."""
        return max(map(len, [*self.header.split("\n"), *self.cells]))


def overview_table(standings: Standings, ratings: "Ratings | None", width: int) -> str:
    """Format rank, name, points, Elo, scores and faults of each bot."""
    rows = standings.rows
    elo = {row.bot: elo_and_error_text(row) for row in ratings.rows} if ratings else {}
    columns = [
        Column("rank", [str(row.rank) for row in rows]),
        Column(_NAME, [printable(row.bot) for row in rows], "<"),
        Column("points", [number(row.points) for row in rows]),
        Column("Elo ± 95 %", [elo.get(row.bot, "-") for row in rows]),
        Column("score %", [percent(row.points - row.byes, row.games) for row in rows]),
        Column("seat 1 %", [percent(*row.seat_1) for row in rows]),
        Column("seat 2 %", [percent(*row.seat_2) for row in rows]),
    ]
    kinds = [*columns, Column("faults", [faults_text(row) for row in rows], "<")]
    if _width(kinds) <= width:
        return lay_out(kinds, width)
    return lay_out([*columns, Column("faults", [_fault_count(row) for row in rows])], width)


def board_table(boards: Mapping[str, Standings], names: Sequence[str], width: int) -> str:
    """Format the score of each bot on each board, in several blocks if the window is narrow."""
    columns = []
    for name, standings in boards.items():
        scores = {row.bot: percent(row.points - row.byes, row.games) for row in standings.rows}
        board = Board.parse(name)
        header = f"{printable(board.variant)}\n{board.size}"
        columns.append(Column(header, [scores.get(bot, "-") for bot in names]))
    blocks = []
    while columns:
        block = [Column(_NAME, [printable(name) for name in names], "<"), columns.pop(0)]
        while columns and _min_width([*block, columns[0]]) <= width:
            block.append(columns.pop(0))
        blocks.append(lay_out(block, width))
    return "\n\n".join(blocks)


def decided_ties(standings: Standings, length: int = 18) -> list[str]:
    """Explain the order of each two neighbours with equal points that a tie-break decided."""
    found = []
    for one, two in pairwise(standings.rows):
        if one.points != two.points or one.rank == two.rank:
            continue
        values = zip(standings.tie_breaks, one.tie_breaks, two.tie_breaks, strict=True)
        name, better, worse = next((v for v in values if v[1] != v[2]), ("", 0.0, 0.0))
        if better > worse:  # otherwise the order has another reason
            found.append(
                f"{shorten(one.bot, length)} before {shorten(two.bot, length)}:"
                f" {name} {number(abs(better))} to {number(abs(worse))}"
            )
    return found


def shorten(name: str, length: int) -> str:
    """Escape a name and shorten it in the middle: similar names often differ at an end."""
    name = printable(name)
    if len(name) <= length:
        return name
    tail = (length - 1) // 2
    return f"{name[: length - 1 - tail]}…{name[len(name) - tail :]}"


def _fault_count(row: StandingsRow) -> str:
    return str(sum(count for _, count in row.faults) or "-")


def _width(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def _min_width(columns: Sequence[Column], shrinks: str = _NAME) -> int:
    """Compute the width with names as short as possible."""
    names = next(column.width for column in columns if column.header == shrinks)
    return _width(columns) - max(0, names - MIN_NAME_LENGTH)


def lay_out(
    columns: Sequence[Column],
    width: int,
    shrinks: str = _NAME,
    left_out_first: Sequence[str] = _OMITTED_FIRST,
) -> str:
    """Join columns, at most `width` characters wide if that is possible.

    The names in the column with the header `shrinks` are shortened; if that is not enough, columns
    are omitted in the order of `left_out_first`.
    """
    for header in left_out_first:
        if _min_width(columns, shrinks) <= width:
            break
        columns = [column for column in columns if column.header != header]
    excess = max(0, _width(columns) - width)
    widths = [column.width for column in columns]
    at = next(place for place, column in enumerate(columns) if column.header == shrinks)
    widths[at] = max(min(widths[at], MIN_NAME_LENGTH), widths[at] - excess)
    line = (" " * GAP).join(
        f"{{:{column.side}{width}}}" for column, width in zip(columns, widths, strict=True)
    )
    headers = [column.header.split("\n") for column in columns]
    height = max(map(len, headers))
    heads = zip(*([""] * (height - len(head)) + head for head in headers), strict=True)
    names = [shorten(name, widths[at]) for name in columns[at].cells]
    cells = [names if column.header == shrinks else column.cells for column in columns]
    rule = ["-" * width for width in widths]
    rows = [*heads, rule, *zip(*cells, strict=True)]
    return "\n".join(line.format(*row).rstrip() for row in rows)
