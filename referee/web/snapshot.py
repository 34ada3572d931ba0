"""A tournament as JSON values for the page: standings, progress, games and news. Pure."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.outcome import Outcome
from referee.ratings.ratings import RatingRow, Ratings
from referee.records.manifest import Manifest
from referee.records.record import Record
from referee.records.summary import board_of, faults_of
from referee.report.shared_game import describe_game
from referee.scoring.ledger import Ledger
from referee.scoring.rating_tables import elo_and_error_text, elo_text
from referee.scoring.standings import Standings
from referee.scoring.tables import number, percent
from referee.text import printable, short_label, signed

MAX_BOTS = 200
"""Rows of the standings that are sent to viewers; the API has all of them."""


def standings_value(
    standings: Standings, ratings: Ratings | None, most: int | None = None
) -> list[dict[str, Any]]:
    """Return the rows of the standings, with the texts that other tables show."""
    rated = {row.bot: row for row in ratings.rows} if ratings else {}
    return [
        {
            "rank": row.rank,
            "bot": short_label(row.bot),
            "points": number(row.points),
            "games": row.games,
            "score": percent(row.points - row.byes, row.games),
            "faults": sum(count for _, count in row.faults),
            "rating": _rating_value(rated.get(row.bot)),
        }
        for row in standings.rows[:most]
    ]


def _rating_value(row: RatingRow | None) -> dict[str, Any] | None:
    """Return a rating with its texts; a bound that is not known is null."""
    if row is None:
        return None
    return {
        "text": elo_and_error_text(row),
        "elo": row.elo,
        "low": row.low,
        "high": row.high,
        "texts": [
            elo_text(row),
            *("-" if bound is None else signed(bound) for bound in (row.low, row.high)),
        ],
    }


def game_value(record: Record, folder: Path | None = None) -> dict[str, Any]:
    """Return what the page shows of a game, as the report's replay expects it.

    Names and texts are escaped. A fault has its dossier if the results folder is given.
    """
    first, second = (short_label(bot) for bot in record["bots"])
    outcome = Outcome(tuple(record["score"]), record["reason"])
    return {
        **describe_game(record, folder, None),
        "sentence": printable(outcome.sentence((first, second))),
        "started": short_label(record.get("started", "")),
    }


def news_of(record: Record, rated: Mapping[str, RatingRow]) -> dict[str, str] | None:
    """Return the news about a game: a fault, or a win against a clearly stronger bot.

    `rated` has the ratings by bot.
    """
    names = [short_label(bot) for bot in record["bots"]]
    for fault in faults_of(record):
        text = f"{names[fault['seat'] - 1]}: {short_label(fault['reason'])}"
        return _news("fault", record, text)
    one, two = record["score"]
    if one == two:
        return None
    winner, loser = (
        rated.get(bot) for bot in (record["bots"] if one > two else record["bots"][::-1])
    )
    if winner and loser and _is_clearly_weaker(winner, loser):
        text = (
            f"{short_label(winner.bot)} ({elo_text(winner)}) beats"
            f" {short_label(loser.bot)} ({elo_text(loser)})"
        )
        return _news("upset", record, text)
    return None


def _is_clearly_weaker(one: RatingRow, other: RatingRow) -> bool:
    """Return whether the interval of one bot ends below that of another."""
    return one.high is not None and other.low is not None and one.high < other.low


def _news(kind: str, record: Record, text: str) -> dict[str, str]:
    board = short_label(board_of(record))
    return {"kind": kind, "game": printable(record["id"], 200), "board": board, "text": text}


def describe_tournament(name: str, ledger: Ledger) -> dict[str, Any]:
    """Return the constant facts about a tournament."""
    manifest = ledger.manifest
    return {
        "name": name,
        "title": short_label(manifest.name),
        "format": short_label(manifest.format),
        "bots": [short_label(bot) for bot in manifest.bots],
        "boards": [short_label(board) for board in manifest.boards],
    }


def progress_value(manifest: Manifest, done: int, rate: float, state: str) -> dict[str, Any]:
    """Return the number of games, their rate and the estimated seconds that are left."""
    total = max(manifest.games or 0, done)
    left = (total - done) / rate if rate > 0 and state == "running" else None
    return {"done": done, "total": total, "rate": round(rate, 1), "left_s": left, "state": state}
