"""The command line: what it prints, what it refuses, and its exit codes."""

import json
import shlex
import subprocess
import sys

import pytest

from referee import __version__
from referee.cli import COMMANDS
from referee.commands.variants import rules_page
from referee.rules import BUILT_IN, find_variant
from tests.conftest import Referee

BOARDS = {
    "standoff": ("3,3 1,1", "[O][ ][ ][ ][ ]\n[ ][ ][ ][ ][ ]\n[ ][ ][X][ ][ ]\n"),
    "barricade": ("0,1x1,0 3,4x3,3", ". A . . .\nX . . . .\n. . . . .\n. . . X B\n. . . . .\n"),
    "lockdown": ("2,2 4,2", "# # # .\n# X # .\n# # # .\n# O # .\n"),
    "runner": (
        "2,4 x3,2",
        "Row\\Col | 1   2   3   4   5\n-----------------------------\n"
        "   1    | .   .   .   .   .\n   2    | .   .   .  P1   .\n"
        "   3    | .   X   .   .   .\n   4    | .   .   .   .   .\n   5    | .   .  P2   .   .\n",
    ),
    "crossfire": ("2,2 0,0", "O # . . . .\n# . # . . .\n. # X # . .\n. . # . . .\n"),
}


TOP, BOTTOM = ([f"{row},{col}" for col in range(1, 6)] for row in (1, 5))


def test_help_lists_every_command(referee: Referee) -> None:
    """Help is a result: standard output, exit code 0; no command at all is a mistake."""
    asked, nothing = referee("--help"), referee()
    assert asked.returncode == 0
    assert nothing.returncode == 2
    assert asked.stdout == nothing.stdout
    assert all(f"\n  {name} " in asked.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples(referee: Referee, command: str) -> None:
    """Every command shows how it is used."""
    result = referee(command, "--help")
    assert result.returncode == 0
    assert f"examples:\n  referee {command}" in result.stdout


def test_version(referee: Referee) -> None:
    """The version is the package's."""
    assert referee("--version").stdout == f"referee {__version__}\n"
    assert referee("-V").stdout == f"referee {__version__}\n"


def test_help_is_a_command_too(referee: Referee) -> None:
    """`help` and `help COMMAND` print what the options print, with exit code 0."""
    for words, same in (
        (("help",), ("--help",)),
        (("help", "help"), ("--help",)),
        (("help", "run"), ("run", "--help")),
    ):
        asked, expected = referee(*words), referee(*same)
        assert (asked.returncode, asked.stdout) == (0, expected.stdout)


@pytest.mark.parametrize("variant", BUILT_IN)
def test_boards_are_drawn_as_in_the_rule_books(referee: Referee, variant: str) -> None:
    """Each game has its own drawing."""
    moves, drawing = BOARDS[variant]
    assert drawing in referee("position", variant, *moves.split()).stdout


@pytest.mark.parametrize("variant", BUILT_IN)
def test_rules_are_printed(referee: Referee, variant: str) -> None:
    """`variants NAME` prints the page: rules, notation, rulings and errata."""
    result = referee("variants", variant)
    assert result.returncode == 0
    assert result.stdout.strip() == rules_page(find_variant(variant))
    for section in ("Rules", "Notation", "Rulings", "Errata of the rule book"):
        assert f"\n## {section}\n" in result.stdout


def test_position_as_json(referee: Referee) -> None:
    """One object with everything a program needs."""
    assert json.loads(referee("position", "standoff", "3,3", "--json", "--perft", "2").stdout) == {
        "variant": "standoff",
        "rows": 5,
        "cols": 5,
        "ply": 1,
        "moves": ["3,3"],
        "to_move": 2,
        "board": "...../...../..X../...../.....",
        "legal": [*TOP, "2,1", "2,5", "3,1", "3,5", "4,1", "4,5", *BOTTOM],
        "outcome": None,
        "perft": [16, 296],
    }


def test_finished_position_as_json(referee: Referee) -> None:
    """A finished game has nobody to move, no legal move, and no sequence to count."""
    words = ("position", "lockdown", "1,1;1,4;4,1;4,4", "--json", "--perft", "1")
    answer = json.loads(referee(*words).stdout)
    assert answer["to_move"] is None
    assert answer["legal"] == []
    assert answer["ply"] == 4
    assert answer["outcome"] == {"score": [0, 1], "reason": "no-moves"}
    assert answer["perft"] == [0]


def test_options_may_stand_anywhere(referee: Referee) -> None:
    """Moves and options may be mixed."""
    mixed = referee("position", "lockdown", "--rows", "6", "2,2", "--cols", "7", "4,4", "--json")
    assert json.loads(mixed.stdout)["board"] == "###..../#X#..../#####../..#O#../..###../......."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("positon standoff", "there is no command 'positon': did you mean position?"),
        ("help positon", "there is no command 'positon': did you mean position?"),
        ("help --version", "there is no command '--version': there are run, play, check"),
        ("help run play", "help takes one command (`referee help` lists them)"),
        ("zebra", "there is no command 'zebra': there are run, play, check"),
        ("position", "the following arguments are required: variant"),
        ("position standof", "there is no variant 'standof': did you mean standoff?"),
        ("position Standoff", "there is no variant 'Standoff': did you mean standoff?"),
        ("variants chess", "there is no variant 'chess': there are standoff, barricade, lockdown"),
        ("position standoff --rows 5", "--rows needs --cols beside it: a board has both"),
        ("position standoff --cols 5", "--cols needs --rows beside it: a board has both"),
        ("position standoff --rows 2 --cols 5", "standoff on 2x5: rows and columns go from 3"),
        ("position standoff --rows 5 --cols 17", "standoff on 5x17: rows and columns go from 3"),
        ("position standoff --rows a --cols 5", "argument --rows: invalid int value: 'a'"),
        ("position standoff --perft 0", "--perft 0: the depth is 1 or more"),
        ("position standoff --wat", "unrecognized arguments: --wat"),
        ("position standoff 3,3 1,1 2,2", "move 3 is not legal: 2,2 touches O at 1,1. Legal here"),
        ("position standoff 3;3", "move 1 is not legal: '3' cannot be read as a move"),
    ],
)
def test_wrong_input_gets_one_sentence(referee: Referee, words: str, message: str) -> None:
    """Exit code 2, nothing on standard output, no traceback."""
    assert message in referee.refuse(*words.split())


def test_a_reader_that_goes_away_is_no_error() -> None:
    """`referee variants | head -1` ends quietly."""
    command = f"{shlex.quote(sys.executable)} -m referee variants runner"
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "# runner\n", "")
