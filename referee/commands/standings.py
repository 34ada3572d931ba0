"""Print the tables of a tournament from its records, in any format.

DIR is a tournament's folder, like results/quickstart. A terminal shows one table with the columns
that fit, and one with the scores on each board; --boards shows a table for each board, and --wide
all columns, as in a pipe.

examples:
  referee standings results/quickstart
  referee standings results/quickstart --boards
  referee standings results/quickstart --format github --variant standoff
  referee standings results/quickstart --format csv > table.csv
  referee standings results/quickstart --crosstable
  referee standings results/quickstart --ratings
"""

import argparse
import sys

from tabulate import tabulate_formats

from referee.commands.results_folder import add_folder_argument, boards_of, open_results
from referee.commands.terminal import add_wide_argument, for_screen, shows_overview, terminal_width
from referee.errors import InputError, unknown_name_message
from referee.scoring.ledger import read_ledger
from referee.scoring.render import (
    TableSection,
    crosstable_csv,
    crosstable_text,
    csv_text,
    json_pieces,
    make_ratings,
    overview_text,
    ratings_text,
    standings_text,
)

FORMATS = sorted({*tabulate_formats, "csv", "json"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_folder_argument(parser)
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        help=f"format of the tables (default: simple): {', '.join(FORMATS)}",
    )
    parser.add_argument("--variant", metavar="V", help="only this variant, or board (runner-5x5)")
    parser.add_argument("--boards", action="store_true", help="a table for each board")
    add_wide_argument(parser)
    parser.add_argument("--crosstable", action="store_true", help="results of each pair of bots")
    parser.add_argument(
        "--ratings", action="store_true", help="Elo ratings with confidence intervals"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    style = arguments.format or "simple"
    if style not in FORMATS:
        raise InputError(unknown_name_message("format", style, FORMATS))
    manifest, games = open_results(arguments.folder)
    ledger = read_ledger(manifest, games)
    parts: list[TableSection] = [
        (name, name) for name in boards_of(manifest, arguments.variant or None)
    ]
    if len(manifest.boards) > 1 and not arguments.variant:
        parts.insert(0, ("All games", None))
    if style == "json":
        sys.stdout.writelines(json_pieces(ledger, parts, make_ratings(ledger)))
    elif style == "csv":
        make = crosstable_csv if arguments.crosstable else csv_text
        print(make(ledger, parts), end="")
    elif arguments.crosstable:
        print(crosstable_text(ledger, style, parts), end="")
    elif arguments.ratings:
        print(ratings_text(make_ratings(ledger), style, parts), end="")
    elif arguments.format is None and shows_overview(wide=arguments.wide):
        ratings, width = make_ratings(ledger), terminal_width()
        by_board = arguments.boards or bool(arguments.variant)
        print(for_screen(overview_text(ledger, ratings, parts, width, by_board=by_board)), end="")
    else:
        print(standings_text(ledger, style, parts), end="")
    return 0
