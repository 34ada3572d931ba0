"""The option `--sandbox`, and isolation of a bot that is given by its command."""

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
    """Add `--sandbox`."""
    parser.add_argument(
        "--sandbox",
        choices=CHOICES,
        default=default,
        help="isolation of bots (default: auto, the strongest that works here)",
    )


def confine_in_place(rung: Rung, command: Command) -> Command:
    """Isolate a bot that runs in its own folder instead of a copy.

    Visible are the current folder and the folders of files that the command names. A shared folder
    such as a home folder is never visible as a whole: only the files that are named.
    """
    if command.is_human:
        return command
    here = command.folder
    shown = [] if is_shared_folder(here) else [here]
    for place, word in enumerate(command.arguments):
        file = Path(os.path.normpath(here / word))
        is_inside = file.is_relative_to(here)
        # The dependencies of a program outside the folder are found by the rung.
        if is_file(file) and (is_inside or place > 0) and not (is_inside and shown):
            shown.append(file if is_shared_folder(file.parent) else file.parent)
    return rung.confine(command, ResourceLimits(), shown)


def isolation_text(rung: Rung) -> str:
    """Describe the isolation in one line."""
    return f"isolation: {rung.name}" + (", bots run with your rights" if rung.name == NONE else "")
