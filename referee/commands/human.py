"""Let a person play as a bot: use the bot protocol on standard input and output.

The dialogue with the person uses the terminal device, so any referee that uses the protocol can
start this program as a bot. To play here, use `referee play standoff human BOT` instead.

examples:
  referee human
  referee human --terminal /dev/pts/3 --hints
"""

import argparse
import errno
import os
import sys
from collections.abc import Callable
from functools import partial

from referee.errors import InputError
from referee.human.console import Console
from referee.human.player import HumanAdapter, Screen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--terminal",
        default="/dev/tty",
        metavar="DEVICE",
        help="terminal of the person (default: the controlling terminal)",
    )
    parser.add_argument("--hints", action="store_true", help="mark the legal cells")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if os.isatty(0):  # `sys.stdin` is None if it was closed from the start
        raise InputError(
            "this command is for referees, which write the bot protocol to its standard input:"
            " to play yourself, try `referee play standoff human bots/greedy.py`"
        )
    # Standard input and output become the terminal, as line editing requires.
    with (
        os.fdopen(os.dup(0), encoding="ascii", errors="replace") as lines,
        os.fdopen(os.dup(1), "w", encoding="ascii") as answers,
    ):
        try:
            _redirect_to(arguments.terminal)
        except OSError as error:
            reason = f"there is no terminal to ask a person on: {error.strerror}"
            answer: Callable[[str], str | None] = partial(_decline, reason)
        else:
            answer = HumanAdapter(Screen(Console(sys.stdout, hints=arguments.hints))).answer
        for line in lines:
            if line.split()[:1] == ["quit"]:
                break
            if (text := answer(line)) is not None:
                print(text, file=answers, flush=True)
    return 0


def _redirect_to(device: str) -> None:
    """Make a terminal device standard input and output."""
    terminal = os.open(device, os.O_RDWR | os.O_NOCTTY)
    if not os.isatty(terminal):
        os.close(terminal)
        raise OSError(errno.ENOTTY, f"{device} is something else")
    os.dup2(terminal, 0)
    os.dup2(terminal, 1)
    os.close(terminal)


def _decline(reason: str, line: str) -> str | None:
    return f"decline {reason}" if line.startswith("game ") else None
