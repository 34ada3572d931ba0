"""Ratings of a tournament, over all boards and by board, as tables, sentences, CSV and JSON.

The fit is imported on use: it needs numpy, which takes long to import.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.ratings.game_columns import GameColumns
from referee.records.manifest import Manifest
from referee.scoring.tables import Cells
from referee.text import signed

if TYPE_CHECKING:
    from referee.ratings.ratings import RatingRow, Ratings


def rate_games(
    manifest: Manifest, game_columns: GameColumns, withdrawn: Iterable[str]
) -> "dict[str | None, Ratings]":
    """Compute ratings over all boards (None) and by board; boards without games are omitted."""
    from referee.ratings.encounter_table import tally_columns
    from referee.ratings.ratings import RatingScale, combine, fit_variant

    gone = set(withdrawn)
    table = tally_columns(game_columns, [bot for bot in manifest.bots if bot not in gone], gone)
    anchor = manifest.anchor or {}
    scale = RatingScale(anchor.get("bot"), anchor.get("rating", 0), manifest.has_rounds)
    fits = {name: fit_variant(table, name, scale) for name in table.variants}
    overall = combine(table, None, list(fits.values()), scale)
    ratings: dict[str | None, Ratings] = {None: overall}
    for board in manifest.boards:
        if table.variants == (board,):
            ratings[board] = replace(overall, variant=board)  # the same games
        elif board in fits:
            ratings[board] = combine(table, board, [fits[board]], scale)
    return ratings


def ratings_table(ratings: "Ratings") -> tuple[list[str], Cells]:
    """Tabulate ranks, Elo, its 95 % interval, superiority, games and notes."""
    headers = ["rank", "bot", "Elo", "95 % from", "to", "better than next"]
    headers += ["games", "different", "note"]
    rows: Cells = [
        [
            ranks_text(row.ranks),
            row.bot,
            elo_text(row),
            signed(row.low) if row.elo is not None and row.low is not None else "-",
            signed(row.high) if row.elo is not None and row.high is not None else "-",
            superiority_text(row.superiority),
            row.games,
            row.distinct,
            row.note or "",
        ]
        for row in ratings.rows
    ]
    return headers, rows


def elo_text(row: "RatingRow") -> str:
    """Format a rating, or the bound of one that is known from one side only."""
    if row.elo is not None:
        return signed(row.elo)
    if row.low is not None:
        return f"at least {signed(row.low)}"
    return f"at most {signed(row.high)}" if row.high is not None else "-"


def elo_and_error_text(row: "RatingRow") -> str:
    """Format a rating with half the width of its interval, or its bound."""
    if row.elo is None or row.low is None or row.high is None:
        return elo_text(row)
    return f"{signed(row.elo)} ± {(row.high - row.low) / 2:.0f}"


def ranks_text(ranks: tuple[int, int] | None) -> str:
    """Format the ranks that the games allow: `1`, or `2-4`."""
    if ranks is None:
        return "-"
    highest, lowest = ranks
    return str(highest) if highest == lowest else f"{highest}-{lowest}"


def superiority_text(percent: float | None) -> str:
    """Format the likelihood to be better than the next bot; equal bots have none."""
    if percent is None or percent < 50.5:
        return "-"
    return "over 99 %" if percent > 99 else f"{percent:.0f} %"


def ratings_sentences(ratings: "Ratings") -> list[str]:
    """List the seat advantages and the notes about the table, a sentence each."""
    found = []
    for seat in ratings.seats:
        note = f" ({seat.note})" if seat.note else ""
        found.append(
            f"Moving first in {seat.variant} is worth {signed(seat.elo)} Elo"
            f" ({signed(seat.low)} to {signed(seat.high)}){note}."
        )
    return [*found, *(f"{note[:1].upper()}{note[1:]}." for note in ratings.notes)]


def boards_table(
    ratings: "Mapping[str | None, Ratings]", sections: Sequence[tuple[str, str | None]]
) -> tuple[list[str], Cells]:
    """Tabulate the ratings of all boards side by side, in the order of the first section.

    Ranks and superiority are those of the first section.
    """
    rated = [(title, ratings[board]) for title, board in sections if board in ratings]
    texts = [{row.bot: elo_and_error_text(row) for row in each.rows} for _, each in rated]
    rows: Cells = [
        [
            row.bot,
            ranks_text(row.ranks),
            superiority_text(row.superiority),
            *(column.get(row.bot, "-") for column in texts),
        ]
        for row in (rated[0][1].rows if rated else ())
    ]
    return ["bot", "Rank", "Better than next", *(title for title, _ in rated)], rows


def expected_table(ratings: "Ratings") -> tuple[list[str], Cells]:
    """Tabulate the scores in percent that the ratings expect, with observed minus expected."""
    names = [row.bot for row in ratings.rows]
    cells: dict[tuple[str, str], str] = {}
    for bot, opponent, games, points, expected in ratings.expected:
        share, surplus = 100 * expected / games, 100 * (points - expected) / games
        cells[bot, opponent] = expected_text(share, surplus)
        cells[opponent, bot] = expected_text(100 - share, -surplus)
    known = [name for name in names if any(name in pair for pair in cells)]
    rows: Cells = [[bot, *(cells.get((bot, other), "") for other in known)] for bot in known]
    return ["bot", *known], rows


def expected_text(share: float, surplus: float) -> str:
    """Format an expected score in percent, and what was scored beyond it: `64 (+3)`."""
    return f"{share:.0f} ({signed(surplus)})"


CSV_HEADERS = [
    "board",
    "bot",
    "rank_from",
    "rank_to",
    "elo",
    "low",
    "high",
    "maximum_likelihood",
    "superiority",
    "games",
    "distinct_games",
    "note",
]


def ratings_rows(title: str, ratings: "Ratings") -> Cells:
    """List the cells of CSV_HEADERS for each bot; numbers that are not known are empty."""
    return [
        [
            title,
            row.bot,
            *(row.ranks or (None, None)),
            row.elo,
            row.low,
            row.high,
            row.maximum_likelihood,
            row.superiority,
            row.games,
            row.distinct,
            row.note or "",
        ]
        for row in ratings.rows
    ]


def ratings_json(ratings: "Ratings") -> dict[str, Any]:
    """Convert ratings to a JSON object."""
    return {
        "rows": [
            {
                "bot": row.bot,
                "elo": row.elo,
                "low": row.low,
                "high": row.high,
                "ranks": row.ranks and list(row.ranks),
                "superiority": row.superiority,
                "maximum_likelihood": row.maximum_likelihood,
                "games": row.games,
                "distinct_games": row.distinct,
                "note": row.note,
            }
            for row in ratings.rows
        ],
        "first_seat": [
            {
                "board": seat.variant,
                "elo": seat.elo,
                "low": seat.low,
                "high": seat.high,
                "distinct_games": seat.distinct,
                "note": seat.note,
            }
            for seat in ratings.seats
        ],
        "expected": [
            {
                "bot": bot,
                "opponent": opponent,
                "games": games,
                "points": points,
                "expected": expected,
            }
            for bot, opponent, games, points, expected in ratings.expected
        ],
        "notes": list(ratings.notes),
    }
