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
  referee standings results/quickstart --ratings --anchor greedy 1500
  referee standings results/quickstart --ratings --format csv > ratings.csv
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tabulate import tabulate_formats

from referee.commands.results_folder import add_folder_argument, boards_of, open_results
from referee.commands.terminal import add_wide_argument, for_screen, shows_overview, terminal_width
from referee.errors import InputError, unknown_name_message
from referee.records.manifest import MAX_RATING
from referee.scoring.ledger import Ledger, read_ledger
from referee.scoring.render import (
    crosstable_csv,
    crosstable_text,
    csv_text,
    json_pieces,
    make_ratings,
    overview_text,
    ratings_csv,
    ratings_text,
    standings_text,
    table_sections,
)
from referee.scoring.round_tables import rounds_text

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
    parser.add_argument(
        "--anchor",
        nargs="+",
        metavar=("BOT", "RATING"),
        help="a bot whose rating is fixed (default: that of the file, or the mean is 0), at 0 or"
        " at RATING",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    style = arguments.format or "simple"
    if style not in FORMATS:
        raise InputError(unknown_name_message("format", style, FORMATS))
    manifest, games = open_results(arguments.folder)
    if arguments.anchor is not None:
        manifest = replace(manifest, anchor=_parse_anchor(arguments.anchor, manifest.bots))
    ledger = read_ledger(manifest, games)
    sections = table_sections(manifest)
    if arguments.variant:
        sections = [(board, board) for board in boards_of(manifest, arguments.variant)]
    if style == "json":
        sys.stdout.writelines(json_pieces(ledger, sections, make_ratings(ledger)))
    elif style == "csv" and arguments.ratings:
        print(ratings_csv(make_ratings(ledger), sections), end="")
    elif style == "csv":
        make = crosstable_csv if arguments.crosstable else csv_text
        print(make(ledger, sections), end="")
    elif arguments.crosstable:
        print(crosstable_text(ledger, style, sections), end="")
    elif arguments.ratings:
        print(ratings_text(make_ratings(ledger), style, sections), end="")
    elif arguments.format is None and shows_overview(wide=arguments.wide):
        ratings, width = make_ratings(ledger), terminal_width()
        by_board = arguments.boards or bool(arguments.variant)
        print(
            for_screen(overview_text(ledger, ratings, sections, width, by_board=by_board)), end=""
        )
        _print_rounds(ledger, arguments)
    else:
        print(standings_text(ledger, style, sections), end="")
        _print_rounds(ledger, arguments)
    return 0


def _parse_anchor(words: Sequence[str], bots: Sequence[str]) -> dict[str, Any]:
    """Parse the bot and the rating of --anchor."""
    name, *rating = words
    if len(rating) > 1:
        raise InputError(f"--anchor {' '.join(words)}: expected a bot and at most one rating")
    if name not in bots:
        raise InputError(f"--anchor: {unknown_name_message('bot', name, bots)}")
    try:
        number = float(rating[0]) if rating else 0.0
    except ValueError as error:
        raise InputError(f"--anchor {name} {rating[0]}: the rating is not a number") from error
    if not abs(number) <= MAX_RATING:
        raise InputError(f"--anchor {name} {rating[0]}: at most {MAX_RATING} are possible")
    return {"bot": name, "rating": number}


def _print_rounds(ledger: Ledger, arguments: argparse.Namespace) -> None:
    """Print the rounds of a Swiss tournament or a knockout, which are played on all boards."""
    if ledger.manifest.has_rounds and arguments.format is None and not arguments.variant:
        print(f"\n{rounds_text(ledger.schedule(), ledger.scores)}", end="")
