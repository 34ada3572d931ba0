"""Step through a recorded game: boards, moves, clocks, and the `info` lines of the bots.

On a terminal the board is redrawn in place. The right and left arrow keys go to the next and the
previous ply, down and up to the end and the start, space plays the game, g goes to a ply, n and p
to the next and the previous game of the folder, q ends. If `referee analyse DIR` was run, a line
under the board has the winner, and e goes to the next move that gives a win away (??). In a pipe,
or with --all, the whole game is printed at once. DIR is a tournament's folder, GAME an id that
`referee games DIR` lists. A game whose rules are not installed is shown without boards, unless
--variant-file names the file of the rules.

examples:
  referee replay results/quickstart standoff-5x5.greedy.mirror.1a
  referee replay results/quickstart standoff-5x5.greedy.mirror.1a --all
"""

import argparse
import os
import sys
from contextlib import closing

from referee.commands.game_folder import GameFolder
from referee.commands.game_pages import make_pages
from referee.commands.results_folder import (
    add_game_arguments,
    find_record,
    open_results,
    read_variants,
    rules_or_problem,
)
from referee.records.analysis_file import AnalysisIndex
from referee.records.record import Record
from referee.system.terminal import can_move_cursor, shows_colour


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_game_arguments(parser)
    parser.add_argument("--all", action="store_true", help="print the whole game at once")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    variants = read_variants(arguments.variant_file)
    manifest, games = open_results(arguments.folder)
    record = find_record(manifest, games, arguments.game, arguments.folder)
    with closing(AnalysisIndex(arguments.folder)) as analyses:
        return _show(arguments, GameFolder(manifest, games, variants, analyses), record)


def _show(arguments: argparse.Namespace, folder: GameFolder, record: Record) -> int:
    """Show the game on a screen of its own, or print it."""
    rules, problem = rules_or_problem(record, folder.variants)
    analysis = folder.analyses.get(record["id"], record["moves"])
    pages = make_pages(record, rules, colour=shows_colour(sys.stdout), analysis=analysis)
    if os.isatty(0) and can_move_cursor(sys.stdout) and not arguments.all:
        from referee.commands.replay_screen import ReplayScreen

        ReplayScreen(folder, record["id"]).run()
        return 0
    if problem:
        print(f"referee: {problem}", file=sys.stderr)
    print("\n".join(page.text for page in pages))
    return 0
