"""Ratings as tables, CSV and JSON, as `referee standings --ratings` prints them."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from referee.ratings.encounter_table import GameResult, tally_games
from referee.ratings.ratings import RatingRow, rate
from referee.scoring.rating_tables import (
    boards_table,
    elo_and_error_text,
    elo_text,
    expected_table,
    ranks_text,
    ratings_table,
    superiority_text,
)
from referee.text import signed
from tests.conftest import Referee
from tests.support.report_games import make_tournament, write_tournament


def row(elo: float | None, low: float | None, high: float | None) -> RatingRow:
    return RatingRow("a", elo, low, high, (2, 4), 97.2, None, 10, 10, None)


@pytest.mark.parametrize(
    ("rating", "text", "with_error"),
    [
        (row(80.4, 20.2, 140.6), "+80", "+80 ± 60"),
        (row(-0.4, -60.4, 59.6), "0", "0 ± 60"),
        (row(None, 310.2, None), "at least +310", "at least +310"),
        (row(None, None, -310.2), "at most -310", "at most -310"),
        (row(None, None, None), "-", "-"),
    ],
)
def test_ratings_are_numbers_or_bounds(rating: RatingRow, text: str, with_error: str) -> None:
    """A bot that won everything has no bars, and zero has no sign."""
    assert (elo_text(rating), elo_and_error_text(rating)) == (text, with_error)


@pytest.mark.parametrize(
    ("percent", "text"),
    [(None, "-"), (50.0, "-"), (50.4, "-"), (50.6, "51 %"), (97.2, "97 %"), (99.9, "over 99 %")],
)
def test_superiority_of_equals_is_none(percent: float | None, text: str) -> None:
    """50 % is not better, and nothing is certain."""
    assert superiority_text(percent) == text


def test_ranks_are_numbers_or_ranges_and_zero_has_no_sign() -> None:
    """A single rank, a range, and none."""
    assert [ranks_text(ranks) for ranks in ((1, 1), (2, 4), None)] == ["1", "2-4", "-"]
    assert [signed(number) for number in (-0.4, 0.4, 12.6, -12.6)] == ["0", "0", "+13", "-13"]


def games(*results: str) -> list[GameResult]:
    """`ab`: a won; each pair of bots plays from both seats in turn."""
    found = []
    for number, (winner, loser) in enumerate(results):
        seats = (winner, loser) if number % 2 else (loser, winner)
        score = (1.0, 0.0) if number % 2 else (0.0, 1.0)
        found.append(GameResult(*seats, "game", number // 2, score, number))
    return found


def test_the_table_has_one_row_per_bot_and_no_sentence_per_pair() -> None:
    """Superiority is a column. c is level with b, and the prior draws it towards 0."""
    headers, rows = ratings_table(rate(tally_games(games(*["ab", "ab", "ba", "bc", "cb"] * 6))))
    assert headers[:6] == ["rank", "bot", "Elo", "95 % from", "to", "better than next"]
    assert [cells[1] for cells in rows] == ["a", "c", "b"]
    assert rows[-1][5] == "-"


def test_the_matrix_of_expected_scores_is_antisymmetric() -> None:
    """Shares of two bots add up to 100, surpluses to 0; a cycle shows."""
    cycle = games(*["ab"] * 16, *["bc"] * 16, *["ca"] * 16, *["ba", "cb", "ac"] * 4)
    headers, rows = expected_table(rate(tally_games(cycle)))
    assert headers == ["bot", "a", "b", "c"]
    assert rows == [
        ["a", "", "50 (+30)", "50 (-30)"],
        ["b", "50 (-30)", "", "50 (+30)"],
        ["c", "50 (+30)", "50 (-30)", ""],
    ]


def test_boards_stand_side_by_side() -> None:
    """A bot without games on a board has none there."""
    found = rate(tally_games(games(*["ab", "ba"] * 10)))
    few = rate(tally_games(games(*["ab", "ba"] * 5), "a"))
    few = type(few)(few.variant, few.rows[:1], (), ())
    parts: list[tuple[str, str | None]] = [("All games", None), ("game", "game")]
    headers, rows = boards_table({None: found, "game": few}, parts)
    assert headers == ["bot", "Rank", "Better than next", "All games", "game"]
    assert [(cells[0], cells[1], cells[-1] == "-") for cells in rows] == [
        ("a", "1-2", False),
        ("b", "1-2", True),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The results of a tournament of three bots on six boards."""
    return write_tournament(tmp_path / "cup", make_tournament())


def test_csv_has_numbers_and_maximum_likelihood(folder: Path, referee: Referee) -> None:
    """One row per bot and board, with the number that has no prior."""
    found = referee("standings", str(folder), "--ratings", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    assert len(rows) == 3 * 7
    overall = [one for one in rows if one["board"] == "All games"]
    assert sum(float(one["elo"]) for one in overall) == pytest.approx(0, abs=0.2)
    assert sum(float(one["maximum_likelihood"]) for one in overall) == pytest.approx(0, abs=0.2)
    for one in overall:
        assert float(one["low"]) < float(one["elo"]) < float(one["high"])
        assert 1 <= int(one["rank_from"]) <= int(one["rank_to"]) <= 3


def ratings_of(folder: Path, referee: Referee, *words: str) -> dict[str, Any]:
    found = referee("standings", str(folder), "--ratings", "--format", "json", *words)
    rows = json.loads(found.stdout)["overall"]["ratings"]["rows"]
    return {one["bot"]: one for one in rows}


def test_an_anchor_of_the_command_line_fixes_the_scale(folder: Path, referee: Referee) -> None:
    """At 0 or at a rating; differences of bots stay as they are."""
    plain, anchored = ratings_of(folder, referee), ratings_of(folder, referee, "--anchor", "shaky")
    assert anchored["shaky"]["elo"] == 0
    assert anchored["greedy"]["elo"] == pytest.approx(
        plain["greedy"]["elo"] - plain["shaky"]["elo"], abs=0.2
    )
    high = ratings_of(folder, referee, "--anchor", "shaky", "1500")
    assert high["shaky"]["elo"] == 1500
    assert high["greedy"]["elo"] == pytest.approx(anchored["greedy"]["elo"] + 1500, abs=0.2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["shakey"], "there is no bot 'shakey': did you mean shaky?"),
        (["shaky", "high"], "--anchor shaky high: the rating is not a number"),
        (["shaky", "1e9"], "at most 10000 are possible"),
        (["shaky", "1", "2"], "expected a bot and at most one rating"),
    ],
)
def test_wrong_anchors_are_refused(
    folder: Path, referee: Referee, words: list[str], message: str
) -> None:
    """With one sentence."""
    assert message in referee.refuse("standings", str(folder), "--ratings", "--anchor", *words)
