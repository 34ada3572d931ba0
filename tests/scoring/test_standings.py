"""Standings, tie-breaks, tables, and the games file that they are computed from."""

import csv
import io
import json
import math
import random
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabulate import tabulate_formats

from referee import cli
from referee.errors import InputError, RecordError
from referee.ratings.encounter_table import count_repeated
from referee.ratings.game_columns import GameColumns
from referee.records.games_file import GamesFile
from referee.records.manifest import DEFAULT_TIE_BREAKS, TIE_BREAK_NAMES, Manifest
from referee.records.record import SCHEMA, read_records, to_line
from referee.records.summary import GameSummary
from referee.report.collect import read_ledger_and_games
from referee.schedule.knockout import Knockout
from referee.scoring.ledger import read_ledger
from referee.scoring.render import timing_text
from referee.scoring.standings import Standings, make_standings
from referee.scoring.tables import (
    crosstable,
    iter_json,
    number,
    percent,
    standings_table,
    standings_to_json,
    to_csv,
)
from referee.scoring.tally import Tally
from referee.scoring.tie_breaks import TIE_BREAKS
from referee.scoring.timing import Timing
from tests.conftest import ROOT, Referee

Record = dict[str, Any]
ALL = tuple(TIE_BREAKS)
NUMBERS = count(1)


def record(
    first: str,
    second: str,
    score: tuple[float, float] = (1, 0),
    *,
    variant: str = "standoff",
    faults: dict[int, str] | None = None,
    **changes: Any,
) -> Record:
    """Return a game of two bots; `faults` has the reason for each seat with a fault."""
    game = next(NUMBERS)
    made = [{"seat": s, "reason": r, "detail": "did it"} for s, r in (faults or {}).items()]
    whole: Record = {
        "schema": 1,
        "id": f"{variant}-5x5.{first}.{second}.{game}{'ab'[first.lower() > second.lower()]}",
        "variant": variant,
        "rows": 5,
        "cols": 5,
        "bots": [first, second],
        "encounter": game,
        "opening": 0,
        "moves": [f"{game},1", "2,2"],
        "ms": [1.5, 2.5],
        "score": list(score),
        "reason": made[0]["reason"] if made else "no-moves",
        "fault": made[0] if made else None,
        "settings": "s",
        "hashes": ["h", "h"],
        "sandbox": "none",
        "host": "here",
        "started": "2026-11-16T10:00:00Z",
    }
    if len(made) > 1:
        whole["faults"] = made
    return whole | changes


def wins(*games: str) -> list[Record]:
    """Return games: `a>b`: a won from seat 1; `a<b`: b won from seat 2."""
    return [
        record(game[0], game[2], (1, 0) if game[1] == ">" else (0, 1), variant="standoff")
        for game in games
    ]


def standings(
    records: list[Record],
    tie_breaks: tuple[str, ...] = ALL,
    bots: str | list[str] | None = None,
    **options: Any,
) -> Standings:
    """Return the standings of these games."""
    tally = Tally()
    for game in records:
        tally.add(GameSummary.from_record(game))
    names = bots or sorted({bot for game in records for bot in game["bots"]})
    return make_standings(tally, list(names), tie_breaks, **options)


def repeated(records: list[Record], **options: Any) -> int:
    """Return how many of these games are the same as an earlier one."""
    game_columns = GameColumns()
    for game in records:
        summary = GameSummary.from_record(game)
        game_columns.add(
            *summary.bots,
            summary.board,
            summary.encounter,
            summary.score,
            summary.moves_key,
            summary.opening_key,
        )
    return count_repeated(game_columns, **options)


def ranks(table: Standings) -> list[tuple[int, str]]:
    return [(row.rank, row.bot) for row in table.rows]


def values(table: Standings, tie_break: str) -> dict[str, float]:
    """Return the value of a tie-break for each bot."""
    at = table.tie_breaks.index(tie_break)
    return {row.bot: row.tie_breaks[at] for row in table.rows}


SCORES = st.sampled_from([(1, 0), (0, 1), (0.5, 0.5), (0, 0)])


@st.composite
def games(draw: st.DrawFn) -> Record:
    """Return any game among five bots on two boards, often with a fault."""
    first, second = draw(st.permutations("abcde"))[:2]
    score = draw(SCORES)
    losers = [seat for seat in (1, 2) if score[seat - 1] == 0]
    reasons = st.sampled_from(["timeout", "crash"])
    faults = {seat: draw(reasons) for seat in losers} if draw(st.booleans()) else {}
    moves = draw(st.lists(st.sampled_from(["1,1", "2,2"]), max_size=2))
    variant = draw(st.sampled_from(["standoff", "runner"]))
    ms = [1.0] * len(moves)
    return record(first, second, score, variant=variant, faults=faults, moves=moves, ms=ms)


