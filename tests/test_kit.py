"""`referee.kit`: a bot that is one function."""

import subprocess
import sys
from pathlib import Path

import pytest

from referee import kit
from tests.conftest import ROOT, Referee

GAME = "game protocol=1 id=g1 variant=standoff rows=5 cols=5 origin=1 seat=2 seed=91733"
BOARD = "O..../...../..X../...../....."
TURN = f"turn ply=4 time_ms=4950 opp_ms=4931 moves=3,3;1,1;4,4 board={BOARD} legal=1,2;1,3"


def tell(choose: str, *lines: str) -> subprocess.CompletedProcess[str]:
    """Run a bot whose `choose` has this body, and send it these lines."""
    code = f"from referee.kit import play\ndef choose(turn):\n    {choose}\nplay(choose)\n"
    return subprocess.run(
        [sys.executable, "-c", code],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=120,
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
def test_every_field_is_an_attribute(field: str, value: object) -> None:
    """Numbers are numbers, and lists are lists; the turn's time is not the game's."""
    clock = " time_ms=5000 inc_ms=50"
    result = tell(f"turn.info(repr(turn.{field})); return turn.legal[-1]", GAME + clock, TURN)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"ready\ninfo {value!r}\nmove 1,3\n"


def test_first_turn_and_retry() -> None:
    """No move yet is an empty list; attempts left are a number."""
    turn = TURN.replace("moves=3,3;1,1;4,4", "retry=2 moves=-")
    result = tell("turn.info((turn.moves, turn.retry)); return turn.legal[0]", GAME, turn)
    assert result.stdout == "ready\ninfo ([], 2)\nmove 1,2\n"


def test_several_games_and_the_unknown() -> None:
    """A new game replaces the last one; verbs and keys that are not known do no harm."""
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


def test_unknown_fields_can_be_read() -> None:
    """What the protocol will say one day is there as text."""
    turn = TURN.replace("turn ", "turn colour=red ")
    result = tell("turn.info(turn.fields['colour']); return 'resign'", GAME, turn)
    assert result.stdout == "ready\ninfo red\nresign\n"


def test_prints_are_no_answers() -> None:
    """Debugging text cannot break the protocol; a note of several lines stays a note."""
    result = tell("print('hm'); turn.info('a\\nb'); return '1,2'", GAME, TURN)
    assert result.stdout == "ready\ninfo a\ninfo b\nmove 1,2\n"
    assert result.stderr == "hm\n"


def test_an_exception_is_shown() -> None:
    """The traceback is on standard error, and the bot ends with status 1 and no answer."""
    result = tell("return turn.legal[99]", GAME, TURN, TURN)
    assert (result.returncode, result.stdout) == (1, "ready\n")
    assert result.stderr.startswith("Traceback ")
    assert result.stderr.endswith("IndexError: list index out of range\n")


def test_it_plays(referee: Referee, tmp_path: Path) -> None:
    """The bot of the module's own documentation wins or loses a game by the rules."""
    code = kit.__doc__.split("\n\n", 1)[1].rpartition("\n\n")[0]
    (tmp_path / "bot.py").write_text("\n".join(line[4:] for line in code.splitlines()))
    for seats in (("bot.py", str(ROOT / "bots" / "greedy.py")), ("bot.py", "bot.py")):
        result = referee("play", "standoff", *seats, "--quiet")
        assert (result.returncode, result.stderr) == (0, "")
        assert " has no valid move, " in result.stdout


def test_it_imports_next_to_nothing() -> None:
    """A bot that uses it starts as fast as one that does not."""
    code = "import sys; old = set(sys.modules); import referee.kit; print(*set(sys.modules) - old)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert set(result.stdout.split()) <= {"__future__", "referee", "referee.kit"}
