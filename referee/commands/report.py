"""Write the HTML report of a tournament again: one file that opens in any browser, offline.

`referee run` writes it as well. DIR is a tournament's folder; the page goes there as report.html.
It has the tables of all games. To step through it holds the newest games and those with faults, up
to 10,000 of them or about 2 MB; --games chooses others: all of them, as many as a number says, or
those whose id matches one of the patterns. The boards of a game that is not installed are shown if
--variant-file names its rules: no file that the folder names is ever run.

examples:
  referee report results/quickstart
  referee report results/quickstart --games all
  referee report results/quickstart --games 50000
  referee report results/quickstart --games 'runner-*' '*.alpha.*'
"""

import argparse
from pathlib import Path

from referee.commands.results_folder import add_variant_argument, open_results, read_variants
from referee.errors import InputError
from referee.report.collect import count_and_gather
from referee.report.selection import ALL, Selection
from referee.scoring.render import make_ratings, notes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="a tournament's folder")
    parser.add_argument(
        "--games",
        nargs="+",
        default=[],
        metavar="GAMES",
        help="which games can be replayed: all, a number, or patterns of ids",
    )
    add_variant_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    selection = read_selection(arguments.games)
    variants = read_variants(arguments.variant_file)
    manifest, games = open_results(arguments.folder)
    ledger, gathered = count_and_gather(manifest, games, selection)
    if selection.patterns and not gathered.has_games:
        raise InputError(f"no game's id matches {' or '.join(map(repr, selection.patterns))}")
    from referee.report.write import write_report  # it needs Jinja, and --help does not

    ratings = make_ratings(ledger)
    path = write_report(arguments.folder, ledger, ratings, gathered, notes(ledger), variants)
    print(f"the report is in {path}")
    return 0


def read_selection(words: list[str]) -> Selection:
    """From the words behind --games."""
    if not words:
        return Selection()
    if words == ["all"]:
        return ALL
    if len(words) == 1 and words[0].lstrip("-").isdecimal():
        most = int(words[0])
        if most < 1:
            raise InputError(f"--games {most}: it takes 1 at least")
        return Selection(most=most, most_bytes=None)
    return Selection(most=None, most_bytes=None, patterns=tuple(words))
