"""Write the tables and the report of a tournament."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from referee.records.games_file import GamesFile
from referee.records.store import Store
from referee.rules import Variant
from referee.scoring.ledger import Ledger
from referee.scoring.render import (
    AllRatings,
    crosstable_text,
    csv_text,
    json_pieces,
    make_ratings,
    notes,
    ratings_text,
    standings_text,
    table_sections,
    timing_text,
)
from referee.scoring.round_tables import rounds_text

if TYPE_CHECKING:
    from referee.report.collect import ReportGames


def write_results(
    ledger: Ledger,
    store: Store,
    gathered: "ReportGames | None" = None,
    variants: Mapping[str, Variant] = MappingProxyType({}),
) -> AllRatings:
    """Write every table and the report into the tournament's folder; return the ratings.

    The games file is read unless `gathered` has what the report needs. `variants` are the variants
    of the tournament that are not installed.
    """
    # Slow to import, so not before there are results to write.
    from referee.report.collect import collect_games
    from referee.report.write import write_report

    if gathered is None:
        gathered = collect_games(ledger.manifest, GamesFile(store.games_path))
    ratings = make_ratings(ledger)
    sections, title = table_sections(ledger.manifest), f"# {ledger.manifest.name}"
    remarks = "".join(f"- {note}\n" for note in notes(ledger))
    text = standings_text(ledger, "github", sections)
    store.write_text("standings.md", f"{title}\n\n{text}" + (remarks and f"\n{remarks}"))
    store.write_text("standings.csv", csv_text(ledger, sections))
    store.write_pieces("standings.json", json_pieces(ledger, sections, ratings))
    store.write_text("ratings.md", f"{title}\n\n{ratings_text(ratings, 'github', sections)}")
    if ledger.manifest.has_rounds:
        text = rounds_text(ledger.schedule(), ledger.scores)
        store.write_text("rounds.md", f"{title}\n\n```\n{text}```\n")
    store.write_text("crosstable.md", f"{title}\n\n{crosstable_text(ledger, 'github', sections)}")
    store.write_text("timing.md", f"{title}: times\n\n{timing_text(ledger.timing)}")
    write_report(store.folder, ledger, ratings, gathered, notes(ledger), variants)
    return ratings
