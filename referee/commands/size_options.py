"""The options `--rows` and `--cols` of commands that take a board size."""

import argparse

from referee.errors import InputError
from referee.rules.grid import Size


def add_size_arguments(parser: argparse.ArgumentParser) -> None:
    """Add both options; `read_size` rejects one without the other."""
    parser.add_argument("--rows", type=int, metavar="R", help="rows, 3 to 16 (needs --cols too)")
    parser.add_argument("--cols", type=int, metavar="C", help="columns, 3 to 16 (needs --rows too)")


def read_size(arguments: argparse.Namespace) -> Size | None:
    """Return the given size, or None for the default of the variant."""
    rows, cols = arguments.rows, arguments.cols
    if rows is None and cols is None:
        return None
    if rows is None or cols is None:
        given, missing = ("--rows", "--cols") if cols is None else ("--cols", "--rows")
        raise InputError(f"{given} needs {missing} beside it: a board has both")
    return Size(rows, cols)
