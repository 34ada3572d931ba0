"""Tags and numbers of bots in the report: filtered, charted, bounded, and shown as text."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from referee.report.collect import ALL_VALUES, GAME_VALUES, MAX_TAGS
from referee.report.number_history import MAX_KEYS, MAX_POINTS, NumberHistory
from referee.rules import Size
from tests.report.test_report import HOSTILE, report
from tests.support.browser import Open, texts, write_page
from tests.support.report_games import embedded, make_record, write_tournament

SIZE = Size(5, 5)


def talking_game(encounter: int, *lines: tuple[int, int, str], **changes: Any) -> dict[str, Any]:
    """A game in which bots sent these lines: ply, seat and text."""
    info = [list(line) for line in lines]
    return make_record(
        "standoff", SIZE, ("one", "two"), encounter, encounter % 40, info=info, **changes
    )


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten games; the depth grows with each, and two of them have a tag."""
    records = [
        talking_game(
            number,
            (3, 1, f"depth={number} nodes=100"),
            (4, 2, "thinking about it"),
            (5, 1, f"depth={number + 2} nodes=300" + (" tag=endgame" if number in (4, 7) else "")),
        )
        for number in range(1, 11)
    ]
    return write_page(write_tournament(tmp_path_factory.mktemp("numbers") / "cup", records))


def test_games_are_filtered_by_tag(open_page: Open, page_path: Path) -> None:
    """The filter has the tags of all games, and numbers are none."""
    page = open_page("#view=games", page_path)
    field = page.get_by_label("Tag")
    assert field.locator("option").all_inner_texts() == ["any", "tag=endgame"]
    field.select_option("tag=endgame")
    expect(page.locator(".count")).to_have_text("2 games")


def test_a_number_is_charted_over_the_plies(open_page: Open, page_path: Path) -> None:
    """One key at a time; beside the moves stand all of them, and other lines as text."""
    page = open_page("#game=standoff-5x5.one.two.4a&ply=5", page_path)
    caption = page.locator("figcaption", has_text="per ply, from")
    expect(caption).to_contain_text("depth per ply, from 4 to 6")
    page.get_by_label("Number of the bots").select_option("nodes")
    expect(caption).to_contain_text("nodes per ply, from 100 to 300")
    lines = [" ".join(line.split()) for line in texts(page, "tr.info li")]
    assert lines == [
        "one: depth 4 nodes 100",
        "two: thinking about it",
        "one: depth 6 nodes 300 tag endgame",
    ]


def test_a_number_is_charted_over_the_games_of_a_bot(open_page: Open, page_path: Path) -> None:
    """The mean of each game; a bot that sent none has no such chart."""
    page = open_page("#view=bots&bot=one", page_path)
    chart = page.get_by_role("img", name="depth, mean per game, from 2 to 11 in 10 games")
    expect(chart).to_be_visible()
    page.get_by_label("Number", exact=True).select_option("nodes")
    expect(page.get_by_role("img", name="nodes, mean per game, from 200 to 200")).to_be_visible()
    page.get_by_label("Bot", exact=True).select_option("two")
    expect(page.locator("#bots")).not_to_contain_text("Numbers of this bot")


def test_hostile_values_are_bounded(tmp_path: Path) -> None:
    """Thousands of keys and tags, huge numbers: the page stays small, and is JSON."""
    records = [
        talking_game(
            game,
            *(
                (ply, 1, f"k{game}_{ply}={ply} t{ply}=x{game} n=nan h=1e400 m=1e15")
                for ply in range(3, 103)
            ),
        )
        for game in range(1, 401)
    ]
    page = report(write_tournament(tmp_path / "cup", records))
    data = embedded(page)
    assert len(page) < 1_500_000
    assert len(data["tags"]) == MAX_TAGS
    extras = [game[-1] for game in data["games"] if isinstance(game[-1], dict)]
    kept = [sum(len(str(line[2])) for line in extra.get("values", [])) for extra in extras]
    assert max(kept) <= GAME_VALUES
    assert sum(kept) <= ALL_VALUES
    assert kept[-1] > 0
    assert all(len(extra.get("tags", [])) <= 20 for extra in extras)
    one = next(bot for bot in data["bots"] if bot["name"] == "one")
    assert len(one["numbers"]) == MAX_KEYS
    assert "h" not in one["numbers"]
    assert "n" not in one["numbers"]
    assert all(len(points) <= MAX_POINTS for points in one["numbers"].values())


def test_hostile_values_are_text(open_page: Open, tmp_path: Path) -> None:
    """Markup in keys and values does not run."""
    payloads = [text.replace(" ", "_")[:60] for text in HOSTILE if "\ud800" not in text]
    lines = [(3, 1, f"tag={payload}") for payload in payloads]
    lines.append((3, 1, "__proto__=1 constructor=2"))
    record = talking_game(1, *lines)
    path = write_page(write_tournament(tmp_path / "cup", [record]))
    page = open_page(f"#game={record['id']}&ply=3", path)
    page.wait_for_selector("tr.info")
    page.evaluate("location.hash = '#view=games'")
    assert page.get_by_label("Tag").locator("option").count() > 5
    page.evaluate("location.hash = '#view=bots&bot=one'")
    expect(page.locator(".bot-name")).to_have_text("one")
    assert page.evaluate("window.__pwned") is None
    assert not set("\u202e\u2028\x00\x1b") & set(page.locator("body").inner_text())


@pytest.mark.parametrize("games", [1, 99, 100, 101, 12_345])
def test_a_history_has_few_points_and_all_games(games: int) -> None:
    """Its points lie further apart; their mean, weighted by games, is that of all games."""
    history = NumberHistory()
    for number in range(games):
        history.add(float(number))
    points = history.points()
    assert len(points) <= MAX_POINTS
    assert points[-1][0] == games
    weights = [points[0][0]] + [b[0] - a[0] for a, b in pairwise(points)]
    total = sum(weight * value for weight, (_, value) in zip(weights, points, strict=True))
    assert total / games == pytest.approx((games - 1) / 2, rel=1e-4)
    assert json.dumps(points)
