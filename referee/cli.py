"""The command line: dispatch to a module of `referee.commands`, map exceptions to exit codes.

Only the module of the given command is imported, which keeps `referee --help` fast.
"""

import errno
import importlib
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

COMMANDS = {
    "run": "play a tournament, or the games that are missing, and write its tables",
    "play": "play one game between two bots and show every move",
    "check": "check whether a bot speaks the protocol: numbered steps, each failure with a hint",
    "new": "make a working starter bot in one of ten languages",
    "compare": "compare two versions of a bot: play until a sequential test has decided",
    "standings": "print the tables of a tournament, in any format",
    "report": "write the HTML report of a tournament: tables, games to step through, bots",
    "games": "list the ids of recorded games, by bot, variant, reason or fault",
    "replay": "step through a recorded game",
    "turn": "print the exact lines a bot was sent, to pipe into it under a debugger",
    "position": "show a position: board, legal moves, outcome, perft",
    "variants": "list the games, or print the rules of one",
    "doctor": "show what this machine offers: isolation, cores, clock, tools",
    "human": "let a person play as a bot, for other referees",
    "schema": "print the JSON Schema of the tournament file, for editors",
}


_OUTSIDE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
    | {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
)
"""Errors of the system as a whole: no disk space, memory, open files or processes left."""

_HELP = """\
usage: referee COMMAND ...
       referee help COMMAND     (or referee COMMAND --help)
       referee --version        (or -V)

Run bots against each other in the five games of Blockade.

commands:
{commands}

examples:
  referee run tournaments/quickstart.yaml
  referee play standoff bots/greedy.py bots/random_bot.py
  referee variants                      the games
  referee variants standoff             the rules of one
  referee position standoff 3,3 1,1     a position and its legal moves
"""


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
        if was_interrupted():
            return EXIT_INTERRUPTED  # a library replaced the KeyboardInterrupt
        raise


def _print_error(error: Exception) -> None:
    """Print an error, escaped: it may quote untrusted names."""
    from referee.text import printable_block

    print(f"referee: {printable_block(str(error))}", file=sys.stderr)


def _run(argv: list[str]) -> int:
    if argv[:1] == ["help"]:
        argv = _help_options(argv[1:])
    name = argv[0] if argv else "--help"
    if name in ("-h", "--help"):
        rows = (f"  {command:<10} {summary}" for command, summary in COMMANDS.items())
        print(_HELP.format(commands="\n".join(rows)), end="")
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


def _help_options(words: list[str]) -> list[str]:
    """Translate the words after `help` to the equivalent arguments."""
    if len(words) > 1:
        raise InputError("help takes one command (`referee help` lists them)")
    if not words or words[0] in ("help", "-h", "--help"):
        return ["--help"]
    if words[0] not in COMMANDS:
        raise InputError(unknown_name_message("command", words[0], COMMANDS))
    return [words[0], "--help"]
