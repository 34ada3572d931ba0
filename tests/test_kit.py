"""`referee.kit`: a bot that is one function."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from referee import __version__, kit
from referee.bots.command import Command
from referee.bots.supervised import run_supervised
from referee.sandbox.limits import ResourceLimits
from referee.sandbox.probe import CHOICES
from referee.sandbox.rungs import FOR_BOTS, NONE
from tests.conftest import ROOT, Referee
from tests.end_to_end.test_run import Cup
from tests.hostile.world import PYTHON, rung_called
from tests.support.processes import PATIENCE_SECONDS

GAME = "game protocol=1 id=g1 variant=standoff rows=5 cols=5 origin=1 seat=2 seed=91733"
BOARD = "O..../...../..X../...../....."
TURN = f"turn ply=4 time_ms=4950 opp_ms=4931 moves=3,3;1,1;4,4 board={BOARD} legal=1,2;1,3"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that every user can reach: bots of root run as another one."""
    with TemporaryDirectory(prefix="kit-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def tell(choose: str, *lines: str) -> subprocess.CompletedProcess[str]:
    """Run a bot whose `choose` has this body, and send it these lines."""
    code = f"from referee.kit import play\ndef choose(turn):\n    {choose}\nplay(choose)\n"
    return subprocess.run(
        [sys.executable, "-c", code],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "g1"),
        ("variant", "standoff"),
        ("rows", 5),
        ("cols", 5),
        ("origin", 1),
        ("seat", 2),
        ("seed", 91733),
        ("ply", 4),
        ("time_ms", 4950),
        ("opp_ms", 4931),
        ("inc_ms", 50),
        ("retry", 0),
        ("moves", ["3,3", "1,1", "4,4"]),
        ("board", BOARD),
        ("board_rows", ["O....", ".....", "..X..", ".....", "....."]),
        ("legal", ["1,2", "1,3"]),
    ],
)
def test_kit_turn_has_an_attribute_for_every_field(field: str, value: object) -> None:
    """Numbers are numbers, and lists are lists; the turn's time is not the game's."""
    clock = " time_ms=5000 inc_ms=50"
    result = tell(f"turn.info(repr(turn.{field})); return turn.legal[-1]", GAME + clock, TURN)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"ready\ninfo {value!r}\nmove 1,3\n"


def test_kit_turn_without_moves_and_with_retry() -> None:
    """An empty list of moves; attempts left are a number."""
    turn = TURN.replace("moves=3,3;1,1;4,4", "retry=2 moves=-")
    result = tell("turn.info((turn.moves, turn.retry)); return turn.legal[0]", GAME, turn)
    assert result.stdout == "ready\ninfo ([], 2)\nmove 1,2\n"


def test_kit_ignores_unknown_verbs_and_keys() -> None:
    """In several games."""
    lines = (
        "",
        "hello",
        f"{GAME} colour=blue flag",
        f"{TURN[:4]} new=1 a=b=c{TURN[4:]}",
        "end x=1",
    )
    again = (GAME.replace("seat=2", "seat=1"), TURN, "weather rain=1", "quit", GAME)
    result = tell("turn.info(turn.seat); return turn.legal[0]", *lines, *again)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "ready\ninfo 2\nmove 1,2\nready\ninfo 1\nmove 1,2\n"


def test_kit_offers_unknown_fields_as_text() -> None:
    """For later versions of the protocol."""
    turn = TURN.replace("turn ", "turn colour=red ")
    result = tell("turn.info(turn.fields['colour']); return 'resign'", GAME, turn)
    assert result.stdout == "ready\ninfo red\nresign\n"


def test_kit_sends_prints_to_standard_error() -> None:
    """Debugging output cannot break the protocol; a note of several lines stays a note."""
    result = tell("print('hm'); turn.info('a\\nb'); return '1,2'", GAME, TURN)
    assert result.stdout == "ready\ninfo a\ninfo b\nmove 1,2\n"
    assert result.stderr == "hm\n"


