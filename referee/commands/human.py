"""Be a bot that asks a person: the bot protocol on standard input and output.

The person is talked to on the terminal device, so that any referee that speaks the protocol can
seat one. To play here, use `referee play standoff human BOT` instead.

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
    parser.add_argument(
        "--terminal",
        default="/dev/tty",
        metavar="DEVICE",
        help="where the person is (default: the terminal that this was started from)",
    )
    parser.add_argument("--hints", action="store_true", help="mark where one may play")


def run(arguments: argparse.Namespace) -> int:
    if sys.stdin.isatty():
        raise InputError(
            "this is for referees, who write lines of the bot protocol to its standard input:"
            " to play yourself, try `referee play standoff human bots/greedy.py`"
        )
    # From here on standard input and output are the terminal, which is what line editing needs.
    with (
        os.fdopen(os.dup(0), encoding="ascii", errors="replace") as lines,
        os.fdopen(os.dup(1), "w", encoding="ascii") as answers,
    ):
        try:
            _turn_to(arguments.terminal)
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


def _turn_to(device: str) -> None:
    """Make a terminal standard input and output."""
    terminal = os.open(device, os.O_RDWR | os.O_NOCTTY)
    if not os.isatty(terminal):
        os.close(terminal)
        raise OSError(errno.ENOTTY, f"{device} is something else")
    os.dup2(terminal, 0)
    os.dup2(terminal, 1)
    os.close(terminal)


def _decline(reason: str, line: str) -> str | None:
    return f"decline {reason}" if line.startswith("game ") else None