@given(
    st.lists(games(), max_size=30),
    st.lists(st.sampled_from(ALL), max_size=4, unique=True),
    st.sets(st.sampled_from("abcde"), max_size=2),
    st.sampled_from([None, "standoff-5x5", "runner-5x5"]),
    st.randoms(use_true_random=False),
)
def test_standings_do_not_depend_on_the_order_of_records(
    records: list[Record],
    tie_breaks: list[str],
    withdrawn: set[str],
    board: str | None,
    dice: random.Random,
) -> None:
    """Nor on that of the bots."""
    options: dict[str, Any] = {"withdrawn": withdrawn, "board": board}
    table = standings(records, tuple(tie_breaks), "abcde", **options)
    shuffled = dice.sample(records, len(records))
    names = dice.sample("abcde", 5)
    assert standings(shuffled, tuple(tie_breaks), names, **options) == table


@given(st.lists(games(), max_size=30), st.sets(st.sampled_from("abcde"), max_size=2))
def test_standings_add_up(records: list[Record], withdrawn: set[str]) -> None:
    """Games, wins, losses, draws and points balance; ranks follow points; nothing is nan."""
    table = standings(records, ALL, "abcde", withdrawn=withdrawn)
    counted = [game for game in records if not withdrawn & set(game["bots"])]
    assert table.games == len(counted)
    assert sum(row.games for row in table.rows) == 2 * len(counted)
    assert sum(row.points for row in table.rows) == sum(sum(game["score"]) for game in counted)
    assert {row.bot for row in table.rows} | set(table.withdrawn) == set("abcde")
    for row in table.rows:
        assert row.wins + row.losses + row.draws == row.games == row.seat_1[1] + row.seat_2[1]
        assert row.points == row.wins + row.draws / 2 == row.seat_1[0] + row.seat_2[0]
        assert all(math.isfinite(value) for value in (row.points, *row.tie_breaks))
        met = [meeting for pair, meeting in table.meetings.items() if pair[0] == row.bot]
        assert sum(meeting.games for meeting in met) == row.games
    keys = [(-row.points, *(-value for value in row.tie_breaks)) for row in table.rows]
    assert keys == sorted(keys)
    for row, key in zip(table.rows, keys, strict=True):
        assert row.rank == 1 + sum(other < key for other in keys)
    assert "nan" not in "".join(iter_json(standings_to_json(table))).lower()
    assert "nan" not in to_csv(standings_table(table))


def test_manifest_names_every_tie_break() -> None:
    """In the documented order."""
    assert ALL == TIE_BREAK_NAMES


def test_points_precede_tie_breaks() -> None:
    """A win is a point."""
    table = standings(wins("a>b", "a>b", "b>a", "c>a", "b<c"))
    assert [(row.bot, row.points) for row in table.rows] == [("c", 2), ("a", 2), ("b", 1)]


def test_head_to_head_decides_between_equal_points() -> None:
    """a and b have one point each; a beat b."""
    table = standings(wins("a>b", "c>a", "b>d", "c>d", "c>b"), ("head-to-head",))
    assert [row.points for row in table.rows] == [3, 1, 1, 0]
    assert ranks(table) == [(1, "c"), (2, "a"), (3, "b"), (4, "d")]
    assert values(table, "head-to-head") == {"a": 1, "b": 0, "c": 0, "d": 0}


def test_head_to_head_counts_games_among_equal_bots_only() -> None:
    """Three bots with two points each: a has both of its points from the other two."""
    table = standings(wins("a>b", "a>c", "b>c", "b>d", "c>d", "c>d"), ("head-to-head",))
    assert [row.points for row in table.rows] == [2, 2, 2, 0]
    assert values(table, "head-to-head") == {"a": 2, "b": 1, "c": 0, "d": 0}
    assert ranks(table) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_sonneborn_berger_prefers_wins_against_better_bots() -> None:
    """a and b have two points each and beat each other once."""
    records = wins("a>b", "b>a", "a>c", "b>d", "c>b", "c>d", "c>d", "d>a")
    table = standings(records)
    assert {row.bot: row.points for row in table.rows} == {"a": 2, "b": 2, "c": 3, "d": 1}
    assert values(table, "head-to-head") == {"a": 1, "b": 1, "c": 0, "d": 0}
    # a: 2 (b) + 3 (c); b: 2 (a) + 1 (d); c: 2 (b) + 1 + 1 (d twice); d: 2 (a)
    assert values(table, "sonneborn-berger") == {"a": 5, "b": 3, "c": 4, "d": 2}
    assert ranks(table) == [(1, "c"), (2, "a"), (3, "b"), (4, "d")]


def test_sonneborn_berger_counts_half_for_draws() -> None:
    """Half of the opponent's points."""
    records = [record("a", "b", (0.5, 0.5)), record("b", "c", (0.5, 0.5)), *wins("a>c")]
    table = standings(records, ("sonneborn-berger",))
    assert {row.bot: row.points for row in table.rows} == {"a": 1.5, "b": 1, "c": 0.5}
    assert values(table, "sonneborn-berger") == {"a": 1, "b": 1, "c": 0.5}


