"""Write one recorded game as a page of its own, or as an animated picture.

The page is one file of about 100 KB that plays the game in any browser, offline. With --svg it is a
picture without scripts, which a README or a message can show. DIR is a tournament's folder, GAME an
id that `referee games DIR` lists. The boards of a game that is not installed are shown if
--variant-file names the file of its rules.

examples:
  referee share results/quickstart standoff-5x5.greedy.mirror.1a
  referee share results/quickstart standoff-5x5.greedy.mirror.1a -o game.html
  referee share results/quickstart standoff-5x5.greedy.mirror.1a --svg -o docs/game.svg
"""

import argparse
import re
from pathlib import Path

from referee.commands.results_folder import add_game_arguments, read_game
from referee.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_game_arguments(parser)
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="the file to write (default: GAME.html)"
    )
    parser.add_argument("--svg", action="store_true", help="write an animated picture instead")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    record, variants = read_game(arguments)
    path = arguments.out or _default_path(record["id"], ".svg" if arguments.svg else ".html")
    if path.is_dir():
        raise InputError(f"{path} is a folder: name the file to write")
    # Imports Jinja, which --help does not need.
    from referee.report.page import write_page
    from referee.report.shared_game import share_page, share_svg

    text = (
        share_svg(record, variants)
        if arguments.svg
        else share_page(record, arguments.folder, variants)
    )
    print(f"the game is in {write_page(path, text)}")
    return 0


def _default_path(game_id: str, suffix: str) -> Path:
    """Name a file in the current folder after the game."""
    # Ids are read from an untrusted file: only those that are plain names become names of files.
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}", game_id):
        raise InputError("the id of this game is no name for a file: name one with -o FILE")
    return Path(f"{game_id}{suffix}")
