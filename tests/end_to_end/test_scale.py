"""Very large tournaments: each record is read once, and a game costs a few bytes."""

import json
import math
import random
import subprocess
import sys
import tracemalloc
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabulate import tabulate

from referee import cli
from referee.commands.tournament import _read_games
from referee.ratings import encounter_table, ratings
from referee.ratings.encounter_table import GameResult, tally_columns, tally_games
from referee.ratings.game_columns import GameColumns
from referee.ratings.ratings import rate
from referee.records import record
from referee.records.games_file import GamesFile
from referee.records.manifest import Manifest, load_manifest
from referee.records.store import Store
from referee.records.summary import GameSummary
from referee.report.collect import EDGES_MS, MAX_BUFFERED, ThinkingTimes
from referee.run.write_results import write_results
from referee.schedule.formats import RoundRobin
from referee.scoring.ledger import Ledger, read_ledger
from referee.scoring.meetings import Meeting
from referee.scoring.rating_tables import rate_games
from referee.scoring.standings import make_standings
from referee.scoring.tables import iter_json, render
from referee.scoring.tally import Tally
from referee.text import printable
from tests.support.report_games import make_tournament, write_tournament

# Reading.


@pytest.fixture
def read_lines(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """Return how often each line of the games file was parsed."""
    times: Counter[int] = Counter()
    read = record._read_line

    def count(path: Path, number: int, line: bytes) -> record.Record:
        times[number] += 1
        return read(path, number, line)

    monkeypatch.setattr(record, "_read_line", count)
    return times


@pytest.mark.parametrize(
    "words",
    [
        ["standings"],
        ["standings", "--ratings"],
        ["standings", "--crosstable", "--format", "csv"],
        ["standings", "--format", "json"],
        ["report"],
    ],
    ids=" ".join,
)
def test_commands_read_each_record_once(
    words: list[str], tmp_path: Path, read_lines: Counter[int]
) -> None:
    """To parse a million of them takes long."""
    played = make_tournament(1)
    folder = write_tournament(tmp_path / "cup", played)
    assert cli.main([words[0], str(folder), *words[1:]]) == 0
    assert read_lines == Counter(range(1, len(played) + 1))


@pytest.mark.parametrize("is_complete", [True, False])
def test_run_of_a_finished_tournament_reads_each_record_once(
    is_complete: bool, tmp_path: Path, read_lines: Counter[int]
) -> None:
    """For tables and report together."""
    played = make_tournament(1)
    folder = write_tournament(tmp_path / "cup", played, games=len(played) + (not is_complete))
    with Store(folder) as store:
        manifest = load_manifest(folder)
        assert manifest is not None
        ledger, gathered = _read_games(manifest, store.games_path)
        assert (gathered is not None) == is_complete
        write_results(ledger, store, gathered)
    assert set(read_lines.values()) == {1 if is_complete else 2}
    one_way = {path.name: path.read_bytes() for path in folder.glob("*.*")}
    with Store(folder) as store:
        write_results(read_ledger(ledger.manifest, GamesFile(store.games_path)), store)
    assert {path.name: path.read_bytes() for path in folder.glob("*.*")} == one_way


def test_standings_do_not_import_numpy(tmp_path: Path) -> None:
    """Unless ratings are requested."""
    folder = write_tournament(tmp_path / "cup", make_tournament(1))
    program = (
        "import sys\nfrom referee.cli import main\n"
        f"main(['standings', {str(folder)!r}, '--crosstable'])\n"
        f"main(['standings', {str(folder)!r}])\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


# What is kept of the games.


def short_game(
    one: str, two: str, number: int = 1, score: tuple[float, float] = (1, 0)
) -> GameSummary:
    """Return a game with strings of its own, like one from a file."""
    letter = "a" if one < two else "b"
    game = {
        "id": f"standoff-5x5.{one}.{two}.{number}{letter}",
        "variant": "standoff",
        "rows": 5,
        "cols": 5,
        "bots": [one, two],
        "encounter": number,
        "opening": 0,
        "moves": [f"{number},{letter}"],
        "ms": [0.5],
        "score": score,
        "fault": None,
        "hashes": ["h", "h"],
    }
    return GameSummary.from_record(json.loads(json.dumps(game)))


def many_games(encounters: range) -> Iterator[GameSummary]:
    """Return short games of four bots, all different."""
    for number in encounters:
        for one, two in permutations(["alpha", "beta", "gamma", "delta"], 2):
            yield short_game(one, two, number)


def test_ledger_needs_a_few_bytes_per_game() -> None:
    """Neither records nor ids nor moves are kept."""
    manifest = Manifest("cup", ["alpha", "beta", "gamma", "delta"], {"standoff-5x5": "standoff"})
    ledger = Ledger(manifest)
    ledger.add_all(many_games(range(1, 101)), GamesFile(Path("games.jsonl")))
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        ledger.add_all(many_games(range(101, 2101)), GamesFile(Path("games.jsonl")))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(ledger.done) == 2100 * 12
    # 29 bytes in columns, which grow by an eighth too much, and an eighth of a small dictionary.
    assert (after - before) / (2000 * 12) < 100


def test_ledger_stores_each_name_once() -> None:
    """For a million pairings there are counts only."""
    tally, names = Tally(), [f"bot{number}" for number in range(30)]
    for one, two in permutations(names, 2):
        tally.add(short_game(one, two))
    (counts,) = tally.games.values()
    assert len({id(second) for row in counts.values() for second in row}) == len(names)
    meetings = make_standings(tally, names, ()).meetings
    found = [meeting for name in names for meeting in meetings.of(name).values()]
    assert len(found) == 30 * 29
    assert len({id(meeting) for meeting in found}) == 1


def test_matches_share_their_encounters() -> None:
    """Half a million pairings of a round robin share one range."""
    (round,) = RoundRobin(list("abcdef"), 3).play(dict)
    assert len({id(match.numbers) for match in round.matches}) == 1


SCORES = st.sampled_from([(1, 0), (0, 1), (0.5, 0.5), (0, 0)])
PAIRS = st.sampled_from(list(permutations("abcd", 2)))


@given(st.lists(st.tuples(PAIRS, SCORES)), st.sets(st.sampled_from("abcd"), max_size=2))
def test_meetings_are_the_sums_of_the_games(
    games: list[tuple[tuple[str, str], tuple[float, float]]], gone: set[str]
) -> None:
    """By bot, by pair or all in order."""
    tally = Tally()
    expected: defaultdict[tuple[str, str], Meeting] = defaultdict(lambda: Meeting(0.0, 0, 0, 0))
    for (first, second), (one, two) in games:
        tally.add(short_game(first, second, score=(one, two)))
        if not gone & {first, second}:
            for pair, mine, theirs in (((first, second), one, two), ((second, first), two, one)):
                points, wins, losses, count = expected[pair]
                lost = mine < theirs or not mine
                expected[pair] = Meeting(
                    points + mine, wins + (mine > theirs), losses + lost, count + 1
                )
    meetings = make_standings(tally, "abcd", (), gone).meetings
    assert dict(meetings) == expected
    assert len(meetings) == len(expected)
    assert [tuple(row) for row in meetings.in_order()] == [
        (*pair, *meeting) for pair, meeting in sorted(expected.items())
    ]
    for bot in "abcd":
        met = {two: meeting for (one, two), meeting in expected.items() if one == bot}
        assert meetings.of(bot) == met


# Ratings.

RESULTS = st.lists(
    st.builds(
        lambda pair, *rest: GameResult(*pair, *rest),
        PAIRS,
        st.sampled_from(["big", "small"]),
        st.integers(0, 3),
        st.sampled_from([(1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.0, 0.0)]),
        st.integers(0, 3),
    ),
    max_size=40,
)


@given(RESULTS, st.sets(st.sampled_from("abcd"), max_size=2))
def test_ratings_ignore_games_of_withdrawn_bots(results: list[GameResult], gone: set[str]) -> None:
    """As if they had not been played."""
    game_columns = GameColumns()
    for result in results:
        game_columns.add(*result)
    bots = sorted(set("abcd") - gone)
    counted = [result for result in results if not gone & {result.first, result.second}]
    expected = tally_games(counted, bots)
    found = tally_columns(game_columns, bots, gone)
    assert (found.bots, found.variants) == (expected.bots, expected.variants)
    assert rate(found) == rate(expected)
    replays: dict[tuple[str, str, str, int], list[object]] = {}
    for game in counted:
        key = game.first, game.second, game.variant, game.encounter
        replays.setdefault(key, []).append((game.score, game.moves_key))
    dropped = sum(len(games) - 1 for games in replays.values() if len(set(games)) == 1)
    assert encounter_table.count_repeated(game_columns, gone) == dropped


def test_single_board_is_rated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ratings are those over all games."""
    game_columns = GameColumns()
    for number in range(20):
        game_columns.add(
            "alpha", "beta", "standoff-5x5", number, (number % 2, 1 - number % 2), number
        )
    rated: list[str] = []

    def count(table: encounter_table.EncounterTable, variant: str, scale: object) -> object:
        rated.append(variant)
        return fit_variant(table, variant)

    fit_variant = ratings.fit_variant
    monkeypatch.setattr(ratings, "fit_variant", count)
    manifest = Manifest("cup", ["alpha", "beta"], {"standoff-5x5": "standoff"})
    found = rate_games(manifest, game_columns, ())
    monkeypatch.undo()
    assert rated == ["standoff-5x5"]
    assert found["standoff-5x5"] == rate(tally_columns(game_columns), "standoff-5x5")


# The report.


def test_thinking_times_are_counted_in_bounded_memory() -> None:
    """For any number of bots."""
    dice = random.Random(1)
    times, expected = ThinkingTimes(50), [Counter[int]() for _ in range(50)]
    for number in range(40_000):
        thought_ms = [10 ** dice.uniform(-2, 6) for _ in range(number % 7)] + EDGES_MS[: number % 3]
        one, two = dice.choices(range(50), k=2)
        times.add(one, two, thought_ms)
        for bot, own in ((one, thought_ms[::2]), (two, thought_ms[1::2])):
            expected[bot].update(bisect_right(EDGES_MS, ms) for ms in own)
        assert len(times._ms) <= MAX_BUFFERED
    times.count()
    for bot, counts in enumerate(expected):
        assert list(times.counts[bot]) == [counts[place] for place in range(len(EDGES_MS) + 1)]


# Texts.


def test_json_pieces_are_small() -> None:
    """Neither the text of a million objects nor the objects are in memory as a whole."""
    made = 0

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal made
        for made in range(1, 10_001):
            yield {"bot": f"bot{made}", "games": made}

    found = iter_json({"meetings": rows()})
    longest = 0
    for number, piece in enumerate(found):
        longest = max(longest, len(piece))
        assert made <= 1000 * number
    assert 0 < longest < 100_000


PLAIN = st.one_of(
    st.integers(-(10**6), 10**6),
    st.sampled_from(["", "-", "1.5", "+12", "12", "1 (1-0)", "0.5", "alpha", "a|b", "=1", "1e5"]),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8).map(str.strip),
)


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[PLAIN] * width), min_size=1)))
def test_markdown_equals_that_of_tabulate(rows: list[tuple[Any, ...]]) -> None:
    """Letter by letter."""
    headers = ["rank", "bot", "a long header", "x"][: len(rows[0])]
    cells = [list(row) for row in rows]
    expected = tabulate(
        cells,
        headers,
        tablefmt="github",
        disable_numparse=True,
        colalign=["right" if is_number(column) else "left" for column in zip(*cells, strict=True)],
    )
    assert render((headers, cells), "github") == expected


def is_number(column: tuple[Any, ...]) -> bool:
    """Return whether tables align a text as a number: without exponent, or unknown."""
    texts = [str(cell) for cell in column]
    return all(
        text == "-" or (not set(text) - set("+-.0123456789") and reads_as_number(text))
        for text in texts
    )


def reads_as_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and not text.startswith(".") and not text.endswith(".")
    except ValueError:
        return False


@pytest.mark.parametrize("odd", ["日本", "é", " x", "two\nlines", "\x1b[1mbold"])
def test_markdown_of_wide_characters_is_made_by_tabulate(odd: str) -> None:
    """It computes their width; control characters are escaped before."""
    table = (["rank", "bot"], [[1, odd], [2, "b"]])
    shown = [[1, printable(odd)], [2, "b"]]
    expected = tabulate(
        shown, table[0], tablefmt="github", disable_numparse=True, colalign=["right", "left"]
    )
    assert render(table, "github") == expected
