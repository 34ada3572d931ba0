"""Tables of all games and of each board, in the texts of the terminal and of files. Pure."""

from math import isqrt
from typing import Any

from referee.ratings.ratings import Ratings
from referee.scoring.ledger import Ledger
from referee.scoring.overview import decided_ties
from referee.scoring.rating_tables import (
    boards_table,
    expected_table,
    ratings_sentences,
    ratings_table,
)
from referee.scoring.render import AllRatings, table_sections
from referee.scoring.tables import number, standings_table
from referee.text import printable, short_label

MAX_CELLS = 20_000
"""Maximum cells of all crosstables together: browsers cannot render a million cells."""
MAX_SENTENCES = 100
MAX_CELL_LENGTH = 200


def make_parts(ledger: Ledger, ratings: AllRatings) -> list[dict[str, Any]]:
    """Build the tables of all games, then of each board; one set if there is one board."""
    boards = [board for _, board in table_sections(ledger.manifest)]
    numbers = {name: index for index, name in enumerate(ledger.manifest.bots)}
    most_bots = isqrt(MAX_CELLS // len(boards))
    return [_part(ledger, board, ratings.get(board), numbers, most_bots) for board in boards]


def _part(
    ledger: Ledger,
    board: str | None,
    rated: Ratings | None,
    numbers: dict[str, int],
    most_bots: int,
) -> dict[str, Any]:
    standings = ledger.standings(board)
    crossed = [row.bot for row in standings.rows[:most_bots]]
    columns, rows = standings_table(standings)
    # In a knockout, the bracket decides.
    ties = decided_ties(standings) if ledger.manifest.format != "knockout" else []
    return {
        "board": None if board is None else short_label(board),
        "games": standings.games,
        "columns": columns,
        "rows": [
            [_cell(cell, column, numbers) for cell, column in zip(row, columns, strict=True)]
            for row in rows
        ],
        "withdrawn": [numbers[name] for name in standings.withdrawn],
        "ties": [printable(tie) for tie in ties[:MAX_SENTENCES]],
        "crossed": len(crossed),
        "meetings": [
            [numbers[one], numbers[two], number(meeting.points), meeting.wins, meeting.losses]
            for one in crossed
            for met in [standings.meetings.of(one)]
            for two in crossed
            if (meeting := met.get(two))
        ],
        "ratings": _ratings(rated, numbers) if rated else {},
        "expected": _expected(rated, numbers) if rated else [[]],
        "sentences": [
            printable(text) for text in (ratings_sentences(rated) if rated else ())[:MAX_SENTENCES]
        ],
    }


def _cell(cell: Any, column: str, numbers: dict[str, int]) -> int | str:
    """Encode a cell of the standings as its text; a bot as its number."""
    if column == "bot":
        return numbers[cell]
    return printable(str(cell), MAX_CELL_LENGTH)


def _ratings(rated: Ratings, numbers: dict[str, int]) -> dict[int, list[Any]]:
    """Encode ratings for a drawing, then as the texts of `ratings.md`."""
    columns, rows = ratings_table(rated)
    texts = [dict(zip(columns, row, strict=True)) for row in rows]
    return {
        numbers[row.bot]: [
            *(row.elo, row.low, row.high),
            *(text["Elo"], text["95 % from"], text["to"], printable(text["note"])),
        ]
        for row, text in zip(rated.rows, texts, strict=True)
    }


def _expected(rated: Ratings, numbers: dict[str, int]) -> list[list[Any]]:
    """Encode the matrix of expected scores: titles, then a row for each bot."""
    headers, rows = expected_table(rated)
    titles = [short_label(name) for name in headers[1:]]
    return [titles, *([numbers[row[0]], *row[1:]] for row in rows)]


def board_ratings(ledger: Ledger, ratings: AllRatings) -> list[list[Any]]:
    """Encode the ratings of all boards: titles, then a row for each bot."""
    numbers = {name: index for index, name in enumerate(ledger.manifest.bots)}
    headers, rows = boards_table(ratings, table_sections(ledger.manifest))
    titles = [short_label(title) for title in headers[1:]]
    return [titles, *([numbers[row[0]], *row[1:]] for row in rows)]