def test_fewest_faults_decides_between_equal_points() -> None:
    """One win each, but b lost by a timeout."""
    records = [record("a", "b", (1, 0), faults={2: "timeout"}), *wins("b>a")]
    table = standings(records)
    assert ranks(table) == [(1, "a"), (2, "b")]
    assert values(table, "sonneborn-berger") == {"a": 1, "b": 1}
    assert values(table, "fewest-faults") == {"a": 0, "b": -1}


def test_wins_from_seat_2_decide_between_equal_points() -> None:
    """One win each, but a won when it moved second."""
    table = standings(wins("b<a", "b>a"))
    assert values(table, "wins-from-seat-2") == {"a": 1, "b": 0}
    assert ranks(table) == [(1, "a"), (2, "b")]


def test_head_to_head_needs_equally_many_games_of_all() -> None:
    """a, b and c have two points each; b and c met twice, and a met neither of them."""
    records = wins("b>c", "c>b", "b>d", "c>d", "a>d", "a>e")
    table = standings(records, ("head-to-head",))
    assert [(row.bot, row.points) for row in table.rows[:3]] == [("a", 2), ("b", 2), ("c", 2)]
    assert set(values(table, "head-to-head").values()) == {0}
    assert ranks(table)[:3] == [(1, "a"), (1, "b"), (1, "c")]


def test_head_to_head_of_bots_that_met_unequally_decides_nothing() -> None:
    """a and c have three points each: a has two of them from b, whom c met once."""
    records = wins("a>b", "b<a", "c>b", "b>a", "b>c", "a>c", "c>d", "c>d", "b>d")
    table = standings(records, ("head-to-head",))
    assert {row.bot: row.points for row in table.rows} == {"a": 3, "b": 3, "c": 3, "d": 0}
    assert [rank for rank, _ in ranks(table)] == [1, 1, 1, 4]


def test_buchholz_adds_up_the_points_of_opponents() -> None:
    """a and b have two points each; the opponents of a have more."""
    records = wins("a>c", "a>d", "b>e", "b>f", "c>d", "c>e", "d>f", "d>e")
    table = standings(records, ("buchholz", "buchholz-cut-1"))
    assert {row.bot: row.points for row in table.rows} == {
        **{"a": 2, "b": 2, "c": 2, "d": 2},
        **{"e": 0, "f": 0},
    }
    # a: c and d; b: e and f; c: a, d and e; d: a, c, f and e.
    found = values(table, "buchholz")
    assert found == {"a": 4, "b": 0, "c": 4, "d": 4, "e": 6, "f": 4}
    cut = values(table, "buchholz-cut-1")
    assert cut == {"a": 2, "b": 0, "c": 4, "d": 4, "e": 4, "f": 2}
    assert ranks(table)[:4] == [(1, "c"), (1, "d"), (3, "a"), (4, "b")]


def test_buchholz_counts_matches_and_byes() -> None:
    """A match of two games is one opponent; a bye is one with the points of the bot itself."""
    records = wins("a>b", "b>a", "a>c", "c>a")
    table = standings(records, ("buchholz", "buchholz-cut-1"), byes={"b": 2.0}, match_games=2)
    assert {row.bot: row.points for row in table.rows} == {"a": 2, "b": 3, "c": 1}
    assert values(table, "buchholz") == {"a": 4, "b": 5, "c": 2}
    assert values(table, "buchholz-cut-1") == {"a": 3, "b": 3, "c": 0}


def test_the_finalist_of_a_knockout_is_second() -> None:
    """Points do not count: the third of this one won as many games as the champion."""
    schedule = Knockout(["a", "b", "c", "d"], 2)
    won = {("a", "d"): (3.0, 1.0), ("b", "c"): (3.0, 1.0), ("a", "b"): (4.0, 0.0)}
    scores = {(pair, 1): score for pair, score in won.items()} | {(("c", "d"), 1): (4.0, 0.0)}
    for _ in schedule.play(lambda: scores):
        pass
    assert schedule.ranking == [["a"], ["b"], ["c"], ["d"]]
    games = wins("a>d", "b>c", "a>b", *["c>d"] * 4)
    assert ranks(standings(games, bracket=schedule.ranking)) == [
        (1, "a"),
        (2, "b"),
        (3, "c"),
        (4, "d"),
    ]


def test_tie_breaks_apply_in_the_declared_order() -> None:
    """a beat b twice and b is without a fault: the first tie-break decides."""
    records = [*wins("a>b", "b<a", "b>c", "c<b"), record("a", "c", (0, 1), faults={1: "crash"})]
    assert ranks(standings(records, ("head-to-head", "fewest-faults")))[0] == (1, "a")
    assert ranks(standings(records, ("fewest-faults", "head-to-head")))[0] == (1, "b")


def test_later_tie_break_compares_equal_bots_only() -> None:
    """Once c is separated by its fault, a and b are compared with each other."""
    records = [*wins("a>b", "b>c"), record("c", "a", (1, 0))]
    records += [record("d", "c", (1, 0), faults={2: "crash"}), *wins("a>d", "b>d", "c>d")]
    table = standings(records, ("fewest-faults", "head-to-head"))
    assert ranks(table)[:3] == [(1, "a"), (2, "b"), (3, "c")]
    assert values(table, "head-to-head")["a"] == 1


