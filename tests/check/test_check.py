"""`referee check`: each mistake fails its step and has its hint; correct bots pass."""

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.rules import BUILT_IN
from tests.conftest import ROOT, Referee, command_line
from tests.support import broken_bots
from tests.support.processes import below, is_running, wait_until

PATIENT = ("--timeout", "60s")
"""For bots that answer: a slow machine must not change the result."""

STARTS = "starts"
READY = "is ready in time"
ACCEPTS = "accepts a game"
TURN = "answers a turn"
SEAT_2 = "is asked first in seat 2, after an odd opening"
QUIET = "answers once, and is quiet between games"
AGAIN = "plays a second game in the same process"
USUAL = "plays on the usual boards"
SMALLEST = "plays on the smallest board, 3x3"
LARGEST = "plays on the largest board, 16x16"
OBLONG = "plays on a board that is not square, 4x7"
ONLY_MOVE = "plays the only move there is"
KEYS = "ignores keys that it does not know"
VERBS = "ignores verbs that it does not know"
CLOCK = "keeps to a clock of 100 ms"
QUIT = "exits on `quit`"
END_OF_INPUT = "exits at the end of its input"
NOTHING_ELSE = "prints nothing but the protocol"
WHOLE = {variant: f"plays whole games of {variant}" for variant in BUILT_IN}
ALL_STEPS = [STARTS, READY, ACCEPTS, TURN, SEAT_2, QUIET, AGAIN, USUAL, SMALLEST, LARGEST, OBLONG]
ALL_STEPS += [ONLY_MOVE, KEYS, VERBS, CLOCK, QUIT, END_OF_INPUT, NOTHING_ELSE, *WHOLE.values()]

ONCE = "answer each `game` and each `turn` once, when it comes, and send nothing else"
DEBUGGING = "print debugging text to standard error, or as `info …`"
FLUSH = (
    "is standard output flushed after each line? (Python: print(…, flush=True))"
    " Or does it think longer than it may?"
)
NEWLINE = "end each line with a newline, then flush standard output"
TRACEBACK = "the traceback on its standard error names the line"
SEGFAULT = "the program accessed memory that is not its own"
LETTER_BY_LETTER = (
    "send one of the moves in `legal`, letter by letter; `origin` is the first number"
)
ACCEPT = "answer `ready` to the games it can play; with --variant it is offered those alone"
SEATS = "`seat` is its own seat, and its first `turn` may have moves that it did not choose"
ONE_LINE = "one line for each `game` and each `turn`, none for `end`, and nothing in between"
FORGET = "after `end` wait for another `game`, and forget the last one when it comes"
SIZE = "`rows` and `cols` of each `game` give the size"
LARGE = "`rows` and `cols` give the size: numbers may have two digits, thinking takes longer"
OBLONG_HINT = "`rows` and `cols` of a `game` may differ, and a cell is `row,col`"
SINGLE = "`legal` may hold a single move, without a `;`"
KEYS_HINT = "look fields up by their keys, and ignore the others: the protocol may grow"
VERBS_HINT = "ignore lines with another verb, without an answer: the protocol may grow"
QUIT_HINT = "leave the loop on `quit`, and end every thread that keeps the process running"
END_HINT = "leave the loop when there is nothing more to read, as after `quit`"
GREETINGS = "print no greetings; debugging text goes to standard error, or into `info …`"

THREE = ("standoff", "barricade", "lockdown")
"""Enough to make every mistake: two ways of counting, two sizes."""
WHOLE_GAMES = [WHOLE[variant] for variant in THREE]

