"""`referee play`: one game on the command line."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from referee.rules import BUILT_IN, Size, find_variant, play_moves
from tests.conftest import ROOT, Referee, command_line
from tests.support.processes import below, is_running, wait_until
from tests.support.terminals import Terminal

RANDOM = str(ROOT / "bots" / "random_bot.py")
GREEDY = str(ROOT / "bots" / "greedy.py")
SHELL = str(ROOT / "bots" / "random_bot.sh")


def test_play_prints_a_game_move_by_move(referee: Referee) -> None:
    """In a pipe: one line per move, and the outcome as a sentence."""
    result = referee("play", "standoff", GREEDY, RANDOM, "--seed", "1")
    assert (result.returncode, result.stderr) == (0, "")
    first, *moves, last = result.stdout.splitlines()
    assert first == "standoff 5x5: greedy (seat 1) against random_bot (seat 2), 1000ms per move"
    assert moves[0].startswith("  1. greedy (X) ")
    assert moves[1].startswith("  2. random_bot (O) ")
    assert last.endswith(f" has no valid move, after {len(moves)} plies")
    winner = "greedy (seat 1)" if len(moves) % 2 else "random_bot (seat 2)"
    assert last.startswith(f"{winner} wins: ")


def test_play_json_is_the_record(referee: Referee) -> None:
    """As in games.jsonl, and nothing else on standard output."""
    words = ("play", "runner", RANDOM, SHELL, "--rows", "6", "--cols", "5", "--seed", "4")
    record = json.loads(referee(*words, "--opening", "2,3;x3,1", "--json").stdout)
    assert record["schema"] == 1
    assert record["id"] == "runner-6x5.random_bot-1.random_bot-2.1a"
    assert record["bots"] == ["random_bot-1", "random_bot-2"]
    assert (record["variant"], record["rows"], record["cols"]) == ("runner", 6, 5)
    assert (record["encounter"], record["opening"]) == (1, 2)
    assert record["moves"][:2] == ["2,3", "x3,1"]
    assert record["ms"][:2] == [None, None]
    assert all(ms >= 0 for ms in record["ms"][2:])
    assert record["fault"] is None
    assert record["sandbox"] == "none"
    assert record["hashes"][0] != record["hashes"][1]
    rules = find_variant("runner").on(Size(6, 5))
    outcome = rules.outcome(play_moves(rules, record["moves"]))
    assert json.dumps([outcome.score, outcome.reason]) == json.dumps(
        [record["score"], record["reason"]]
    )


def test_play_with_a_seed_is_repeatable(referee: Referee) -> None:
    """Another seed gives another game."""
    words = ("play", "crossfire", RANDOM, RANDOM, "--json", "--seed")
    games = [json.loads(referee(*words, seed).stdout)["moves"] for seed in ("5", "5", "6")]
    assert games[0] == games[1] != games[2]


def test_play_quiet_prints_the_outcome_alone(referee: Referee) -> None:
    """One line."""
    result = referee("play", "lockdown", RANDOM, GREEDY, "--quiet")
    sentence = "greedy (seat 2) wins: random_bot has no valid move, after 4 plies\n"
    assert (result.stdout, result.stderr) == (sentence, "")


def test_play_explains_a_fault_on_standard_error(referee: Referee, tmp_path: Path) -> None:
    """The outcome is on standard output."""
    bot = tmp_path / "broken bot.py"
    bot.write_text(
        "import sys\nsys.stderr.write('oops \\x1b[31m\\n')\nprint('thinking', flush=True)\n"
    )
    result = referee("play", "standoff", RANDOM, "broken bot.py", "--quiet")
    assert result.returncode == 0
    assert (
        result.stdout == "random_bot (seat 1) wins: broken-bot broke the protocol, after 0 plies\n"
    )
    for part in (
        "broken-bot (seat 2) made a fault: protocol",
        "what happened: sent 'thinking' where `ready` (or `decline why…`) was expected",
        "ms of 10,000 ms",
        "hint:          print debugging text to standard error, or as `info …`",
        "    | oops \\x1b[31m",
    ):
        assert part in result.stderr


def test_play_transcript_has_every_line_with_its_time(referee: Referee, tmp_path: Path) -> None:
    """In both directions."""
    referee("play", "lockdown", RANDOM, GREEDY, "--transcript", "game.txt", "--quiet")
    text = (tmp_path / "game.txt").read_text()
    assert "lockdown-4x4.random_bot.greedy.1a: greedy wins: random_bot has no valid move" in text
    assert " ms  random_bot > game protocol=1 id=lockdown-4x4.random_bot.greedy.1a " in text
    assert " ms  greedy     < ready" in text
    assert text.count(" > turn ply=") == text.count(" < move ") == 4
    assert text.count(" > end result=") == 2


def test_play_clock_and_attempts_are_sent_to_the_bots(referee: Referee, tmp_path: Path) -> None:
    """In the lines of the protocol."""
    bot = tmp_path / "stubborn.sh"
    bot.write_text(
        "#!/bin/sh\nwhile read verb rest; do case $verb in"
        " game) echo ready;; turn) echo move 0,0;; quit) exit;; esac; done\n"
    )
    bot.chmod(0o755)
    words = ("play", "standoff", "./stubborn.sh", RANDOM, "--time", "20s+1s", "--attempts", "3")
    result = referee(*words, "--transcript", "t.txt", "--quiet")
    assert "random_bot (seat 2) wins: stubborn answered with an illegal move" in result.stdout
    text = (tmp_path / "t.txt").read_text()
    assert "seed=" in text
    assert " time_ms=20000 inc_ms=1000\n" in text
    assert [text.count(f" retry={left} ") for left in (3, 2, 1)] == [0, 1, 1]


def test_play_reports_a_transcript_that_a_full_disk_cuts_off(referee: Referee) -> None:
    """The file could be opened before the game."""
    result = referee("play", "lockdown", RANDOM, GREEDY, "--transcript", "/dev/full", "--quiet")
    message = "referee: the transcript cannot be written: No space left on device\n"
    assert (result.returncode, result.stderr) == (3, message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("play standoff nosuch true", "there is no program 'nosuch' to start a bot with"),
        ("play standoff {here} true", "is a folder: name the program in it"),
        ("play standoff notes.txt true", "notes.txt is not executable: chmod +x it, or name"),
        ("play standoff true", "the following arguments are required: bot2"),
        ("play standoff true true --time 5", "time is '5': write a number and a unit"),
        ("play standoff true true --per-move 0s", "the time per move is '0s': 1ms is the least"),
        ("play standoff true true --time 1s --per-move 1s", "not allowed with argument --time"),
        ("play standoff true true --attempts 0", "--attempts 0: the minimum is 1"),
        ("play standoff true true --opening 9,9", "move 1 is not legal: 9,9 is off the board"),
        ("play lockdown true true --opening 1,1;1,4;4,1;4,4", "the opening ends the game"),
        ("play standoff true true --rows 5", "--rows needs --cols beside it"),
        ("play standoff true true --transcript no/such/file", "the transcript cannot be written"),
        ("play chess true true", "there is no variant 'chess'"),
    ],
)
def test_play_reports_wrong_arguments_in_one_sentence(
    referee: Referee, tmp_path: Path, words: str, message: str
) -> None:
    """Before anything is started."""
    (tmp_path / "notes.txt").write_text("notes")
    assert message in referee.refuse(*words.format(here=tmp_path).split())


def test_play_explains_an_unbalanced_quote(referee: Referee) -> None:
    """In a bot's command."""
    assert "cannot be split: No closing quotation" in referee.refuse(
        "play", "standoff", "a 'b", "c"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_play_leaves_no_process(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C and SIGTERM end the game and the bots, exit code 130, no traceback."""
    command = command_line("play", "standoff", RANDOM, "sleep 1000")
    started = set()
    with subprocess.Popen(command, stdout=-1, stderr=-1, cwd=tmp_path) as referee:
        wait_until(lambda: len(started.update(below(referee.pid)) or started) >= 5)
        referee.send_signal(number)
        out, err = referee.communicate()
    assert (referee.returncode, err) == (130, b"")
    assert b"wins" not in out
    wait_until(lambda: not any(is_running(process) for process in started))


@pytest.mark.parametrize("variant", BUILT_IN)
def test_the_board_is_drawn_on_a_terminal(tmp_path: Path, variant: str) -> None:
    """Every move is followed by the board, with the numbers of the game's own cells."""
    with Terminal(1000, 80) as terminal:
        process = terminal.start("play", variant, RANDOM, RANDOM, folder=tmp_path)
        terminal.finish(process)
    assert process.returncode == 0
    plies = len(re.findall(r"^ +\d+\. random_bot", terminal.screen.text, re.MULTILINE))
    rules = find_variant(variant).on()
    start = rules.draw(rules.start())
    assert f"\n\n{start}\n\n" in terminal.screen.text
    head, *rows = start.splitlines()
    assert head.split()[-1] == str(rules.origin + len(rules.board(rules.start()).split("/")[0]) - 1)
    assert rows[-1].split()[0] == str(rules.origin + rules.board(rules.start()).count("/"))
    assert terminal.screen.text.count(head) == plies + 1


def test_play_shows_marks_in_colour_and_the_last_move_reversed(tmp_path: Path) -> None:
    """As in a game with a person."""
    with Terminal() as terminal:
        words = ("play", "lockdown", RANDOM, RANDOM, "--opening", "1,1;1,4;4,1")
        process = terminal.start(*words, folder=tmp_path)
        shown = terminal.finish(process)
    assert process.returncode == 0
    assert "1  \x1b[1;36mX\x1b[0m \x1b[31m#\x1b[0m" in shown
    assert "4  \x1b[1;36;7mX\x1b[0m" in shown
    assert "\x1b[1;33;7mO\x1b[0m" in shown[shown.index("  4. random_bot") :]
