"""Preparation of the bots on this machine: build, isolate, check that they start."""

import re
import shlex
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from referee.bots.bot import Bot, close_all
from referee.bots.launcher import Launcher
from referee.config.plan import Plan, PortablePlan, PreparedBot
from referee.errors import InputError, OutsideError
from referee.game.config import GameSetup
from referee.game.dossier import fault_text
from referee.game.handshake import try_bots
from referee.protocol.faults import Fault
from referee.run.build import build, command_in
from referee.run.events import MAX_TRIES
from referee.sandbox.rungs import Rung
from referee.system.cores import default_slots
from referee.system.open_files import make_room

MAX_CONCURRENT_STARTS = 64
"""Maximum number of bots that are started at the same time, on any number of cores."""
DESCRIPTORS = 4
"""Open files per bot: three pipes and a socket."""
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([A-Za-z0-9_]+).*'")


def prepare_bots(
    portable_plan: PortablePlan,
    copies: Mapping[str, Path],
    rung: Rung,
    launcher: Launcher,
    host: str | None = None,
) -> tuple[Plan, dict[str, str]]:
    """Build and isolate every bot in its copy; return the plan, and the problems by bot."""
    bots: dict[str, PreparedBot] = {}
    broken: dict[str, str] = {}
    for bot in portable_plan.bots:
        copy = copies[bot.name]
        # Kept if the build fails: its start then fails with a fault.
        command = replace(bot.command, folder=copy)
        try:
            if not command.is_human:
                build(bot, copy, rung, launcher)
                command = rung.confine(command_in(bot, copy), bot.limits, [copy])
        except InputError as error:
            broken[bot.name] = str(error)
        bots[bot.name] = PreparedBot(bot.name, command, bot.time, bot.hash)
    return Plan(
        bots=bots,
        boards=portable_plan.boards,
        play=portable_plan.play,
        settings=portable_plan.settings,
        sandbox=rung.name,
        host=host or socket.gethostname(),
    ), broken


def check_bots_start(
    plan: Plan,
    broken: Mapping[str, str],
    launcher: Launcher,
    origins: Mapping[str, Sequence[Path]] = MappingProxyType({}),
) -> dict[str, str]:
    """Start each bot once on every board; return a paragraph for each bot that cannot play.

    About as many bots are started at the same time as there are cores, because more would slow
    down each other's start. `origins` are the folders of bots of which only some files were copied.
    """
    problems = {bot: f"{bot} cannot be used: {why}" for bot, why in broken.items()}
    names = [
        name for name, bot in plan.bots.items() if name not in broken and not bot.command.is_human
    ]
    size = min(default_slots(), MAX_CONCURRENT_STARTS)
    make_room(size * DESCRIPTORS)
    for start in range(0, len(names), size):
        problems |= _check_group(plan, names[start : start + size], launcher, origins)
    return problems


def _check_group(
    plan: Plan, names: Sequence[str], launcher: Launcher, origins: Mapping[str, Sequence[Path]]
) -> dict[str, str]:
    """Start some bots at the same time; return a paragraph for each that cannot play."""
    problems: dict[str, str] = {}
    bots = [Bot(name, plan.bots[name].command, launcher) for name in names]
    try:
        for board in plan.boards:
            setup = GameSetup(f"{board}.try", plan.game_config(board, (names[0], names[0])))
            for name, fault in _try_bots(setup, bots).items():
                command = plan.bots[name].command
                problems[name] = (
                    f"{name} cannot play {board}.\n{fault_text(fault, name)}"
                    f"  its command:   {shlex.join(command.arguments)}\n"
                    f"  its folder:    {command.folder}\n"
                    + _hint_about_dir(fault, origins.get(name, ()))
                )
                bots = [bot for bot in bots if bot.name != name]
    finally:
        close_all(bots)
    return problems


def _try_bots(setup: GameSetup, bots: Sequence[Bot]) -> dict[str, Fault]:
    """Try these bots, again if the referee or the machine failed, as for a void game."""
    for _ in range(MAX_TRIES - 1):
        try:
            return try_bots(setup, bots)
        except OutsideError:
            for bot in bots:
                bot.discard()
    return try_bots(setup, bots)


def _hint_about_dir(fault: Fault, origins: Iterable[Path]) -> str:
    """Return a hint if a missing module is a file beside the bot's script, else an empty text."""
    missing = next(filter(None, map(_NO_MODULE.fullmatch, fault.stderr)), None)
    if missing is None:
        return ""
    for folder in origins:
        for name in (f"{missing[1]}.py", missing[1]):
            if (folder / name).exists():
                return (
                    f"  hint:          {name} in {folder} was not copied: without `dir` a bot has"
                    " only the files that its command names\n"
                )
    return ""


def format_startup_failures(problems: Iterable[str]) -> str:
    """Format the problems of all bots, and the two ways to continue."""
    return (
        "\n".join(problems)
        + "\nThe tournament was not started. Fix this, or set `broken_bots: forfeit` in"
        " the file to start anyway."
    )