@pytest.mark.parametrize("tie_breaks", [(), ALL])
def test_equal_bots_share_a_rank_in_alphabetical_order(tie_breaks: tuple[str, ...]) -> None:
    """1, 1, 3, 3; upper and lower case make no difference."""
    table = standings(wins("B>a", "a>B", "c>D", "D>c", "B>c", "a>D"), tie_breaks)
    assert ranks(table) == [(1, "a"), (1, "B"), (3, "c"), (3, "D")]


def test_bracket_precedes_points() -> None:
    """Losers of the same round share the rank; points order them."""
    games = wins("a>b", "a>c", "a>d", "b>c", "d>b")
    table = standings(games, bracket=[["b"], ["a"], ["c", "d"]])
    assert ranks(table) == [(1, "b"), (2, "a"), (3, "d"), (3, "c")]


def test_standings_without_games_rank_all_bots_first() -> None:
    """All bots are first, without percentages."""
    table = standings([], ALL, "abc")
    assert ranks(table) == [(1, "a"), (1, "b"), (1, "c")]
    headers, rows = standings_table(table)
    assert rows[0][headers.index("score %")] == "-"
    assert crosstable(table)[1] == [[1, bot, "", "", ""] for bot in "abc"]


def test_draws_have_a_column_only_if_they_occur() -> None:
    """None of the five games can be drawn; other variants may."""
    headers, _ = standings_table(standings(wins("a>b")))
    assert "draws" not in headers
    headers, rows = standings_table(standings([*wins("a>b"), record("a", "b", (0.5, 0.5))]))
    line = dict(zip(headers, rows[0], strict=True))
    assert (line["points"], line["wins"], line["losses"], line["draws"]) == ("1.5", 1, 0, 1)


def test_game_that_both_lost_counts_as_two_losses() -> None:
    """With a fault each, and no draw."""
    table = standings([record("a", "b", (0, 0), faults={1: "start", 2: "crash"})])
    assert ranks(table) == [(1, "a"), (1, "b")]
    for row in table.rows:
        assert (row.points, row.games, row.wins, row.losses, row.draws) == (0, 1, 0, 1, 0)
    assert [row.faults for row in table.rows] == [(("start", 1),), (("crash", 1),)]
    assert table.meetings["a", "b"].losses == table.meetings["b", "a"].losses == 1


def test_games_of_a_withdrawn_bot_do_not_count() -> None:
    """Neither for it nor for its opponents, in no column."""
    records = [
        *wins("a>b", "c>a", "c>b", "a<c"),
        record("c", "b", (0, 1), faults={1: "crash"}),
        record("b", "c", (0, 1), faults={1: "timeout"}, moves=["1,1"], ms=[1.0]),
        record("b", "c", (0, 1), faults={1: "timeout"}, moves=["1,1"], ms=[1.0]),
    ]
    table = standings(records, withdrawn=["c"])
    assert table == standings(records[:1], bots="abc", withdrawn=["c"])
    assert ranks(table) == [(1, "a"), (2, "b")]
    assert (table.withdrawn, table.games) == (("c",), 1)
    assert repeated(records, withdrawn=["c"]) == 0
    headers, rows = standings_table(table)
    assert rows[-1] == ["-", "c", *["-"] * (len(headers) - 3), "withdrawn"]
    assert crosstable(table)[0] == ["rank", "bot", "a", "b"]


def test_repeated_games_are_counted() -> None:
    """The same seats and the same moves on the same board."""
    same = {"moves": ["3,3"], "ms": [1.0]}
    records = [record("a", "b", **same) for _ in range(3)]
    records += [record("b", "a", **same), record("a", "b", variant="runner", **same)]
    assert repeated(records) == 2
    assert repeated(records, variant="standoff-5x5") == 2
    assert repeated(records, variant="runner-5x5") == 0
    assert repeated(records, variant="lockdown-4x4") == 0
    assert repeated([]) == 0


def test_each_board_has_its_own_standings() -> None:
    """All games together, or those of one board."""
    records = [*wins("a>b"), record("b", "a", variant="runner"), record("b", "a", variant="runner")]
    assert [row.bot for row in standings(records).rows] == ["b", "a"]
    assert [row.bot for row in standings(records, board="standoff-5x5").rows] == ["a", "b"]
    assert standings(records, board="runner-5x5").games == 2


def test_standings_have_percentages_by_seat() -> None:
    """And of all games."""
    headers, rows = standings_table(standings(wins("a>b", "a>b", "a<b", "b<a")))
    line = dict(zip(headers, rows[0], strict=True))
    assert (line["score %"], line["seat 1 %"], line["seat 2 %"]) == ("75.0", "66.7", "100.0")
    assert (percent(2, 3), percent(0, 4), percent(0, 0)) == ("66.7", "0.0", "-")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (3.0, "3"),
        (3.5, "3.5"),
        (0.25, "0.25"),
        (100_000.5, "100000.5"),
        (1_234_567.25, "1234567.25"),
        (200, "200"),
    ],
)
def test_points_are_written_exactly(value: float, text: str) -> None:
    """Also half points in large sums."""
    assert number(value) == text


