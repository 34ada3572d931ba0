"""All tables of a tournament as text, Markdown, CSV and JSON. Pure."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from referee.records.manifest import Manifest
from referee.scoring.ledger import Ledger
from referee.scoring.overview import board_table, decided_ties, overview_table
from referee.scoring.rating_tables import (
    CSV_HEADERS,
    rate_games,
    ratings_json,
    ratings_rows,
    ratings_sentences,
    ratings_table,
)
from referee.scoring.round_tables import places_of, rounds_json
from referee.scoring.tables import (
    SCHEMA,
    crosstable,
    host_table,
    iter_json,
    join_sections,
    number,
    render,
    standings_table,
    standings_to_json,
    timing_table,
    to_csv,
)
from referee.scoring.timing import Timing
from referee.text import printable

if TYPE_CHECKING:
    from referee.ratings.ratings import Ratings


TableSection = tuple[str, str | None]
"""A title, and the board of its table (None: all boards)."""
AllRatings: TypeAlias = "dict[str | None, Ratings]"


def table_sections(manifest: Manifest) -> list[TableSection]:
    """List the sections: all games, then each board; only the board if there is one."""
    boards: list[TableSection] = [(board, board) for board in manifest.boards]
    return boards if len(boards) == 1 else [("All games", None), *boards]


def standings_text(ledger: Ledger, table_format: str, sections: Sequence[TableSection]) -> str:
    """Format the standings of all sections."""
    tables = [(title, standings_table(ledger.standings(board))) for title, board in sections]
    return join_sections(
        [(title, render(table, table_format)) for title, table in tables], table_format
    )


def overview_text(
    ledger: Ledger,
    ratings: AllRatings,
    sections: Sequence[TableSection],
    width: int,
    *,
    by_board: bool,
) -> str:
    """Format the standings for a terminal: one table over all, and one of the scores by board.

    With `by_board`, format a table for each section instead.
    """
    found = [
        (title, _overview_part(ledger, ratings, board, width))
        for title, board in (sections if by_board else sections[:1])
    ]
    boards = {board: ledger.standings(board) for _, board in sections if board is not None}
    if len(sections) > 1 and not by_board:
        names = [row.bot for row in ledger.standings().rows]
        found.append(("Score % on each board", board_table(boards, names, width)))
    return join_sections(found, "simple")


def _overview_part(ledger: Ledger, ratings: AllRatings, board: str | None, width: int) -> str:
    standings = ledger.standings(board)
    lines = [overview_table(standings, ratings.get(board), width)]
    # In a knockout, the bracket decides.
    ties = decided_ties(standings) if ledger.manifest.format != "knockout" else []
    if ties:
        lines += ["", "Equal points, decided by a tie-break:", *(f"- {tie}" for tie in ties)]
    if standings.withdrawn:
        lines += ["", f"Withdrawn: {', '.join(standings.withdrawn)}"]
    return "\n".join(lines)


def crosstable_text(ledger: Ledger, table_format: str, sections: Sequence[TableSection]) -> str:
    """Format the crosstables of all sections."""
    tables = [(title, crosstable(ledger.standings(board))) for title, board in sections]
    return join_sections(
        [(title, render(table, table_format)) for title, table in tables], table_format
    )


def csv_text(ledger: Ledger, sections: Sequence[TableSection]) -> str:
    """Format all standings as one table, with the board in each row."""
    tables = [(title, standings_table(ledger.standings(board))) for title, board in sections]
    # Only some of the boards may have a column for draws.
    headers = max((headers for _, (headers, _) in tables), key=len)
    rows = []
    for title, (own, cells) in tables:
        for row in cells:
            values = dict(zip(own, row, strict=True))
            rows.append([title, *(values.get(header, 0) for header in headers)])
    return to_csv((["board", *headers], rows))


def crosstable_csv(ledger: Ledger, sections: Sequence[TableSection]) -> str:
    """Format all crosstables as one table, with a row for each bot and opponent."""
    headers = ["board", "bot", "opponent", "points", "wins", "losses", "games"]
    rows = [
        [title, bot, opponent, number(points), *counts]
        for title, board in sections
        for bot, opponent, points, *counts in ledger.standings(board).meetings.in_order()
    ]
    return to_csv((headers, rows))


def json_pieces(
    ledger: Ledger, sections: Sequence[TableSection], ratings: AllRatings
) -> Iterator[str]:
    """Generate the text of `standings.json` in pieces: 1,000 bots have a million meetings."""

    def one(board: str | None) -> dict[str, Any]:
        table = standings_to_json(ledger.standings(board), ledger.repeated(board))
        return {**table, "ratings": _rated(ratings, board)}

    data: dict[str, Any] = {"schema": SCHEMA, "name": ledger.manifest.name, "notes": notes(ledger)}
    if ledger.manifest.has_rounds:
        schedule = ledger.schedule()
        data["rounds"] = rounds_json(schedule, ledger.scores)
        data["places"] = dict(places_of(schedule))
    data["overall"] = partial(one, None)
    data["boards"] = {board: partial(one, board) for _, board in sections if board is not None}
    yield from iter_json(data)
    yield "\n"


def _rated(ratings: AllRatings, board: str | None) -> dict[str, Any] | None:
    return ratings_json(ratings[board]) if board in ratings else None


def ratings_text(ratings: AllRatings, table_format: str, sections: Sequence[TableSection]) -> str:
    """Format the ratings of all sections, each with its sentences."""
    found = []
    for title, board in sections:
        if board in ratings:
            sentences = ratings_sentences(ratings[board])
            listed = "\n".join(f"- {printable(sentence)}" for sentence in sentences)
            table = render(ratings_table(ratings[board]), table_format)
            found.append((f"Ratings: {title}", f"{table}\n\n{listed}"))
    return join_sections(found, table_format)


def ratings_csv(ratings: AllRatings, sections: Sequence[TableSection]) -> str:
    """Format the ratings of all sections as one table, with the board in each row."""
    rated = [(title, ratings[board]) for title, board in sections if board in ratings]
    rows = [row for title, each in rated for row in ratings_rows(title, each)]
    return to_csv((CSV_HEADERS, rows))


def notes(ledger: Ledger) -> list[str]:
    """List remarks about the tables: repeated games, notes of the file, withdrawn bots."""
    standings = ledger.standings()
    found = []
    if repeated := ledger.repeated():
        found.append(
            f"{repeated} of {standings.games} games repeat an earlier one move by move:"
            " deterministic bots replaying a game are no further evidence"
        )
    if ledger.manifest.format == "knockout":
        found.append("ranks follow the bracket, not points: rounds.md has every match and play-off")
    found += ledger.manifest.notes
    found += [f"{bot} was withdrawn: its games do not count" for bot in standings.withdrawn]
    return found


def make_ratings(ledger: Ledger) -> AllRatings:
    """Compute ratings over all games and by board."""
    return rate_games(ledger.manifest, ledger.game_columns, ledger.withdrawn)


def timing_text(timing: Timing) -> str:
    """Format the times of bots, of hosts if there are several, and warnings."""
    parts = [render(timing_table(timing), "github")]
    if len(timing.hosts) > 1:
        parts.append(render(host_table(timing), "github"))
    parts += [timing.sentence(), *(f"Warning: {warning}." for warning in timing.warnings())]
    return "\n\n".join(parts) + "\n"
