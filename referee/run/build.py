"""Run the build command of a bot."""

import os
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.supervised import run_errand
from referee.config.bot_command import parse_command
from referee.config.plan import BotSpec
from referee.errors import InputError
from referee.sandbox.rungs import Rung

if TYPE_CHECKING:
    pass

from referee.config.bot_files import BUILD_FILES, BUILD_PROCESSES, make_world_readable

BUILD_SECONDS = 300
BUILD_MEMORY = 4 * 2**30
BUILD_BYTES = 2 * 2**30
"""Of files that a build writes: compilers keep much that is not needed afterwards."""
_BUILT = ".built"
"""Ends the name of a file beside the copy, where no build can write."""
_OUTPUT_LINES = 40


def command_in(bot: BotSpec, folder: Path) -> Command:
    """The command that starts the bot from its copy."""
    return replace(parse_command(bot.words, folder), environment=bot.environment)


def build(
    bot: BotSpec,
    folder: Path,
    rung: Rung,
    launcher: Launcher | None = None,
    seconds: float = BUILD_SECONDS,
) -> None:
    """Run the bot's build command in its copy, once; InputError shows what it printed."""
    built = folder.with_name(folder.name + _BUILT)
    if bot.build is None or built.exists():
        return
    words = shlex.split(bot.build) if isinstance(bot.build, str) else bot.build
    limits = bot.limits
    if not shutil.which(folder / words[0] if os.sep in words[0] else words[0]):
        raise InputError(f"its build command {words[0]!r} cannot be run: there is no such program")
    roomy = replace(
        limits,
        memory=max(limits.memory, BUILD_MEMORY),
        scratch=max(limits.scratch, BUILD_BYTES),
        processes=max(limits.processes, BUILD_PROCESSES),
        files=max(limits.files, BUILD_FILES),
    )
    command = Command(tuple(words), folder, bot.environment)
    errand = run_errand(rung.confine(command, roomy, [], write=[folder]), seconds, launcher)
    if not errand.in_time:
        raise InputError(f"its build was not done after {seconds:g} s")
    if not errand.succeeded:
        shown = "\n".join(f"    | {line}" for line in errand.lines[-_OUTPUT_LINES:])
        how = f"was stopped: {errand.over}" if errand.over else f"failed with {errand.ending}"
        raise InputError(f"its build {how}:\n{shown}")
    make_world_readable(folder)
    built.touch(mode=0o644)