# The mistake, the steps that fail by it, and the hint of the first of them.
MISTAKES = [
    ("RaisesAtStart", [STARTS], TRACEBACK),
    ("SegfaultsAtStart", [STARTS], SEGFAULT),
    ("NeverFlushes", [READY], FLUSH),
    ("PrintsBanner", [READY], DEBUGGING),
    ("ForgetsNewline", [READY], NEWLINE),
    ("UpperCase", [READY], "verbs are written in small letters: `ready`"),
    ("DeclinesEverything", [ACCEPTS], ACCEPT),
    ("ReadyTwice", [TURN], ONCE),
    ("PrintsDebugging", [TURN], DEBUGGING),
    ("OmitsMove", [TURN], "print the word `move` before the move: `move 1,1`"),
    ("ForgetsNewlineOfMove", [TURN], NEWLINE),
    ("AddsSpace", [TURN], "there is a space too many: send the move as it stands in `legal`"),
    ("Floods", [TURN], "print less: `info` lines count too"),
    ("ClosesOutput", [TURN], "keep standard output open until `quit`"),
    ("RaisesOnTurn", [TURN], TRACEBACK),
    ("SegfaultsOnTurn", [TURN], SEGFAULT),
    ("OnlySeat1", [SEAT_2], SEATS),
    ("DeclinesSeat2", [SEAT_2], SEATS),
    ("OnlyOwnMoves", [SEAT_2], SEATS),
    ("PrintsTwoMoves", [QUIET, *WHOLE_GAMES], ONE_LINE),
    ("AddsEmptyLine", [QUIET, *WHOLE_GAMES], ONE_LINE),
    ("TalksAfterEnd", [QUIET], ONE_LINE),
    ("AnswersEverything", [QUIET], ONE_LINE),
    ("RaisesInSecondGame", [AGAIN], FORGET),
    ("ExitsAfterOneGame", [AGAIN], FORGET),
    ("StaleLegal", [AGAIN, *WHOLE_GAMES], FORGET),
    (
        "CountsFromOne",
        [USUAL, SMALLEST, LARGEST, OBLONG, WHOLE["barricade"]],
        LETTER_BY_LETTER,
    ),
    ("FixedBoard", [USUAL, SMALLEST, OBLONG, WHOLE["lockdown"]], TRACEBACK),
    ("LargeBoards", [SMALLEST], SIZE),
    ("SmallArrays", [LARGEST], LARGE),
    ("OneDigit", [LARGEST], LARGE),
    ("SquareBoards", [OBLONG], OBLONG_HINT),
    (
        "NeedsChoice",
        [ONLY_MOVE, WHOLE["standoff"], WHOLE["barricade"]],
        SINGLE,
    ),
    ("KnowsAllKeys", [KEYS], KEYS_HINT),
    ("CountsFields", [KEYS], KEYS_HINT),
    ("RaisesOnUnknownVerb", [VERBS], VERBS_HINT),
    ("AnswersUnknownVerb", [VERBS], VERBS_HINT),
    ("MovesOnUnknownVerb", [VERBS], VERBS_HINT),
    ("IgnoresQuit", [QUIT], QUIT_HINT),
    ("IgnoresEndOfInput", [END_OF_INPUT], END_HINT),
    ("SaysGoodbye", [NOTHING_ELSE], GREETINGS),
    ("SaysHalfGoodbye", [NOTHING_ELSE], GREETINGS),
]
# No failure, but perhaps warnings and steps that do not apply.
HONEST: dict[str, tuple[list[str], list[str]]] = {
    "Honest": ([], []),
    "Talkative": ([], []),
    "Resigner": ([], []),
    "SlowOnShortClock": ([CLOCK], []),
    "ExitStatus": ([QUIT, END_OF_INPUT], []),
    "DeclinesOne": ([USUAL, SMALLEST, LARGEST, OBLONG], [WHOLE["barricade"]]),
    "OnlyLarge": ([USUAL, SMALLEST, OBLONG], WHOLE_GAMES),
}
# How long silence is waited for, where a mistake is silence: only as short as the bot is quick.
PATIENCE = {
    "NeverFlushes": "200ms",
    "ForgetsNewline": "200ms",
    "ForgetsNewlineOfMove": "1s",
    "ClosesOutput": "1s",
    "IgnoresQuit": "2s",
    "IgnoresEndOfInput": "2s",
}