def test_crosstable_follows_the_order_of_the_standings() -> None:
    """Points and wins-losses of every pairing."""
    records = [*wins("a>b", "b<a", "a<c"), record("b", "c", (0.5, 0.5))]
    headers, rows = crosstable(standings(records))
    assert headers == ["rank", "bot", "a", "c", "b"]
    assert rows == [
        [1, "a", "", "0 (0-1)", "2 (2-0)"],
        [2, "c", "1 (1-0)", "", "0.5 (0-0)"],
        [3, "b", "0 (0-2)", "0.5 (0-0)", ""],
    ]


def test_csv_contains_no_formula() -> None:
    """A name that a spreadsheet would calculate is text; numbers stay numbers."""
    names = ["=1+1", "+a", "-b", "@c", "d"]
    text = to_csv(standings_table(standings([record(name, "e") for name in names])))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["bot"] for row in rows} == {"'=1+1", "'+a", "'-b", "'@c", "d", "e"}
    for row in rows:
        for key in ("rank", "points", "games", "wins", "losses", "score %", *ALL):
            assert float(row[key]) >= 0


def test_tables_count_faults_by_reason() -> None:
    """For each bot."""
    records = [record("a", "b", (0, 1), faults={1: reason}) for reason in ("crash", "timeout")]
    headers, rows = standings_table(standings([*records, *records]))
    assert rows[1][-1] == "crash 2, timeout 2"
    assert rows[0][-1] == "-"
    assert rows[1][headers.index("fewest-faults")] == "4"


def test_thinking_time_is_summed_by_bot() -> None:
    """Seats alternate from seat 1 on; opening moves took no time."""
    timing = Timing()
    ms = [None, None, 3.0, 10.0, 5.0]
    times = {"startup_ms": [50.0, None], "latency_ms": [0.5, 2.0]}
    timing.add(
        GameSummary.from_record(record("a", "b", opening=2, moves=["1,1"] * 5, ms=ms, **times))
    )
    assert (timing.bots["a"].moves, timing.bots["a"].thinking_ms) == (2, 8.0)
    assert (timing.bots["b"].moves, timing.bots["b"].longest_ms) == (1, 10.0)
    assert (timing.bots["a"].starts, timing.bots["b"].starts) == (1, 0)
    assert timing.sentence() == (
        "The referee itself took 0.500 ms per move on average, 2.0 ms at the longest."
    )
    assert timing.warnings() == []


def test_thinking_time_after_an_odd_opening_starts_with_seat_2() -> None:
    timing = Timing()
    game = record("a", "b", opening=1, moves=["1,1"] * 4, ms=[None, 20.0, 4.0, 5.0])
    timing.add(GameSummary.from_record(game))
    assert (timing.bots["a"].moves, timing.bots["a"].thinking_ms) == (1, 4.0)
    assert (timing.bots["b"].moves, timing.bots["b"].thinking_ms) == (2, 25.0)


@pytest.mark.parametrize(
    "damage",
    [
        {"moves": [1, 2]},
        {"encounter": 2**70},
        {"ms": [1.5, None]},
        {"ms": ["a", 2.5]},
        {"ms": [10**400, 1]},
        {"fault": {"reason": "crash"}},
        {"latency_ms": ["a", 1.0]},
        {"hashes": [["h"], "h"]},
        {"hashes": [5, "h"]},
        {"host": 5},
        {"score": [5, 0]},
        {"score": [math.nan, 0]},
        {"score": [True, False]},
        {"score": [[1], 0]},
        {"bots": ["a", "a"]},
        {"bots": ["b", "a"]},
        {"variant": "runner"},
        {"encounter": 0},
        {"encounter": 5},
        {"opening": -1},
        {"opening": 1},
        {"opening": 3, "ms": [None, None]},
        {"ms": [1.5, math.nan]},
        {"ms": [1.5, math.inf]},
        {"ms": [1.5, -1.0]},
        {"latency_ms": [1.0, math.nan]},
        {"startup_ms": [math.inf, None]},
        {"startup_ms": 5},
        {"fault": {"seat": 3, "reason": "crash", "detail": ""}},
        {"fault": {"seat": 1, "reason": 5, "detail": ""}},
        {"fault": {"seat": 1, "reason": "crash", "detail": None}},
        {"faults": 5},
        {"info": [[1, "a"]]},
        {"info": [[1, 3, "a"]]},
        {"clocks": ["1s"]},
        {"clocks": [1, 2]},
        {"seed": "1"},
    ],
)
def test_damaged_record_is_reported_in_one_sentence(damage: dict[str, Any], tmp_path: Path) -> None:
    """By every function that reads it."""
    boards = {"standoff-5x5": "standoff", "runner-5x5": "runner"}
    manifest = Manifest("cup", ["a", "b"], boards)
    bad = record("a", "b") | damage
    games = GamesFile(write(tmp_path, [record("a", "b"), bad]) / "games.jsonl")
    readers = (
        read_ledger,
        read_ledger_and_games,
        lambda manifest, games: games.find(manifest, bad["id"]),
    )
    for read in readers:
        with pytest.raises(RecordError) as error:
            read(manifest, games)
        place = f"{games.path}: line 2: the record of {bad['id']} is damaged: "
        assert str(error.value).startswith(place)


