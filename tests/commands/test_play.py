"""`referee play`: one game on the command line."""

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from referee.rules import Size, find_variant, play_moves
from tests.conftest import ROOT, Referee, command_line
from tests.support.processes import below, is_running, wait_until

RANDOM = str(ROOT / "bots" / "random_bot.py")
GREEDY = str(ROOT / "bots" / "greedy.py")
SHELL = str(ROOT / "bots" / "random_bot.sh")


def test_a_game_is_shown_move_by_move(referee: Referee) -> None:
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


def test_json_is_the_record(referee: Referee) -> None:
    """The same object that tournaments keep, and nothing else on standard output."""
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


def test_a_seed_makes_a_game_repeatable(referee: Referee) -> None:
    """Deterministic bots play the same game from the same seed, and another from another."""
    words = ("play", "crossfire", RANDOM, RANDOM, "--json", "--seed")
    games = [json.loads(referee(*words, seed).stdout)["moves"] for seed in ("5", "5", "6")]
    assert games[0] == games[1] != games[2]


def test_quiet_prints_the_outcome_alone(referee: Referee) -> None:
    """One line."""
    result = referee("play", "lockdown", RANDOM, GREEDY, "--quiet")
    sentence = "greedy (seat 2) wins: random_bot has no valid move, after 4 plies\n"
    assert (result.stdout, result.stderr) == (sentence, "")


def test_a_fault_is_explained(referee: Referee, tmp_path: Path) -> None:
    """The outcome is a result; what the bot did wrong is a complaint on standard error."""
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
        "broken-bot sent 'thinking' where `ready` (or `decline why…`) was expected",
        "ms of 10,000 ms",
        "hint:          print debugging text to standard error, or as `info …`",
        "    | oops \\x1b[31m",
    ):
        assert part in result.stderr


def test_transcript_of_a_game(referee: Referee, tmp_path: Path) -> None:
    """Every line of the game in both directions, with its time."""
    referee("play", "lockdown", RANDOM, GREEDY, "--transcript", "game.txt", "--quiet")
    text = (tmp_path / "game.txt").read_text()
    assert "lockdown-4x4.random_bot.greedy.1a: greedy wins: random_bot has no valid move" in text
    assert " ms  random_bot > game protocol=1 id=lockdown-4x4.random_bot.greedy.1a " in text
    assert " ms  greedy     < ready" in text
    assert text.count(" > turn ply=") == text.count(" < move ") == 4
    assert text.count(" > end result=") == 2


def test_clock_and_attempts(referee: Referee, tmp_path: Path) -> None:
    """A clock and further attempts are what the bots are told."""
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("play standoff nosuch true", "there is no program 'nosuch' to start a bot with"),
        ("play standoff {here} true", "a folder is no program"),
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
def test_wrong_input_gets_one_sentence(
    referee: Referee, tmp_path: Path, words: str, message: str
) -> None:
    """Nothing is started before the command line is right."""
    (tmp_path / "notes.txt").write_text("notes")
    assert message in referee.refuse(*words.format(here=tmp_path).split())


def test_an_unbalanced_quote_is_explained(referee: Referee) -> None:
    """A command that cannot be split says so."""
    assert "cannot be split: No closing quotation" in referee.refuse(
        "play", "standoff", "a 'b", "c"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupting_leaves_no_process(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C and polite signals end the game and the bots, exit code 130, no traceback."""
    command = command_line("play", "standoff", RANDOM, "sleep 1000")
    started = set()
    with subprocess.Popen(command, stdout=-1, stderr=-1, cwd=tmp_path) as referee:
        wait_until(lambda: len(started.update(below(referee.pid)) or started) >= 5)
        referee.send_signal(number)
        out, err = referee.communicate()
    assert (referee.returncode, err) == (130, b"")
    assert b"wins" not in out
    wait_until(lambda: not any(is_running(process) for process in started))


def test_the_board_is_drawn_on_a_terminal(tmp_path: Path) -> None:
    """On a terminal every move is followed by the board."""
    main, terminal = pty.openpty()
    command = command_line("play", "lockdown", RANDOM, RANDOM)
    with subprocess.Popen(command, stdout=terminal, cwd=tmp_path) as referee:
        os.close(terminal)
        shown = read_all(main)
    os.close(main)
    assert referee.returncode == 0
    assert shown.count("\n\n") == 10
    assert ". . . .\n. . . .\n. . . .\n. . . .\n" in shown


def read_all(descriptor: int) -> str:
    """Everything that a terminal shows until it is closed."""
    parts = []
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:
            break
        if not chunk:
            break
        parts.append(chunk)
    return b"".join(parts).decode().replace("\r\n", "\n")
