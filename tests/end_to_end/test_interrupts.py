"""Signals, pipes and terminals that are closed: which of them end a run, and how."""

import argparse
import fcntl
import inspect
import os
import pty
import shlex
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from distributed import Client

from tests.conftest import Referee, command_line
from tests.end_to_end.test_run import PYTHON, Cup, played, played_folder
from tests.support.clusters import Cluster
from tests.support.interrupting import Moment
from tests.support.processes import PATIENCE_SECONDS, wait_until

__all__ = ["played", "played_folder"]  # fixtures

BOTH = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def cup(tmp_path: Path, referee: Referee) -> Cup:
    return Cup(tmp_path, referee)


MIXING = inspect.getsource(argparse.ArgumentParser.parse_known_intermixed_args)
FORMATTING = ["call format_usage"] if "format_usage" in MIXING else []
"""Where argparse makes another exception of it; younger ones do not call that."""


@pytest.mark.parametrize("number", BOTH)
@pytest.mark.parametrize(
    "event",
    [
        "import referee.commands.parser",
        "import argparse",
        "import gettext",
        *FORMATTING,
        "call cb",  # a callback of a weak reference, out of which nothing can be raised
        "import referee.commands.tournament",
        "import yaml",
        "import referee.run.engine",
        "subprocess.Popen",
        "import multiprocessing.popen_fork",
        "import numpy._core.multiarray",
        "import numpy.linalg",
        "import referee.report.write",
    ],
)
def test_interrupt_at_any_time_ends_without_a_traceback(
    cup: Cup, tmp_path: Path, event: str, number: signal.Signals
) -> None:
    """Exit code 130, also during imports."""
    interrupt(cup, Moment(tmp_path / "moment", event, number))


@pytest.mark.parametrize("number", BOTH)
@pytest.mark.parametrize(
    "event",
    [
        "import distributed",
        "import distributed.deploy.local",
        "call get_preparation_data",  # for a process of the cluster
        "call sync",
        "call _client",
        "call assemble",
        "call _process_events",
    ],
)
def test_interrupt_of_a_starting_cluster_prints_nothing(
    cup: Cup, tmp_path: Path, event: str, number: signal.Signals
) -> None:
    """And leaves no process."""
    words = ("--quiet", "--cluster", "local:1")
    error = interrupt(cup, Moment(tmp_path / "moment", event, number), *words)
    assert error == ""


def interrupt(cup: Cup, moment: Moment, *options: str) -> str:
    """Run it until that event, and return its standard error."""
    with subprocess.Popen(
        command_line("run", "cup.yaml", *options),
        cwd=cup.folder,
        env=moment.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        _, error = run.communicate(timeout=PATIENCE_SECONDS)
    assert moment.has_come
    assert run.returncode == 130, error
    assert "Traceback" not in error
    wait_until(lambda: not is_group_alive(run.pid))
    return error


def is_group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_ignored_signal_stays_ignored(cup: Cup, number: signal.Signals) -> None:
    """`nohup` ignores SIGHUP, shells SIGINT for background jobs: the run plays to its end."""
    cup.write(encounters=30)
    run = subprocess.Popen(
        command_line("run", "cup.yaml"),
        cwd=cup.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_IGN),
    )
    wait_until(lambda: cup.lines() >= 5)
    run.send_signal(number)
    out, error = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 0, error
    assert b"cup: 360 of 360 games" in out
    assert b"interrupted" not in error