def test_two_records_of_a_game_are_rejected(tmp_path: Path) -> None:
    """Both lines are named."""
    manifest = Manifest("cup", ["a", "b"], {"standoff-5x5": "standoff"})
    records = [record("a", "b"), record("a", "b"), record("b", "a")]
    games = GamesFile(write(tmp_path, [*records, records[1]]) / "games.jsonl")
    for read in (read_ledger, read_ledger_and_games):
        with pytest.raises(RecordError) as error:
            read(manifest, games)
        expected = f"{games.path}: line 4: {records[1]['id']} has a record already, in line 2"
        assert str(error.value).startswith(expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bots": ["a", "c"]}, "the bot b is no longer in the file"),
        ({"boards": {}}, "standoff-5x5 is no longer in the file"),
        ({"encounters": 0}, "encounters: 0, and more were played already"),
        ({"format": "gauntlet", "challengers": ["c"]}, "is not in the schedule: in a gauntlet"),
        ({"format": "gauntlet", "challengers": ["a", "b"]}, "is not in the schedule"),
    ],
)
def test_record_of_another_tournament_is_named(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    """With its line, and the reason."""
    manifest = replace(Manifest("cup", ["a", "b", "c"], {"standoff-5x5": "standoff"}), **changes)
    games = GamesFile(write(tmp_path, [record("a", "b")]) / "games.jsonl")
    with pytest.raises(InputError) as error:
        read_ledger(manifest, games)
    assert message in str(error.value)
    assert f"{games.path}: line 1" in str(error.value)


def test_timing_reports_a_busy_machine() -> None:
    """If the referee was delayed, the clocks of those games are not reliable."""
    timing = Timing()
    for longest in (1.0, 25.0, 80.0):
        timing.add(GameSummary.from_record(record("a", "b", latency_ms=[0.1, longest])))
    (warning,) = timing.warnings()
    assert warning.startswith("in 2 of 3 games the machine was too busy")
    assert "80 ms at the longest" in warning


@pytest.mark.parametrize(
    ("slow_ms", "games", "differs"),
    [(0.3, 10, True), (0.3, 9, False), (0.19, 10, False), (0.1, 10, False)],
)
def test_timing_reports_hosts_of_different_speed(slow_ms: float, games: int, differs: bool) -> None:
    """From a factor of two, with enough games."""
    timing = Timing()
    for host, latency_ms in (("quick", 0.1), ("slow", slow_ms)):
        for _ in range(games):
            timing.add(
                GameSummary.from_record(record("a", "b", latency_ms=[latency_ms, 1.0], host=host))
            )
    assert bool(timing.warnings()) == differs
    assert all("0.300 ms per move on slow" in warning for warning in timing.warnings())
    assert "| slow" in timing_text(timing)


# The command.

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Command]:
    """Run `referee standings` on the folder of the test; return exit code and output."""
    before = [(one, signal.getsignal(one)) for one in (signal.SIGTERM, signal.SIGHUP)]

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.main(["standings", str(tmp_path), *words])
        return code, *capsys.readouterr()

    yield run
    for one, handler in before:
        signal.signal(one, handler)


def write(folder: Path, records: list[Record], manifest: Manifest | None = None) -> Path:
    """Write the folder of a tournament."""
    (folder / "games.jsonl").write_bytes(b"".join(map(to_line, records)))
    if manifest is not None:
        (folder / "tournament.json").write_text(json.dumps(manifest.to_json()))
    return folder


def two_boards() -> list[Record]:
    return [*wins("a>b", "b<c", "c>a"), record("b", "a", variant="runner")]


@pytest.mark.parametrize("format", [*tabulate_formats, "csv", "json"])
@pytest.mark.parametrize("option", [(), ("--crosstable",)])
def test_standings_render_in_every_format(
    command: Command, tmp_path: Path, format: str, option: tuple[str, ...]
) -> None:
    """With all bots and boards."""
    write(tmp_path, two_boards())
    code, out, err = command("--format", format, *option)
    assert (code, err) == (0, "")
    for word in ("standoff-5x5", "runner-5x5", "a", "b", "c"):
        assert word in out


