"""Results folders from other people: nothing in them is executed or printed raw."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from referee.rules.grid import Size
from tests.conftest import ROOT, Referee
from tests.support.report_games import TICTACTOE, embedded, make_record
from tests.support.terminals import Terminal

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202e\ud800"
COMMANDS = [
    ["standings", "."],
    ["standings", ".", "--format", "csv"],
    ["standings", ".", "--format", "github", "--crosstable"],
    ["standings", ".", "--format", "json"],
    ["standings", ".", "--ratings"],
    ["standings", ".", "--variant", "nothing"],
    ["standings", ".", "--boards", "--wide"],
    ["games", "."],
    ["games", ".", "--bot", "nothing"],
    ["games", ".", "--variant", "nothing"],
    ["games", ".", "--reason", "nothing"],
    ["games", ".", "--fault"],
    ["report", "."],
    ["replay", ".", "{id}"],
    ["replay", ".", "nothing"],
    ["share", ".", "{id}", "-o", "shared.html"],
    ["share", ".", "{id}", "--svg", "-o", "shared.svg"],
    ["turn", ".", "{id}", "3"],
    ["turn", ".", "nothing", "3"],
]


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """Write a file that leaves a trace if it is executed."""
    path = tmp_path / "trap.py"
    text = TICTACTOE.read_text()
    path.write_text(f"{text}\nopen({str(tmp_path / 'pwned')!r}, 'w')\n")
    return path


def write_results(folder: Path, trap: Path, bots: Sequence[str], id: str | None = None) -> str:
    """Write results that name the trap in place of a variant; return the id of their game."""
    record = make_record(str(TICTACTOE), Size(3, 3), (bots[0], bots[1]), 1, 1)
    record |= {"id": id or record["id"], "info": [[1, 1, "hello"]], "seed": 1}
    board = f"{record['variant']}-3x3"
    manifest = {"name": "Cup", "bots": list(bots), "boards": {board: str(trap)}, "notes": []}
    (folder / "games.jsonl").write_text(json.dumps(record) + "\n")
    (folder / "tournament.json").write_text(json.dumps(manifest))
    return str(record["id"])


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_files_named_by_results_are_not_executed(
    referee: Referee, tmp_path: Path, trap: Path, words: list[str]
) -> None:
    """By no command that reads them."""
    id = write_results(tmp_path, trap, ["alpha", "beta"])
    result = referee(*(word.format(id=id) for word in words))
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "pwned").exists()


def test_variant_named_like_a_file_is_not_executed(
    referee: Referee, tmp_path: Path, trap: Path
) -> None:
    """The record itself names it."""
    id = write_results(tmp_path, trap, ["alpha", "beta"])
    record = json.loads((tmp_path / "games.jsonl").read_text()) | {"variant": str(trap)}
    (tmp_path / "games.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "tournament.json").unlink()
    for command in (["replay", ".", id], ["turn", ".", id, "3"], ["report", "."]):
        assert "Traceback" not in referee(*command).stderr
    assert not (tmp_path / "pwned").exists()


def test_variant_file_named_by_the_user_is_executed(
    referee: Referee, tmp_path: Path, trap: Path
) -> None:
    """Without it each command names what is missing."""
    id = write_results(tmp_path, trap, ["alpha", "beta"])
    assert "--variant-file" in referee.refuse("turn", ".", id, "3")
    page = tmp_path / "report.html"
    assert referee("report", ".").returncode == 0
    assert "the rules of tictactoe are not installed here" in page.read_text()
    assert "boards" not in embedded(page.read_text())["games"][0][-1]
    assert referee("report", ".", "--variant-file", "trap.py").returncode == 0
    assert "are not installed here" not in page.read_text()
    assert "boards" in embedded(page.read_text())["games"][0][-1]
    (tmp_path / "pwned").unlink()
    turn = referee("turn", ".", id, "3", "--variant-file", "trap.py")
    assert (turn.returncode, turn.stdout.count("turn ply=3")) == (0, 1)
    assert (tmp_path / "pwned").exists()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_names_are_printed_escaped(
    referee: Referee, tmp_path: Path, trap: Path, words: list[str]
) -> None:
    """Of bots and games, and their texts."""
    write_results(tmp_path, trap, [f"a{ESCAPES}", f"b\n{ESCAPES}"], f"id{ESCAPES}")
    record = json.loads((tmp_path / "games.jsonl").read_text())
    record |= {"info": [[1, 1, ESCAPES]], "reason": f"goal{ESCAPES}", "variant": f"game{ESCAPES}"}
    record |= {"fault": {"seat": 1, "reason": f"x{ESCAPES}", "detail": ESCAPES}}
    manifest = json.loads((tmp_path / "tournament.json").read_text())
    manifest["boards"] = {f"game{ESCAPES}-3x3": "none"}
    (tmp_path / "games.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "tournament.json").write_text(json.dumps(manifest))
    # No command line can hold such an id: the one game is asked for by one that is like it.
    plain = [word.format(id="id") for word in words]
    result = referee(*plain, encoding="utf-8", errors="surrogateescape")
    assert "Traceback" not in result.stderr
    shown = result.stdout + result.stderr
    assert {letter for letter in shown if not letter.isprintable()} <= {"\n"}


def test_replay_escapes_names_texts_and_reasons(
    referee: Referee, tmp_path: Path, trap: Path
) -> None:
    """A line end in a name makes no line."""
    named = ESCAPES.removesuffix("\ud800")  # which no argument can hold
    id = write_results(tmp_path, trap, [f"a{named}", f"b\n{named}"])
    record = json.loads((tmp_path / "games.jsonl").read_text())
    record |= {"info": [[1, 1, f"hello\n{ESCAPES}"]], "reason": f"goal{ESCAPES}"}
    (tmp_path / "games.jsonl").write_text(json.dumps(record) + "\n")
    result = referee("replay", ".", id, encoding="utf-8", errors="surrogateescape")
    assert result.returncode == 0, result.stderr
    assert {letter for letter in result.stdout if not letter.isprintable()} == {"\n"}
    assert "hello\\n\\x1b]0;owned" in result.stdout
    assert "b\\n\\x1b" in result.stdout


SHOWN = [
    ["standings", "."],
    ["standings", ".", "--boards", "--wide"],
    ["standings", ".", "--ratings"],
    ["standings", ".", "--crosstable"],
    ["games", "."],
    ["games", ".", "--variant", "nothing"],
    ["replay", ".", "{id}", "--all"],
]


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_names_are_printed_escaped_on_a_terminal(
    referee: Referee, tmp_path: Path, trap: Path, words: list[str]
) -> None:
    """Of results that are correct otherwise, and in a pipe as well."""
    named = ESCAPES.removesuffix("\ud800")  # which no argument can hold
    id = write_results(tmp_path, trap, [f"a{named}", f"b\n{named}"])
    plain = [word.format(id=id) for word in words]
    result = referee(*plain, encoding="utf-8", errors="surrogateescape")
    assert "Traceback" not in result.stderr
    assert {letter for letter in result.stdout + result.stderr if not letter.isprintable()} <= {
        "\n"
    }
    with Terminal() as terminal:
        shown = terminal.finish(terminal.start(*plain, folder=tmp_path))
        assert "b\\n" in shown or "nothing" in words  # long names are cut in the middle
        for code in ("\x1b]0;", "\x1b[2J", "\x9b", "\x07", "\u202e"):
            assert code not in shown


def test_report_of_a_local_tournament_uses_its_variant_files(
    referee: Referee, tmp_path: Path
) -> None:
    """The user's file names them."""
    bot = ROOT / "bots" / "random_bot.py"
    (tmp_path / "cup.yaml").write_text(
        f"variant: {TICTACTOE}\nencounters: 1\nopening_plies: 0\n"
        f"bots: [{{name: a, command: {bot}}}, {{name: b, command: {bot}}}]\n"
    )
    assert referee("run", "cup.yaml").returncode == 0
    page = (tmp_path / "results" / "cup" / "report.html").read_text()
    assert "boards" in embedded(page)["games"][0][-1]
