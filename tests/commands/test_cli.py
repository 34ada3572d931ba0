"""The command line: output, rejected arguments, exit codes."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from referee import __version__
from referee.cli import COMMANDS, EXAMPLES, GROUPS
from referee.report.rules_pages import rules_page
from referee.rules import BUILT_IN, find_variant
from tests.conftest import Referee, command_line
from tests.support.terminals import Terminal

BOARDS = {
    "standoff": (
        "3,3 1,1",
        "    1  2  3  4  5\n1  [O][ ][ ][ ][ ]\n2  [ ][ ][ ][ ][ ]\n3  [ ][ ][X][ ][ ]\n",
    ),
    "barricade": (
        "0,1x1,0 3,4x3,3",
        "   0 1 2 3 4\n0  . A . . .\n1  X . . . .\n2  . . . . .\n3  . . . X B\n4  . . . . .\n",
    ),
    "lockdown": ("2,2 4,2", "   1 2 3 4\n1  # # # .\n2  # X # .\n3  # # # .\n4  # O # .\n"),
    "runner": (
        "2,4 x3,2",
        "Row\\Col | 1   2   3   4   5\n-----------------------------\n"
        "   1    | .   .   .   .   .\n   2    | .   .   .  P1   .\n"
        "   3    | .   X   .   .   .\n   4    | .   .   .   .   .\n   5    | .   .  P2   .   .\n",
    ),
    "crossfire": ("2,2 0,0", "   0 1 2 3 4 5\n0  O # . . . .\n1  # . # . . .\n2  . # X # . .\n"),
}


TOP, BOTTOM = ([f"{row},{col}" for col in range(1, 6)] for row in (1, 5))


def test_help_lists_every_command(referee: Referee) -> None:
    """On standard output, exit code 0; without a command exit code 2."""
    asked, nothing = referee("--help"), referee()
    assert asked.returncode == 0
    assert nothing.returncode == 2
    assert asked.stdout == nothing.stdout
    assert all(f"\n  {name} " in asked.stdout for name in COMMANDS)


def test_help_groups_the_commands(referee: Referee) -> None:
    """Each group has an example that works as it stands."""
    blocks = referee("--help").stdout.split("\n\n")[2:]
    assert [block.partition(":")[0] for block in blocks] == list(GROUPS) == list(EXAMPLES)
    for block, (group, commands) in zip(blocks, GROUPS.items(), strict=True):
        assert re.findall(r"^  (\w+)  ", block, re.MULTILINE) == list(commands)
        words = EXAMPLES[group].split()
        assert words[0] == "referee"
        assert words[1] in commands
        assert block.rstrip().endswith(f"\n  example: {EXAMPLES[group]}")
    assert referee("new", "python", "my_bot").returncode == 0
    assert referee("doctor").returncode == 0


WIDTHS = [40, 60, 80, 100, 200]


@pytest.mark.parametrize("words", [["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help_is_broken_at_words(words: list[str], tmp_path: Path) -> None:
    """In a window of any width."""
    help_texts = {}
    for cols in WIDTHS:
        with Terminal(200, cols) as terminal:
            process = terminal.start(*words, folder=tmp_path)
            shown = terminal.finish(process)
        help_texts[cols] = shown
        assert process.returncode == 0
        assert max(map(len, shown.splitlines())) <= cols
    plain = {
        text.replace("\\\n", "").split() == help_texts[200].split() for text in help_texts.values()
    }
    assert plain == {True}


@pytest.mark.parametrize("cols", WIDTHS)
def test_the_list_of_games_is_broken_at_words(cols: int, tmp_path: Path) -> None:
    """Names and boards stay in their columns."""
    with Terminal(100, cols) as terminal:
        process = terminal.start("variants", folder=tmp_path)
        shown = terminal.finish(process)
    assert max(map(len, shown.splitlines())) <= cols
    assert re.findall(r"^(\w+) +\dx\d +\w+", shown, re.MULTILINE) == list(BUILT_IN)
    moves = [line[18:] for line in shown.partition("\n\n")[0].splitlines()[2:]]
    assert " ".join(moves) == " ".join(find_variant(name).summary for name in BUILT_IN)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples(referee: Referee, command: str) -> None:
    """For every command."""
    result = referee(command, "--help")
    assert result.returncode == 0
    assert f"examples:\n  referee {command}" in result.stdout


def test_version_is_that_of_the_package(referee: Referee) -> None:
    """With exit code 0."""
    assert referee("--version").stdout == f"referee {__version__}\n"
    assert referee("-V").stdout == f"referee {__version__}\n"


def test_help_command_prints_what_the_option_prints(referee: Referee) -> None:
    """`help` and `help COMMAND`, with exit code 0."""
    for words, same in (
        (("help",), ("--help",)),
        (("help", "help"), ("--help",)),
        (("help", "run"), ("run", "--help")),
    ):
        asked, expected = referee(*words), referee(*same)
        assert (asked.returncode, asked.stdout) == (0, expected.stdout)


def test_large_boards_have_numbers_of_two_digits(referee: Referee) -> None:
    """Each stands above its column."""
    words = ("position", "lockdown", "--rows", "10", "--cols", "11", "10,11")
    lines = referee(*words).stdout.splitlines()
    assert lines[2] == "     1  2  3  4  5  6  7  8  9 10 11"
    assert lines[3] == " 1   .  .  .  .  .  .  .  .  .  .  ."
    assert lines[12] == "10   .  .  .  .  .  .  .  .  .  #  X"


@pytest.mark.parametrize("variant", BUILT_IN)
def test_position_draws_boards_as_the_rule_books(referee: Referee, variant: str) -> None:
    """With rows and columns numbered as in its moves."""
    moves, drawing = BOARDS[variant]
    assert drawing in referee("position", variant, *moves.split()).stdout


@pytest.mark.parametrize("variant", BUILT_IN)
def test_variants_prints_the_rules(referee: Referee, variant: str) -> None:
    """Rules, notation, rulings and errata."""
    result = referee("variants", variant)
    assert result.returncode == 0
    assert result.stdout.strip() == rules_page(find_variant(variant))
    for section in ("Rules", "Notation", "Rulings", "Errata of the rule book"):
        assert f"\n## {section}\n" in result.stdout


def test_position_json_is_one_object(referee: Referee) -> None:
    """With all that a program needs."""
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


def test_position_json_of_a_finished_game_has_no_moves(referee: Referee) -> None:
    """No seat to move, no legal move, and no sequence to count."""
    words = ("position", "lockdown", "1,1;1,4;4,1;4,4", "--json", "--perft", "1")
    answer = json.loads(referee(*words).stdout)
    assert answer["to_move"] is None
    assert answer["legal"] == []
    assert answer["ply"] == 4
    assert answer["outcome"] == {"score": [0, 1], "reason": "no-moves"}
    assert answer["perft"] == [0]


def test_position_accepts_options_between_moves(referee: Referee) -> None:
    """In any order."""
    mixed = referee("position", "lockdown", "--rows", "6", "2,2", "--cols", "7", "4,4", "--json")
    assert json.loads(mixed.stdout)["board"] == "###..../#X#..../#####../..#O#../..###../......."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("positon standoff", "there is no command 'positon': did you mean position?"),
        ("help positon", "there is no command 'positon': did you mean position?"),
        ("help --version", "there is no command '--version': there are run, play, human"),
        ("help run play", "help takes one command (`referee help` lists them)"),
        ("zebra", "there is no command 'zebra': there are run, play, human"),
        ("position", "the following arguments are required: variant"),
        ("position", "the following arguments are required: variant (`referee position --help`"),
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
def test_command_line_reports_wrong_arguments_in_one_sentence(
    referee: Referee, words: str, message: str
) -> None:
    """Exit code 2, nothing on standard output, no traceback."""
    assert message in referee.refuse(*words.split())


@pytest.mark.parametrize(
    "words", ["run {cup}", "play lockdown true true", "check true", "new bash bot", "serve bots"]
)
def test_removed_current_folder_is_named(tmp_path: Path, words: str) -> None:
    """With exit code 3."""
    cup = tmp_path / "cup.yaml"
    cup.write_text(
        "{variant: lockdown, bots: [{name: a, command: 'true'}, {name: b, command: 'true'}]}"
    )
    (tmp_path / "gone").mkdir()
    command = shlex.join(command_line(*words.format(cup=cup).split()))
    script = f"cd gone && rmdir ../gone && {command}"
    result = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    message = "referee: the current folder was removed: change to another\n"
    assert (result.returncode, result.stdout, result.stderr) == (3, "", message)


def test_closed_pipe_is_no_error() -> None:
    """`referee variants | head -1` prints no message."""
    command = f"{shlex.quote(sys.executable)} -m referee variants runner"
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "# runner\n", "")