def broken(mistake: str) -> str:
    """Return the command of a bot with this mistake."""
    return shlex.join([sys.executable, "-I", "-S", broken_bots.__file__, mistake])


def check(
    referee: Referee, bot: str, *words: str, code: int, variants: Sequence[str] = THREE
) -> dict[str, Any]:
    """Check a bot, compare the exit code, and return the report."""
    games = [word for variant in variants for word in ("--variant", variant)]
    result = referee("check", bot, "--json", *games, *words)
    assert (result.returncode, result.stderr) == (code, ""), result
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def titles(report: dict[str, Any], status: str) -> list[str]:
    """Return the steps with this result; on a busy machine a bot may always miss 100 ms."""
    return [step["title"] for step in report["steps"] if step["status"] == status]


def step(report: dict[str, Any], title: str) -> dict[str, Any]:
    found: dict[str, Any] = next(step for step in report["steps"] if step["title"] == title)
    return found


@pytest.mark.parametrize(("mistake", "failed", "hint"), MISTAKES, ids=[row[0] for row in MISTAKES])
def test_check_finds_and_explains_each_mistake(
    referee: Referee, mistake: str, failed: list[str], hint: str
) -> None:
    """The right steps fail and no others; the first of them has the hint."""
    report = check(referee, broken(mistake), "--timeout", PATIENCE.get(mistake, "60s"), code=1)
    assert titles(report, "failed") == failed
    first = step(report, failed[0])
    assert first["hint"] == hint
    assert all(first[key] for key in ("detail", "sent", "process"))


@pytest.mark.parametrize("name", HONEST)
def test_check_passes_correct_bots(referee: Referee, name: str) -> None:
    """Warnings and declined games are no failures."""
    warned, skipped = HONEST[name]
    report = check(referee, broken(name), *PATIENT, code=0)
    assert titles(report, "failed") == []
    assert [title for title in titles(report, "warned") if title != CLOCK or CLOCK in warned] == (
        warned
    )
    assert titles(report, "skipped") == skipped


def test_every_broken_bot_is_checked() -> None:
    """By a test of this module."""
    classes = {name for name, value in vars(broken_bots).items() if isinstance(value, type)}
    assert classes == {mistake for mistake, _, _ in MISTAKES} | HONEST.keys()


@pytest.mark.parametrize("name", ["random_bot.py", "random_bot.sh", "greedy.py"])
def test_check_passes_the_bundled_bots(referee: Referee, name: str) -> None:
    """They are examples."""
    report = check(referee, str(ROOT / "bots" / name), *PATIENT, code=0, variants=())
    assert [step["title"] for step in report["steps"]] == ALL_STEPS
    assert set(ALL_STEPS) - set(titles(report, "passed")) <= {CLOCK}


def test_check_json_is_one_object_of_fixed_shape(referee: Referee) -> None:
    """Programs read it."""
    report = check(referee, broken("OmitsMove"), *PATIENT, code=1, variants=["lockdown"])
    steps = report.pop("steps")
    assert report == {"bot": "broken_bots", "passed": 5, "failed": 1, "warned": 0, "skipped": 13}
    assert [step["number"] for step in steps] == list(range(1, 20))
    nothing = dict.fromkeys(("hint", "sent", "received", "process"))
    assert steps[2] == {
        "number": 3,
        "title": ACCEPTS,
        "status": "passed",
        "detail": "lockdown 4x4",
        **nothing,
        "stderr": [],
    }
    assert steps[3] == {
        "number": 4,
        "title": TURN,
        "status": "failed",
        "detail": "lockdown 4x4, seat 1: sent '1,1' where `move M` (or `resign`) was expected",
        "hint": "print the word `move` before the move: `move 1,1`",
        "sent": "turn ply=1 time_ms=200 opp_ms=200 moves=- board=..../..../..../...."
        " legal=1,1;1,2;1,3;1,4;2,1;2,2;2,3;2,4;3,1;3,2;3…",
        "received": "1,1",
        "process": "running",
        "stderr": [],
    }
    assert steps[4] == {
        "number": 5,
        "title": SEAT_2,
        "status": "skipped",
        "detail": "step 4 failed",
        **nothing,
        "stderr": [],
    }


