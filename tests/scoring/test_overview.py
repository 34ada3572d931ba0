"""Standings on a terminal: the width of tables, and the output of a run."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from referee.rules import Size
from referee.scoring.overview import board_table, decided_ties, overview_table, shorten
from tests.conftest import ROOT, Referee, command_line
from tests.scoring.test_standings import record, standings, wins
from tests.support.report_games import make_record, make_tournament, write_tournament
from tests.support.terminals import Terminal

LONG = ["a" * 31 + str(number) for number in range(3)]
HEADERS = ["rank", "bot", "points", "Elo ± 95 %", "score %", "seat 1 %", "seat 2 %", "faults"]
CUP = """\
name: Cup
variants: [standoff, {{name: lockdown, rows: 5, cols: 6}}]
encounters: 1
per_move: 60s
startup: 60s
sandbox: none
bots:
  - {{name: {0}, dir: bots, command: python3 random_bot.py}}
  - {{name: {1}, command: bots/random_bot.sh}}
  - {{name: third, command: [python3, bots/random_bot.py, --with, words]}}
"""


def at_terminal(
    folder: Path, *words: str, rows: int = 24, cols: int = 80, **environment: str
) -> str:
    """Return what a command shows in a window of that size; it must succeed."""
    with Terminal(rows, cols) as terminal:
        process = terminal.start(*words, folder=folder, environment=environment)
        shown = terminal.finish(process)
        assert process.returncode == 0, shown
    return shown


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


@pytest.mark.parametrize(
    ("name", "length", "short"),
    [
        ("greedy", 6, "greedy"),
        ("greedy", 5, "gr…dy"),
        ("alpha-beta-v12", 8, "alph…v12"),
        ("alpha-beta-v12", 9, "alph…-v12"),
    ],
)
def test_overview_cuts_long_names_in_the_middle(name: str, length: int, short: str) -> None:
    """Versions often differ at the end, authors at the beginning."""
    assert shorten(name, length) == short


@pytest.mark.parametrize("width", [40, 60, 79, 80, 120, 200])
def test_overview_is_never_wider_than_the_window(width: int) -> None:
    """Names are shortened first, then columns left out; there is one row for each bot."""
    faults = {1: "timeout", 2: "illegal-move"}
    games = [record(one, two, faults=faults) for one in LONG for two in LONG if one != two]
    table = overview_table(standings(games), None, width)
    assert widest(table) <= width
    assert len(table.splitlines()) == 2 + len(LONG)
    assert table.startswith("rank  bot ")


def test_overview_names_kinds_of_faults_in_a_wide_window() -> None:
    """A narrow one has their number."""
    games = [record(*LONG[:2], faults={1: "timeout", 2: "crash"}) for _ in range(3)]
    games += [record(*LONG[:2], faults={1: "protocol"})]
    assert re.search(r"aaa0 .* 4$", overview_table(standings(games), None, 80), re.MULTILINE)
    assert "  protocol 1, timeout 3" in overview_table(standings(games), None, 120)


def test_overview_names_tie_breaks_that_decided() -> None:
    """Not between bots with other points, nor between equal ones."""
    assert decided_ties(standings(wins("a>b", "b>a", "a>b", "b>a"))) == []
    assert decided_ties(standings(wins("a>b", "a>b"))) == []
    # c and b have two points each, and c beat b.
    games = wins("a>b", "a>b", "b>a", "b>a", "c>b", "a>c", "c>a")
    found = standings(games)
    assert [(row.bot, row.points) for row in found.rows] == [("a", 3), ("c", 2), ("b", 2)]
    assert decided_ties(found) == ["c before b: head-to-head 1 to 0"]
    faulty = [record("a", "b", faults={2: "crash"}), record("b", "a"), *wins("a>c", "b>c")]
    assert decided_ties(standings(faulty)) == ["a before b: fewest-faults 0 to 1"]


def test_overview_puts_boards_that_do_not_fit_below() -> None:
    """Every board is there once, each block with the names again."""
    boards = {
        f"variant{number}-5x5": standings([record("a", "b"), record("b", "a")])
        for number in range(12)
    }
    text = board_table(boards, ["a", "b"], 80)
    assert widest(text) <= 80
    assert sorted(re.findall(r"variant\d+", text)) == sorted(f"variant{n}" for n in range(12))
    assert text.count("\na ") == text.count("\n\n") + 1 == 2


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder with a tournament `cup` of six boards."""
    folder = tmp_path_factory.mktemp("overview")
    write_tournament(folder / "cup", make_tournament(2))
    return folder