def test_closed_terminal_ends_the_run(cup: Cup) -> None:
    """SIGHUP arrives and writing fails: tables are written, and the exit code is 130."""
    cup.write(encounters=2000)
    main, device = pty.openpty()
    run = subprocess.Popen(
        command_line("run", "cup.yaml"),
        cwd=cup.folder,
        stdin=device,
        stdout=device,
        stderr=device,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(device)
    while cup.lines() < 5:
        os.read(main, 65536)
    os.close(main)
    assert run.wait(timeout=PATIENCE_SECONDS) == 130
    assert 5 <= cup.lines() < 24_000
    for name in ("standings.md", "report.html"):
        assert (cup.folder / "results/cup" / name).exists()
    assert cup.run("--dry-run").returncode == 0


@pytest.mark.parametrize(
    ("redirection", "code", "error"),
    [
        ("2>&1 | head -1 >first", 0, ""),
        ("2>&1 | true", 0, ""),
        (">/dev/full", 3, "referee: standard output cannot be written: No space left on device\n"),
        (">&-", 3, "referee: standard output cannot be written: Bad file descriptor\n"),
        (">/dev/full 2>/dev/full", 3, ""),
        (">&- 2>&-", 3, ""),
        ("2>/dev/full", 0, ""),
        ("2>&-", 0, ""),
        ("<&- 2>&-", 0, ""),
        ("<&- >&- 2>&-", 3, ""),
    ],
)
def test_closed_output_does_not_end_a_run(
    cup: Cup, redirection: str, code: int, error: str
) -> None:
    """All games are played and all files written; lost results make the exit code 3."""
    command = shlex.join(command_line("run", "cup.yaml"))
    script = f"set -o pipefail; {command} {redirection}"
    result = subprocess.run(
        ["bash", "-c", script],
        cwd=cup.folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert result.returncode == code, result.stderr
    assert result.stderr.endswith(error)
    assert "Traceback" not in result.stderr
    assert cup.lines() == 24
    assert "alpha" in (cup.folder / "results/cup/standings.md").read_text()


@pytest.mark.parametrize("words", ["variants", "position standoff", "--help", "run --help"])
@pytest.mark.parametrize(("redirection", "code"), [(">/dev/full", 3), (">&-", 3), ("2>&-", 0)])
def test_lost_output_is_reported_in_one_sentence(
    tmp_path: Path, words: str, redirection: str, code: int
) -> None:
    """By every command, and never with a traceback."""
    script = f"{shlex.join(command_line(*words.split()))} {redirection}"
    result = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == code, result.stderr
    assert result.stderr.count("\n") == (1 if code else 0)


@pytest.mark.parametrize("words", ["replay results/cup GAME", "human --terminal /dev/null"])
def test_closed_input_is_empty_input(played: Cup, words: str) -> None:
    """For commands that check whether it is a terminal."""
    words = words.replace("GAME", played.records()[0]["id"])
    command = shlex.join(command_line(*words.split()))
    results = [
        subprocess.run(
            ["bash", "-c", f"{command} {redirection}"], cwd=played.folder, capture_output=True
        )
        for redirection in ("<&-", "</dev/null")
    ]
    assert [(one.returncode, one.stderr) for one in results] == [(0, b"")] * 2
    assert results[0].stdout == results[1].stdout


STOPPING_BOT = """
import pathlib, sys, time
folder, games = pathlib.Path(sys.argv[1]), 0
for line in sys.stdin:
    if line.startswith("game"):
        games += ".try" not in line
        with (folder / "games").open("a") as log: log.write(line)
        print("ready", flush=True)
    if line.startswith("turn"):
        if games == 50:
            (folder / "held").touch()
            while not (folder / "go").exists(): time.sleep(0.01)
        print("move", line.split("legal=")[1].strip().split(";")[0], flush=True)
"""


def hold_a_game(cup: Cup) -> None:
    """Write two bots that play fast games, and hold the 50th until there is a file `go`."""
    (cup.folder / "stopping.py").write_text(STOPPING_BOT)
    (cup.folder / "other.py").write_text(STOPPING_BOT.replace("games == 50", "False"))
    bots = [
        {"name": name, "command": f"{PYTHON} {name}.py {cup.folder}"}
        for name in ("stopping", "other")
    ]
    cup.write(variants=["standoff"], encounters=400, bots=bots)


def finish_the_held_game(cup: Cup, run: subprocess.Popen[bytes]) -> None:
    """End it and check that it is recorded, and that no later game was started."""
    before = (cup.folder / "games").read_text()
    (cup.folder / "go").touch()
    _, error = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 130, error
    assert (cup.folder / "games").read_text() == before
    assert cup.lines() == 50


INTERRUPTED = """
import referee.program as program

def main():
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return 130

program.main = main
program.start()
"""


def test_interrupt_while_a_dataclass_is_made_has_the_usual_exit_code(tmp_path: Path) -> None:
    """Also if Python was started with `-m`, and would then end by the signal."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    result = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path)
    assert result.returncode == 130


def test_no_game_starts_after_an_interrupt(cup: Cup) -> None:
    """Workers have many encounters in advance when games are short."""
    hold_a_game(cup)
    run = cup.start("--workers", "1")
    wait_until((cup.folder / "held").exists)
    run.send_signal(signal.SIGINT)
    read_until(run, b"finishing the games that are running")
    finish_the_held_game(cup, run)


def test_no_game_starts_on_a_cluster_after_an_interrupt(cup: Cup, tmp_path: Path) -> None:
    """Of the batches that its workers have."""

    def is_stopping() -> bool:  # on the worker, where the tests are not installed
        from referee.cluster import worker_session

        return all(one._stopping for one in worker_session._sessions.values())

    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    try:
        cluster.start_scheduler()
        cluster.start_worker("one")
        cluster.wait_for("one")
        hold_a_game(cup)
        run = cup.start("--cluster", cluster.address)
        wait_until((cup.folder / "held").exists)
        run.send_signal(signal.SIGINT)
        with Client(cluster.address, set_as_default=False) as client:
            wait_until(lambda: all(client.run(is_stopping).values()))
        finish_the_held_game(cup, run)
    finally:
        cluster.close()


def read_until(run: subprocess.Popen[bytes], text: bytes) -> None:
    assert run.stderr is not None
    assert any(text in line for line in iter(run.stderr.readline, b""))
