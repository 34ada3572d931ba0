"""`referee play … human --coach`: errors are reported, can be taken back, and there are hints."""

from pathlib import Path

import pytest

from referee.analysis.solver import Solver
from referee.rules import Size, find_variant, play_moves
from tests.conftest import ROOT, Referee

GREEDY = str(ROOT / "bots" / "greedy.py")


def play(referee: Referee, variant: str, entries: list[str], *words: str) -> str:
    """What a person sees who enters these lines and then resigns."""
    text = "\n".join([*entries, "resign", "yes", ""])
    command = ("play", variant, "human", GREEDY, "--seed", "1", "--sandbox", "none")
    result = referee(*command, *words, input=text)
    assert result.returncode == 0, result.stderr
    return result.stdout


def split_moves(variant: str, size: Size) -> tuple[list[str], list[str]]:
    """The moves of the start position that keep the win, and those that give it away."""
    rules = find_variant(variant).on(size)
    verdict = Solver(rules).solve(play_moves(rules, ()))
    lost = [move for move in verdict.moves if move not in verdict.winning]
    assert verdict.winning
    assert lost
    return verdict.winning, lost


def test_coach_names_an_error_that_can_be_taken_back(referee: Referee) -> None:
    """`undo` goes back before the move; a move that keeps the win is not commented."""
    good, bad = split_moves("standoff", Size(5, 5))
    shown = play(referee, "standoff", [bad[0], "undo", good[0]], "--coach")
    text = f"Coach: {bad[0]} gives the win away. {len(good)} of {len(good) + len(bad)} moves"
    assert text in shown
    assert "You are back before your move." in shown
    assert shown.count("gives the win away") == 1
    row, col = good[0].split(",")
    assert f"Placed 'X' at ({row},{col})" in shown.split("You are back")[1]
    assert "Placed 'O'" in shown.split("You are back")[1]


def test_coach_accepts_an_error_that_is_kept(referee: Referee) -> None:
    """An empty line keeps it, and the bot answers."""
    _, bad = split_moves("standoff", Size(5, 5))
    shown = play(referee, "standoff", [bad[0], ""], "--coach")
    assert "Placed 'O'" in shown.split("or nothing to keep it:")[1]


@pytest.mark.parametrize("variant", ["standoff", "barricade", "runner"])
def test_coach_hint_keeps_the_win(referee: Referee, variant: str) -> None:
    """The hint is a move that the solver proves, or a sentence that nothing is proven."""
    size = Size(4, 4)
    shown = play(referee, variant, ["hint"], "--coach", "--rows", "4", "--cols", "4")
    line = next(line for line in shown.splitlines() if line.startswith("Coach: "))
    rules = find_variant(variant).on(size)
    verdict = Solver(rules).solve(play_moves(rules, ()))
    if verdict.value == "won":
        assert line.split()[1] in verdict.winning
    else:
        assert "lost" in line or "not proven" in line


def test_coach_states_that_nothing_is_proven(referee: Referee) -> None:
    """On a board that is too large for the budget of the coach, at once."""
    large = ["--rows", "12", "--cols", "12"]
    shown = play(referee, "standoff", ["hint", "6,6"], "--coach", *large)
    assert "Coach: who wins is not proven here" in shown
    assert "Coach: whether 6,6 is right is not proven." in shown


def test_hint_without_a_coach_names_the_option(referee: Referee, tmp_path: Path) -> None:
    """And the option needs a person."""
    shown = play(referee, "standoff", ["hint"])
    assert "start the game with --coach" in shown
    result = referee("play", "standoff", GREEDY, GREEDY, "--coach")
    assert result.returncode == 2
    assert "--coach is for people" in result.stderr
