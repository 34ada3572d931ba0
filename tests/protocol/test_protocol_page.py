"""Checks of docs/protocol.md: its bot, its transcripts, its tables and limits.

After a change that is meant, `UPDATE_DOCS=1 pytest tests/protocol/test_protocol_page.py` writes the
new lines into the page; read the diff.
"""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.bots import bot
from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.game import handshake
from referee.game.config import STARTUP_MS, GameConfig, GameSetup
from referee.game.dossier import fault_text
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.outcome import Reason
from referee.protocol import line_buffer, time_control, transcript
from referee.protocol.answers import ANSWERS
from referee.protocol.clock import Clock
from referee.protocol.messages import QUIT, End, Game, Turn, read_message
from referee.protocol.phase import Phase
from referee.protocol.time_control import TimeControl
from referee.protocol.transcript import Entry
from referee.rules import BUILT_IN, LARGEST, SMALLEST, Size, find_variant
from referee.sandbox.limits import ResourceLimits
from referee.variants.runner import MOVE_LIMIT
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "protocol.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCK = re.compile(r"(^<!-- (\w+) ([^\n]+) -->\n\n```\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
MAX_SENT_LENGTH = 8 * 1024
RANDOM_BOT = (sys.executable, "bots/random_bot.py")
ONE_ANSWER = """
import sys
for line in sys.stdin:
    print("ready" if line.startswith("game ") else sys.argv[1], flush=True)
"""
Words = tuple[str, ...]


def play(
    variant: str, first: Words, second: Words, size: Size | None = None, seed: int = 1
) -> PlayedGame:
    """Play a game between two processes, with a margin that a slow machine does not exceed."""
    found = find_variant(variant)
    size = size or found.size
    time = TimeControl.per_move("1s", margin_ms=time_control.CEILING_MS)
    name = f"{variant}-{size}.alice.bob.1a"
    setup = GameSetup(name, GameConfig(variant, size, found.on(size), (time, time)), seed=seed)
    with Launcher() as launcher:
        alice = Bot("alice", Command(first, ROOT), launcher)
        bob = Bot("bob", Command(second, ROOT), launcher)
        try:
            return play_game(setup, (alice, bob))
        finally:
            close_all([alice, bob])


def play_answer(text: str) -> PlayedGame:
    """Play a game of standoff in which seat 1 answers its first turn like this."""
    return play("standoff", (sys.executable, "-c", ONE_ANSWER, text), RANDOM_BOT)


def transcript_block(variant: str, size: str, seed: str) -> str:
    """Return the lines of a game between two random bots, without times."""
    rows, cols = map(int, size.split("x"))
    played = play(variant, RANDOM_BOT, RANDOM_BOT, Size(rows, cols), int(seed))
    entries = sorted(played.transcript.entries, key=_start_by_seat)
    return "".join(
        f"{entry.seat} {'>' if entry.sent else '<'} {entry.line.decode()}\n" for entry in entries
    )


def _start_by_seat(entry: Entry) -> tuple[int, int]:
    """Sort the start by seat: only the order of the two `ready` is random."""
    start = (b"game", b"ready")
    verb = entry.line.split()[0]
    return (start.index(verb), entry.seat) if verb in start else (len(start), 0)


def fault_block(text: str) -> str:
    """Return the report of an answer that is a fault, with the times of a fast machine."""
    (fault,) = play_answer(text).faults
    allowed_ms = Clock(TimeControl.per_move("1s")).limit()
    return fault_text(replace(fault, spent_ms=0.4, allowed_ms=allowed_ms), "alice")


MAKERS = {"transcript": transcript_block, "fault": fault_block}


def section(heading: str) -> str:
    """Return the part of the page under the heading that starts like this."""
    parts = re.split(r"^#+ ", TEXT, flags=re.MULTILINE)
    return next(part for part in parts if part.startswith(heading))


def rows(text: str) -> list[list[str]]:
    """Return the cells of the tables in a part of the page, without their headings."""
    lines = re.findall(r"^\| (.*) \|$", text, re.MULTILINE)
    headings = re.findall(r"^\| (.*) \|\n\|---", text, re.MULTILINE)
    return [line.split(" | ") for line in lines if line not in headings]


def test_page_transcripts_and_reports_are_those_of_real_games() -> None:
    """Played again for each test."""

    def real(match: re.Match[str]) -> str:
        return match[1] + MAKERS[match[2]](*match[3].split())

    text = PAGE.read_text(encoding="utf-8")  # again: updating other blocks may have changed it
    updated = BLOCK.sub(real, text)
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(updated, encoding="utf-8")
    else:
        assert text == updated


def test_page_has_a_transcript_of_every_variant() -> None:
    """Of all built-in ones."""
    words = [match[3].split() for match in BLOCK.finditer(TEXT) if match[2] == "transcript"]
    assert [variant for variant, *_ in words] == list(BUILT_IN)


@pytest.mark.parametrize("variant", BUILT_IN)
def test_page_bot_plays_every_variant_to_its_end(variant: str, tmp_path: Path) -> None:
    """Readers copy it."""
    program = tmp_path / "my_bot.py"
    program.write_text(re.search(r"^```python\n(.*?)^```$", TEXT, re.M | re.S)[1])
    words = (sys.executable, str(program))
    played = play(variant, words, words)
    assert (played.faults, bool(played.moves)) == ((), True)


@pytest.mark.parametrize(("answer", "reason", "hint"), rows(section("What you print")))
def test_page_names_reason_and_hint_of_wrong_answers(answer: str, reason: str, hint: str) -> None:
    """Each row of the table is tried."""
    (fault,) = play_answer(answer[1:-1]).faults
    assert (f"`{fault.reason}`", fault.hint) == (reason, hint)


def test_page_explains_every_message_and_field() -> None:
    """Each verb has a section with a table that has exactly one row per field."""
    clocks = [TimeControl.clock("2s + 50ms"), TimeControl.per_move("1s"), TimeControl.clock("none")]
    lines = [Game("id", "standoff", 5, 5, 1, 1, 1, time).line() for time in clocks]
    lines += [Turn(1, 0, 0, "", ".", ["1,1"], retry=1).line(), End("win", "goal", "").line(), QUIT]
    sent: dict[str, set[str]] = {}
    for verb, fields in map(read_message, lines):
        sent.setdefault(verb, set()).update(fields)
    explained = {
        verb: {
            key for first, *_ in rows(section(f"`{verb}`")) for key in re.findall(r"`(\w+)`", first)
        }
        for verb in sent
    }
    assert explained == sent


def test_page_table_of_answers_is_that_of_the_code() -> None:
    """By phase."""
    table = {row[0]: row[1] for row in rows(section("What the bot sends")) if len(row) == 3}
    for phase, sent_at in ((Phase.GAME, "`game`"), (Phase.TURN, "`turn`")):
        assert set(re.findall(r"`(\w+)`", table[sent_at])) == ANSWERS[phase]
    meanings = [first for first, *_ in rows(section("What the bot sends"))]
    for verb in {"info"}.union(*ANSWERS.values()):
        assert [line for line in meanings if re.match(rf"`{verb}\b", line)], verb


def test_page_explains_every_reason() -> None:
    """Those of the `end` message."""
    assert [row[0] for row in rows(section("How a game can end"))] == [
        f"`{word}`" for word in Reason
    ]


def test_page_limits_are_those_of_the_code() -> None:
    """The table is complete, and the rest of the page mentions no other limit."""
    sizes = {
        "a line of yours, its line end not counted": line_buffer.MAX_LINE_LENGTH,
        "all you send from one question to the next, `info` included": line_buffer.MAX_TURN_BYTES,
        "the longest line you are sent in the five games": MAX_SENT_LENGTH,
        "standard error kept per game, from its beginning": transcript.HEAD_BYTES,
        "standard error kept per game, up to its end": transcript.TAIL_BYTES,
        "the transcript of a game": transcript.MAX_BYTES,
        "one line in the transcript": transcript.MAX_KEPT_LENGTH,
        "memory that all your processes hold together": ResourceLimits().memory,
        "your scratch folder": ResourceLimits().scratch,
    }
    counts = {
        "your processes, threads included": str(ResourceLimits().processes),
        "open files of a process": str(ResourceLimits().files),
    }
    times = {
        "`ready`, from a new process": STARTUP_MS,
        "`ready`, for a later game of the same process": handshake.NEXT_GAME_MS,
        "an answer where there is no clock": time_control.CEILING_MS,
        "the margin": time_control.MARGIN_MS,
        "to exit after `quit`": round(bot.QUIT_SECONDS * 1000),
    }
    limits = {what: size_text(size) for what, size in sizes.items()}
    limits |= {what: time_text(ms) for what, ms in times.items()}
    assert dict(rows(section("Limits"))) == limits | counts
    prose = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    mentioned = re.findall(r"\d+ (?:[KM]iB|ms|seconds?|minutes?)\b", prose)
    assert set(mentioned) <= set(limits.values())
    assert f"the size of the board, {SMALLEST} to {LARGEST} each" in prose


def size_text(size: int) -> str:
    """Format bytes as the page does."""
    return f"{size // 1024} KiB" if size < 1024**2 else f"{size // 1024**2} MiB"


def time_text(ms: int) -> str:
    """Format milliseconds as the page does."""
    if ms < 1000:
        return f"{ms} ms"
    seconds, minutes = ms // 1000, ms // 60_000
    return f"{minutes} minutes" if minutes else f"{seconds} second{'s' * (seconds > 1)}"


@pytest.mark.parametrize(
    ("longest_move", "most_plies"),
    [("16,16", LARGEST**2), ("15,15x15,15", LARGEST**2), ("x16,16", MOVE_LIMIT)],
)
def test_page_limit_of_sent_lines_holds(longest_move: str, most_plies: int) -> None:
    """For a game that fills the largest board, with all cells still legal."""
    board = "/".join(["." * LARGEST] * LARGEST)
    moves = [longest_move] * most_plies
    line = Turn(most_plies, 10**9, 10**9, ";".join(moves), board, moves[: LARGEST**2], 9).line()
    assert len(line) <= MAX_SENT_LENGTH


def test_page_clock_example_is_what_the_clock_computes() -> None:
    """Charge, check and credit."""
    increment, example = re.search(r"<!-- clock (\d+) -->(.*?)\n\n[A-Z]", TEXT, re.S).groups()
    time = TimeControl(main_ms=1000, increment_ms=int(increment))
    for before, spent, after in rows(example):
        clock = Clock(time)
        clock.left_ms = int(before)
        assert after == (f"{clock.left_ms:.0f}" if clock.charge(int(spent)) else "timeout")
