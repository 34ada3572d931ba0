"""What the commands that run bots share: `--sandbox`, and bots given by a command alone."""

import argparse
import os
from pathlib import Path

from referee.bots.command import Command
from referee.config.bot_command import is_file
from referee.sandbox.dependencies import is_shared_folder
from referee.sandbox.limits import ResourceLimits
from referee.sandbox.probe import AUTO, CHOICES
from referee.sandbox.rungs import NONE, Rung


def add_sandbox_argument(parser: argparse.ArgumentParser, default: str | None = AUTO) -> None:
    parser.add_argument(
        "--sandbox",
        choices=CHOICES,
        default=default,
        help="how bots are isolated (default: auto, the strongest that works here)",
    )


def confine_in_place(rung: Rung, command: Command) -> Command:
    """Isolate a bot that runs where it lies.

    It sees the current folder and the folders of files that the command names, and nothing else of
    yours. A home folder is too much to show: of files in it, the files alone are shown.
    """
    if command.is_human:
        return command
    here = command.folder
    shown = [] if is_shared_folder(here) else [here]
    for place, word in enumerate(command.arguments):
        file = Path(os.path.normpath(here / word))
        is_inside = file.is_relative_to(here)
        # A program from elsewhere is shown with what it was installed with.
        if is_file(file) and (is_inside or place > 0) and not (is_inside and shown):
            shown.append(file if is_shared_folder(file.parent) else file.parent)
    return rung.confine(command, ResourceLimits(), shown)


def isolation_text(rung: Rung) -> str:
    """One line for people."""
    return f"isolation: {rung.name}" + (", bots run with your rights" if rung.name == NONE else "")
