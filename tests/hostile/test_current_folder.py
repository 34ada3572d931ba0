"""A bot's folder as the current folder: the referee's own processes load no module from it."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.processes import PATIENCE_SECONDS, ended
from tests.support.servers import Server

RANDOM = ROOT / "bots" / "random_bot.py"
PROGRAM = "import sys; sys.path.remove(''); from referee.program import start; start()"
"""As the installed script, which does not search the current folder either."""
MODULES = ("referee", "multiprocessing", "asyncio", "starlette", "uvicorn", "distributed", "dask")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a bot's folder with modules that leave a trace if they are executed."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'pwned')!r}, 'w')\n")
    shutil.copy(RANDOM, tmp_path / "bot.py")
    return tmp_path


@contextmanager
def started(folder: Path, *words: str) -> Iterator[tuple[Server, str]]:
    """Start a command; yield the server at the address of a person's seat, and its path."""
    command = [sys.executable, "-c", PROGRAM, *words, "--sandbox", "none"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    with ended(process):
        assert process.stderr is not None
        line = next(line for line in process.stderr if line.startswith("play at "))
        address, _, _ = line.split()[2].partition("#")
        yield Server(process, address), f"/api/tables/{address.rpartition('/')[2]}/events"


def write_cup(folder: Path, second: str) -> None:
    bots = f"bots: [{{name: a, command: bot.py}}, {{name: b, command: {second}}}]\n"
    (folder / "cup.yaml").write_text(f"variant: standoff\nencounters: 1\n{bots}")


def test_game_in_the_browser_runs_no_file_of_the_current_folder(folder: Path) -> None:
    with started(folder, "play", "standoff", "human", "bot.py", "--browser", "--no-open") as found:
        server, path = found
        with server.events(path) as events:
            shown = next(
                event.value for event in events if event.value["turn"] or event.value["over"]
            )
        assert shown["turn"], shown
    assert not (folder / "pwned").exists()


def test_server_of_a_run_runs_no_file_of_the_current_folder(folder: Path) -> None:
    write_cup(folder, "human")
    with started(folder, "run", "cup.yaml", "--serve", "--port", "0") as (server, _):
        assert server.get("/api/tournaments").status == 200
    assert not (folder / "pwned").exists()


def test_local_cluster_runs_no_file_of_the_current_folder(folder: Path) -> None:
    write_cup(folder, "bot.py")
    words = ("run", "cup.yaml", "--cluster", "local:1", "--sandbox", "none", "--quiet")
    command = [sys.executable, "-c", PROGRAM, *words]
    result = subprocess.run(command, cwd=folder, capture_output=True, timeout=PATIENCE_SECONDS)
    assert result.returncode == 0, result.stderr
    assert not (folder / "pwned").exists()
