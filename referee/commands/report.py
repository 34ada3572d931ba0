"""Write the HTML report of a tournament: one file that opens in any browser, offline.

`referee run` writes it as well. DIR is a tournament's folder; the page is written there as
report.html. It has the tables of all games, and boards of the newest games and of those with
faults, up to 10,000 games or about 2 MB; --games selects others: all, the newest N, or those whose
id matches one of the patterns. --out writes the page elsewhere: to a file that ends in .html, or as
report.html into a folder. The boards of a game that is not installed are shown if
--variant-file names the file of its rules; a file that the folder names is never run.

examples:
  referee report results/quickstart
  referee report results/quickstart --games all
  referee report results/quickstart --games 50000
  referee report results/quickstart --games 'runner-*' '*.alpha.*'
  referee report results/quickstart --out public/cup.html
"""

import argparse
from pathlib import Path

from referee.commands.results_folder import (
    add_folder_argument,
    add_variant_argument,
    open_results,
    read_variants,
)
from referee.errors import InputError
from referee.report.collect import read_ledger_and_games
from referee.report.selection import ALL, Selection
from referee.scoring.render import make_ratings, notes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_folder_argument(parser)
    parser.add_argument(
        "--games",
        nargs="+",
        default=[],
        metavar="GAMES",
        help="games to replay: all, a number, or patterns of ids",
    )
    parser.add_argument(
        "--out", type=Path, metavar="PATH", help="a file that ends in .html, or a folder"
    )
    add_variant_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    selection = read_selection(arguments.games)
    variants = read_variants(arguments.variant_file)
    manifest, games = open_results(arguments.folder)
    ledger, gathered = read_ledger_and_games(manifest, games, selection)
    if selection.patterns and not gathered.has_games:
        raise InputError(f"no game's id matches {' or '.join(map(repr, selection.patterns))}")
    from referee.report.write import write_report  # imports Jinja, which --help does not need

    ratings = make_ratings(ledger)
    remarks = notes(ledger)
    out = None if arguments.out is None else page_path(arguments.out)
    path = write_report(arguments.folder, ledger, ratings, gathered, remarks, variants, out)
    print(f"the report is in {path}")
    return 0


def page_path(out: Path) -> Path:
    """Return the file to write for the value of --out; InputError if it is another kind of file."""
    if out.suffix in (".html", ".htm") and not out.is_dir():
        return out
    if out.is_file():
        raise InputError(f"--out {out} is a file: name a folder, or a file that ends in .html")
    return out / "report.html"


def read_selection(words: list[str]) -> Selection:
    """Parse the values of --games."""
    if not words:
        return Selection()
    if words == ["all"]:
        return ALL
    if len(words) == 1 and words[0].lstrip("-").isdecimal():
        most = int(words[0])
        if most < 1:
            raise InputError(f"--games {most}: the minimum is 1")
        return Selection(most=most, most_bytes=None)
    return Selection(most=None, most_bytes=None, patterns=tuple(words))
