"""People at a real terminal: colour, editing, resizing, Ctrl-C and Ctrl-D; and `referee human`."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.human.console import Console
from tests.conftest import ROOT, Referee, command_line
from tests.support.processes import PATIENCE_SECONDS, children_of, is_running, wait_until
from tests.support.terminals import BACKSPACE, CTRL_C, CTRL_D, ENTER, UP, Terminal

RANDOM = str(ROOT / "bots" / "random_bot.py")
ASKED = "nter your move (row and column): "
GAME = "game protocol=1 id=g variant=lockdown rows=3 cols=3 origin=1 seat=2 seed=1"
TURN = "turn ply=2 time_ms=600000 opp_ms=1 moves=1,1 board=X#./##./... legal=1,3;2,3;3,1;3,2;3,3"


def test_terminal_session_has_colour_hints_and_editing(tmp_path: Path) -> None:
    """The last move is marked, the window is resized, the terminal is restored."""
    with Terminal() as terminal:
        before = terminal.settings()
        words = ("play", "standoff", "human", "human", "--hints")
        process = terminal.start(*words, folder=tmp_path)
        assert "[\x1b[32m•\x1b[0m]" in terminal.wait_for(f"Player 1 ('X'), e{ASKED}")
        terminal.type(f"3 4{BACKSPACE}3{ENTER}")
        shown = terminal.wait_for(f"Player 2 ('O'), e{ASKED}")
        assert "Placed 'X' at (3,3)" in shown
        assert "[ ][\x1b[1;36;7mX\x1b[0m][ ]" in shown
        terminal.type(f"1 1{ENTER}")
        shown = terminal.wait_for(f"Player 1 ('X'), e{ASKED}")
        assert "[\x1b[1;33;7mO\x1b[0m][ ]" in shown
        assert "[\x1b[1;36mX\x1b[0m]" in shown
        terminal.type(f"?{ENTER}")
        assert "Legal moves: 1,3 1,4 1,5 2,3 2,4 2,5 3,1 3,2" in terminal.wait_for(ASKED)
        terminal.resize(40, 30)
        for keys in ("?", UP):  # the second time out of the history
            terminal.type(f"{keys}{ENTER}")
            shown = terminal.wait_for("5,5\n")
            assert "Legal moves: 1,3 1,4 1,5 2,3\n2,4 2,5 3,1 3,2 3,4 3,5 4,1\n" in shown
            terminal.wait_for("column): ")
        terminal.type(f"resign{ENTER}")
        terminal.wait_for("yes or no)? ")
        terminal.type(f"y{ENTER}")
        terminal.wait_for("human-2 (seat 2) wins: human-1 resigned, after 2 plies\n")
        assert process.wait() == 0
        assert terminal.settings() == before


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_terminal_without_colour_gets_none(tmp_path: Path, environment: dict[str, str]) -> None:
    """By NO_COLOR, and by a terminal that has none."""
    with Terminal() as terminal:
        words = ("play", "standoff", "human", "human", "--opening", "3,3")
        process = terminal.start(*words, folder=tmp_path, environment=environment)
        assert "[ ][ ][X][ ][ ]" in terminal.wait_for(ASKED)
        terminal.type(CTRL_D)
        assert process.wait() == 0


def test_ctrl_d_resigns(tmp_path: Path) -> None:
    """The terminal is restored."""
    with Terminal() as terminal:
        before = terminal.settings()
        process = terminal.start("play", "standoff", "human", RANDOM, folder=tmp_path)
        terminal.wait_for(ASKED)
        terminal.type(CTRL_D)
        terminal.wait_for("Player 1 ('X') resigned.")
        terminal.wait_for("random_bot (seat 2) wins: human resigned, after 0 plies\n")
        assert process.wait() == 0
        assert terminal.settings() == before


@pytest.mark.parametrize("how", [CTRL_C, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_at_the_prompt_ends_the_game(tmp_path: Path, how: str | signal.Signals) -> None:
    """Exit code 130, no bot left, no traceback, and the terminal is restored."""
    with Terminal() as terminal:
        before = terminal.settings()
        process = terminal.start("play", "standoff", RANDOM, "human", folder=tmp_path)
        terminal.wait_for(ASKED)
        launcher = children_of(process.pid)
        started = launcher.union(*map(children_of, launcher))
        started = started.union(*map(children_of, started))
        assert len(started) >= 3
        assert before != terminal.settings()
        if isinstance(how, str):
            terminal.type(how)
        else:
            process.send_signal(how)
        assert process.wait() == 130
        wait_until(lambda: not any(is_running(child) for child in started))
        assert terminal.settings() == before
        terminal.wait_for("\n")
        assert "Traceback" not in terminal.seen


def test_timeout_at_the_prompt_restores_the_terminal(tmp_path: Path) -> None:
    """The line that was begun is discarded."""
    with Terminal() as terminal:
        before = terminal.settings()
        words = ("play", "standoff", "human", "human", "--human-time", "300ms")
        process = terminal.start(*words, folder=tmp_path)
        terminal.wait_for("Time left: 0:00")
        terminal.type("3 3")
        terminal.wait_for("Your time is up.")
        terminal.wait_for("Player 1 ('X') ran out of time.")
        assert process.wait() == 0
        assert terminal.settings() == before


def test_dialogue_stays_on_the_terminal_with_json_in_a_pipe(tmp_path: Path) -> None:
    """The record is the only output in the pipe."""
    with Terminal() as terminal:
        words = ("play", "lockdown", "human", "human", "--json")
        process = terminal.start(*words, folder=tmp_path, stdout=subprocess.PIPE)
        terminal.wait_for(ASKED)
        terminal.type(f"2 2{ENTER}")
        terminal.wait_for("You placed an 'X' at (2,2).")
        terminal.type(CTRL_D)
        record = json.loads(process.communicate()[0])
        assert (record["moves"], record["reason"]) == (["2,2"], "resign")


def test_interrupt_ends_a_tournament_with_people_at_once(tmp_path: Path) -> None:
    """The same command resumes it."""
    bots = [{"name": "ada", "command": "human"}, {"name": "bo", "command": ["python3", RANDOM]}]
    settings = {"variants": ["standoff"], "encounters": 1, "sandbox": "none", "bots": bots}
    (tmp_path / "cup.yaml").write_text(json.dumps(settings))
    with Terminal() as terminal:
        for _ in range(2):
            process = terminal.start("run", "cup.yaml", folder=tmp_path)
            terminal.wait_for("now: ada - bo (standoff-5x5)")
            terminal.wait_for(ASKED)
            terminal.type(CTRL_C)
            terminal.wait_for("0 of 2 games")
            terminal.wait_for("interrupted; run the same command to go on")
            assert process.wait() == 130


class Referees:
    """Another referee, which uses only the protocol."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, line: str) -> None:
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def answer(self) -> str:
        return self.process.stdout.readline().decode()

    def ask(self, line: str) -> str:
        self.send(line)
        return self.answer()

    def dismiss(self) -> None:
        self.send("quit")
        assert self.process.communicate() == (b"", b"")
        assert self.process.returncode == 0


PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def test_human_command_speaks_the_protocol(tmp_path: Path) -> None:
    """In its pipes; the dialogue is on the terminal."""
    with Terminal() as terminal:
        before = terminal.settings()
        referee = Referees(terminal.start("human", "--hints", folder=tmp_path, **PIPES))
        assert referee.ask(GAME) == "ready\n"
        referee.send(TURN)
        shown = terminal.wait_for(ASKED)
        assert "You are Player 2 ('O')." in shown
        assert "Player 1 ('X') placed an 'X' at (1,1)." in shown
        assert "\x1b[1;36;7mX\x1b[0m" in shown
        terminal.type(f"1 1{ENTER}")
        assert "Invalid move! 1,1 is taken by X." in terminal.wait_for(ASKED)
        terminal.type(f"3 4{BACKSPACE}3{ENTER}")
        assert referee.answer() == "move 3,3\n"
        terminal.wait_for("You placed an 'O' at (3,3).")
        referee.send("end result=loss reason=no-moves moves=1,1;3,3;1,3;3,1")
        terminal.wait_for("Player 1 ('X') wins the game!")
        assert referee.ask(f"{GAME} move_ms=50") == "ready\n"
        referee.send(TURN.replace("time_ms=600000", "time_ms=50"))
        terminal.wait_for("Your time is up.")
        assert referee.ask(GAME) == "ready\n"
        referee.send(TURN)
        terminal.wait_for(ASKED)
        terminal.type(CTRL_D)
        assert referee.answer() == "resign\n"
        referee.dismiss()
        assert terminal.settings() == before


def test_human_command_can_use_another_terminal(referee: Referee) -> None:
    """A bot has no terminal of its own; an option names one."""
    with Terminal() as terminal:
        person = f"python3 -m referee human --terminal {terminal.name}"
        folder = str(Path(sys.executable).parent)
        path = {"PATH": folder + os.pathsep + os.environ["PATH"]}
        command = command_line("play", "lockdown", person, RANDOM)
        options = {"cwd": referee.folder, "env": os.environ | path, "stdout": subprocess.PIPE}
        with subprocess.Popen([*command, "--time", "none", "--quiet"], **options) as process:
            terminal.wait_for(ASKED)
            terminal.type(f"resign{ENTER}")
            terminal.wait_for("yes or no)? ")
            terminal.type(f"y{ENTER}")
            assert process.communicate()[0].endswith(b"resigned, after 0 plies\n")
        terminal.wait_for("Player 2 ('O') wins the game!")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "No such device or address"),
        (["--terminal", "/no/such/device"], "No such file or directory"),
        (["--terminal", "/dev/null"], "/dev/null is something else"),
    ],
)
def test_human_command_without_a_terminal_declines_the_game(
    referee: Referee, options: list[str], why: str
) -> None:
    """In the protocol."""
    entries = f"{GAME}\nend result=win reason=start moves=-\nquit\n"
    result = referee("human", *options, input=entries, start_new_session=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"decline there is no terminal to ask a person on: {why}\n"


def test_human_bot_file_equals_the_command(tmp_path: Path) -> None:
    """`bots/human.py` is for referees that need a file."""
    result = subprocess.run(
        [sys.executable, str(ROOT / "bots" / "human.py")],
        input=f"{GAME}\nquit\n".encode(),
        capture_output=True,
        cwd=tmp_path,
        start_new_session=True,
        timeout=PATIENCE_SECONDS,
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.startswith(b"decline there is no terminal")


def test_human_command_at_a_terminal_names_play(tmp_path: Path) -> None:
    """Its message names `referee play`, which people need."""
    with Terminal() as terminal:
        process = terminal.start("human", folder=tmp_path)
        terminal.wait_for("to play yourself, try `referee play standoff human bots/greedy.py`")
        assert process.wait() == 2


def test_hints_are_stars_on_a_terminal_without_unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else dots."""
    for encoding, dot in (("utf-8", "•"), ("ascii", "*")):
        with Path(os.devnull).open("w", encoding=encoding) as out:
            assert Console(out).dot == dot
