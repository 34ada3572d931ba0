"""List the games, or print the rules of one: notation, rulings, errata of the rule book.

A game of your own is named by its path; `docs/adding-a-variant.md` shows how to write one.

examples:
  referee variants
  referee variants runner
  referee variants path/to/game.py
"""

import argparse
import inspect
import sys
from pathlib import Path

from referee.errors import InputError
from referee.rules import Variant, find_variant, variant_names


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
    from tabulate import tabulate

    rows = []
    for name in variant_names():
        try:
            variant = find_variant(name)
        except InputError as error:
            print(f"referee: {error}", file=sys.stderr)
            continue
        rows.append((variant.name, str(variant.size), variant.summary))
    print(tabulate(rows, headers=("variant", "board", "a move"), disable_numparse=True))
    print("\nEvery board may have 3 to 16 rows and columns: --rows and --cols, or rows and cols in")
    print("a tournament file. Small boards are solved; larger ones keep a tournament interesting.")
    print("`referee variants NAME` prints the rules of one.")


def _print_page(variant: Variant) -> None:
    page = rules_page(variant)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(page))
    else:
        print(page)


def rules_page(variant: Variant) -> str:
    """Return the rules as text: the page beside the module, or else its docstring."""
    module = inspect.getmodule(variant.rules)
    beside = None
    if module and module.__file__:
        # The suffix of the file depends on whether the module is compiled.
        stem = inspect.getmodulename(module.__file__)
        beside = Path(module.__file__).with_name(f"{stem}.md")
    # The pages of the five games are installed beside the modules; a checkout has them in docs.
    in_checkout = Path(__file__).parents[2] / "docs" / "rules" / f"{variant.name}.md"
    for path in (beside, in_checkout):
        if path and path.is_file():
            return path.read_text(encoding="utf-8").strip()
    return f"# {variant.name}\n\n{inspect.getdoc(module) or variant.summary}"
