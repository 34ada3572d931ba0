"""The terminal: whether there is one, its width and encoding, lines on standard error."""

import argparse
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from referee.system.terminal import file_link, shows_links
from referee.text import printable_block

_ASCII = str.maketrans("…±", "~~")


def add_wide_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--wide`."""
    parser.add_argument("--wide", action="store_true", help="print all columns")


def shows_overview(*, wide: bool) -> bool:
    """Return whether tables are to fit the terminal; in a pipe they have all columns."""
    return sys.stdout.isatty() and not wide


def terminal_width() -> int:
    """Return the number of columns of the terminal; 80 if it is unknown."""
    return shutil.get_terminal_size().columns


def for_screen(text: str) -> str:
    """Escape control characters, and replace characters that the terminal cannot encode."""
    text = printable_block(text)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII)
    return text


def link_to(path: Path) -> str:
    """Return the path of a file, as a link if the terminal shows links."""
    text = for_screen(str(path))
    return file_link(str(path.absolute()), text) if shows_links(sys.stdout) else text


def wrapped(line: str) -> str:
    """Break a line at words, indented like an item of a list."""
    return textwrap.fill(line, terminal_width(), subsequent_indent="  ", break_on_hyphens=False)


def print_status(lines: Sequence[str]) -> None:
    """Print lines on standard error; a terminal would break them within words."""
    for line in lines:
        fits = not sys.stderr.isatty() or "\n" in line
        print(line if fits else wrapped(line), file=sys.stderr, flush=True)
