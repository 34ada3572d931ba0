"""What an analysis adds to the pages: who wins at each ply, errors, the moves that keep a win."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.conftest import ROOT, Referee
from tests.support.analysed_games import errors_by_game, games, read_analyses, write_analysed
from tests.support.browser import Open, hash_is, said, write_page

AXE = ROOT / "tests" / "vendor" / "axe.min.js"


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of an analysed tournament."""
    return write_page(write_analysed(tmp_path_factory.mktemp("analysed") / "cup"))


@pytest.fixture(scope="module")
def dramatic(analysed: Path) -> str:
    """A game of standoff with at least two errors."""
    found = errors_by_game(analysed.parent).items()
    return next(id for id, errors in found if len(errors) > 1 and id.startswith("standoff"))


def complaints(page: Any) -> list[str]:
    """What axe finds wrong."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        violation["id"] + ": " + " ".join(node["html"] for node in violation["nodes"])
        for violation in found["violations"]
    ]


def test_a_replay_shows_errors_and_the_moves_that_keep_the_win(
    open_page: Open, analysed: Path, dramatic: str
) -> None:
    """`??` behind the moves, green cells on the board; key and button go from error to error."""
    errors = errors_by_game(analysed.parent)[dramatic]
    record = next(record for record in games() if record["id"] == dramatic)
    stored = next(one for one in read_analyses(analysed.parent) if one.id == dramatic)
    page = open_page(f"#game={dramatic}&ply=0", analysed)
    marks = page.locator("tr[data-ply]:has(td:nth-child(3) .error-mark)")
    plies = marks.evaluate_all("rows => rows.map(row => Number(row.dataset.ply) - 1)")
    assert plies == errors
    for at in [*errors, errors[0]]:
        if at == errors[1]:
            page.get_by_role("button", name="Next error").click()
        else:
            page.keyboard.press("e")
        hash_is(page, f"#game={dramatic}&ply={at}")
        ply = stored.analysis.plies[at]
        verb = "keeps" if len(ply.winning) == 1 else "keep"
        mover = record["bots"][at % 2]
        text = f"{mover} to move: {len(ply.winning)} of {ply.legal} moves {verb} the win (green);"
        expect(page.locator(".proven")).to_contain_text(text)
        expect(page.locator(".proven")).to_contain_text(f"it played {record['moves'][at]} ??")
        good = page.locator(".cell:has(.highlight.good)")
        cells = good.evaluate_all("cells => cells.map(cell => cell.dataset.cell)")
        assert sorted(cells) == sorted(ply.winning)
        bad = page.locator(".cell:has(.highlight.bad)")
        expect(bad).to_have_attribute("data-cell", record["moves"][at])
    assert complaints(page) == []


def test_the_strip_has_the_winner_after_each_ply(
    open_page: Open, analysed: Path, dramatic: str
) -> None:
    """Seat 1 above, seat 2 below; the last column is the result of the game."""
    record = next(record for record in games() if record["id"] == dramatic)
    stored = next(one for one in read_analyses(analysed.parent) if one.id == dramatic)
    winners = [*(ply.winner for ply in stored.analysis.plies[1:]), 1 + record["score"].index(1)]
    page = open_page(f"#game={dramatic}&ply=0", analysed)
    columns = page.locator(".winners rect[class^=seat]")
    shown = columns.evaluate_all("all => all.map(one => one.getAttribute('class'))")
    assert shown == [f"seat-{winner}" for winner in winners]
    tops = columns.evaluate_all("all => all.map(one => Number(one.getAttribute('y')))")
    assert [top == 0 for top in tops] == [winner == 1 for winner in winners]


def test_unproved_looks_different_from_won(open_page: Open, tmp_path: Path) -> None:
    """A dashed line in the strip, and words under the board."""
    page_path = write_page(write_analysed(tmp_path / "cup", "--nodes", "1"))
    game, at = next(
        (stored.id, at)
        for stored in read_analyses(page_path.parent)
        for at, ply in enumerate(stored.analysis.plies)
        if at and ply.value == "unproved"
    )
    page = open_page(f"#game={game}&ply={at}", page_path)
    assert page.locator(".winners line.unproved").count() > 0
    expect(page.locator("figure:has(.winners)")).to_contain_text("dashed where it is unproved")
    expect(page.locator(".proven")).to_contain_text("to move: who wins is unproved")


def test_overview_bots_and_filter_show_errors(open_page: Open, analysed: Path) -> None:
    """The most dramatic games lead to their first error; the filter has the games given away."""
    errors = errors_by_game(analysed.parent)
    page = open_page("", analysed)
    first = page.locator(".dramatic li").first
    most = max(map(len, errors.values()))
    expect(first).to_contain_text(f"the win was given away {most} times")
    expect(page.locator(".dramatic")).to_contain_text("40 of 40 games are analysed")
    assert complaints(page) == []
    first.get_by_role("link").click()
    expect(page.locator(".proven .error-mark")).to_be_visible()
    page.goto(page.url.split("#")[0] + "#view=bots&bot=ann")
    table = Referee(analysed.parent)("analyse", ".", "--quiet", "--json").stdout
    decisions, wrong = re.search(r'"decisions": (\d+), "errors": (\d+)', table).groups()
    facts = said(page.locator(".error-facts"))
    assert facts.startswith(f"Decisions{decisions}Errors{wrong}")
    assert complaints(page) == []
    page.get_by_role("link", name="that it lost").click()
    expect(page.get_by_label("Lost a won game")).to_be_checked()
    ids = page.locator("tr[data-game]").evaluate_all("rows => rows.map(row => row.dataset.game)")
    records = {record["id"]: record for record in games()}
    lost = []
    for stored in read_analyses(analysed.parent):
        record = records[stored.id]
        seat = 1 + record["bots"].index("ann")
        had = any(ply.winner == seat for ply in stored.analysis.plies[2:])
        if had and not record["score"][seat - 1]:
            lost.append(stored.id)
    assert sorted(ids) == sorted(lost)
    assert 0 < len(ids) < len(records)


def test_a_shared_game_has_its_analysis(
    open_page: Open, analysed: Path, dramatic: str, tmp_path: Path
) -> None:
    """The same marks on the page of one game."""
    path = tmp_path / "game.html"
    assert Referee(analysed.parent)("share", ".", dramatic, "-o", str(path)).returncode == 0
    page = open_page("#ply=0", path)
    errors = errors_by_game(analysed.parent)[dramatic]
    expect(page.locator(".moves .error-mark")).to_have_count(len(errors))
    page.keyboard.press("e")
    expect(page.locator(".status")).to_contain_text(f"Ply {errors[0]} of")
    assert page.locator(".highlight.good").count() > 0


def test_unusable_analyses_are_reported_and_left_out(tmp_path: Path) -> None:
    """An analysis by another version, or cut short; the page is written all the same."""
    cup = write_analysed(tmp_path / "cup")
    path = cup / "analysis.jsonl"
    whole = path.read_text()
    path.write_text(whole[:-40])
    page = write_page(cup).read_text()
    assert '"analysed":39,' in page
    path.write_text(whole.replace('"solver":1', '"solver":999'))
    page = write_page(cup).read_text()
    assert '"analysed":0,' in page
    assert "run `referee analyse` again" in page
    path.unlink()
    assert "referee analyse` again" not in write_page(cup).read_text()