def test_kit_prints_the_traceback_and_exits_with_status_1() -> None:
    """On standard error, and without an answer."""
    result = tell("return turn.legal[99]", GAME, TURN, TURN)
    assert (result.returncode, result.stdout) == (1, "ready\n")
    assert result.stderr.startswith("Traceback ")
    assert result.stderr.endswith("IndexError: list index out of range\n")


def test_kit_example_plays_a_game(referee: Referee, tmp_path: Path) -> None:
    """The bot of the module's documentation."""
    code = kit.__doc__.split("\n\n", 1)[1].rpartition("\n\n")[0]
    (tmp_path / "bot.py").write_text("\n".join(line[4:] for line in code.splitlines()))
    for seats in (("bot.py", str(ROOT / "bots" / "greedy.py")), ("bot.py", "bot.py")):
        result = referee("play", "standoff", *seats, "--quiet")
        assert (result.returncode, result.stderr) == (0, "")
        assert " has no valid move, " in result.stdout


def test_kit_imports_few_modules() -> None:
    """A bot that uses it starts as fast as one that does not."""
    code = "import sys; old = set(sys.modules); import referee.kit; print(*set(sys.modules) - old)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    code_of_kit = ("referee.for_bots", "referee.for_bots.referee", "referee.for_bots.referee.kit")
    allowed = {"__future__", "referee", "referee.kit", *code_of_kit}
    assert set(result.stdout.split()) <= allowed


@pytest.mark.parametrize("rung", CHOICES[1:])
def test_kit_is_available_to_a_python_without_the_package(
    folder: Path, monkeypatch: pytest.MonkeyPatch, rung: str
) -> None:
    """`python3` is the system's here, as in a tournament without a virtual environment."""
    rung_called(rung)
    cup = Cup(folder, Referee(folder))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    without = subprocess.run([PYTHON, "-c", "import referee"], cwd=cup.folder, stderr=-1)
    assert b"ModuleNotFoundError" in without.stderr
    (cup.folder / "bot.py").write_text(
        "from referee.kit import play\nplay(lambda turn: turn.legal[0])\n"
    )
    bots = [{"name": name, "command": "python3 bot.py"} for name in ("one", "two")]
    cup.write(variants=["lockdown"], bots=bots)
    cup.run("--sandbox", rung)
    assert [record["fault"] for record in cup.records()] == [None] * 4
    check = cup.referee("check", "python3 bot.py", "--sandbox", rung)
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.mark.parametrize("rung", CHOICES[1:])
@pytest.mark.parametrize("own", ["colours", "referee"])
def test_bot_python_path_precedes_the_kit(folder: Path, rung: str, own: str) -> None:
    """Even a package `referee` of its own."""
    (folder / "lib" / own).mkdir(parents=True)
    (folder / "lib" / own / "__init__.py").write_text("")
    (folder / "bot.py").write_text(
        f"import {own}\nprint({own}.__file__)\n"
        "import referee.kit\nprint(referee.kit.play.__name__)\n"
    )
    variables = {"PYTHONPATH": str(folder / "lib")}
    command = Command((PYTHON, "-B", "bot.py"), folder, variables)
    completed = run_supervised(rung_called(rung).confine(command, ResourceLimits(), [folder]), 60)
    assert completed.lines[0] == str(folder / "lib" / own / "__init__.py")
    assert (completed.lines[1:] == ["play"]) == (own == "colours")


@pytest.mark.parametrize("rung", CHOICES[1:])
def test_user_python_path_applies_without_isolation_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch, rung: str
) -> None:
    """Bots have the user's rights there; in a sandbox it is not set."""
    (folder / "colours.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    command = Command((PYTHON, "-B", "-c", "import referee.kit, colours"), Path("/"))
    completed = run_supervised(rung_called(rung).confine(command, ResourceLimits(), [folder]), 60)
    assert completed.succeeded == (rung == NONE), completed.lines


def test_installed_package_precedes_the_kit(tmp_path: Path) -> None:
    """A bot whose Python has the package can use all of it."""
    code = "import referee.rules, referee.kit; print(referee.__version__)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(FOR_BOTS)},
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stdout) == (0, f"{__version__}\n"), result.stderr
