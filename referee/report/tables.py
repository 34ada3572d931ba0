"""Tables of all games and of each board. Pure."""

from math import isqrt
from typing import Any

from referee.scoring.ledger import Ledger
from referee.scoring.rating_tables import ratings_sentences
from referee.scoring.ratings import Ratings
from referee.scoring.standings import Standings
from referee.scoring.totals import StandingsRow
from referee.text import printable, short_label

MAX_CELLS = 20_000
"""Maximum cells of all crosstables together: browsers cannot render a million cells."""
MAX_SENTENCES = 100
AllRatings = dict[str | None, Ratings]


def make_parts(ledger: Ledger, ratings: AllRatings) -> list[dict[str, Any]]:
    """Build the tables of all games, then of each board; one set if there is one board."""
    boards: list[str | None] = list(ledger.manifest.boards)
    boards = boards if len(boards) == 1 else [None, *boards]
    numbers = {name: number for number, name in enumerate(ledger.manifest.bots)}
    most_bots = isqrt(MAX_CELLS // len(boards))
    return [
        _part(board, ledger.standings(board), ratings.get(board), numbers, most_bots)
        for board in boards
    ]


def _part(
    board: str | None,
    standings: Standings,
    rated: Ratings | None,
    numbers: dict[str, int],
    most_bots: int,
) -> dict[str, Any]:
    crossed = [row.bot for row in standings.rows[:most_bots]]
    return {
        "board": None if board is None else short_label(board),
        "games": standings.games,
        "rows": [_row(row, numbers) for row in standings.rows],
        "withdrawn": [numbers[name] for name in standings.withdrawn],
        "crossed": len(crossed),
        "meetings": [
            [numbers[one], numbers[two], meeting.points, meeting.wins, meeting.losses]
            for one in crossed
            for met in [standings.meetings.of(one)]
            for two in crossed
            if (meeting := met.get(two))
        ],
        "ratings": {
            numbers[row.bot]: [row.elo, row.low, row.high, row.note]
            for row in (rated.rows if rated else ())
        },
        "sentences": [
            printable(text) for text in (ratings_sentences(rated) if rated else ())[:MAX_SENTENCES]
        ],
    }


def _row(row: StandingsRow, numbers: dict[str, int]) -> list[Any]:
    """Encode a row of the standings; js/data.js reads the fields by index."""
    return [
        row.rank,
        numbers[row.bot],
        row.points,
        row.byes,
        row.games,
        row.wins,
        row.losses,
        row.draws,
        row.seat_1,
        row.seat_2,
        [abs(value) for value in row.tie_breaks],
        [[short_label(reason), count] for reason, count in row.faults],
    ]
