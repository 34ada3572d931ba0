"""The options --rows and --cols, wherever a command takes a board size."""

import argparse

from referee.errors import InputError
from referee.rules.grid import Size


def add_size_arguments(parser: argparse.ArgumentParser) -> None:
    """Offer both options; one alone is refused by `read_size`."""
    parser.add_argument("--rows", type=int, metavar="R", help="rows, 3 to 16 (needs --cols too)")
    parser.add_argument("--cols", type=int, metavar="C", help="columns, 3 to 16 (needs --rows too)")


def read_size(arguments: argparse.Namespace) -> Size | None:
    """The size asked for, or None for the variant's own."""
    rows, cols = arguments.rows, arguments.cols
    if rows is None and cols is None:
        return None
    if rows is None or cols is None:
        given, missing = ("--rows", "--cols") if cols is None else ("--cols", "--rows")
        raise InputError(f"{given} needs {missing} beside it: a board has both")
    return Size(rows, cols)
