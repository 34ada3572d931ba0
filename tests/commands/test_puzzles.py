"""`referee puzzles`: positions with one winning move, from analysed games."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from referee.analysis.puzzles import Puzzle, find_puzzles
from referee.analysis.solver import Solver
from referee.commands.puzzles import puzzle_games
from referee.commands.results_folder import open_results
from referee.records.analysis_file import AnalysisIndex
from referee.rules import canonical_board
from tests.conftest import Referee
from tests.support.analysed_games import games, write_analysed
from tests.support.report_games import write_tournament


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_analysed(tmp_path_factory.mktemp("puzzles") / "cup")


def puzzles_of(folder: Path) -> list[Puzzle]:
    """The puzzles of a folder, as the command finds them."""
    manifest, file = open_results(folder)
    with closing(AnalysisIndex(folder)) as index:
        return find_puzzles(puzzle_games(manifest, file, index, {}))


def test_puzzles_are_distinct_and_have_one_winning_move(cup: Path) -> None:
    """The solver agrees; no two are images of each other; the hardest come first."""
    found = puzzles_of(cup)
    assert len(found) > 10
    keys = set()
    for puzzle in found:
        verdict = Solver(puzzle.rules).solve(puzzle.state)
        assert verdict.winning == [puzzle.answer]
        assert 0 <= puzzle.missed <= puzzle.seen
        board = canonical_board(puzzle.rules.board(puzzle.state), puzzle.rules.symmetries())
        keys.add((puzzle.board, puzzle.seat, board))
    assert len(keys) == len(found)
    order = [puzzle.hardness for puzzle in found]
    assert order == sorted(order, reverse=True)


def test_puzzles_prints_answers_only_with_the_option(cup: Path) -> None:
    """Within 80 columns; the answers are at the end."""
    plain = Referee(cup)("puzzles", ".", "--count", "3").stdout
    assert len(re.findall(r"^\d\. .*One of \d+ moves wins\.$", plain, re.MULTILINE)) == 3
    assert "Answers:" not in plain
    assert max(map(len, plain.splitlines())) <= 80
    answers = Referee(cup)("puzzles", ".", "--count", "3", "--answers").stdout.split("Answers:")[1]
    shown = [line.split()[1] for line in answers.strip().splitlines()]
    assert shown == [puzzle.answer for puzzle in puzzles_of(cup)[:3]]


def test_puzzles_refuses_wrong_arguments_in_a_sentence(cup: Path, tmp_path: Path) -> None:
    """No games, no analysis, an analysis of another version or of other games."""
    other = write_tournament(tmp_path / "other", games(1))
    result = Referee(tmp_path)("puzzles", "nothing")
    assert (result.returncode, result.stdout) == (2, "")
    assert "there are no games in nothing" in result.stderr
    result = Referee(tmp_path)("puzzles", "other")
    assert result.returncode == 2
    assert "are not analysed: `referee analyse other`" in result.stderr
    text = (cup / "analysis.jsonl").read_text()
    (other / "analysis.jsonl").write_text(text.replace('"solver":1', '"solver":999'))
    result = Referee(tmp_path)("puzzles", "other")
    assert result.returncode == 2
    assert "another version" in result.stderr
    assert "Traceback" not in result.stderr
    result = Referee(cup)("puzzles", ".", "--count", "0")
    assert result.returncode == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [('"winning":["', '"winning":["\\u001b[2J;'), ('"seats":"12', '"seats":"71')],
    ids=["moves", "seats"],
)
def test_an_edited_analysis_does_no_harm(cup: Path, tmp_path: Path, old: str, new: str) -> None:
    """Whatever is in the file, there is no traceback, and no control character on a terminal."""
    folder = write_tournament(tmp_path / "cup", games())
    text = (cup / "analysis.jsonl").read_text().replace(old, new)
    (folder / "analysis.jsonl").write_text(text[:-40])
    game = games()[0]["id"]
    for words in (["puzzles", "cup", "--answers"], ["replay", "cup", game], ["report", "cup"]):
        result = Referee(tmp_path)(*words)
        assert result.returncode in (0, 2)
        assert "Traceback" not in result.stderr
        assert "\x1b" not in result.stdout + result.stderr
