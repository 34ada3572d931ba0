"""The command line: dispatch to a module of `referee.commands`, map exceptions to exit codes.

Only the module of the given command is imported, which keeps `referee --help` fast.
"""

import errno
import importlib
import os
import sys
from collections.abc import Sequence

from referee import __version__
from referee.errors import (
    EXIT_INTERRUPTED,
    EXIT_OUTSIDE,
    EXIT_WRONG_INPUT,
    InputError,
    OutsideError,
    unknown_name_message,
)
from referee.system.signals import was_interrupted

GROUPS = {
    "play": {
        "run": "play a tournament, or the games that are missing, and write its tables",
        "play": "play one game between two bots and show every move",
        "human": "let a person play as a bot, for other referees",
        "variants": "list the games, or print the rules of one",
    },
    "write a bot": {
        "new": "make a working starter bot in one of ten languages",
        "check": "check whether a bot follows the protocol, with a hint for each failure",
        "compare": "compare two versions of a bot: play until a sequential test has decided",
        "turn": "print the exact lines a bot was sent, to pipe into it under a debugger",
        "position": "show a position: board, legal moves, outcome, perft, who wins",
    },
    "look at results": {
        "standings": "print the tables of a tournament, in any format",
        "serve": "show tournaments in a browser while they are played, and offer games to visitors",
        "report": "write the HTML report of a tournament: tables, games to step through, bots",
        "games": "list the ids of recorded games, by bot, variant, reason or fault",
        "replay": "step through a recorded game",
        "share": "write one recorded game as a page that plays it, or as an animated picture",
        "analyse": "prove who wins at every ply of the recorded games; errors per bot",
        "puzzles": "find positions in which one move wins, to solve them",
    },
    "set up": {
        "doctor": "show what this machine offers: isolation, cores, clock, tools",
        "schema": "print the JSON Schema of the tournament file, for editors",
    },
}
"""The commands and their summaries, in the groups of `referee --help`."""
EXAMPLES = {
    "play": "referee run tournaments/quickstart.yaml",
    "write a bot": "referee new python my_bot",
    "look at results": "referee replay results/quickstart standoff-5x5.greedy.mirror.1a",
    "set up": "referee doctor",
}
"""One example for each group."""
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

_OUTSIDE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
    | {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
)
"""Errors of the system as a whole: no disk space, memory, open files or processes left."""

_USAGE = (
    "usage: referee COMMAND ...",
    "referee help COMMAND, or referee COMMAND --help",
    "referee --version, or -V",
)
_ABOUT = "Run bots against each other in the five games of Blockade."
_INDENT = max(map(len, COMMANDS)) + 4
"""Column of the summaries."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        return _run(sys.argv[1:] if argv is None else list(argv))
    except InputError as error:
        _print_error(error)
        return EXIT_WRONG_INPUT
    except OutsideError as error:
        _print_error(error)
        return EXIT_OUTSIDE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except SystemExit as ended:
        return int(ended.code or 0)  # after `--help`, which argparse has printed
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _OUTSIDE:
            where = f"{error.filename}: " if error.filename is not None else ""
            print(f"referee: {where}{error.strerror}", file=sys.stderr)
            return EXIT_OUTSIDE
        if isinstance(error, FileNotFoundError) and not _has_current_folder():
            print("referee: the current folder was removed: change to another", file=sys.stderr)
            return EXIT_OUTSIDE
        if was_interrupted():
            return EXIT_INTERRUPTED  # a library replaced the KeyboardInterrupt
        raise


def _has_current_folder() -> bool:
    from pathlib import Path

    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _print_error(error: Exception) -> None:
    """Print an error, escaped: it may quote untrusted names."""
    from referee.text import printable_block

    print(f"referee: {printable_block(str(error))}", file=sys.stderr)


def _run(argv: list[str]) -> int:
    if argv[:1] == ["help"]:
        argv = _help_options(argv[1:])
    name = argv[0] if argv else "--help"
    if name in ("-h", "--help"):
        print(_help_text(_columns()))
        return 0 if argv else EXIT_WRONG_INPUT
    if name in ("-V", "--version"):
        print(f"referee {__version__}")
        return 0
    if name not in COMMANDS:
        raise InputError(unknown_name_message("command", name, COMMANDS))
    from referee.commands.parser import make_parser
    from referee.system.garbage_collection import gc_frozen

    with gc_frozen():
        module = importlib.import_module(f"referee.commands.{name}")
    parser = make_parser(f"referee {name}", module.__doc__)
    module.add_arguments(parser)
    code: int = module.run(parser.parse_intermixed_args(argv[1:]))
    return code


def _help_text(width: int) -> str:
    """Return the help with all commands, broken at words."""
    from referee.text import wrap_words

    lines = _hanging("", _USAGE[0], width)
    for usage in _USAGE[1:]:
        lines += _hanging(" " * len("usage: "), usage, width)
    lines += ["", *wrap_words(_ABOUT, width), ""]
    for group, commands in GROUPS.items():
        lines.append(f"{group}:")
        for name, summary in commands.items():
            lines += _hanging(f"  {name}".ljust(_INDENT), summary, width)
        lines += [*_hanging("  example: ", EXAMPLES[group], width), ""]
    return "\n".join(lines[:-1])


def _hanging(start: str, text: str, width: int) -> list[str]:
    """Break a text at words; further lines begin where the text begins."""
    from referee.text import wrap_words

    first, *rest = wrap_words(text, width - len(start))
    return [start + first, *(" " * len(start) + line for line in rest)]


def _columns() -> int:
    """Return the width of the terminal, or 80; `shutil` would take long to import."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(1).columns or 80
    except OSError:
        return 80


def _help_options(words: list[str]) -> list[str]:
    """Translate the words after `help` to the equivalent arguments."""
    if len(words) > 1:
        raise InputError("help takes one command (`referee help` lists them)")
    if not words or words[0] in ("help", "-h", "--help"):
        return ["--help"]
    if words[0] not in COMMANDS:
        raise InputError(unknown_name_message("command", words[0], COMMANDS))
    return [words[0], "--help"]