def test_standings_fit_80_columns(results: Path) -> None:
    """One table over all games, with ratings, and the scores on each board."""
    shown = at_terminal(results, "standings", "cup")
    lines = shown.splitlines()
    assert widest(shown) <= 80
    assert len(lines) <= 24
    assert re.split(r" {2,}", lines[2]) == HEADERS
    assert re.fullmatch(r" +1  \w+ +[\d.]+ +[+-]\d+ ± \d+( +[\d.]+){3}  .*", lines[4])
    assert lines[lines.index("Score % on each board") + 2].split() == [
        *("standoff", "barricade", "lockdown", "runner", "crossfire", "tictactoe"),
    ]


def test_standings_options_print_a_table_for_each_board(results: Path) -> None:
    """`--boards` prints them all, `--variant` one."""
    shown = at_terminal(results, "standings", "cup", "--boards")
    assert widest(shown) <= 80
    assert shown.count("rank  bot ") == 7
    assert "\nrunner-5x5\n\nrank  bot " in shown
    shown = at_terminal(results, "standings", "cup", "--variant", "runner")
    assert shown.startswith("runner-5x5\n\nrank  bot ")
    assert shown.count("rank  bot ") == 1


@pytest.mark.parametrize("options", [["--wide"], ["--format", "simple"]])
def test_standings_option_prints_all_columns(results: Path, options: list[str]) -> None:
    """On a terminal by an option; in a pipe always."""
    referee = Referee(results)
    everything = referee("standings", "cup").stdout
    assert at_terminal(results, "standings", "cup", *options) == everything
    assert referee("standings", "cup", "--boards").stdout == everything
    assert "sonneborn-berger" in everything


def test_overview_on_a_terminal_without_unicode_has_no_escapes(results: Path) -> None:
    """The two characters beyond ASCII are replaced by others of the same width."""
    shown = at_terminal(results, "standings", "cup", cols=30, PYTHONIOENCODING="ascii")
    assert "\\" not in shown
    assert shown.isascii()
    assert widest(at_terminal(results, "standings", "cup", PYTHONIOENCODING="ascii")) <= 80


def test_overview_names_withdrawn_bots(tmp_path: Path) -> None:
    """They have no row."""
    games = [record("a", "b", variant="standoff"), record("c", "a", faults={1: "crash"})]
    write_tournament(tmp_path / "cup", games, disqualify_after=1, bots=["a", "b", "c"])
    assert "\nWithdrawn: c\n" in at_terminal(tmp_path, "standings", "cup")


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """Write a tournament file, and bots beside it."""
    (tmp_path / "bots").mkdir()
    for name in ("random_bot.py", "random_bot.sh"):
        shutil.copy(ROOT / "bots" / name, tmp_path / "bots")
    (tmp_path / "cup.yaml").write_text(CUP.format("x" * 32, "second"))
    return tmp_path


def test_run_shows_progress_and_ends_with_the_standings(cup: Path) -> None:
    """At 80x24: a first line at once, later the table, the report, and what to try."""
    with Terminal(24, 80) as terminal:
        process = terminal.start("run", "cup.yaml", folder=cup)
        first = terminal.wait_for("\n")
        assert first == "Cup: 12 games to play; starting each of 3 bots once\n"
        shown = terminal.finish(process)
        assert process.returncode == 0
    end = shown[shown.rindex("Cup: 12 of 12 games") :]
    assert (
        widest(re.sub(r"\n(watch:)?  '?/.*", "", end)) <= 80
    )  # the path of the test's Python is long
    assert re.split(r" {2,}", end.splitlines()[4]) == HEADERS
    assert "xxxxxxx…xxxxxxx" in end
    assert "sonneborn-berger" not in re.sub("Equal points.*?\n\n", "", end, flags=re.DOTALL)
    report, watch = end.splitlines()[-2:]
    assert report == "report: results/cup/report.html, with the games and tables beside it"
    assert re.fullmatch("watch:  .* serve results/cup", watch)
    steps = [line for line in end.splitlines() if line.startswith("  ")]
    words = [shlex.split(step) for step in steps if " -m referee " in step]
    assert [step[3] for step in words] == ["replay", "play", "standings"]
    assert words[1][4:] in (
        ["standoff", "human", "bots/random_bot.py"],
        ["standoff", "human", "bots/random_bot.sh"],
    )
    for step in words:
        result = subprocess.run(step, cwd=cup, input="", capture_output=True, text=True)
        assert result.returncode == 0, (step, result.stderr)
        assert result.stdout


def test_progress_shows_the_time_left_in_80_columns(cup: Path) -> None:
    """The bar has a line of its own."""
    with Terminal(24, 80) as terminal:
        process = terminal.start("run", "cup.yaml", folder=cup)
        shown = terminal.finish(process)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert re.search(r"^12/12 games, [\d.]+ games/s, 0 s left$", plain, re.MULTILINE)
    assert process.returncode == 0


