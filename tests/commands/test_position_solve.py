"""`referee position … --solve`: who wins, which moves keep it, a line of best play."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from referee.rules import find_variant, play_moves
from tests.conftest import ROOT, Referee, command_line
from tests.support.terminals import CTRL_C, Terminal


def test_solve_lists_the_moves_that_keep_a_win(referee: Referee) -> None:
    """The moves that keep the win, and a line to the end of the game."""
    result = referee("position", "standoff", "3,3", "1,1", "--solve")
    assert (result.returncode, result.stderr) == (0, "")
    proven, moves, line = result.stdout.splitlines()[-3:]
    assert proven == "Proven: Seat 1 (X) wins. 16 of 20 moves keep that:"
    assert len(moves.split()) == 16
    assert line.startswith("Best play: ")
    rules = find_variant("standoff").on()
    outcome = rules.outcome(play_moves(rules, ["3,3", "1,1", *line.split()[2:]]))
    assert outcome is not None
    assert outcome.winner == 1


def test_solve_of_a_lost_position_names_the_winner(referee: Referee) -> None:
    """Every move loses."""
    said = referee("position", "lockdown", "--solve").stdout
    assert "Proven: Seat 2 (O) wins, whatever Seat 1 (X) plays.\n" in said


def test_solve_of_runner_prints_the_number_of_plies(referee: Referee) -> None:
    """In runner."""
    said = referee("position", "runner", "--solve").stdout
    assert "Proven: Seat 1 (1) wins within 7 plies. 3 of 18 moves keep that:\n2,2 2,3 2,4\n" in said


def test_solve_of_a_variant_file_finds_a_draw(referee: Referee) -> None:
    """And a move that is the only one."""
    game = str(ROOT / "docs" / "examples" / "tictactoe.py")
    said = referee("position", game, "1,1", "--solve").stdout
    assert "Proven: a draw. 1 of 8 moves keeps that:\n2,2\n" in said


def test_solve_json_has_values_and_moves(referee: Referee) -> None:
    """The keys of the contract, and more."""
    content = json.loads(referee("position", "runner", "--solve", "--json").stdout)
    assert content["value"] == "won"
    assert content["winning"] == content["keeping"] == ["2,2", "2,3", "2,4"]
    assert (content["unproved"], content["within"], len(content["line"])) == ([], 7, 7)
    lost = json.loads(referee("position", "lockdown", "--solve", "--json").stdout)
    assert (lost["value"], lost["winning"]) == ("lost", [])
    assert lost["keeping"] == lost["legal"]


def test_solve_of_a_finished_game_proves_nothing(referee: Referee) -> None:
    """No player is to move."""
    moves = ["1,1", "1,4", "4,1", "4,4"]
    content = json.loads(referee("position", "lockdown", *moves, "--solve", "--json").stdout)
    assert (content["value"], content["winning"]) == (None, [])
    assert "Proven" not in referee("position", "lockdown", *moves, "--solve").stdout


@pytest.mark.parametrize("budget", [["--nodes", "20"], ["--budget", "1ms"]])
def test_solve_with_a_small_budget_is_unproved(referee: Referee, budget: list[str]) -> None:
    """In a sentence, and as JSON."""
    words = ["position", "crossfire", "--rows", "7", "--cols", "7", "--solve", *budget]
    assert "Nothing is proven within" in referee(*words).stdout
    content = json.loads(referee(*words, "--json").stdout)
    assert (content["value"], content["winning"], content["line"]) == ("unproved", [], [])
    assert content["unproved"] == content["legal"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--budget", "2s"], "--budget and --nodes are for --solve"),
        (["--nodes", "5"], "--budget and --nodes are for --solve"),
        (["--solve", "--budget", "2"], "--budget is '2'"),
        (["--solve", "--nodes", "0"], "--nodes 0"),
    ],
)
def test_position_refuses_wrong_options_in_a_sentence(
    referee: Referee, words: list[str], message: str
) -> None:
    assert message in referee.refuse("position", "runner", *words)


def test_solve_is_ended_by_ctrl_c(tmp_path: Path) -> None:
    """At once and quietly, however long it would take."""
    size = ["--rows", "16", "--cols", "16"]
    with Terminal() as terminal:
        process = terminal.start(
            "position", "barricade", *size, "--solve", "--nodes", "1" + "0" * 12, folder=tmp_path
        )
        terminal.wait_for("legal moves:")
        terminal.type(CTRL_C)
        shown = terminal.finish(process)
    assert process.returncode == 130
    assert "Traceback" not in shown


def test_closed_pipe_ends_a_solution_without_a_traceback(tmp_path: Path) -> None:
    """`head` reads one line and exits."""
    command = shlex.join(command_line("position", "standoff", "--solve")) + " | head -1"
    result = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert result.stdout == "standoff 5x5, 0 plies played\n"
    assert "Traceback" not in result.stderr
