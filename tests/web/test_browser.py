"""The arena in a real browser: watching, and playing by mouse and by keyboard."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESKTOP, PATIENCE_MS, PHONE, Open, axe_complaints
from tests.support.servers import Server, serving, started
from tests.web.conftest import write_cup
from tests.web.test_playing import PLAY

REFUSED_MOVE = "status of 409"
"""What Chromium writes to its console about a move that the server explains."""


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """Open a page of a server; nothing may be blocked, fail, or be asked of another server."""
    contexts, trouble = [], []

    def open_page(address: str, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        origin = urlsplit(address).netloc
        page.on(
            "request",
            lambda request: (
                None
                if urlsplit(request.url).netloc == origin or request.url == "data:,"
                else trouble.append(request.url)
            ),
        )
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in trouble if REFUSED_MOVE not in text] == []


def test_running_tournament_is_watched_to_its_champion(open_page: Open, tmp_path: Path) -> None:
    path = write_cup(tmp_path, 3, held=True)
    words = ("run", str(path), "--serve", "--port", "0", "--quiet", "--workers", "1")
    with started(tmp_path, *words, stream="stderr") as server:
        page = open_page(f"{server.address}t/cup")
        featured = page.get_by_role("region", name="Featured game")
        expect(featured.get_by_text("live")).to_be_visible()
        expect(featured.locator(".player.on-turn .clock")).to_contain_text("left")
        expect(featured.locator("svg.board")).to_be_in_viewport()
        assert axe_complaints(page) == []
        (tmp_path / "hold").unlink()
        expect(page.locator(".champion")).to_contain_text("Champion: ")
        expect(page.locator(".progress-box")).to_contain_text("6 of 6 games · finished")
        expect(page.locator(".wall .tile")).to_have_count(6)
        expect(page.locator(".standings tbody tr")).to_have_count(2)
        expect(page.locator("#announcer")).to_contain_text("The tournament is over. Champion: ")
        page.locator(".pin", has_text="first").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".pin", has_text="first")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_text("Following first")).to_be_visible()
        page.get_by_role("link", name="Open the report").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("cup")


def test_running_knockout_shows_its_bracket_and_a_followed_pairing(
    open_page: Open, tmp_path: Path
) -> None:
    path = write_cup(tmp_path, held=True, more="format: knockout\n")
    words = ("run", str(path), "--serve", "--port", "0", "--quiet", "--workers", "1")
    with started(tmp_path, *words, stream="stderr") as server:
        page = open_page(f"{server.address}t/cup")
        expect(page.get_by_role("heading", name="Bracket")).to_be_visible()
        expect(page.locator(".bracket-box")).to_contain_text("first")
        expect(page.locator(".bracket-box")).to_contain_text("last")
        for bot in ("first", "last"):
            page.locator(".pin", has_text=bot).click()
        expect(page.locator('.pin[aria-pressed="true"]')).to_have_count(2)
        expect(page.get_by_text("Following first")).to_contain_text("last")
        assert axe_complaints(page) == []
        (tmp_path / "hold").unlink()
        expect(page.locator(".champion")).to_contain_text("Champion: ")
        page.close()  # before the server ends: a stream that breaks off is an error


@pytest.fixture(scope="module")
def offering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that offers a bot."""
    with serving(tmp_path_factory.mktemp("offering"), *PLAY) as server:
        yield server


def begin(page: Any, game: str) -> None:
    page.get_by_label("Your nickname").fill("anna")
    page.get_by_label("Game").select_option(game)
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".cell-button.allowed").first).to_be_visible()


def test_game_can_be_played_by_mouse(open_page: Open, offering: Server) -> None:
    """A cell that is not allowed is explained; the end names the winner and offers another game."""
    page = open_page(f"{offering.address}play")
    assert axe_complaints(page) == []
    begin(page, "standoff")
    assert axe_complaints(page) == []
    page.locator(".cell-button.allowed").first.click()
    page.locator('.cell-button[data-cell="1,1"]:not(.allowed)').click()
    expect(page.locator(".table-status")).to_contain_text("1,1 is taken by X")
    again = page.get_by_role("button", name="Play again")
    cell = page.locator(".cell-button.allowed").first
    while not again.is_visible():
        expect(cell.or_(again).first).to_be_visible()
        if cell.is_visible():
            plies = page.locator(".moves tr[data-ply]").count()
            cell.click()
            expect(page.locator(f'.moves tr[data-ply="{plies + 1}"]')).to_be_visible()
    expect(page.locator(".table-status")).to_contain_text("wins: ")
    expect(page.locator(".player .badge")).to_have_text("winner")
    assert axe_complaints(page) == []
    page.get_by_role("button", name="Other seat").click()
    expect(page.locator(".player.seat-2")).to_contain_text("anna")


def test_game_can_be_played_by_keyboard(open_page: Open, offering: Server) -> None:
    """Barricade on a phone: arrow keys choose a cell, Enter the step, then the blockade."""
    page = open_page(f"{offering.address}play", viewport=PHONE, color_scheme="dark")
    begin(page, "barricade")
    page.locator('.cell-button[tabindex="0"]').focus()
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".table-status")).to_contain_text("Choose the cell for the blockade")
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator('.moves tr[data-ply="1"]')).to_contain_text("0,1x0,2")
    expect(page.locator('.cell-button[data-cell="0,2"]')).to_be_focused()
    assert axe_complaints(page) == []
    page.get_by_role("button", name="Resign").click()
    expect(page.locator(".table-status")).to_contain_text("anna resigned")
    page.get_by_role("link", name="Other board").click()
    expect(page.get_by_label("Game")).to_have_value("barricade")
    expect(page.get_by_role("table", name="People")).to_contain_text("anna")


def test_list_of_tournaments_fits_a_phone(open_page: Open, arena: Server) -> None:
    """Motion is reduced: the featured game does not play by itself."""
    page = open_page(arena.address, viewport=PHONE, reduced_motion="reduce")
    assert axe_complaints(page) == []
    page.get_by_role("link", name="cup").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert axe_complaints(page) == []
