"""The terminal that results are printed on: whether there is one, how wide it is, what it shows."""

import argparse
import shutil
import sys
import textwrap

from referee.text import printable_block

_ASCII = str.maketrans("…±", "~~")


def add_wide_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wide", action="store_true", help="all columns, however wide")


def shows_overview(*, wide: bool) -> bool:
    """Whether standings are to fit a window: programs that read them get all columns."""
    return sys.stdout.isatty() and not wide


def terminal_width() -> int:
    """The number of columns of the terminal; what it does not know is 80."""
    return shutil.get_terminal_size().columns


def for_screen(text: str) -> str:
    """Escape control characters, and replace signs beyond ASCII that the terminal cannot show."""
    text = printable_block(text)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII)
    return text


def wrapped(line: str) -> str:
    """Break a line at words, indented like an item of a list."""
    return textwrap.fill(line, terminal_width(), subsequent_indent="  ", break_on_hyphens=False)
