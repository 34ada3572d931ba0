"""Ratings of a tournament: from what its games show to tables, over all games and for each board.

The fit is imported when it is needed: a tournament need not wait for numpy before its first move.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.records.manifest import Manifest
from referee.scoring.game_columns import GameColumns
from referee.scoring.tables import Cells

if TYPE_CHECKING:
    from referee.scoring.ratings import Ratings


def rate_evidence(
    manifest: Manifest, evidence: GameColumns, withdrawn: Iterable[str]
) -> "dict[str | None, Ratings]":
    """Ratings over all (None) and for each board that was played on."""
    from referee.scoring.encounter_table import tally_evidence
    from referee.scoring.ratings import rate

    gone = set(withdrawn)
    tally = tally_evidence(evidence, [bot for bot in manifest.bots if bot not in gone], gone)
    overall = rate(tally)
    ratings: dict[str | None, Ratings] = {None: overall}
    for board in manifest.boards:
        if tally.variants == (board,):
            ratings[board] = replace(overall, variant=board)  # all there is
        elif board in tally.variants:
            ratings[board] = rate(tally, board)
    return ratings


def ratings_table(ratings: "Ratings") -> tuple[list[str], Cells]:
    """Elo with its 95 % interval, and how many games it stands on."""
    headers = ["bot", "Elo", "95 % from", "to", "games", "different", "note"]
    rows: Cells = [
        [
            row.bot,
            f"{row.elo:+.0f}",
            f"{row.low:+.0f}",
            f"{row.high:+.0f}",
            row.games,
            row.distinct,
            row.note or "",
        ]
        for row in ratings.rows
    ]
    return headers, rows


def ratings_sentences(ratings: "Ratings") -> list[str]:
    """Who is better than the next one, how surely; and what moving first is worth."""
    found = [f"{superiority}." for superiority in ratings.superiority]
    for seat in ratings.seats:
        note = f" ({seat.note})" if seat.note else ""
        found.append(
            f"Moving first in {seat.variant} is worth {seat.elo:+.0f} Elo"
            f" ({seat.low:+.0f} to {seat.high:+.0f}){note}."
        )
    return found


def ratings_json(ratings: "Ratings") -> dict[str, Any]:
    """The same for programs."""
    return {
        "rows": [
            {
                "bot": row.bot,
                "elo": row.elo,
                "low": row.low,
                "high": row.high,
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
        "superiority": [
            {"better": pair.better, "worse": pair.worse, "percent": pair.percent}
            for pair in ratings.superiority
        ],
    }
