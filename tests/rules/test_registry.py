"""Variants from files and from installed packages."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from referee.rules import find_variant, play_moves, source_digest
from tests.conftest import ROOT, Referee

TICTACTOE = ROOT / "docs" / "examples" / "tictactoe.py"


def test_tic_tac_toe_has_the_known_numbers_of_results() -> None:
    """255,168 games: 131,184 wins of seat 1, 77,904 of seat 2, 46,080 draws."""
    rules = find_variant(str(TICTACTOE)).on()
    endings: Counter[tuple[float, float]] = Counter()
    positions = Counter({rules.start(): 1})
    while positions:
        after: Counter[str] = Counter()
        for state, games in positions.items():
            if outcome := rules.outcome(state):
                endings[outcome.score] += games
                continue
            for move in rules.legal_moves(state):
                after[rules.apply(state, move)] += games
        positions = after
    assert endings == {(1, 0): 131184, (0, 1): 77904, (0.5, 0.5): 46080}


@pytest.mark.parametrize(
    ("moves", "score", "reason", "sentence"),
    [
        ("2,2 1,1 2,1 1,2 2,3", [1, 0], "three-in-a-row", "Seat 1 (X) wins: three-in-a-row."),
        ("1,1 2,2 1,2 2,1 3,3 2,3", [0, 1], "three-in-a-row", "Seat 2 (O) wins: three-in-a-row."),
        (
            "1,1 1,2 1,3 2,2 2,1 2,3 3,2 3,1 3,3",
            [0.5, 0.5],
            "board-full",
            "a draw: board-full.\nScore 0.5-0.5, reason board-full.",
        ),
    ],
)
def test_file_path_names_a_variant(
    referee: Referee, moves: str, score: list[float], reason: str, sentence: str
) -> None:
    """Wherever a variant's name is expected."""
    answer = json.loads(referee("position", str(TICTACTOE), *moves.split(), "--json").stdout)
    assert answer["variant"] == "tictactoe"
    assert answer["outcome"] == {"score": score, "reason": reason}
    assert sentence in referee("position", str(TICTACTOE), *moves.split()).stdout


def install(folder: Path, name: str, value: str) -> Path:
    """Install a package with a variant into a folder, as pip does."""
    (folder / "games-1.0.dist-info").mkdir(parents=True)
    metadata = folder / "games-1.0.dist-info"
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: games\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[referee.variants]\n{name} = {value}\n")
    shutil.copy(TICTACTOE, folder / "games.py")
    return folder


def test_installed_package_adds_a_variant(referee: Referee, tmp_path: Path) -> None:
    """By its entry point; it is in the list as well."""
    site = install(tmp_path / "site", "tictactoe", "games:VARIANT")
    listed = referee("variants", path=site)
    assert listed.returncode == 0
    assert "tictactoe  3x3    mark an empty cell; three in a line win" in listed.stdout
    assert "Three in a row, column or" in referee("variants", "tictactoe", path=site).stdout
    answer = json.loads(referee("position", "tictactoe", "2,2", "--json", path=site).stdout)
    assert answer["board"] == ".../.X./..."
    program = "from referee.rules import source_digest; print(source_digest('tictactoe'))"
    digest = subprocess.check_output(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(site)}, text=True
    )
    assert digest.strip() == source_digest(str(TICTACTOE))
    refusal = referee.refuse("position", "tictacto", path=site)
    assert refusal == "there is no variant 'tictacto': did you mean tictactoe?"


def test_broken_package_does_not_hide_other_variants(referee: Referee, tmp_path: Path) -> None:
    """It is named, and the rest of the list is complete."""
    site = install(tmp_path / "site", "chequers", "chequers:VARIANT")
    listed = referee("variants", path=site)
    assert "standoff" in listed.stdout
    message = "the installed variant 'chequers' cannot be loaded: ModuleNotFoundError"
    assert message in listed.stderr
    assert referee.refuse("position", "chequers", path=site).startswith(message)


def test_entry_point_must_have_the_name_of_its_variant(referee: Referee, tmp_path: Path) -> None:
    """Ids contain the name, so a variant has one name only."""
    site = install(tmp_path / "site", "noughts", "games:VARIANT")
    assert referee.refuse("position", "noughts", path=site) == (
        "the variant installed as 'noughts' has the name 'tictactoe'"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'game.py' is not a variant file: it does not define VARIANT"),
        ("VARIANT = 3", "VARIANT in 'game.py' should be a referee.rules.Variant, not int"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("def", "cannot be loaded: SyntaxError: invalid syntax"),
        (
            "from referee.variants.standoff import VARIANT",
            "VARIANT in 'game.py' is called 'standoff', and that name is taken",
        ),
        (
            "from dataclasses import replace\n"
            "from referee.variants.standoff import VARIANT\n"
            "VARIANT = replace(VARIANT, name='../x')",
            "VARIANT in 'game.py' is called '../x': a name is up to 32 of a-z",
        ),
    ],
)
def test_wrong_variant_file_is_explained_in_one_sentence(
    referee: Referee, tmp_path: Path, text: str, message: str
) -> None:
    """For each kind of error."""
    (tmp_path / "game.py").write_text(text)
    assert message in referee.refuse("position", "game.py")


def test_missing_file_and_wrong_size_are_explained(referee: Referee) -> None:
    """A variant may refuse a size."""
    assert referee.refuse("position", "none.py") == "there is no variant file 'none.py'"
    assert referee.refuse("position", str(TICTACTOE), "--rows", "4", "--cols", "4") == (
        "tictactoe is played on 3x3, not on 4x4"
    )


def test_default_rejection_names_the_move() -> None:
    """A variant need not explain its rules."""
    rules = find_variant(str(TICTACTOE)).on()
    state = play_moves(rules, ["1,1"])
    assert rules.why_illegal(state, "1,1") == "'1,1' is not a legal move"