def test_check_reports_a_crash_with_status_and_standard_error(referee: Referee) -> None:
    """The last lines of it."""
    raised = step(check(referee, broken("RaisesOnTurn"), *PATIENT, code=1), TURN)
    assert raised["detail"] == "standoff 5x5, seat 1: ended while it was asked (exit status 1)"
    assert raised["process"] == "exit status 1"
    assert raised["stderr"][-1] == "ValueError: no idea what to play"
    killed = step(check(referee, broken("SegfaultsAtStart"), *PATIENT, code=1), STARTS)
    assert killed["detail"] == "ended before `ready` (killed by SIGSEGV)"
    assert (killed["process"], killed["received"]) == ("killed by SIGSEGV", None)


def test_check_reports_a_timeout_with_its_limit(referee: Referee) -> None:
    """A new process has five times the time of an answer."""
    silent = step(check(referee, "sleep 1000", "--timeout", "50ms", code=1), READY)
    assert silent["detail"] == "no complete answer came within 250 ms"
    assert silent["hint"] == FLUSH


def test_check_lists_declined_games_by_reason(referee: Referee) -> None:
    """The reason is the text of the bot."""
    report = check(referee, broken("DeclinesOne"), *PATIENT, code=0)
    detail = "declined barricade 16x16 (never heard of it)"
    assert step(report, LARGEST)["detail"] == detail
    assert step(report, WHOLE["barricade"])["detail"] == "declined: never heard of it"
    report = check(referee, broken("OnlyLarge"), *PATIENT, code=0, variants=["runner"])
    assert step(report, ACCEPTS)["detail"] == "runner 16x16"
    assert step(report, OBLONG)["detail"] == "declined runner 4x7 (it did not say why)"


def test_check_reports_whole_games_from_both_seats(referee: Referee) -> None:
    """With their results."""
    report = check(referee, broken("Resigner"), *PATIENT, code=0, variants=["runner"])
    detail = "loss in seat 1 (resign), loss in seat 2 (resign)"
    assert step(report, WHOLE["runner"])["detail"] == detail


def test_check_accepts_a_variant_file(referee: Referee) -> None:
    """Boards that the variant does not have are skipped."""
    tictactoe = str(ROOT / "docs" / "examples" / "tictactoe.py")
    report = check(referee, broken("Honest"), *PATIENT, code=0, variants=[tictactoe])
    assert titles(report, "skipped") == [LARGEST, OBLONG]
    assert report["steps"][-1]["title"] == "plays whole games of tictactoe"


def test_check_reports_a_program_that_cannot_be_run(referee: Referee, tmp_path: Path) -> None:
    """As wrong input before the start if possible, else by the first step."""
    programs = {
        "lost": ("#!/no/such/interpreter\n", "names the interpreter '/no/such/interpreter'"),
        "plain": ("echo ready\n", "exec format error: a script needs a first line like"),
    }
    for name, (text, message) in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
        assert message in referee.refuse("check", f"./{name}")
    (tmp_path / "binary").write_bytes(b"\x7fELF\0")
    (tmp_path / "binary").chmod(0o755)
    cases = {
        "./binary": ("could not be started: Exec format error", "never started"),
        "sh -c nosuch": ("ended before `ready` (exit status 127)", "exit status 127"),
        "true": ("ended before `ready` (exit status 0)", "exit status 0"),
    }
    for bot, (detail, process) in cases.items():
        report = check(referee, bot, *PATIENT, code=1)
        first, *others = report["steps"]
        assert (first["detail"], first["process"]) == (detail, process)
        assert first["hint"]
        assert {step["detail"] for step in others} == {"step 1 failed"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("check", "the following arguments are required: bot"),
        ("check nosuch", "there is no program 'nosuch' to start a bot with"),
        ("check true --variant chess", "there is no variant 'chess'"),
        ("check true --timeout 5", "--timeout is '5': write a number and a unit"),
        ("check true --timeout 0s", "--timeout 0s: the minimum is 1ms"),
    ],
)
def test_check_reports_wrong_arguments_in_one_sentence(
    referee: Referee, words: str, message: str
) -> None:
    """Before anything is started."""
    assert message in referee.refuse(*words.split())