def test_standings_default_table_is_printed_exactly(command: Command, tmp_path: Path) -> None:
    """Letter by letter."""
    write(
        tmp_path, two_boards()[:2], Manifest("Cup", ["a", "b", "c"], {"standoff-5x5": "standoff"})
    )
    _, out, _ = command("--format", "github")
    assert out == (
        "## standoff-5x5\n\n"
        "|   rank | bot   |   points |   games |   wins |   losses |   score % |   seat 1 % |"
        "   seat 2 % |   head-to-head |   sonneborn-berger |   fewest-faults |"
        "   wins-from-seat-2 |   faults |\n"
        "|--------|-------|----------|---------|--------|----------|-----------|------------|"
        "------------|----------------|--------------------|-----------------|"
        "--------------------|----------|\n"
        "|      1 | c     |        1 |       1 |      1 |        0 |     100.0 |          - |"
        "      100.0 |              0 |                  0 |               0 |"
        "                  1 |        - |\n"
        "|      2 | a     |        1 |       1 |      1 |        0 |     100.0 |      100.0 |"
        "          - |              0 |                  0 |               0 |"
        "                  0 |        - |\n"
        "|      3 | b     |        0 |       2 |      0 |        2 |       0.0 |        0.0 |"
        "        0.0 |              0 |                  0 |               0 |"
        "                  0 |        - |\n"
    )


def test_standings_can_be_those_of_one_variant_or_board(command: Command, tmp_path: Path) -> None:
    """An unknown one is rejected with a suggestion."""
    write(tmp_path, two_boards())
    for word in ("runner", "runner-5x5"):
        _, out, _ = command("--variant", word)
        assert out.startswith("runner-5x5\n")
        assert "standoff" not in out
        assert "All games" not in out
    assert command("--variant", "runer") == (
        2,
        "",
        "referee: there is no variant 'runer': did you mean runner?\n",
    )


def test_standings_of_all_games_precede_those_of_boards(command: Command, tmp_path: Path) -> None:
    """If there are several boards."""
    write(tmp_path, two_boards())
    _, out, _ = command()
    assert [line for line in out.splitlines() if line and "  " not in line] == [
        "All games",
        "standoff-5x5",
        "runner-5x5",
    ]


def test_unknown_table_format_has_a_suggestion(command: Command, tmp_path: Path) -> None:
    """One sentence, exit code 2."""
    write(tmp_path, two_boards())
    message = "referee: there is no format 'githb': did you mean github?\n"
    assert command("--format", "githb") == (2, "", message)


def test_standings_json_has_all_games_boards_and_meetings(command: Command, tmp_path: Path) -> None:
    """And a schema number."""
    manifest = Manifest(
        "Cup", ["a", "b", "c"], {"standoff-5x5": "standoff", "runner-5x5": "runner"}
    )
    write(tmp_path, two_boards(), manifest)
    data = json.loads(command("--format", "json")[1])
    assert (data["schema"], data["name"]) == (1, "Cup")
    assert data["overall"]["games"] == 4
    assert list(data["boards"]) == ["standoff-5x5", "runner-5x5"]
    row = data["boards"]["runner-5x5"]["rows"][0]
    assert (row["rank"], row["bot"], row["points"], row["seat_1"]) == (
        1,
        "b",
        1,
        {"points": 1, "games": 1},
    )
    assert list(row["tie_breaks"]) == list(DEFAULT_TIE_BREAKS)
    assert data["overall"]["meetings"][0] == {
        "bot": "a",
        "opponent": "b",
        "points": 1,
        "wins": 1,
        "losses": 1,
        "games": 2,
    }


def test_standings_csv_is_one_table(command: Command, tmp_path: Path) -> None:
    """A row for each bot and board; where only one board has draws, the other has 0 of them."""
    write(tmp_path, [*two_boards(), record("a", "b", (0.5, 0.5), variant="runner")])
    rows = list(csv.DictReader(io.StringIO(command("--format", "csv")[1])))
    assert {(row["board"], row["bot"], row["draws"]) for row in rows} >= {
        ("standoff-5x5", "a", "0"),
        ("runner-5x5", "a", "1"),
        ("All games", "a", "1"),
    }
    rows = list(csv.DictReader(io.StringIO(command("--format", "csv", "--crosstable")[1])))
    assert {
        "board": "runner-5x5",
        "bot": "b",
        "opponent": "a",
        "points": "1.5",
        "wins": "1",
        "losses": "0",
        "games": "2",
    } in rows


def test_standings_use_tie_breaks_and_withdrawals_of_the_manifest(
    command: Command, tmp_path: Path
) -> None:
    """So the tables need no tournament file."""
    manifest = Manifest(
        "Cup",
        ["a", "b", "c"],
        {"standoff-5x5": "standoff"},
        tie_breaks=["fewest-faults"],
        disqualify_after=2,
    )
    crashes = [record("c", "a", (0, 1), faults={1: "crash"}) for _ in range(2)]
    write(tmp_path, [*wins("b>a", "a>b"), *crashes], manifest)
    data = json.loads(command("--format", "json")[1])
    assert data["overall"]["tie_breaks"] == ["fewest-faults"]
    assert data["overall"]["withdrawn"] == ["c"]
    assert [row["points"] for row in data["overall"]["rows"]] == [1, 1]
    assert data["notes"] == ["c was withdrawn: its games do not count"]
    assert "withdrawn" in command()[1]


