"""What the commands that run bots share: `--sandbox`, and bots given by a command alone."""

import argparse
from pathlib import Path

from referee.command import Command
from referee.installed import is_broad
from referee.programs import named_files
from referee.sandbox import AUTO, CHOICES, NONE, Limits, Rung


def add_sandbox_argument(parser: argparse.ArgumentParser, default: str | None = AUTO) -> None:
    parser.add_argument(
        "--sandbox",
        choices=CHOICES,
        default=default,
        help="how bots are isolated (default: auto, the strongest that works here)",
    )


def confine_in_place(rung: Rung, command: Command) -> Command:
    """Isolate a bot that runs where it lies: it sees the current folder, and nothing else of yours.

    Somebody's home is too much to show: then only the folders of the files that the command names
    are, or the files alone.
    """
    if command.is_human:
        return command
    absolute = [Path(word) for word in command.arguments[1:] if Path(word).is_absolute()]
    files = [file for file in absolute if file.is_file()]
    folders = [command.folder]
    if is_broad(command.folder):
        folders = []
        files += [command.folder / file for file in named_files(command.arguments, command.folder)]
    folders += [file if is_broad(file.parent) else file.parent for file in files]
    return rung.confine(command, Limits(), folders)


def isolation_text(rung: Rung) -> str:
    """One line for people."""
    return f"isolation: {rung.name}" + (", bots run with your rights" if rung.name == NONE else "")
