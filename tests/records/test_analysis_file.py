"""analysis.jsonl: derived from the ledger, read as untrusted data, and appended without loss."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from referee.analysis.game_analysis import GameAnalysis, PlyAnalysis
from referee.analysis.solver import VERSION
from referee.analysis.verdict import Value
from referee.errors import InputError, OutsideError
from referee.records.analysis_file import (
    FILE,
    AnalysisIndex,
    AnalysisStore,
    StoredAnalysis,
    hash_moves,
    read_line,
)

MOVES = ["1,1", "2,2"]
PROVEN = GameAnalysis(
    (
        PlyAnalysis(1, Value.WON, 9, ("1,1", "3,3"), (), 3),
        PlyAnalysis(2, Value.LOST, 4),
    )
)
OPEN = GameAnalysis((PlyAnalysis(1, Value.UNPROVED, 9, (), ("1,1", "1,2")), PROVEN.plies[1]))
NODES = 1_000


def stored(
    game_id: str = "a", analysis: GameAnalysis = PROVEN, nodes: int = NODES
) -> StoredAnalysis:
    return StoredAnalysis(game_id, hash_moves(MOVES), VERSION, nodes, None, analysis)


def write(folder: Path, *analyses: StoredAnalysis) -> None:
    with AnalysisStore(folder) as store:
        store.add(analyses)


@pytest.mark.parametrize("analysis", [PROVEN, OPEN, GameAnalysis(())])
def test_a_line_is_read_as_it_was_written(analysis: GameAnalysis) -> None:
    """One object per line, with what a report needs."""
    one = replace(stored(analysis=analysis), budget_ms=2_000)
    line = one.to_line()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert read_line(line) == one
    content = json.loads(line)
    assert (content["solver"], content["nodes"], content["budget_ms"]) == (VERSION, NODES, 2_000)


@pytest.mark.parametrize(
    "line",
    [b"\n", b"x\n", b"{}\n", b"[1]\n", b"null\n", b"\xff\xfe\n", b'{"schema":2}\n', b"[" * 100_000],
)
def test_anything_else_is_no_analysis(line: bytes) -> None:
    """It is refused as a whole."""
    with pytest.raises(ValueError, match=r".*"):
        read_line(line)


def test_values_of_a_wrong_kind_are_no_analysis() -> None:
    """Each key is checked."""
    content = json.loads(stored().to_line())
    for key, wrong in [
        ("seats", "1"),
        ("values", ["won", "happy"]),
        ("winning", [1, 2]),
        ("moves", None),
        ("legal", None),
    ]:
        line = json.dumps({**content, key: wrong}).encode()
        if key == "moves":
            assert read_line(line).moves_hash is None  # belongs to no game
        else:
            with pytest.raises(ValueError, match=r".*"):
                read_line(line)


def test_an_analysis_is_found_by_id_and_moves(tmp_path: Path) -> None:
    """One of other moves, as after a game that was played again, is not used."""
    write(tmp_path, stored("a"), stored("b", OPEN))
    index = AnalysisIndex(tmp_path)
    assert index.get("a", MOVES) == PROVEN
    assert index.get("b", MOVES) == OPEN
    assert index.get("a", ["1,1"]) is None
    assert index.get("c", MOVES) is None
    assert index.has("a", MOVES, NODES, None)
    assert not index.has("a", ["1,1"], NODES, None)
    index.close()


def test_another_budget_is_for_what_is_unproved(tmp_path: Path) -> None:
    """Proofs are kept; the rest is analysed again."""
    write(tmp_path, stored("a"), stored("b", OPEN))
    index = AnalysisIndex(tmp_path)
    assert index.has("a", MOVES, 2 * NODES, None)
    assert index.has("b", MOVES, NODES, None)
    assert not index.has("b", MOVES, 2 * NODES, None)
    assert not index.has("b", MOVES, NODES, 50)


def test_another_version_of_the_solver_is_not_used(tmp_path: Path) -> None:
    """Its proofs may have been wrong."""
    write(tmp_path, replace(stored(), solver=VERSION + 1))
    index = AnalysisIndex(tmp_path)
    assert index.get("a", MOVES) is None
    assert not index.has("a", MOVES, NODES, None)


def test_the_later_of_two_counts_and_the_other_is_removed(tmp_path: Path) -> None:
    """So is what belongs to no game; the file is replaced whole."""
    write(tmp_path, stored("a", OPEN), stored("gone"), stored("b"), stored("a", nodes=5))
    with AnalysisStore(tmp_path) as store:
        assert store.get("a", MOVES) == PROVEN
        store.remove_stale({"a", "b", "c"})
        assert store.get("a", MOVES) == PROVEN
        store.add([stored("c")])
        assert store.get("c", MOVES) == PROVEN
    lines = (tmp_path / FILE).read_bytes().splitlines(keepends=True)
    assert sorted(read_line(line).id for line in lines) == ["a", "b", "c"]


def test_a_file_without_stale_lines_is_left_as_it_is(tmp_path: Path) -> None:
    """No line is written again."""
    write(tmp_path, stored("a"), stored("b"))
    before = (tmp_path / FILE).stat().st_ino
    with AnalysisStore(tmp_path) as store:
        store.remove_stale({"a", "b"})
    assert (tmp_path / FILE).stat().st_ino == before


@pytest.mark.parametrize("cut", [1, 10, 100])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, cut: int) -> None:
    """With a warning; what is before it is kept, and what comes after it is readable."""
    write(tmp_path, stored("a"), stored("b"))
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes()[:-cut])
    reader = AnalysisIndex(tmp_path)
    assert reader.get("a", MOVES) == PROVEN
    assert reader.get("b", MOVES) is None
    with AnalysisStore(tmp_path) as store:
        assert "was torn" in store.warnings[0]
        store.add([stored("c")])
        assert [store.has(name, MOVES, NODES, None) for name in "abc"] == [True, False, True]
    assert AnalysisStore(tmp_path).warnings == []


def test_a_line_that_cannot_be_read_costs_its_game_alone(tmp_path: Path) -> None:
    """The others are used, and the line is removed when all games are analysed."""
    write(tmp_path, stored("a"))
    with (tmp_path / FILE).open("ab") as file:
        file.write(b"rubbish\n" + stored("b").to_line())
    with AnalysisStore(tmp_path) as store:
        assert "1 line of" in store.warnings[0]
        assert store.get("a", MOVES) == store.get("b", MOVES) == PROVEN
        store.remove_stale({"a", "b"})
    assert b"rubbish" not in (tmp_path / FILE).read_bytes()


def test_a_folder_is_for_one_analysis_at_a_time(tmp_path: Path) -> None:
    """The second gets a sentence; readers are not blocked."""
    with AnalysisStore(tmp_path) as store:
        store.add([stored()])
        with pytest.raises(InputError, match="another analysis uses"):
            AnalysisStore(tmp_path)
        assert AnalysisIndex(tmp_path).get("a", MOVES) == PROVEN


def test_a_folder_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    """A sentence that names it."""
    with pytest.raises(InputError, match="cannot be written"):
        AnalysisStore(tmp_path / "missing")
    (tmp_path / FILE).mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        AnalysisStore(tmp_path)


def test_a_full_disk_loses_nothing_that_was_written(tmp_path: Path) -> None:
    """The file ends with the last complete line."""
    write(tmp_path, stored("a"))
    before = (tmp_path / FILE).read_bytes()
    with AnalysisStore(tmp_path) as store:
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, store._output)
        os.close(full)
        with pytest.raises(OutsideError, match="analysed before is kept"):
            store.add([stored("b")])
    assert (tmp_path / FILE).read_bytes() == before


def test_no_file_is_no_analysis(tmp_path: Path) -> None:
    """As in every tournament that was not analysed."""
    index = AnalysisIndex(tmp_path)
    assert index.get("a", MOVES) is None
    index.close()
