"""The live display of a run, as it is seen in a window of 80 columns."""

import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.ratings.ratings import RatingRow
from referee.run.live_table import (
    UNICODE_BAR,
    interval_bar,
    live_table,
    pairing,
    rating_limit,
    running_text,
)
from tests.conftest import ROOT, command_line
from tests.run.test_worker import fixture
from tests.scoring.test_standings import record, standings
from tests.support.processes import wait_until
from tests.support.screens import Screen
from tests.support.terminals import CTRL_C, CTRL_Z, Terminal

PATIENT = ROOT / "tests" / "support" / "patient_bot.py"
LONG = "a-very-long-name-of-a-bot-123456"


def rating(elo: float, error: float, bot: str = "a") -> RatingRow:
    ends = elo - error, elo + error
    return RatingRow(bot, elo, *ends, (1, 1), None, None, 10, 10, None)


def test_a_bar_shrinks_with_its_interval() -> None:
    """On the same axis: half the error is half the length."""
    bars = [interval_bar(rating(100, error), 400, 41, UNICODE_BAR) for error in (200, 100, 40)]
    assert [bar.count("─") for bar in bars] == [20, 10, 4]
    assert {bar.index("●") for bar in bars} == {25}
    assert bars[2][20] == "·"


@pytest.mark.parametrize(
    ("row", "bar"),
    [
        (None, "    ·"),
        (rating(0, 0), "    ●"),
        (rating(-400, 100), "●─  ·"),
        (rating(390, 1000), "────────●"),
        (replace(rating(0, 0), elo=None, high=None), "    ─────"),
        (replace(rating(0, 0), elo=None, low=None), "─────"),
        (replace(rating(0, 0), elo=None, low=None, high=None), "    ·"),
    ],
)
def test_bars_stay_on_their_axis(row: RatingRow | None, bar: str) -> None:
    """What is outside is cut off, and what cannot be drawn is not."""
    assert interval_bar(row, 400, 9, UNICODE_BAR) == bar


def test_the_axis_never_becomes_shorter() -> None:
    """Otherwise bars would grow while their intervals shrink."""
    assert rating_limit({}) == 400
    assert rating_limit({"a": rating(-399, 500)}) == 400
    assert rating_limit({"a": rating(-401, 1)}) == 800
    assert rating_limit({"a": rating(1900, 1)}) == 3200
    assert rating_limit({"a": rating(10, 1)}, 1600) == 1600


@pytest.mark.parametrize("width", [30, 40, 60, 79, 119, 199])
def test_the_table_fits_any_window(width: int) -> None:
    """Columns are left out before it is too wide; further bots are counted."""
    names = [LONG, *(f"bot-{number}" for number in range(4))]
    games = [record(one, two) for one in names for two in names if one != two]
    ratings = {name: rating(100 * number, 150, name) for number, name in enumerate(names)}
    table = live_table(standings(games), ratings, 400, (3, width))
    assert max(map(len, table.splitlines())) <= width
    assert len(table.splitlines()) == 2 + 3 + 1
    assert table.endswith("… and 2 more")
    assert ("+400" in table) == (width >= 60)


def test_running_games_take_one_line() -> None:
    """Those that do not fit are counted."""
    games = [fixture(0, 1), fixture(3, 2), fixture(4, 5)]
    every = running_text(games, 200)
    assert every == f"now: {', '.join(map(pairing, (games[0], fixture(2, 3), games[2])))}"
    assert running_text(games, 60) == f"now: {pairing(games[0])} and 2 more"
    assert running_text([], 60) == "now: -"
    assert len(running_text(games, 20)) == 20


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A tournament whose games last as long as there is a file `hold`."""
    bots = "".join(
        f"  - {{name: {name}, command: [{sys.executable}, {PATIENT}, {choice}, {tmp_path}]}}\n"
        for name, choice in (("alpha", "first"), ("beta", "last"), (LONG, "first"))
    )
    (tmp_path / "cup.yaml").write_text(
        "name: Cup\nvariants: [lockdown, crossfire]\nencounters: 500\nper_move: 60s\nstartup: 60s\n"
        f"sandbox: none\nbots:\n{bots}"
    )
    return tmp_path


def hold(cup: Path) -> str:
    """Let the next game wait; the id of the game that waits."""
    (cup / "hold").touch()
    wait_until((cup / "playing-here").exists)
    return (cup / "game").read_text()


def ranked(screen: Screen) -> set[str]:
    """Return the names in the three rows of the table."""
    rows = screen.lines[screen.lines.index("Cup") + 6 :][:3]
    return {row.split()[1] for row in rows if len(row.split()) > 1}


def test_what_is_shown_fits_80_columns_and_is_true(cup: Path) -> None:
    """Bar and text on two lines, the game that runs, and Elo with bars; at the end all is gone."""
    with Terminal(24, 80) as terminal:
        before = terminal.settings()
        process = terminal.start("run", "cup.yaml", "--workers", "1", folder=cup)
        screen = terminal.wait_until_shown("Elo ± 95 %", "●")
        assert not screen.has_cursor
        # Many games wait for the worker, and one of them is running.
        board, one, two, _ = hold(cup).split(".")
        now = f"now: {pairing(fixture(0, 1)._replace(board=board, bots=(one, two)), 14)}"
        names = {"alpha", "beta", "a-very…23456"}
        terminal.wait_until(lambda screen: now in screen.lines and ranked(screen) == names)
        lines = screen.lines
        assert max(map(len, lines)) <= 80
        title = lines.index("Cup")
        assert set(lines[title + 1]) <= set("━╸╺")
        assert re.fullmatch(
            r"\d+/6000 games, [\d.]+ games/s, \d+(\.\d)? (s|min|h) left", lines[title + 2]
        )
        assert lines[title + 3] == now
        assert lines[title + 4].startswith("rank  bot ")
        assert lines[title + 4].endswith("  -400       0       +400")
        (cup / "hold").unlink()
        terminal.type(CTRL_C)
        shown = terminal.finish(process)
        assert process.returncode == 130
        assert "now: " not in screen.text
        assert screen.has_cursor
        assert terminal.settings() == before
        assert "Traceback" not in shown


def test_ctrl_z_removes_the_display_and_fg_draws_it_again(cup: Path) -> None:
    """The shell gets its cursor back, and the run goes on where it was."""
    with Terminal(24, 80) as terminal:
        shell = terminal.start_shell(cup)
        terminal.type(f"{shlex.join(command_line('run', 'cup.yaml', '--workers', '1'))}\n")
        screen = terminal.wait_until_shown("games/s", "now: ", "rank")
        terminal.type(CTRL_Z)
        terminal.wait_until_shown("Stopped", absent="now: ")
        assert screen.has_cursor
        terminal.type("clear; echo still $((6 * 7))\n")
        terminal.wait_until_shown("still 42")
        terminal.type("fg\n")
        terminal.wait_until_shown("still 42", "games/s", "now: ", "rank")
        assert not screen.has_cursor
        terminal.type(CTRL_C)
        terminal.wait_until_shown("interrupted; run the same command to go on", "shell>")
        assert screen.has_cursor
        terminal.type("exit\n")
        terminal.finish(shell)


def test_a_terminal_that_is_closed_interrupts_the_run(cup: Path) -> None:
    """What was finished is kept, and no process is left."""
    with Terminal(24, 80) as terminal:
        process = terminal.start("run", "cup.yaml", "--workers", "1", folder=cup)
        terminal.wait_until_shown("games/s", "now: ")
        terminal.hang_up()
        assert process.wait() == 130
    assert (cup / "results" / "cup" / "standings.json").exists()
