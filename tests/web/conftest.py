"""A small tournament that is over, and bots for others."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, Referee
from tests.support.servers import Server, serving

PATIENT = ROOT / "tests" / "support" / "patient_bot.py"
RANDOM = ROOT / "bots" / "random_bot.py"


def write_cup(folder: Path, encounters: int = 1, *, held: bool = False, more: str = "") -> Path:
    """A tournament of two bots that play the first and the last legal move."""
    if held:
        (folder / "hold").touch()
    bots = "".join(
        f"  - {{name: {name}, command: [{sys.executable}, {PATIENT}, {name}, {folder}]}}\n"
        for name in ("first", "last")
    )
    text = f"variants: [standoff]\nencounters: {encounters}\nper_move: 60s\n{more}bots:\n{bots}"
    path = folder / "cup.yaml"
    path.write_text(text)
    return path


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of a tournament, below `results`; tests do not change it."""
    folder = tmp_path_factory.mktemp("played")
    result = Referee(folder)("run", str(write_cup(folder, 3)), "--quiet")
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture
def cup(played: Path, tmp_path: Path) -> Path:
    """A copy of these results."""
    return shutil.copytree(played, tmp_path, dirs_exist_ok=True)


@pytest.fixture(scope="session")
def arena(played: Path) -> Iterator[Server]:
    """A server that shows these results, for tests that only read."""
    with serving(played) as server:
        yield server
