"""Writing of report.html, from a ledger and the collected games."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from referee.report.board_diffs import find_foreign_rules, missing_rules
from referee.report.collect import ReportGames
from referee.report.header import make_facts, make_summary, make_warnings
from referee.report.page import FILE, make_page, write_page
from referee.report.page_data import make_data
from referee.rules import Variant
from referee.scoring.ledger import Ledger
from referee.scoring.render import AllRatings


def write_report(
    folder: Path,
    ledger: Ledger,
    ratings: AllRatings,
    gathered: ReportGames,
    notes: Iterable[str],
    variants: Mapping[str, Variant] = MappingProxyType({}),
    path: Path | None = None,
) -> Path:
    """Write the page into the folder, or to another path, and return its path.

    `variants` are variants that are not installed, loaded from files that the user named.
    """
    foreign = find_foreign_rules(gathered.boards, variants)
    remarks = [*notes, *gathered.analyses.warnings(), *missing_rules(gathered.boards, foreign)]
    page = make_page(
        make_data(ledger, ratings, gathered, folder, foreign),
        make_summary(ledger, gathered),
        make_facts(ledger, gathered),
        make_warnings(ledger, remarks),
    )
    return write_page(path or folder / FILE, page)
