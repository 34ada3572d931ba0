"""Results folders from other people: nothing in them is executed or printed raw."""

import json
import os
import py_compile
from collections.abc import Callable, Sequence
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from referee.errors import InputError, OutsideError
from referee.records.analysis_file import AnalysisStore
from referee.records.store import Store
from referee.report.page import write_page
from referee.rules.grid import Size
from tests.conftest import ROOT, Referee
from tests.support.report_games import TICTACTOE, embedded, identified, make_record
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
    write_results(tmp_path, trap, ["alpha", "beta"])
    record = json.loads((tmp_path / "games.jsonl").read_text())
    record = identified(record, variant=str(trap))  # otherwise valid
    id = record["id"]
    (tmp_path / "games.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "tournament.json").unlink()
    for command in (["replay", ".", id], ["turn", ".", id, "3"], ["report", "."]):
        result = referee(*command)
        assert "Traceback" not in result.stderr
        assert "--variant-file" in result.stderr + result.stdout or command[0] == "report"
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


SPECIAL = {
    "fifo": os.mkfifo,
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "loop": lambda path: path.symlink_to(path.name),
    "nested": lambda path: path.write_text("[" * 100_000 + "\n"),
    "long number": lambda path: path.write_text(f'{{"name": {"9" * 10_000}}}\n'),
    "binary": lambda path: path.write_bytes(bytes(range(256)) + b"\n"),
}
READING = [
    ["standings", "."],
    ["report", "."],
    ["replay", ".", "{id}"],
    ["analyse", ".", "--nodes", "1", "--workers", "1"],
    ["puzzles", "."],
]


@pytest.mark.parametrize("make", SPECIAL.values(), ids=SPECIAL.keys())
@pytest.mark.parametrize("name", ["tournament.json", "games.jsonl", "analysis.jsonl"])
def test_no_command_waits_for_special_files_in_place_of_results(
    referee: Referee, tmp_path: Path, trap: Path, name: str, make: Callable[[Path], object]
) -> None:
    """No command waits for them, and none ends with a traceback."""
    id = write_results(tmp_path, trap, ["alpha", "beta"])
    (tmp_path / name).unlink(missing_ok=True)
    make(tmp_path / name)
    for words in READING:
        result = referee(*(word.format(id=id) for word in words))
        assert "Traceback" not in result.stderr, words
        assert result.returncode in (0, 2), (words, result)


WRONG = {
    "name": 1,
    "bots": [["alpha"], "beta"],
    "boards": {"tictactoe-3x3": None},
    "tie_breaks": ["luck"],
    "disqualify_after": "never",
    "format": ["swiss"],
    "rounds": 10**30,
    "challengers": {},
    "encounters": True,
    "games": -1,
    "notes": [1],
    "sandbox": None,
    "anchor": {"bot": ["alpha"]},
    "settings": [],
    "bot_settings": [],
}


@pytest.mark.parametrize("key", WRONG)
def test_wrong_value_in_the_manifest_is_named_by_its_key(
    referee: Referee, tmp_path: Path, trap: Path, key: str
) -> None:
    """One sentence names the key."""
    write_results(tmp_path, trap, ["alpha", "beta"])
    path = tmp_path / "tournament.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: WRONG[key]}))
    message = referee.refuse("standings", ".", "--ratings")
    assert message == f"tournament.json does not describe a tournament: {key} is wrong"


def test_wrong_board_in_the_manifest_is_rejected(
    referee: Referee, tmp_path: Path, trap: Path
) -> None:
    """The name of a board consists of a variant and a size."""
    write_results(tmp_path, trap, ["alpha", "beta"])
    path = tmp_path / "tournament.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"boards": {"runner": "runner"}}))
    message = referee.refuse("standings", ".", "--variant", "runner")
    assert message == "tournament.json does not describe a tournament: boards is wrong"


def test_analysis_with_an_id_that_is_no_text_is_ignored(
    referee: Referee, tmp_path: Path, trap: Path
) -> None:
    """It is ignored, like other lines that are no analysis."""
    id = write_results(tmp_path, trap, ["alpha", "beta"])
    line = {"schema": 1, "id": [id], "solver": 1, "nodes": 1, "budget_ms": None, "moves": ["x"]}
    line |= {key: [] for key in ("seats", "values", "legal", "winning", "unproved", "plies")}
    (tmp_path / "analysis.jsonl").write_text(json.dumps(line) + "\n")
    result = referee("replay", ".", id, "--variant-file", str(TICTACTOE))
    assert (result.returncode, result.stderr) == (0, "")


def test_compiled_file_beside_a_variant_file_is_not_executed(
    referee: Referee, tmp_path: Path, trap: Path
) -> None:
    """The user names, and has perhaps read, the source."""
    id = write_results(tmp_path, trap, ["alpha", "beta"])
    source, compiled = tmp_path / "game.py", Path(cache_from_source(str(tmp_path / "game.py")))
    source.write_bytes(TICTACTOE.read_bytes())
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(trap), str(compiled), invalidation_mode=unchecked)
    result = referee("turn", ".", id, "3", "--variant-file", "game.py")
    assert (result.returncode, result.stdout.count("turn ply=3")) == (0, 1)
    assert not (tmp_path / "pwned").exists()


def test_nothing_is_written_through_links(tmp_path: Path) -> None:
    """They could lead to any file of the user."""
    folder, target = tmp_path / "results", tmp_path / "target"
    folder.mkdir()
    target.write_text("private")
    for name in (f".report.html.{os.getpid()}.part", "standings.md.part", "games.jsonl.new"):
        (folder / name).symlink_to(target)
    write_page(folder / "report.html", "page")
    (tmp_path / "elsewhere").mkdir()
    (folder / "faults").symlink_to(tmp_path / "elsewhere")
    with Store(folder) as store:
        store.write_text("standings.md", "table")
        store.prepare_drop(lambda record: True)
        with pytest.raises(OutsideError, match="is a link"):
            store.write_text("faults/game.txt", "dossier")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    for name, store_type in (("games.jsonl", Store), ("analysis.jsonl", AnalysisStore)):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
        with pytest.raises(InputError):
            store_type(folder)
    for name, store_type in ((".lock", Store), (".analysis.lock", AnalysisStore)):
        (folder / name).unlink()
        (folder / name).symlink_to(tmp_path / "new")
        with pytest.raises(InputError):
            store_type(folder)
    assert target.read_text() == "private"
    assert not (tmp_path / "new").exists()


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