def test_tie_breaks_may_change_after_the_last_game(referee: Referee, tmp_path: Path) -> None:
    """Running a finished tournament again plays nothing, and its tables follow the file."""
    shutil.copy(ROOT / "bots" / "random_bot.sh", tmp_path / "bot.sh")
    text = (
        "{variant: lockdown, encounters: 1, per_move: 60s, startup: 60s, sandbox: none, bots:"
        " [{name: a, command: ./bot.sh}, {name: b, command: ./bot.sh}], tie_breaks: [%s]}"
    )
    for tie_break in ("head-to-head", "fewest-faults"):
        (tmp_path / "cup.yaml").write_text(text % tie_break)
        assert referee("run", "cup.yaml").returncode == 0
        shown = json.loads(referee("standings", "results/cup", "--format", "json").stdout)
        assert shown["overall"]["tie_breaks"] == [tie_break]
        assert shown["overall"]["games"] == 2


@pytest.mark.parametrize("words", [(), ("--format", "json")])
def test_standings_name_a_folder_without_games(
    command: Command, tmp_path: Path, words: tuple
) -> None:
    """No such folder, no games file, or an empty one."""
    message = f"there are no games in {tmp_path}: name the folder of a tournament\n"
    assert command(*words) == (2, "", f"referee: {message}")
    write(tmp_path, [])
    code, out, err = command(*words)
    assert (code, out) == (2, "")
    assert err.startswith("referee: there are no games in ")


def test_standings_name_a_broken_manifest(command: Command, tmp_path: Path) -> None:
    """One sentence, exit code 2."""
    write(tmp_path, two_boards())
    for text in ("{", "[]", "{}", "\0"):
        (tmp_path / "tournament.json").write_text(text)
        code, out, err = command()
        assert (code, out) == (2, "")
        assert "tournament.json" in err
        assert err.count("\n") == 1


# The games file.


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    """One line each, for any texts."""
    records = [*two_boards(), record("a", "b", host="Zoë\n\u2028", info=[[1, 1, "\\x1b ü"]])]
    path = write(tmp_path, records) / "games.jsonl"
    assert path.read_bytes().count(b"\n") == len(records)
    assert list(read_records(path)) == records


@given(st.integers(min_value=1))
def test_incomplete_last_line_is_ignored(cut: int) -> None:
    """At any length."""
    records = two_boards()
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), records) / "games.jsonl"
        data = path.read_bytes()
        last = len(to_line(records[-1]))
        path.write_bytes(data[: len(data) - 1 - cut % (last - 1)])
        assert list(read_records(path)) == records[:-1]


def test_standings_ignore_an_incomplete_last_line(command: Command, tmp_path: Path) -> None:
    """While a run is writing."""
    write(tmp_path, two_boards()[:3])
    whole = command()
    with (tmp_path / "games.jsonl").open("ab") as file:
        file.write(b'{"schema": 1, "id"')
    assert command() == whole


def damaged(**changes: Any) -> bytes:
    return to_line(record("a", "b") | changes)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"garbage\n", "is not a record: Expecting value"),
        (b"\n", "is not a record: Expecting value"),
        (b"\xff\xfe\n", "is not a record: "),
        (b"[" * 100_000 + b"\n", "is not a record: "),
        (b"[1, 2]\n", "is not a record: it has no schema"),
        (b"{}\n", "is not a record: it has no schema"),
        (b'{"schema": 2}\n', f"has schema 2, this referee reads {SCHEMA}"),
        (damaged(schema="1"), "has schema '1', this referee reads 1"),
        (b'{"schema": 1}\n', "is not a record: id is missing or wrong"),
        (damaged(bots="ab"), "is not a record: bots is missing or wrong"),
        (damaged(bots=["a"]), "is not a record: bots has another length"),
        (damaged(score=None), "is not a record: score is missing or wrong"),
        (damaged(ms=[1.0]), "is not a record: ms has another length"),
        (damaged(rows="5"), "is not a record: rows is missing or wrong"),
        (damaged(rows=True), "is not a record: rows is missing or wrong"),
        (damaged(bots=["a", ["b"]]), "is not a record: bots are named by texts"),
        (damaged(fault="crash"), "is not a record: fault is missing or wrong"),
    ],
)
def test_other_unreadable_lines_are_errors(
    command: Command, tmp_path: Path, line: bytes, message: str
) -> None:
    """With file and line."""
    games = write(tmp_path, two_boards()) / "games.jsonl"
    lines = games.read_bytes().splitlines(keepends=True)
    games.write_bytes(b"".join([*lines[:2], line, *lines[2:]]))
    with pytest.raises(RecordError) as error:
        list(read_records(games))
    assert str(error.value).startswith(f"{games}: line 3 {message}")
    code, out, err = command()
    assert (code, out) == (2, "")
    assert err == f"referee: {error.value}\n"


def test_missing_games_file_has_no_records(tmp_path: Path) -> None:
    """As before the first game."""
    assert list(read_records(tmp_path / "games.jsonl")) == []
