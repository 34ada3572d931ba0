"""`referee compare`: plays until a sequential test has decided."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Referee, command_line

BOTS = ROOT / "bots"
RANDOM, GREEDY = str(BOTS / "random_bot.py"), str(BOTS / "greedy.py")
AMPLE = ("--variant", "standoff", "--per-move", "60s")
FAST = (*AMPLE, "--opening-plies", "2")
"""With openings that are found at once; those of four plies take three seconds."""


def test_compare_finds_a_better_bot_better(referee: Referee) -> None:
    """It prints a sentence with the evidence and the estimate."""
    result = referee("compare", GREEDY, RANDOM, *AMPLE)
    assert result.returncode == 0, result.stderr
    first, second = result.stdout.splitlines()[:2]
    assert first.startswith("greedy is better than random_bot: +20 Elo fits the games better than")
    assert "bounds -2.94 and 2.94" in first
    assert second.startswith("Estimate: +")
    assert "greedy is the better one with" in second


def test_compare_finds_a_worse_bot_not_better(referee: Referee) -> None:
    """With the same kind of sentence."""
    result = referee("compare", RANDOM, GREEDY, *FAST)
    assert result.stdout.startswith("random_bot is not better than greedy by 20: +0 Elo fits")


def test_compare_does_not_depend_on_the_number_of_workers(referee: Referee) -> None:
    """Encounters are judged in the order of their start."""
    words = ("compare", GREEDY, RANDOM, *FAST, "--seed", "3", "--workers")
    assert referee(*words, "1").stdout == referee(*words, "2").stdout


def test_compare_of_equal_bots_stays_undecided(referee: Referee) -> None:
    """At the maximum of games it prints the state of the test."""
    result = referee("compare", RANDOM, RANDOM, *FAST, "--max-games", "40")
    assert result.stdout.startswith("undecided between new and old")
    assert "after 20 encounters (40 games)" in result.stdout


def test_compare_ignores_repeated_games(referee: Referee, tmp_path: Path) -> None:
    """Two copies of a bot that always plays the same game are compared on one encounter."""
    first = tmp_path / "first.py"
    first.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('game'): print('ready', flush=True)\n"
        "    if line.startswith('turn'):\n"
        "        print('move', line.split('legal=')[1].strip().split(';')[0], flush=True)\n"
    )
    words = ("compare", "first.py", "first.py", *FAST, "--opening-plies", "0", "--max-games", "20")
    result = referee(*words)
    assert "after 1 encounters (2 games)" in result.stdout
    assert "9 encounters repeated an earlier one, and did not count." in result.stdout


def test_compare_counts_faults(referee: Referee) -> None:
    """A bot that cannot start loses."""
    scripted = shlex.join(
        [sys.executable, str(ROOT / "tests" / "support" / "scripted_bot.py"), "turn", "illegal"]
    )
    result = referee("compare", RANDOM, scripted, *FAST, "--max-games", "8")
    assert "scripted_bot made " in result.stdout


def test_compare_counts_faults_of_both_bots(referee: Referee) -> None:
    """Where neither could start."""
    result = referee("compare", "/bin/false", "/bin/false", *FAST, "--max-games", "4")
    assert "new made 4 faults.\nold made 4 faults." in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--elo0 20 --elo1 0", "elo0 must be below elo1"),
        ("--alpha 0", "alpha and beta must lie between 0 and 0.5"),
        ("--max-games 1", "--max-games 1: an encounter has 2 games"),
        ("--workers 0", "--workers 0: the minimum is 1"),
        ("--variant chess", "there is no variant 'chess'"),
        ("--opening-plies 101", "--opening-plies 101: 0 to 100 are possible"),
        ("--variant lockdown --opening-plies 4", "no opening of 4 plies leaves a game of lockdown"),
    ],
)
def test_compare_reports_wrong_arguments_in_one_sentence(
    referee: Referee, words: str, message: str
) -> None:
    """Before anything is started."""
    assert message in referee.refuse("compare", RANDOM, GREEDY, *words.split())


def test_interrupted_compare_prints_the_state_of_the_test(tmp_path: Path) -> None:
    """Ctrl-C: exit code 130."""
    import signal

    command = command_line("compare", RANDOM, RANDOM, "--elo1", "1", "--opening-plies", "2")
    with subprocess.Popen(
        # More games than a fast machine plays before the first line.
        [*command, "--per-move", "60s", "--max-games", "1000000"],
        cwd=tmp_path,
        stdout=-1,
        stderr=-1,
        text=True,
    ) as process:
        assert "encounters: log-likelihood ratio" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert out.startswith("undecided between new and old")
    assert "Traceback" not in err


FAILING = """
import os
from dataclasses import replace
from pathlib import Path
from referee.variants.standoff import VARIANT as ORIGINAL, Standoff
class Failing(Standoff):
    def view(self, state):
        log = Path(__file__).with_name("failures")
        seen = log.read_text().splitlines()
        if len(seen) < FAILURES and (not seen or seen[0] == repr(state)):
            with log.open("a") as file: print(repr(state), file=file)
            raise RuntimeError("a bug in the rules")
        return super().view(state)
VARIANT = replace(ORIGINAL, name="failing", rules=Failing)
"""


@pytest.mark.parametrize(("failures", "code", "encounters"), [(2, 0, 10), (6, 3, 9)])
def test_compare_plays_a_void_game_again(
    referee: Referee, tmp_path: Path, failures: int, code: int, encounters: int
) -> None:
    """Three times as in a run; then its encounter is left out.

    Both games of the first encounter fail: they have their opening in common.
    """
    (tmp_path / "failing.py").write_text(FAILING.replace("FAILURES", str(failures)))
    (tmp_path / "failures").touch()
    result = referee(
        *("compare", RANDOM, RANDOM, "--variant", "failing.py", *FAST[2:]),
        *("--workers", "1", "--max-games", "20"),
    )
    assert result.returncode == code, result.stderr
    assert f"after {encounters} encounters" in result.stdout
    shown = [line for line in result.stderr.splitlines() if "could not be played" in line]
    assert len(shown) == (2 if code else 0)
    assert all("RuntimeError: a bug in the rules" in line for line in shown)
