"""Ordinary bots with threads, helpers and scratch files: never a fault, on any rung."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.game.config import GameSetup
from referee.game.dossier import dossier
from referee.game.loop import play_game
from referee.sandbox.limits import ResourceLimits
from tests.hostile.world import PYTHON, game_config, rung_called
from tests.support.tools import needs

SOURCES = Path(__file__).parent / "controls"
GAMES = 3
CONTROLS = {
    # name: what has to be there, how it is built, how it is run
    "python": (PYTHON, [], [PYTHON, "-B", "control.py"]),
    "c": ("cc", ["cc", "-pthread", "-o", "control", "control.c"], ["./control"]),
    "node": ("node", [], ["node", "control.js"]),
    "java": ("javac", ["javac", "Control.java"], ["java", "-cp", ".", "Control"]),
    "bash": ("bash", [], ["./control.sh"]),
}


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Return a copy of the sources that every user can reach."""
    with TemporaryDirectory(prefix="controls-") as name:
        folder = Path(name)
        shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
        folder.chmod(0o755)
        yield folder


def play_games(command: Command) -> None:
    """Play several games of a bot against itself; the one off turn is suspended."""
    setup = GameSetup("control", game_config())
    with Launcher() as launcher:
        bots = (Bot("one", command, launcher), Bot("two", command, launcher))
        for _ in range(GAMES):
            played = play_game(setup, bots)
            assert played.faults == (), dossier("control", ("one", "two"), played)
        assert [bot.warnings for bot in bots] == [[], []]
        close_all(list(bots))


@pytest.mark.parametrize("rung", ["bwrap", "limits"])
@pytest.mark.parametrize("language", CONTROLS)
def test_ordinary_bot_commits_no_fault_in_the_sandbox(
    language: str, rung: str, folder: Path
) -> None:
    """With the default limits, several games in the same process."""
    tool, build, words = CONTROLS[language]
    needs(tool)
    if build and not (folder / language).exists():
        (folder / language).touch()  # once for both rungs
        subprocess.run(build, cwd=folder, check=True)
    found = rung_called(rung)
    play_games(found.confine(Command(tuple(words), folder), ResourceLimits(), [folder]))


def test_python_locks_work_under_bubblewrap(folder: Path) -> None:
    """`multiprocessing` needs shared memory, which only a namespace of its own can give."""
    found = rung_called("bwrap")
    command = Command((PYTHON, "-B", "control.py", "locks"), folder)
    play_games(found.confine(command, ResourceLimits(), [folder]))
