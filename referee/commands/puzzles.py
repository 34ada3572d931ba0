"""Find puzzles in the recorded games: positions in which exactly one move wins.

The games must be analysed: `referee analyse DIR`. Positions that are symmetric to each other count
as one. The hardest come first: those that the largest share of the bots missed, and of these the
ones with the most legal moves. --html writes a page on which one clicks on the board; it shows at
once whether that was right, and if not, what the opponent answers.

examples:
  referee puzzles results/quickstart
  referee puzzles results/quickstart --count 5 --answers
  referee puzzles results/quickstart --html puzzles.html
"""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from referee.analysis.puzzles import LineFinder, Puzzle, PuzzleGame, find_puzzles
from referee.commands.results_folder import (
    add_folder_argument,
    add_variant_argument,
    open_results,
    read_variants,
    rules_or_problem,
)
from referee.commands.terminal import for_screen
from referee.errors import InputError
from referee.records.analysis_file import AnalysisIndex
from referee.records.games_file import GamesFile
from referee.records.manifest import Manifest
from referee.records.summary import board_of
from referee.rules import Variant
from referee.text import printable, printable_block


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_folder_argument(parser)
    parser.add_argument(
        "--count", type=int, default=20, metavar="N", help="number of puzzles (default: 20)"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a page to click on instead"
    )
    parser.add_argument("--answers", action="store_true", help="print the answers at the end")
    add_variant_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if arguments.count < 1:
        raise InputError(f"--count {arguments.count}: at least one is needed")
    if arguments.html and arguments.html.is_dir():
        raise InputError(f"{arguments.html} is a folder: name the file to write")
    puzzles = _find(arguments)
    shown = puzzles[: arguments.count]
    if arguments.html:
        # Imports Jinja, which --help does not need.
        from referee.report.page import write_page
        from referee.report.puzzle_page import puzzle_page

        page = puzzle_page(shown, arguments.folder.resolve().name)
        path = write_page(arguments.html, page)
        print(f"{_count(len(shown), 'puzzle is', 'puzzles are')} in {path}")
        return 0
    for number, puzzle in enumerate(shown, start=1):
        print(for_screen(_puzzle_text(number, puzzle)))
    if arguments.answers:
        print("Answers:")
        for number, puzzle in enumerate(shown, start=1):
            line = " ".join(LineFinder(puzzle).answer_line()[1:])
            print(f"{number:>3}. {puzzle.answer}" + (f"   then {line}" if line else ""))
    else:
        more = f"the hardest of {len(puzzles):,}; " if len(puzzles) > len(shown) else ""
        print(f"({more}--answers prints the answers, --html FILE writes a page)")
    return 0


def _find(arguments: argparse.Namespace) -> list[Puzzle]:
    """Find the puzzles of the folder; InputError if there are none."""
    folder, variants = arguments.folder, read_variants(arguments.variant_file)
    manifest, games = open_results(folder)
    with closing(AnalysisIndex(folder)) as index:
        if not len(index):
            raise InputError(f"the games of {folder} are not analysed: `referee analyse {folder}`")
        analysed = list(puzzle_games(manifest, games, index, variants))
    if not analysed:
        raise InputError(
            f"{index.path} was made from other games or rules, or by another version of the"
            f" referee: `referee analyse {folder}` makes it again"
        )
    puzzles = find_puzzles(analysed)
    if not puzzles:
        raise InputError(f"no position of the analysed games in {folder} has one winning move")
    return puzzles


def puzzle_games(
    manifest: Manifest, games: GamesFile, index: AnalysisIndex, variants: Mapping[str, Variant]
) -> Iterator[PuzzleGame]:
    """Yield the games that have rules and an analysis."""
    for record, _ in games.games(manifest):
        rules, _ = rules_or_problem(record, variants)
        analysis = index.get(record["id"], record["moves"])
        if rules is not None and analysis is not None:
            yield PuzzleGame(
                id=record["id"],
                board=board_of(record),
                rules=rules,
                bots=record["bots"],
                moves=record["moves"],
                opening=record["opening"],
                analysis=analysis,
            )


def _puzzle_text(number: int, puzzle: Puzzle) -> str:
    """Describe a puzzle with its board, without the answer."""
    rules = puzzle.rules
    mark = printable(rules.marks[puzzle.seat - 1])
    return (
        f"{number}. {printable(puzzle.board)}: {mark} (seat {puzzle.seat}) to move."
        f" One of {len(puzzle.legal)} moves wins.\n"
        f"   {printable(puzzle.game)}, ply {puzzle.ply}; missed"
        f" {_count(puzzle.missed, 'time', 'times')} of {puzzle.seen}\n\n"
        f"{printable_block(rules.draw(puzzle.state))}\n"
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
