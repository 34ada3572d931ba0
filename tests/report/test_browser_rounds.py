"""The rounds of the report in a real browser."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from referee.records.manifest import Manifest
from tests.conftest import ROOT
from tests.support.browser import PHONE, Open, hash_is, texts, write_page
from tests.support.report_games import play_rounds, write_tournament

AXE = ROOT / "tests" / "vendor" / "axe.min.js"


def make_cup(folder: Path, format: str, bots: int, **settings: Any) -> Path:
    """The page of a tournament whose bots win by their numbers."""
    names = [f"bot-{number}" for number in range(1, bots + 1)]
    cup = Manifest(
        "Cup", names, {"standoff-5x5": "standoff"}, format=format, encounters=1, **settings
    )
    records = play_rounds(cup, lambda one, two, _: int(one[4:]) > int(two[4:]))
    kept = {**cup.to_json(), "settings": {}, "games": len(records)}
    return write_page(write_tournament(folder / format, records, **kept))


@pytest.fixture(scope="module")
def knockout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight bots; the last one wins."""
    return make_cup(tmp_path_factory.mktemp("rounds"), "knockout", 8)


@pytest.fixture(scope="module")
def swiss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven bots, four rounds."""
    return make_cup(tmp_path_factory.mktemp("rounds"), "swiss", 7, rounds=4)


def test_the_overview_of_a_knockout_leads_with_its_champion(
    open_page: Open, knockout: Path
) -> None:
    """Then the bracket, whose matches lead to their games."""
    page = open_page("", knockout)
    lead = page.locator("#lead")
    expect(lead.locator(".champion")).to_have_text("Champion: bot-8")
    assert lead.bounding_box()["y"] < page.locator("#standings").bounding_box()["y"]
    bracket = lead.get_by_role("group", name="Bracket. Champion: bot-8")
    stages = bracket.locator(".stage").all_text_contents()
    assert stages == ["Quarter-finals", "Semi-finals", "Final", "Third place"]
    labels = bracket.locator("a.match").evaluate_all("all => all.map(a => a.ariaLabel)")
    assert len(labels) == 8
    assert "Final: bot-8 2 bot-7 0, bot-8 wins" in labels
    bracket.get_by_role("link", name="Third place:").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_have_text("2 games")


def test_the_rounds_of_a_knockout_stand_below_the_bracket(open_page: Open, knockout: Path) -> None:
    """Places first, then the rounds, the final on top."""
    page = open_page("", knockout)
    page.get_by_role("link", name="Rounds").click()
    hash_is(page, "#view=rounds")
    assert texts(page, "#rounds .places li") == ["Second: bot-7", "Third: bot-6"]
    assert texts(page, "#rounds h2") == ["Final", "Third place", "Semi-finals", "Quarter-finals"]


def test_each_round_of_a_swiss_has_its_matches(open_page: Open, swiss: Path) -> None:
    """The last round at first; a link to each, and from each match to its games."""
    page = open_page("", swiss)
    expect(page.locator("#lead .champion")).to_have_text("Winner: bot-7")
    expect(page.locator("#lead h2")).to_have_text("Round 4")
    page.get_by_role("link", name="All rounds").click()
    expect(page.locator("#rounds h2")).to_have_text("Round 4")
    page.get_by_role("link", name="Round 2").click()
    hash_is(page, "#view=rounds&round=2")
    expect(page.locator("#rounds table.matches tbody tr")).to_have_count(4)
    expect(page.locator("#rounds tbody tr").last).to_contain_text("bye")
    page.locator("#rounds td.score a").first.click()
    expect(page.locator(".count")).to_have_text("2 games")


@pytest.mark.parametrize("name", ["knockout", "swiss"])
def test_axe_has_no_complaint_about_rounds(
    open_page: Open, name: str, request: pytest.FixtureRequest
) -> None:
    """On a phone, in the dark; and the page is not wider than the screen."""
    page = open_page("", request.getfixturevalue(name), color_scheme="dark", viewport=PHONE)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for address in ("#view=overview", "#view=rounds"):
        page.evaluate("address => { location.hash = address; }", address)
        page.wait_for_selector("main > section:not([hidden]) .scroll")
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
