"""Arguments in, exit code out; every command is a module of `referee.commands`.

Only the command that was asked for is imported, so that `referee --help` is instant.
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
    "run": "play a tournament, or what is left of it, and write its tables",
    "play": "one game between two bots, shown as it goes",
    "check": "does my bot speak the protocol? numbered steps, each failure with a hint",
    "new": "a working starter bot in the language you like",
    "compare": "is my new version better? plays until a sequential test decides",
    "standings": "the tables of a tournament, in any format",
    "report": "the HTML report of a tournament: tables, games to step through, bots",
    "games": "the ids of recorded games, by bot, variant, reason or fault",
    "replay": "step through a recorded game",
    "turn": "the exact lines a bot was sent, to pipe into it under a debugger",
    "position": "show a position: board, legal moves, outcome, perft",
    "variants": "list the games, or print the rules of one",
    "doctor": "what this machine offers: isolation, cores, clock, tools",
    "human": "the person's adapter as a program of its own",
    "schema": "the JSON Schema of the tournament file, for editors",
}


_OUTSIDE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
    | {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
)
"""What the system refuses to everything: a disk, memory, open files, processes."""

_HELP = """\
usage: referee COMMAND ...
       referee help COMMAND     (or referee COMMAND --help)
       referee --version        (or -V)

Runs bots against each other in the five games of Blockade.

commands:
{commands}

examples:
  referee run tournaments/quickstart.yaml
  referee play standoff bots/greedy.py bots/random_bot.py
  referee variants                      the games
  referee variants standoff             the rules of one
  referee position standoff 3,3 1,1     a position, and what may be played there
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    try:
        return _run(sys.argv[1:] if argv is None else list(argv))
    except InputError as error:
        _complain(error)
        return EXIT_WRONG_INPUT
    except OutsideError as error:
        _complain(error)
        return EXIT_OUTSIDE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except SystemExit as leaving:
        return int(leaving.code or 0)  # `--help`, which argparse has printed
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _OUTSIDE:
            where = f"{error.filename}: " if error.filename is not None else ""
            print(f"referee: {where}{error.strerror}", file=sys.stderr)
            return EXIT_OUTSIDE
        if was_interrupted():
            return EXIT_INTERRUPTED  # a library made another exception of it
        raise


def _complain(error: Exception) -> None:
    """Print an error, which may quote names from anywhere."""
    from referee.text import printable_block

    print(f"referee: {printable_block(str(error))}", file=sys.stderr)


def _run(argv: list[str]) -> int:
    if argv[:1] == ["help"]:
        argv = _help_words(argv[1:])
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


def _help_words(asked: list[str]) -> list[str]:
    """`help` and `help COMMAND` as the options that mean the same."""
    if len(asked) > 1:
        raise InputError("help takes one command (`referee help` lists them)")
    if not asked or asked[0] in ("help", "-h", "--help"):
        return ["--help"]
    if asked[0] not in COMMANDS:
        raise InputError(unknown_name_message("command", asked[0], COMMANDS))
    return [asked[0], "--help"]
