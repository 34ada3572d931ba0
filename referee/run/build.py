"""Run the build command of a bot."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.supervised import run_supervised
from referee.config.bot_command import parse_command, split_command
from referee.config.bot_files import BUILD_FILES, BUILD_PROCESSES, make_world_readable
from referee.config.plan import BotSpec
from referee.errors import InputError
from referee.sandbox.rungs import Rung

BUILD_SECONDS = 300
BUILD_MEMORY = 4 * 2**30
BUILD_BYTES = 2 * 2**30
"""Limit of the files that a build writes; object files and caches count."""
_BUILT = ".built"
"""Suffix of the marker file beside the copy, where the build cannot write."""
_OUTPUT_LINES = 40


def command_in(bot: BotSpec, folder: Path) -> Command:
    """Return the command that starts the bot from its copy."""
    return replace(
        parse_command(bot.command.arguments, folder), environment=bot.command.environment
    )


def build(
    bot: BotSpec,
    folder: Path,
    rung: Rung,
    launcher: Launcher | None = None,
    seconds: float = BUILD_SECONDS,
) -> None:
    """Run the bot's build command in its copy, once; InputError has the end of its output."""
    built = folder.with_name(folder.name + _BUILT)
    if bot.build is None or built.exists():
        return
    words = split_command(bot.build, folder)
    limits = bot.limits
    if not shutil.which(folder / words[0] if os.sep in words[0] else words[0]):
        raise InputError(f"its build command {words[0]!r} cannot be run: there is no such program")
    build_limits = replace(
        limits,
        memory=max(limits.memory, BUILD_MEMORY),
        scratch=max(limits.scratch, BUILD_BYTES),
        processes=max(limits.processes, BUILD_PROCESSES),
        files=max(limits.files, BUILD_FILES),
    )
    command = Command(tuple(words), folder, bot.command.environment)
    run = run_supervised(rung.confine(command, build_limits, [], write=[folder]), seconds, launcher)
    if not run.in_time:
        raise InputError(f"its build was not done after {seconds:g} s")
    if not run.succeeded:
        output = "\n".join(f"    | {line}" for line in run.lines[-_OUTPUT_LINES:])
        how = f"was stopped: {run.over}" if run.over else f"failed with {run.ending}"
        raise InputError(f"its build {how}:\n{output}")
    make_world_readable(folder)
    built.touch(mode=0o644)
