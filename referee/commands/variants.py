"""List the games, or print the rules of one: notation, rulings, errata of the rule book.

A game of your own is named by its path; `docs/adding-a-variant.md` shows how to write one.

examples:
  referee variants
  referee variants runner
  referee variants path/to/game.py
"""

import argparse
import sys
from collections.abc import Sequence

from referee.commands.terminal import terminal_width
from referee.errors import InputError
from referee.report.rules_pages import rules_page
from referee.rules import Variant, find_variant, variant_names
from referee.text import wrap_words

PIPE_WIDTH = 86
"""Line width where the output is not a terminal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("name", nargs="?", help="print the rules of this game")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if arguments.name:
        _print_page(find_variant(arguments.name))
    else:
        _print_list()
    return 0


def _print_list() -> None:
    rows = []
    for name in variant_names():
        try:
            variant = find_variant(name)
        except InputError as error:
            print(f"referee: {error}", file=sys.stderr)
            continue
        rows.append((variant.name, str(variant.size), variant.summary))
    width = terminal_width() if sys.stdout.isatty() else None
    print(variants_table(rows, width))
    paragraphs = (
        "Every board may have 3 to 16 rows and columns: --rows and --cols, or rows and cols in a"
        " tournament file. Small boards are solved; larger ones keep a tournament interesting.",
        "`referee variants NAME` prints the rules of one.",
    )
    print()
    for text in paragraphs:
        print("\n".join(wrap_words(text, width or PIPE_WIDTH)))


def variants_table(rows: Sequence[tuple[str, str, str]], width: int | None) -> str:
    """Format names, boards and moves; moves are broken at words, unless `width` is None."""
    headers = ("variant", "board", "a move")
    first, second = (max(len(row[at]) for row in [headers, *rows]) for at in (0, 1))
    indent = first + second + 4
    moves = [wrap_words(row[2], width - indent) if width else [row[2]] for row in rows]
    longest = max(len(line) for lines in [[headers[2]], *moves] for line in lines)
    table = [headers, ("-" * first, "-" * second, "-" * longest)]
    for (name, board, _), (move, *rest) in zip(rows, moves, strict=True):
        table += [(name, board, move), *(("", "", line) for line in rest)]
    return "\n".join(f"{name:<{first}}  {board:<{second}}  {move}" for name, board, move in table)


def _print_page(variant: Variant) -> None:
    page = rules_page(variant)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(page))
    else:
        print(page)