def test_check_prints_one_line_per_step_of_a_correct_bot(referee: Referee) -> None:
    """One line for each step, one sentence, and what to do next."""
    bot = str(ROOT / "bots" / "random_bot.sh")
    result = referee("check", bot, "--variant", "lockdown", "--variant", "standoff", *PATIENT)
    lines = result.stdout.splitlines()
    assert lines[:3] == [
        "passed    1 starts",
        "passed    2 is ready in time",
        "passed    3 accepts a game: lockdown 4x4",
    ]
    if "warned" not in result.stdout:  # by a machine too busy for a tenth of a second
        assert lines[-3:] == [
            "",
            "random_bot passed all 20 steps.",
            f"Next, a game: referee play lockdown {shlex.quote(bot)} {shlex.quote(bot)}",
        ]


def test_check_prints_lines_and_hint_of_a_failed_step(referee: Referee) -> None:
    """What happened, the lines exchanged, and a hint; nothing twice."""
    result = referee("check", broken("OmitsMove"), *PATIENT)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout == (
        "passed    1 starts\n"
        "passed    2 is ready in time\n"
        "passed    3 accepts a game: standoff 5x5\n"
        "failed    4 answers a turn\n"
        "     standoff 5x5, seat 1: sent '1,1' where `move M` (or `resign`) was expected\n"
        "     it was sent:  turn ply=1 time_ms=200 opp_ms=200 moves=-"
        " board=...../...../...../...../..... legal=1,1;1,2;1,3;1,4;1,5;2,1;2,2;2,3;2,4;2,5;3…\n"
        "     it answered:  '1,1'\n"
        "     its process:  running\n"
        "     hint:         print the word `move` before the move: `move 1,1`\n"
        "skipped   5 to 15: step 4 failed\n"
        "passed   16 exits on `quit`\n"
        "passed   17 exits at the end of its input\n"
        "skipped  18 to 23: step 4 failed\n"
        "\n"
        "broken_bots failed 1 of 23 steps (5 passed, 17 skipped).\n"
    )


def test_check_escapes_output_of_bots_on_a_terminal(tmp_path: Path) -> None:
    """The colours are those of the referee."""
    command = command_line("check", broken("PrintsBanner"), *PATIENT)
    main, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(command, stdout=terminal, cwd=tmp_path, env=environment) as referee:
        os.close(terminal)
        shown = b""
        try:
            while chunk := os.read(main, 65536):
                shown += chunk
        except OSError:  # how Linux reports the end of a terminal
            os.close(main)
    assert referee.returncode == 1
    text = shown.decode().replace("\r\n", "\n")
    assert "\x1b[32m✓  1 starts\x1b[0m\n" in text
    assert "✗  2 is ready in time" in text
    assert "it answered:  '\\x1b[1mSuperbot\\x1b[0m 2.0 by Me'\n" in text
    assert "\x1b[1mSuperbot" not in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_check_leaves_no_process(number: signal.Signals, tmp_path: Path) -> None:
    """Steps are printed as they are taken; Ctrl-C ends check and bot without a traceback."""
    command = command_line("check", broken("ClosesOutput"), *PATIENT)
    with subprocess.Popen(command, stdout=-1, stderr=-1, cwd=tmp_path) as referee:
        assert [referee.stdout.readline().split()[1] for _ in range(3)] == [b"1", b"2", b"3"]
        started = below(referee.pid)
        wait_until(lambda: len(started.update(below(referee.pid)) or started) >= 3)
        referee.send_signal(number)
        shown, complaints = referee.communicate()
    assert (referee.returncode, shown, complaints) == (130, b"", b"")
    wait_until(lambda: not any(is_running(process) for process in started))