def test_standings_in_a_pipe_have_all_columns(cup: Path) -> None:
    """Also with --quiet and --wide; the path of the games is printed to a log."""
    command = command_line("run", "cup.yaml")
    result = subprocess.run(command, cwd=cup, capture_output=True, text=True)
    assert "Try next" not in result.stdout
    assert "    wins-from-seat-2    faults\n" in result.stdout
    assert "\nRatings: All games\n" in result.stdout
    assert result.stderr.endswith(
        "\nthe games are in results/cup/games.jsonl, the tables beside them\n"
    )
    assert at_terminal(cup, "run", "cup.yaml", "--quiet") == result.stdout
    wide = at_terminal(cup, "run", "cup.yaml", "--wide")
    assert result.stdout in wide
    assert "\nTry next:\n" in wide
    boards = at_terminal(cup, "run", "cup.yaml", "--boards")
    assert "\nlockdown-5x6\n\nrank  bot " in boards


def test_next_steps_name_sizes_and_built_bots(cup: Path) -> None:
    """A board of another size is named with it; a built bot where it was built."""
    text = CUP.format("built", "human-like").replace("standoff, ", "")
    text = text.replace("dir: bots,", "dir: bots, build: cp random_bot.py made.py,")
    text = text.replace("python3 random_bot.py", "python3 made.py")
    text = text.replace("command: bots/random_bot.sh", "env: {A: b}, command: bots/random_bot.sh")
    (cup / "cup.yaml").write_text(text)
    shown = at_terminal(cup, "run", "cup.yaml")
    assert shown.startswith("Cup: 6 games to play; building built and starting each of 3 bots once")
    (step,) = re.findall(r"  (.* -m referee play lockdown .*)", shown)
    assert re.search(r"human results/cup/bots/built/\w+/made.py --rows 5 --cols 6$", step)
    result = subprocess.run(shlex.split(step), cwd=cup, input="", capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    # Running it again plays nothing, and ends in the same way.
    again = at_terminal(cup, "run", "cup.yaml")
    assert again.startswith("all 6 games were played before\n")
    assert again.endswith(shown[shown.index("Try next:") :])


def test_the_path_of_the_report_is_a_link_where_the_terminal_has_links(cup: Path) -> None:
    """With the name of the host, so that a terminal elsewhere does not look for the file."""
    with Terminal(24, 80) as terminal:
        process = terminal.start(
            "run", "cup.yaml", folder=cup, environment={"FORCE_HYPERLINK": "1"}
        )
        terminal.finish(process)
        report = "report: results/cup/report.html, with the games and tables beside it"
        assert report in terminal.screen.lines
        path = quote(str(cup / "results" / "cup" / "report.html"))
        assert terminal.screen.links == {
            "results/cup/report.html": f"file://{os.uname().nodename}{path}"
        }
        assert Path(unquote(path)).exists()


def test_overview_has_one_row_for_each_long_name(tmp_path: Path) -> None:
    """With any names."""
    pairs = [(one, two) for one in LONG for two in LONG if one != two]
    games = [make_record("standoff", Size(5, 5), pair, 1, seed) for seed, pair in enumerate(pairs)]
    write_tournament(tmp_path / "cup", games)
    shown = at_terminal(tmp_path, "standings", "cup")
    assert widest(shown) <= 80
    assert len(re.findall(r"^ +\d  a+…a+\d ", shown, re.MULTILINE)) == 3


@pytest.mark.parametrize("kind", ["swiss", "knockout"])
def test_rounds_fit_80_columns(tmp_path: Path, kind: str) -> None:
    """However long the names are; a remark that does not fit stands below its match."""
    bots = "".join(
        f"  - {{name: {'b' * 31}{number}, command: {ROOT / 'bots' / 'random_bot.sh'}}}\n"
        for number in range(4)
    )
    settings = f"name: Cup\nvariant: standoff\nformat: {kind}\nencounters: 1\nsandbox: none\n"
    rounds = "rounds: 2\n" if kind == "swiss" else ""
    (tmp_path / "cup.yaml").write_text(
        f"{settings}{rounds}per_move: 60s\nstartup: 60s\nbots:\n{bots}"
    )
    shown = at_terminal(tmp_path, "run", "cup.yaml")
    end = shown[shown.rindex("Cup: ") : shown.index("Try next:")]
    assert widest(end) <= 80
    assert re.search(r"^    b+…b+\d  +[\d.]+ : [\d.]+ +b+…b+\d$", end, re.MULTILINE)
