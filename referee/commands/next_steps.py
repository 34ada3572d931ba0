"""Commands that are suggested after a tournament, with arguments of that tournament."""

import os
import shlex
import shutil
import sys
from pathlib import Path

from referee.bots.command import HUMAN
from referee.config.bot_command import split_command
from referee.config.tournament import Tournament
from referee.errors import InputError
from referee.records.store import Store
from referee.rules import find_variant
from referee.rules.registry import is_variant_file
from referee.schedule.fixtures import fixture_id
from referee.scoring.ledger import Ledger


def next_steps(tournament: Tournament, ledger: Ledger, store: Store) -> list[str]:
    """Suggest commands: replay a game, play against the best bot, ratings, report."""
    folder, program = str(store.folder), program_words()
    steps = []
    if game := _top_game(ledger):
        steps.append([*program, "replay", folder, game])
    if opponent := _opponent(tournament, ledger, store.folder):
        source, size = _first_game(tournament)
        steps.append([*program, "play", source, HUMAN, opponent, *size])
    steps.append([*program, "standings", folder, "--ratings"])
    if opener := _opener():
        steps.append([opener, str(store.folder / "report.html")])
    return [shlex.join(step) for step in steps]


def _top_game(ledger: Ledger) -> str | None:
    """Find a game between the two best bots that met."""
    names = [row.bot for row in ledger.standings().rows[:10]]
    candidates = (
        fixture_id(board, one, two, 1, letter)
        for place, first in enumerate(names)
        for second in names[place + 1 :]
        for board in ledger.manifest.boards
        for one, two in ((first, second), (second, first))
        for letter in "ab"
    )
    return next((game_id for game_id in candidates if game_id in ledger.done), None)


def _first_game(tournament: Tournament) -> tuple[str, list[str]]:
    """Return the first variant of the file as an argument of `play`, and options for its size."""
    plan = next(iter(tournament.board_plans.values()))
    source, size = plan.source, plan.board.size
    usual = find_variant(source).size
    if is_variant_file(source):
        source = _from_here(Path(source)) or source
    options = ["--rows", str(size.rows), "--cols", str(size.cols)]
    return source, [] if size == usual else options


def _opponent(tournament: Tournament, ledger: Ledger, folder: Path) -> str | None:
    """Find the path of the best bot that is a single program or script."""
    entries = {bot.name: bot for bot in tournament.content.bots}
    for row in ledger.standings().rows:
        bot, spec = entries[row.bot], tournament.specs[row.bot]
        if spec.command.is_human or bot.env:
            continue
        original = tournament.path.parent / (bot.dir or "")
        copy = folder / "bots" / bot.name / spec.hash
        for place in (copy,) if bot.build else (original, copy):
            if path := _program_file(bot.command, place):
                return path
    return None


def _program_file(command: str | list[str], folder: Path) -> str | None:
    """Find the file that a command starts; None if the command has further arguments."""
    try:
        *interpreter, file = split_command(command, folder)
    except InputError:
        return None
    path = folder / file
    is_python = path.suffix == ".py" and len(interpreter) <= 1
    is_program = not interpreter and os.access(path, os.X_OK)
    return _from_here(path) if path.is_file() and (is_python or is_program) else None


def _from_here(path: Path) -> str | None:
    """Make a path relative to the current folder.

    None if it is outside, where the sandbox of `play` would hide it.
    """
    here, there = Path.cwd(), path.resolve()
    return str(there.relative_to(here)) if there.is_relative_to(here) else None


def program_words() -> list[str]:
    """Return the command that starts this program."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py":
        return [sys.executable, "-m", "referee"]
    found = shutil.which(started.name)
    on_path = found is not None and Path(found).resolve() == started.resolve()
    return [started.name if on_path else str(started)]


def _opener() -> str | None:
    """Find the command that opens a file in a browser; None without a desktop."""
    if sys.platform == "darwin":
        return "open"
    has_desktop = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return "xdg-open" if has_desktop and shutil.which("xdg-open") else None
