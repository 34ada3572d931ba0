"""People as players: the dialogue of each game, entries, and where output goes.

After a change that is meant, `UPDATE_GOLDEN=1 pytest tests/human/test_player.py` writes the new
dialogues into `tests/golden/human`; read the diff.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from shlex import quote, split

import pytest

from referee.bots.command import Command
from referee.bots.exchange import Exchange
from referee.bots.launcher import Launcher
from referee.errors import EXIT_OUTSIDE
from referee.human.board_view import CellStyle
from referee.human.console import InputClosed
from referee.human.dialogues import DIALOGUES, find_dialogue
from referee.human.dialogues.base import Dialogue, Position, Question
from referee.human.dialogues.marking import ranges
from referee.human.move_input import parse_entry, parse_number
from referee.human.player import HumanAdapter, HumanPlayer, Screen
from referee.outcome import Reason, win
from referee.protocol.clock import Clock
from referee.protocol.phase import Phase
from referee.protocol.time_control import human_time_control
from referee.protocol.transcript import Transcript
from referee.rules import BUILT_IN, Size, find_variant, play_moves
from tests.conftest import ROOT, Referee, command_line
from tests.rules.test_rejections import GOAL_AHEAD, REJECTIONS
from tests.support.processes import PATIENCE_SECONDS, children_of, is_running, wait_until
from tests.test_purity import ALLOWED, imports

GOLDEN = ROOT / "tests" / "golden" / "human"
RANDOM = str(ROOT / "bots" / "random_bot.py")
GREEDY = str(ROOT / "bots" / "greedy.py")
TICTACTOE = str(ROOT / "docs" / "examples" / "tictactoe.py")

# What is typed, after the words of the command line.
SESSIONS: dict[str, tuple[str, list[str]]] = {
    # The games of the rule books where they are legal, played on to an end.
    "standoff": (
        "standoff human human",
        ["3 3", "1,1", "1 2", "1 1", "6 6", "nonsense", "?", "(1, 4)", "2 1", "4;4", "1 2", "4 1"],
    ),
    "barricade": (
        "barricade human human",
        "1 3;1 3;2 4;up x1,3;0,3x0,2;1,4 undo b (1,4) (0,4)".replace(";", " ").split(),
    ),
    "lockdown": ("lockdown human human", ["2 2", "4 2", "1 1", "1 4", "(4,4)"]),
    "runner": (
        "runner human human",
        [
            *("move", "2,4", "2", "3,3", "3,1", "1", "undo", "3,5", "4 4", "1", "5 5", "4,5"),
            *("move", "5,3", "block", "x5,5", "m", "undo", "5,5"),
        ],
    ),
    "crossfire": (
        "crossfire human human",
        ["2,2", "0,0", "0,1", "4,2", "5,3", "3,0", "5,0", "3,4", "0,3", "1,5", "5,5", "1,1"],
    ),
    # A person against a bot, in either seat.
    "standoff-against-a-bot": (
        f"standoff human {quote(GREEDY)} --seed 5 --per-move 60s",
        ["3 3", "m", "b", "resign"],
    ),
    "lockdown-against-a-bot": (
        f"lockdown {quote(RANDOM)} human --seed 42 --per-move 60s",
        ["1 1", "b", "quit", "no", "3 4", "1 4"],
    ),
    "runner-against-a-bot": (
        f"runner human {quote(RANDOM)} --seed 2 --per-move 60s",
        ["2,3", "3,3", "4,2", "4,3", "5,2", "5,1"],
    ),
    # Other ways for a game to begin and to end.
    "barricade-goal": (
        f"barricade human human --opening {';'.join(GOAL_AHEAD.split())}",
        ["4,4x4,3", "right"],
    ),
    "standoff-hints": ("standoff human human --hints --opening 3,3", ["resign", "y"]),
    "barricade-hints": ("barricade human human --hints", ["1", "b", "undo"]),
    "runner-hints": ("runner human human --hints --rows 4 --cols 12", ["2", "b"]),
    "lockdown-large": ("lockdown human human --rows 3 --cols 16", ["2 8", "resign", "yes"]),
    "a-variant-of-ones-own": (
        f"{quote(str(TICTACTOE))} human human",
        ["5", "(1,1)", "?", "2 2", "resign", "y"],
    ),
}


def typed(entries: Iterable[str]) -> str:
    return "".join(f"{entry}\n" for entry in entries)


@pytest.mark.parametrize("name", SESSIONS)
def test_dialogues_equal_the_golden_files(referee: Referee, name: str) -> None:
    """To the last line."""
    words, entries = SESSIONS[name]
    result = referee("play", *split(words), input=typed(entries))
    assert (result.returncode, result.stderr) == (0, "")
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(result.stdout, encoding="utf-8")
    assert result.stdout == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("variant", "questions"), [*zip(BUILT_IN, (1, 2, 1, 2, 1), strict=True)])
def test_dialogue_starts_with_how_to_enter_a_move(
    referee: Referee, variant: str, questions: int
) -> None:
    """Where rows are counted from, and `undo` where a turn has two questions; in 80 columns."""
    lines = referee("play", variant, "human", "human", input="").stdout.splitlines()
    origin = find_variant(variant).on(None).origin
    cell = f"{origin},{origin}"
    assert f"Rows and columns are numbered from {origin}: {cell} is the top left cell." in lines
    assert ("undo to go back" in " ".join(lines)) == (questions == 2)
    assert max(map(len, lines)) <= 80


def test_every_variant_has_a_dialogue_and_a_golden_file() -> None:
    """And every golden file has its test."""
    assert set(DIALOGUES) == set(BUILT_IN) <= set(SESSIONS)
    assert {path.stem for path in GOLDEN.iterdir()} == set(SESSIONS)


class Script:
    """Scripted input of a person that also collects the output."""

    colour = hints = coach = left = False
    dot = "*"

    def __init__(self, *entries: str) -> None:
        self.entries = list(entries)
        self.said: list[str] = []

    def print_text(self, text: str = "") -> None:
        self.said.append(text)

    def print_list(self, title: str, words: list[str]) -> None:
        self.print_text(" ".join([title, *words]))

    def read_entry(self, question: Question | str, deadline: float | None = None) -> str:
        self.print_text(question.prompt if isinstance(question, Question) else question)
        if not self.entries:
            raise InputClosed
        return self.entries.pop(0)

    @property
    def text(self) -> str:
        return "\n".join(self.said)


def after(variant: str, moves: str, size: Size | None = None) -> tuple[Dialogue, Position]:
    """Return the dialogue of a game, and the position after these moves."""
    rules = find_variant(variant).on(size)
    played = tuple(moves.split())
    state = play_moves(rules, played)
    legal, seat = rules.legal_moves(state), rules.to_move(state)
    position = Position(rules.board(state), legal, seat, played, state)
    return find_dialogue(variant, rules.origin, rules), position


PLACE_NEXT = "\nInvalid move! You cannot place next to an opponent's block.\n"
OFF = "is off the board: rows go from"
REFUSALS = [
    ("standoff", "3,3 1,1", ["1 2"], PLACE_NEXT),
    ("standoff", "3,3 1,1", ["1 2"], "\nPlease choose a different position.\n"),
    ("standoff", "3,3 1,1", ["1 1"], "Blocks can only be placed on empty cells, and 1,1 is taken"),
    ("standoff", "3,3 1,1", ["3 3"], "Invalid move! Blocks can only be placed on empty cells"),
    ("standoff", "", ["0 1"], f"Invalid move! 0,1 {OFF} 1 to 5, columns from 1 to 5."),
    ("standoff", "", ["3"], "Invalid move! '3' cannot be read as a move: one looks like 3,3."),
    ("standoff", "", ["x3,3"], "'x3,3' is not a move of this game: one is a single cell"),
    ("crossfire", "2,2", ["2 2"], "Invalid move! 2,2 is taken by X. Choose a different move."),
    ("crossfire", "2,2", ["2 3"], "Invalid move! 2,3 is blocked by X at 2,2. Choose a different"),
    ("crossfire", "", ["6 0"], f"6,0 {OFF} 0 to 5, columns from 0 to 5."),
    ("crossfire", "", ["-1 0"], "'-1 0' cannot be read as a move"),
    ("lockdown", "2,2", ["2 2"], "Invalid move! 2,2 is taken by X. Choose a different move."),
    ("lockdown", "2,2 4,2", ["3 2"], "3,2 is blocked by X at 2,2 and O at 4,2."),
    ("lockdown", "", ["5 1"], f"5,1 {OFF} 1 to 4, columns from 1 to 4."),
    ("lockdown", "", ["a1"], "'a1' cannot be read as a move"),
    ("barricade", "", ["3"], "Invalid choice. There is no number 3: enter 1 to 2."),
    ("barricade", "", ["0"], "Invalid choice. There is no number 0: enter 1 to 2."),
    ("barricade", "", ["up"], "Invalid choice. The board ends there."),
    ("barricade", "", ["LEFT"], "Invalid choice. The board ends there."),
    ("barricade", "", ["over"], "Invalid choice. 'over' cannot be read as a move"),
    ("barricade", "0,1x1,1 3,4x3,3", ["down"], "1,1 is blockaded, you cannot step there."),
    ("barricade", "", ["1", "up"], "Invalid choice. The board ends there."),
    ("barricade", "", ["1,1"], "1,1 is not one step up, down, left or right of A at 0,0."),
    ("barricade", "", ["4 4"], "Invalid choice. 4,4 is taken by B, you cannot step there."),
    ("barricade", "", ["0 0"], "Invalid choice. 0,0 is taken by A, you cannot step there."),
    ("barricade", "0,1x1,0 3,4x3,3", ["1 0"], "1,0 is blockaded, you cannot step there."),
    ("barricade", "", ["5 5"], f"5,5 {OFF} 0 to 4, columns from 0 to 4."),
    ("barricade", "", ["x1,1"], "'x1,1' has no step: a move is a step, x and the cell"),
    ("barricade", "", ["0,1x3,3"], "Invalid choice. 3,3 does not touch 0,1, where you step to."),
    ("barricade", "", ["1", "6"], "Invalid choice. There is no number 6: enter 1 to 5."),
    ("barricade", "", ["1", "0 1"], "Invalid choice. You cannot blockade the cell you step to."),
    ("barricade", "", ["1", "3 3"], "Invalid choice. 3,3 does not touch 0,1, where you step to."),
    ("barricade", "", ["1", "4 4"], "Invalid choice. 4,4 is taken by B, you cannot blockade it."),
    ("barricade", "0,1x1,0 3,4x3,3", ["3", "1,0"], "1,0 is blockaded, you cannot blockade it."),
    ("barricade", "", ["1", "0 5"], f"0,5 {OFF} 0 to 4, columns from 0 to 4."),
    ("barricade", "", ["1", "here"], "'0,1xhere' cannot be read as a move"),
    ("barricade", GOAL_AHEAD, ["4,4x4,3"], "The step onto the goal wins at once and takes no"),
    ("runner", "", ["1", "5 3"], "Invalid move. The cell is occupied. Try again."),
    ("runner", "", ["1", "1 3"], "Invalid move. The cell is occupied. Try again."),
    ("runner", "x3,3 4,3 2,3", ["1", "3,3"], "Invalid move. The cell is occupied. Try again."),
    ("runner", "", ["1", "3 3"], "Invalid move. The cell is not next to your piece. Try again."),
    ("runner", "", ["2", "2 3"], "Invalid move. The cell is adjacent to a player. Try again."),
    ("runner", "", ["2", "4 4"], "Invalid move. The cell is adjacent to a player. Try again."),
    ("runner", "", ["2", "5 3"], "Invalid move. The cell is occupied. Try again."),
    ("runner", "x3,3", ["2", "3 3"], "Invalid move. The cell is occupied. Try again."),
    (
        "runner",
        "",
        ["2", "0 3"],
        f"Invalid move. 0,3 {OFF} 1 to 5, columns from 1 to 5. Try again.",
    ),
    (
        "runner",
        "",
        ["1", "6 3"],
        f"Invalid move. 6,3 {OFF} 1 to 5, columns from 1 to 5. Try again.",
    ),
    ("runner", "", ["1", "there"], "'there' cannot be read as a move: one looks like 1,2 (step)"),
    ("runner", "", ["2,3x3,3"], "'2,3x3,3' steps and blocks: a move does one of them"),
    ("runner", "", ["x2,3"], "Invalid move. The cell is adjacent to a player. Try again."),
    ("runner", "", ["3 3"], "Invalid move. The cell is not next to your piece. Try again."),
    ("runner", "", ["jump"], "Enter 1 (or move) to move your piece, 2 (or block) to place"),
]


@pytest.mark.parametrize(("variant", "before", "entries", "message"), REFUSALS)
def test_wrong_entry_is_explained_and_the_prompt_repeated(
    variant: str, before: str, entries: list[str], message: str
) -> None:
    """The message names the rule."""
    dialogue, position = after(variant, before)
    script = Script(*entries)
    with pytest.raises(InputClosed):
        dialogue.enter(position, script)
    refusal, prompt = script.said[-2:]
    assert message in refusal
    assert prompt == script.said[-3]


@pytest.mark.parametrize(("variant", "before", "move", "reason"), REJECTIONS)
def test_dialogue_returns_legal_moves_only(
    variant: str, before: str, move: str, reason: str
) -> None:
    """Any entry."""
    dialogue, position = after(variant, before)
    try:
        entered = dialogue.enter(position, Script(move))
    except InputClosed:
        return
    assert entered in position.legal
    assert parse_entry(move) == entered


@pytest.mark.parametrize(
    ("variant", "entries", "move"),
    [
        ("standoff", ["3 3"], "3,3"),
        ("standoff", ["3,3"], "3,3"),
        ("standoff", ["(3,3)"], "3,3"),
        ("standoff", ["( 3 , 3 )"], "3,3"),
        ("standoff", ["03  3"], "3,3"),
        ("standoff", ["3\t3"], "3,3"),
        ("barricade", ["1", "3"], "0,1x1,0"),
        ("barricade", ["Right", "1 0"], "0,1x1,0"),
        ("barricade", ["right", "down"], "0,1x1,1"),
        ("barricade", ["DOWN", "up"], "1,0x0,0"),
        ("barricade", ["down", "Right"], "1,0x1,1"),
        ("barricade", ["0 1", "x1,0"], "0,1x1,0"),
        ("barricade", ["(0, 1)", "(1, 0)"], "0,1x1,0"),
        ("barricade", ["0,1x1,0"], "0,1x1,0"),
        ("barricade", ["0 1 X 1 0"], "0,1x1,0"),
        ("barricade", ["(0,1) x (1,0)"], "0,1x1,0"),
        ("barricade", ["2", "undo", "1.", "(3)"], "0,1x1,0"),
        ("runner", ["1", "2,4"], "2,4"),
        ("runner", ["Move", "2 4"], "2,4"),
        ("runner", ["2,4"], "2,4"),
        ("runner", ["2", "3,3"], "x3,3"),
        ("runner", ["BLOCK", "(3,3)"], "x3,3"),
        ("runner", ["block", "x3,3"], "x3,3"),
        ("runner", ["x 3 3"], "x3,3"),
        ("runner", ["1", "x3,3"], "x3,3"),
        ("runner", ["1", "undo", "2", "3,3"], "x3,3"),
    ],
)
def test_entries_are_parsed_leniently(variant: str, entries: list[str], move: str) -> None:
    """The book's notation, the protocol's, and other common forms."""
    dialogue, position = after(variant, "")
    script = Script(*entries)
    assert dialogue.enter(position, script) == move
    assert script.entries == []


@pytest.mark.parametrize(
    "text", ["", " ", "x", "3", "3,", "3,3,3", "3 3 3", "٣ ٣", "3,3y", "99999 1"]
)
def test_ambiguous_entries_are_no_moves(text: str) -> None:
    """Nothing is guessed."""
    assert parse_entry(text) is None
    assert parse_number(text) in (None, 3)


@pytest.mark.parametrize("variant", BUILT_IN)
@pytest.mark.parametrize("size", [None, Size(3, 5), Size(12, 11)])
def test_dialogue_draws_boards_as_the_position_command(variant: str, size: Size | None) -> None:
    """Without colour, on any board."""
    rules = find_variant(variant).on(size)
    dice, state = random.Random(variant), rules.start()
    while not rules.outcome(state):
        state = rules.apply(state, dice.choice(rules.legal_moves(state)))
        position = Position(rules.board(state), (), 1, ())
        dialogue = find_dialogue(variant, rules.origin, rules)
        assert dialogue.draw(position, CellStyle(marks=rules.marks)) == rules.draw(state)


@pytest.mark.parametrize(
    ("variant", "reason", "first"),
    [
        ("standoff", Reason.NO_MOVES, "Player 2 ('O'), no valid moves remaining."),
        ("crossfire", Reason.NO_MOVES, "Player 2 (O), no valid moves remaining."),
        ("lockdown", Reason.NO_MOVES, "Player 2 ('O'), it's your turn."),
        ("barricade", Reason.NO_MOVES, "Player B, no valid moves remaining."),
        ("barricade", Reason.GOAL, "Player A reached Player B's starting position."),
        ("runner", Reason.NO_MOVES, "Player 2, no valid moves remaining."),
        ("runner", Reason.GOAL, "Player 1 reached Player 2's starting row."),
        ("runner", Reason.SHUT_OUT, "Player 2 shut both players out of their goals."),
        ("runner", Reason.REPETITION, "Player 2 made the same position occur for the third time."),
        ("runner", Reason.MOVE_LIMIT, "No player won within the move limit, so Player 2 loses."),
        ("standoff", Reason.CRASH, "Player 2 ('O') crashed."),
        ("lockdown", Reason.TIMEOUT, "Player 2 ('O') ran out of time."),
    ],
)
def test_dialogue_describes_every_ending(variant: str, reason: Reason, first: str) -> None:
    """The reason, and the winner."""
    dialogue, _ = after(variant, "")
    lines = dialogue.ending(win(1, reason)).splitlines()
    assert lines[0] == first
    assert f"{dialogue.player(1)} wins the game!" in lines


def test_dialogue_lists_adjacent_cells_as_ranges() -> None:
    """As the lockdown book does: three or more, and all."""
    assert ranges(["1,1", "1,2", "2,1", "2,2"], 4) == ["(1,1)-(2,2)."]
    listed = ranges(["1,4", "2,3", "2,4", "3,4", "4,1", "4,2", "4,3"], 16)
    assert " ".join(listed) == "(1,4), (2,3), (2,4), (3,4), (4,1)-(4,3)."


GAME = "game protocol=1 id=g variant={} rows=3 cols=3 origin=1 seat={} seed=1"
TURN = "turn ply={} time_ms=600000 opp_ms=1 moves={} board={} legal={}"


def test_two_people_share_a_screen() -> None:
    """Welcome, boards and the ending are shown once."""
    script = Script("2 2", "1 1")
    stage = Screen(script)
    one, two = HumanAdapter(stage), HumanAdapter(stage)
    assert [one.answer(GAME.format("lockdown", 1)), two.answer(GAME.format("lockdown", 2))] == [
        "ready",
        "ready",
    ]
    nine = ";".join(f"{row},{col}" for row in (1, 2, 3) for col in (1, 2, 3))
    assert one.answer(TURN.format(1, "-", ".../.../...", nine)) == "move 2,2"
    for seat, adapter in enumerate((one, two)):
        result = ("win", "loss")[seat]
        assert adapter.answer(f"end result={result} reason=no-moves moves=2,2") is None
    assert script.text.count("Welcome to Blockade!") == 1
    assert script.text.count("Board State:") == 2
    assert script.text.count("Player 1 ('X') wins the game!") == 1
    assert "You are" not in script.text


def test_dialogue_follows_the_lines_of_another_referee() -> None:
    """Where moves, board or legal moves are not those of our rules."""
    script = Script("9,9", "pass", "(1,1)")
    adapter = HumanAdapter(Screen(script))
    adapter.answer(GAME.format("standoff", 1))
    turn = TURN.format(3, "1,1;1,2", "XO./.../...", "pass;1,1")
    assert adapter.answer(turn) == "move pass"
    assert "Moves so far: 1. 1,1 2. 1,2" in script.text
    assert "Invalid move. '9,9' is not a legal move." in script.text
    assert adapter.answer(turn.replace(" moves", " retry=2 moves")) == "move 1,1"
    assert "The referee did not accept that move." in script.text
    adapter.answer("end result=draw reason=agreed moves=1,1;1,2;1,1;3,3")
    assert "Player 2 played 3,3." in script.text
    assert "The game is a draw: agreed." in script.text


def test_dialogue_ignores_unknown_lines_and_escapes_text() -> None:
    """Text from outside never controls the terminal."""
    script = Script("a")
    adapter = HumanAdapter(Screen(script))
    assert adapter.answer("") is None
    assert adapter.answer("hello there=1") is None
    assert adapter.answer("end result=win reason=goal moves=-") is None
    assert adapter.answer("game variant=\x1b[2Jx.py what") == "ready"
    assert adapter.answer("turn board=. legal=a;\x1b[2J") == "move a"
    assert "\x1b" not in script.text


def test_bot_is_suspended_while_a_person_thinks() -> None:
    """As for bots."""
    with Launcher() as launcher:
        bot = launcher.start(Command(("sleep", "1000"), ROOT))
        script = Script("1,1")
        person = HumanPlayer(HumanAdapter(Screen(script)))
        table = Exchange((person, bot), Transcript(0.0), suspend_opponent=True)
        wait_until(lambda: bot.read_status() and bot.pid is not None)
        read_entry = script.read_entry

        def read_while_it_sleeps(*question: object) -> str:
            stat = Path(f"/proc/{bot.pid}/stat")
            wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")
            return read_entry(*question)

        script.read_entry = read_while_it_sleeps
        table.send(1, f"{TURN.format(1, '-', '.', '1,1')}\n".encode(), deadline=0.0)
        answer, _ = table.answer(1, Phase.TURN, deadline=1e9)
        assert answer.text == "1,1"
        bot.kill()


def test_person_has_no_time_limit_without_a_clock() -> None:
    """A bot has ten minutes for a move."""
    time = human_time_control()
    assert str(time) == "no clock"
    clock = Clock(time)
    assert clock.charge(3_600_000)
    assert clock.left_ms == time.start()
    assert clock.limit() > 86_400_000


PURE = [
    "human/board_view",
    "human/move_input",
    *(f"human/dialogues/{path.stem}" for path in (ROOT / "referee/human/dialogues").glob("*.py")),
]


@pytest.mark.parametrize("module", PURE)
def test_dialogues_are_pure(module: str) -> None:
    """Input and output are done by the console."""
    assert imports(ROOT / "referee" / f"{module}.py") <= ALLOWED


def test_json_with_a_person_is_the_record_alone(referee: Referee) -> None:
    """The dialogue is on standard error; the record names a person `human`."""
    result = referee("play", "lockdown", "human", RANDOM, "--seed", "1", "--json", input="2 2\n")
    record = json.loads(result.stdout)
    assert record["bots"] == ["human", "random_bot"]
    assert record["hashes"][0] == "human"
    assert record["clocks"] == ["no clock", "1000ms per move"]
    assert (record["reason"], record["score"], record["fault"]) == ("resign", [0, 1], None)
    assert "You placed an 'X' at (2,2)." in result.stderr


def test_quiet_with_a_person_prints_the_outcome_alone(referee: Referee) -> None:
    """One line on standard output; the dialogue is on standard error."""
    result = referee("play", "lockdown", "human", "human", "--quiet", input=typed(["resign", "y"]))
    assert result.stdout == "human-2 (seat 2) wins: human-1 resigned, after 0 plies\n"
    assert result.stderr.startswith("Welcome to Blockade!\n")


def test_end_of_input_resigns(referee: Referee) -> None:
    """Also in the middle of a turn; the bot exits."""
    result = referee("play", "barricade", "human", GREEDY, input="1\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith(
        "\nPlayer A resigned.\n\nPlayer B wins the game!\n\n"
        "greedy (seat 2) wins: human resigned, after 0 plies\n"
    )


def test_undecodable_bytes_are_a_wrong_entry(tmp_path: Path) -> None:
    """They are shown escaped."""
    command = command_line("play", "standoff", "human", "human")
    entries = b"\xff\xfe\n\x1b[2J\n3 3\r\n"
    result = subprocess.run(
        command, input=entries, capture_output=True, cwd=tmp_path, timeout=PATIENCE_SECONDS
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.count(b"cannot be read as a move") == 2
    assert b"Placed 'X' at (3,3)" in result.stdout
    assert b"\x1b" not in result.stdout


def test_fault_of_a_bot_is_explained_to_the_person(referee: Referee, tmp_path: Path) -> None:
    """On standard error; the dialogue names the winner."""
    (tmp_path / "broken.sh").write_text("#!/bin/sh\nread game\necho ready\nread turn\nexit 3\n")
    (tmp_path / "broken.sh").chmod(0o755)
    result = referee("play", "standoff", "human", "./broken.sh", input="3 3\n")
    assert "Player 2 ('O') crashed.\n\nPlayer 1 ('X') wins the game!" in result.stdout
    assert "broken (seat 2) made a fault: crash" in result.stderr


def play_to_the_end(
    referee: Referee, *words: str, **options: object
) -> subprocess.CompletedProcess[str]:
    """Play a game, again if it is void because the machine was too busy for the referee to run."""
    while (result := referee(*words, **options)).returncode == EXIT_OUTSIDE:
        assert "the referee itself did not run" in result.stderr
    return result


def test_person_with_a_clock_can_lose_on_time(referee: Referee, tmp_path: Path) -> None:
    """It is shown before each move."""
    words = ("play", "lockdown", "human", RANDOM, "--transcript", "t.txt", "--human-time")
    result = play_to_the_end(referee, *words, "5min+1s", input="2 2\n")
    assert "\nTime left: 5:00\n" in result.stdout
    assert "human (seat 1, 300000ms + 1000ms) against random_bot (seat 2, 1000ms" in result.stdout
    assert " time_ms=300000 inc_ms=1000\n" in (tmp_path / "t.txt").read_text()
    reading, writing = os.pipe()
    result = play_to_the_end(referee, *words, "50ms", stdin=reading)
    os.close(reading)
    os.close(writing)
    assert result.returncode == 0
    assert "Your time is up." in result.stdout
    assert result.stdout.endswith(
        "random_bot (seat 2) wins: human ran out of time, after 0 plies\n"
    )
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("play standoff true true --hints", "--hints is for people: no bot is `human`"),
        ("play standoff true true --human-time 1min", "--human-time is for people"),
        ("play standoff human true --human-time 5", "time is '5': write a number and a unit"),
        ("check human", "there is no program 'human' to start a bot with"),
    ],
)
def test_human_reports_wrong_arguments_in_one_sentence(
    referee: Referee, words: str, message: str
) -> None:
    """Before anything is started."""
    assert message in referee.refuse(*words.split())


def test_person_needs_standard_input(tmp_path: Path) -> None:
    """A closed one is an error."""
    command = f"exec {quote(sys.executable)} -m referee play standoff human human <&-"
    result = subprocess.run(
        ["sh", "-c", command], capture_output=True, cwd=tmp_path, timeout=PATIENCE_SECONDS
    )
    assert result.returncode == 2
    assert result.stderr == b"referee: a person needs standard input, and it is closed\n"


def cup(folder: Path, **changes: object) -> None:
    """Write a tournament of a person and two bots."""
    settings = {
        "variants": ["lockdown"],
        "encounters": 1,
        "opening_plies": 0,
        "seed": 3,
        "sandbox": "none",
        "startup": "60s",
        "bots": [
            {"name": "alice", "command": "human"},
            {"name": "ben", "command": ["python3", RANDOM]},
            {"name": "cleo", "command": ["python3", RANDOM]},
        ],
    }
    (folder / "cup.yaml").write_text(json.dumps(settings | changes))


def records(folder: Path) -> dict[str, dict]:
    lines = (folder / "results/cup/games.jsonl").read_text().splitlines()
    return {record["id"]: record for record in map(json.loads, lines)}


def test_person_plays_in_a_tournament(referee: Referee, tmp_path: Path) -> None:
    """One game at a time; who leaves resigns that game, and the same command resumes."""
    cup(tmp_path)
    result = referee(
        "run", "cup.yaml", "--workers", "2", input=typed(["2 2", "resign", "y", "1 1"])
    )
    assert result.returncode == 130
    assert "a person plays: one game at a time" in result.stderr
    assert "now: alice - ben (lockdown-4x4)" in result.stderr
    assert "interrupted; run the same command to go on" in result.stderr
    assert "Welcome" not in result.stdout
    played = records(tmp_path)
    assert set(played) == {"lockdown-4x4.alice.ben.1a", "lockdown-4x4.ben.alice.1b"}
    assert {record["reason"] for record in played.values()} == {"resign"}
    entries = [f"{row} {col}" for row in range(1, 5) for col in range(1, 5)] * 4
    result = referee("run", "cup.yaml", input=typed(entries))
    assert result.returncode == 0
    played = records(tmp_path)
    assert len(played) == 6
    ours = [record for record in played.values() if "alice" in record["bots"]]
    assert [record["reason"] for record in ours].count("no-moves") == 2
    assert all(record["hashes"][record["bots"].index("alice")] == "human" for record in ours)
    assert {path.name for path in (tmp_path / "results/cup/bots").iterdir()} == {"ben", "cleo"}


def test_people_alone_can_play_a_tournament(referee: Referee, tmp_path: Path) -> None:
    """No process is started for them; they may have a clock."""
    people = [
        {"name": "ada", "command": "human", "time": "5min"},
        {"name": "bob", "command": ["human"], "time": "none"},
    ]
    cup(tmp_path, bots=people, per_move="1ms")
    dry = referee("run", "cup.yaml", "--dry-run")
    assert dry.returncode == 0
    assert "people take as long as they like" in dry.stdout
    result = referee("run", "cup.yaml", "--quiet", "--hints", input=typed(["resign", "y"] * 2))
    assert result.returncode == 0
    clocks = [record["clocks"] for record in records(tmp_path).values()]
    assert clocks == [["300000ms + 0ms", "no clock"], ["no clock", "300000ms + 0ms"]]


def test_person_cannot_have_keys_of_programs(referee: Referee, tmp_path: Path) -> None:
    """Each is an error at its place in the file."""
    bots = [{"name": "a", "command": "human", "build": "make", "env": {"A": "1"}, "dir": "."}]
    cup(tmp_path, bots=[*bots, {"name": "b", "command": "true"}])
    result = referee("run", "cup.yaml")
    assert result.returncode == 2
    for key in ("build", "env", "dir"):
        assert f"bots[1].{key}" in result.stderr
    assert result.stderr.count("a person has no files, build or environment") == 3


def test_bots_end_with_the_game_of_a_person(tmp_path: Path) -> None:
    """Also at the end of input."""
    command = command_line("play", "standoff", GREEDY, "human")
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, cwd=tmp_path) as process:
        started: set[int] = set()
        while b"Current Grid" not in process.stdout.readline():
            started |= children_of(process.pid)
        started |= {grandchild for child in started for grandchild in children_of(child)}
        _, complaints = process.communicate(b"")
    assert (process.returncode, complaints) == (0, b"")
    assert started
    wait_until(lambda: not any(is_running(child) for child in started))
