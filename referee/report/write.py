"""From a tournament's records to its report.html."""

from collections.abc import Iterable
from pathlib import Path

from referee.arena import Ledger
from referee.report.data import make_data
from referee.report.facts import make_facts, make_summary, make_warnings
from referee.report.gather import Gathered
from referee.report.page import make_page, write_page
from referee.report.parts import AllRatings


def write_report(
    folder: Path, ledger: Ledger, ratings: AllRatings, gathered: Gathered, notes: Iterable[str]
) -> Path:
    """Write the page into the folder; its path."""
    page = make_page(
        make_data(ledger, ratings, gathered, folder),
        make_summary(ledger, gathered),
        make_facts(ledger, gathered),
        make_warnings(ledger, notes),
    )
    return write_page(folder, page)
