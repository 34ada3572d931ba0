"""Ratings of a tournament, over all games and by board, as tables, sentences and JSON.

The fit is imported on use: it needs numpy, which takes long to import.
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
    """Compute ratings over all games (None) and by board; boards without games are omitted."""
    from referee.scoring.encounter_table import tally_evidence
    from referee.scoring.ratings import rate

    gone = set(withdrawn)
    tally = tally_evidence(evidence, [bot for bot in manifest.bots if bot not in gone], gone)
    overall = rate(tally)
    ratings: dict[str | None, Ratings] = {None: overall}
    for board in manifest.boards:
        if tally.variants == (board,):
            ratings[board] = replace(overall, variant=board)  # the same games
        elif board in tally.variants:
            ratings[board] = rate(tally, board)
    return ratings


def ratings_table(ratings: "Ratings") -> tuple[list[str], Cells]:
    """Tabulate Elo, its 95 % interval, games and notes."""
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
    """List the likelihoods of superiority and the seat advantages, a sentence each."""
    found = [f"{superiority}." for superiority in ratings.superiority]
    for seat in ratings.seats:
        note = f" ({seat.note})" if seat.note else ""
        found.append(
            f"Moving first in {seat.variant} is worth {seat.elo:+.0f} Elo"
            f" ({seat.low:+.0f} to {seat.high:+.0f}){note}."
        )
    return found


def ratings_json(ratings: "Ratings") -> dict[str, Any]:
    """Convert ratings to a JSON object."""
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
