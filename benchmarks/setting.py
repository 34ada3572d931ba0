"""Fixtures of the benchmarks: two copies of a bot that answers immediately, the same games."""

import os
from collections.abc import Iterator
from pathlib import Path

from referee.bots.command import Command
from referee.config.plan import BoardPlan, Plan, PreparedBot
from referee.game.config import PlaySettings
from referee.protocol.time_control import TimeControl
from referee.rules import find_variant
from referee.schedule.fixtures import Board, Fixture, encounters_in_order
from referee.schedule.formats import Match
from referee.schedule.openings import Opening, find_openings

NAMES = ("one", "two")
TIME = TimeControl.clock("10s + 100ms")
SEED = 1


def make_openings(variant: str, encounters: int) -> dict[Board, list[Opening]]:
    """Find openings of two plies, the default, on the default board of a variant."""
    found = find_variant(variant)
    board = Board(variant, found.size)
    return {board: find_openings(found.on(), 2, encounters, f"{SEED} {board.name}")}


def make_fixtures(variant: str, games: int) -> Iterator[Fixture]:
    """Yield the fixtures of `games` games between the two bots."""
    encounters = games // 2
    openings = make_openings(variant, min(encounters, 1_000))
    for encounter in encounters_in_order([Match(NAMES, range(1, encounters + 1))], openings, SEED):
        yield from encounter.fixtures


def write_fixtures(variant: str, games: int, path: Path) -> None:
    """Write the fixtures in the format of referee.c."""
    with path.open("w") as file:
        for fixture in make_fixtures(variant, games):
            swapped = int(fixture.bots != NAMES)
            opening = ";".join(fixture.opening) or "-"
            print(fixture.id, fixture.seed, fixture.encounter, swapped, opening, file=file)


def make_plan(variant: str, bot: Path) -> Plan:
    """Make a plan with the default settings of a tournament."""
    board = Board(variant, find_variant(variant).size)
    command = Command((str(bot),), bot.parent)
    return Plan(
        bots={name: PreparedBot(name, command, TIME, "") for name in NAMES},
        boards={board.name: BoardPlan(board, variant)},
        play=PlaySettings(suspend_opponent=True, pin_cores=True),
        settings="",
        sandbox="none",
    )


def pin_to(cores: set[int]) -> None:
    """Restrict this process and its children to these cores."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
