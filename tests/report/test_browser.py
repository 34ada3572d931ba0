"""The report in a real browser: every view, by mouse and by keyboard, with hostile text."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from referee.report.page import PUZZLE_SCRIPTS, SCRIPTS, SHARE_SCRIPTS
from referee.scoring.tables import duration_text
from tests.conftest import ROOT, Referee
from tests.support.browser import (
    DESKTOP,
    PHONE,
    Open,
    axe_complaints,
    hash_is,
    said,
    texts,
    write_page,
)
from tests.support.report_games import make_tournament, write_tournament

RULES = ROOT / "referee" / "report" / "js" / "rules.js"
GAME = "runner-5x5.greedy.mirror.1a"
VIEWS = {
    "overview": "#view=overview",
    "crosstable": "#view=crosstable",
    "ratings": "#view=ratings",
    "games": "#view=games",
    "bots": "#view=bots&bot=shaky",
    "replay": f"#game={GAME}&ply=3",
}


# Overview and crosstable.


def test_overview_shows_what_was_played(open_page: Open) -> None:
    """Name, size, time, settings; the standings with a drawn rating for each bot."""
    page = open_page()
    assert page.title() == "Test cup"
    expect(page.get_by_role("heading", level=1)).to_have_text("Test cup")
    expect(page.locator(".summary")).to_have_text(
        "108 games · 3 bots · 6 boards · 2026-11-16 10:00 to 10:59 UTC"
    )
    facts = dict(zip(texts(page, ".facts dt"), texts(page, ".facts dd"), strict=True))
    assert facts["Seed"] == "2026"
    assert facts["Opening plies"] == "2"
    assert facts["Isolation"].startswith("none")
    ratings = page.locator("#standings svg.interval")
    expect(ratings).to_have_count(3)
    label = ratings.first.get_attribute("aria-label")
    assert re.fullmatch(r"Elo \S+, 95 % from \S+ to \S+", label)


def test_standings_sort_by_every_column(open_page: Open) -> None:
    """A click sorts, another one turns the order round; the heading shows which it is."""
    page = open_page()
    bots = lambda: texts(page, "#standings tbody th")  # noqa: E731
    first = bots()
    heading = page.locator("#standings th", has=page.get_by_role("button", name="Bot", exact=True))
    heading.get_by_role("button").click()
    assert bots() == sorted(first)
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.get_by_role("button").click()
    assert bots() == sorted(first, reverse=True)
    assert heading.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="Points", exact=True).focus()
    page.keyboard.press("Enter")
    points = [float(text) for text in texts(page, "#standings tbody td:nth-child(3)")]
    assert points == sorted(points, reverse=True)
    for name in texts(page, "#standings th button"):
        page.get_by_role("button", name=name, exact=True).dispatch_event("click")
        assert sorted(bots()) == sorted(first)


def test_each_board_has_its_tables(open_page: Open) -> None:
    """The standings and the crosstable of one board, chosen in a field; the address keeps it."""
    page = open_page()
    page.get_by_label("Board").select_option("runner-5x5")
    hash_is(page, "#view=overview&board=runner-5x5")
    expect(page.locator("#standings caption")).to_have_text("Standings: runner-5x5")
    page.get_by_role("link", name="Crosstable").click()
    expect(page.locator("#crosstable caption")).to_have_text("Crosstable: All games")
    page.locator("#crosstable").get_by_label("Board").select_option("crossfire-6x6")
    expect(page.locator("#crosstable caption")).to_have_text("Crosstable: crossfire-6x6")
    cells = page.locator("#crosstable td.heat a")
    expect(cells).to_have_count(6)
    text = said(cells.first)
    assert re.fullmatch(r"greedy against \w+: [\d.]+ points, wins.losses \d+.\d+", text)


def test_a_cell_of_the_crosstable_leads_to_its_games(open_page: Open) -> None:
    """Exactly those of the two bots, on that board."""
    page = open_page("#view=crosstable&board=standoff-5x5")
    page.get_by_role("link", name="greedy against mirror").click()
    hash_is(page, "#view=games&bot=greedy&opponent=mirror&board=standoff-5x5")
    expect(page.locator(".count")).to_have_text("6 games")
    ids = page.locator("tr[data-game]").evaluate_all("rows => rows.map(row => row.dataset.game)")
    assert all(id.startswith("standoff-5x5.") and "shaky" not in id for id in ids)


def test_the_page_has_the_digits_of_the_terminal(open_page: Open, cup: Path) -> None:
    """Each cell of the standings is the text that `referee standings` prints."""
    page = open_page("#view=overview&ties=1")
    printed = Referee(cup.parent)("standings", ".", "--format", "csv").stdout.splitlines()
    headers, *rows = [line.split(",") for line in printed]
    shown = [text.lower() for text in texts(page, "#standings thead th")]
    cells = [
        [cell.strip() for cell in row.locator("th, td").all_inner_texts()]
        for row in page.locator("#standings tbody tr").all()
    ]
    overall = [row for row in rows if row[0] == "All games"]
    assert len(cells) == len(overall) == 3
    for expected, found in zip(overall, cells, strict=True):
        for header, text in list(zip(headers, expected, strict=True))[1:]:
            assert found[shown.index(header)] == text


def test_the_times_of_the_page_are_those_of_python(browser: Any) -> None:
    """The same digits for every time, also where rounding is a matter of halves."""
    times = [*(at / 8 for at in range(2_000)), 999.5, 1004.999, 1005.0, 9995.0, 12_345.6, 99.95]
    script = (RULES.parent / "text.js").read_text(encoding="utf-8")
    page = browser.new_page()
    found = page.evaluate(f"times => {{ {script} return times.map(milliseconds); }}", times)
    page.close()
    assert found == [duration_text(ms) for ms in times]


def test_faults_stand_behind_the_score_and_tie_breaks_fold(open_page: Open) -> None:
    """A button shows the tie-breaks; the address keeps that, and the focus stays."""
    page = open_page()
    heads = texts(page, "#standings thead th")
    assert heads[:6] == ["Rank", "Bot", "Points", "Elo, 95 % interval", "Score %", "Faults"]
    assert "Head-to-head" not in heads
    page.get_by_role("button", name="Show tie-breaks").click()
    assert texts(page, "#standings thead th")[-4:] == [
        "Head-to-head",
        "Sonneborn-berger",
        "Fewest-faults",
        "Wins-from-seat-2",
    ]
    expect(page.get_by_role("button", name="Hide tie-breaks")).to_be_focused()
    hash_is(page, "#view=overview&ties=1")


def test_a_shadow_shows_that_a_table_goes_on(open_page: Open) -> None:
    """At the side where there is more; none where everything is in sight."""
    page = open_page(viewport=PHONE)
    frame = page.locator("#standings .scroll-frame")
    expect(frame).to_have_class("scroll-frame more-right")
    opacity = "frame => getComputedStyle(frame, '::after').opacity"
    assert frame.evaluate(opacity) == "1"
    frame.locator(".scroll").evaluate("box => { box.scrollLeft = 9999; }")
    expect(frame).to_have_class("scroll-frame more-left")
    assert frame.evaluate(opacity) == "0"
    wide = open_page(viewport={"width": 1920, "height": 1080})
    expect(wide.locator("#standings .scroll-frame")).to_have_class("scroll-frame")


def test_ratings_have_a_view_of_their_own(open_page: Open) -> None:
    """All boards side by side, and expected scores of the chosen board."""
    page = open_page("#view=ratings")
    first, second = page.locator("#ratings table").all()
    heads = first.locator("thead th").all_inner_texts()
    assert heads[:4] == ["Bot", "Rank", "Better than next", "All games"]
    assert len(heads) == 4 + 6
    assert "±" in first.locator("tbody td").nth(2).inner_text()
    assert second.locator("thead th").count() == 1 + 3
    cells = [text for text in second.locator("tbody td").all_inner_texts() if text]
    assert len(cells) == 6
    assert all(re.fullmatch(r"[0-9]+ \(([+-][0-9]+|0)\)", text) for text in cells)
    page.locator("#ratings").get_by_label("Board").select_option("crossfire-6x6")
    expect(page.locator("#ratings caption").last).to_have_text("Expected scores: crossfire-6x6")


def test_heads_of_the_crosstable_turn_where_they_do_not_fit(open_page: Open) -> None:
    """And turn back in a wider window."""
    page = open_page("#view=crosstable", viewport={"width": 320, "height": 700})
    table = page.locator("#crosstable table")
    expect(table).to_have_class("crosstable turned")
    page.set_viewport_size(DESKTOP)
    expect(table).to_have_class("crosstable")


# Games.


def test_games_can_be_filtered(open_page: Open) -> None:
    """By bot, opponent, variant, reason, length and faults, alone and together."""
    page = open_page("#view=games")
    count = page.locator(".count")
    expect(count).to_have_text("108 games")
    page.get_by_label("Bot", exact=True).select_option("shaky")
    expect(count).to_have_text("72 games")
    page.get_by_label("Opponent").select_option("mirror")
    expect(count).to_have_text("36 games")
    page.get_by_label("Variant").select_option("barricade-5x5")
    expect(count).to_have_text("6 games")
    page.get_by_role("button", name="Show all").click()
    expect(count).to_have_text("108 games")
    page.get_by_label("Faults only").check()
    faulted = int(count.inner_text().split()[0])
    assert 0 < faulted < 30
    assert set(texts(page, "table.games td:nth-child(6)")) == {"crash"}
    page.get_by_label("Faults only").uncheck()
    page.get_by_label("Reason").select_option("crash")
    expect(count).to_have_text(f"{faulted} games")
    page.get_by_label("Reason").select_option("")
    page.get_by_label("At least plies").fill("8")
    page.get_by_label("At most plies").fill("10")
    plies = {int(text) for text in texts(page, "table.games td:nth-child(7)")}
    assert plies <= {8, 9, 10}
    page.get_by_label("At least plies").fill("5000")
    expect(page.get_by_text("No game is like that.")).to_be_visible()


def test_games_can_be_sorted_and_paged(open_page: Open) -> None:
    """Fifty at a time, by any column."""
    page = open_page("#view=games")
    rows = page.locator("tr[data-game]")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Plies").click()
    plies = [int(text) for text in texts(page, "table.games td:nth-child(7)")]
    assert plies == sorted(plies, reverse=True)
    page.keyboard.press("Enter")
    plies = [int(text) for text in texts(page, "table.games td:nth-child(7)")]
    assert plies == sorted(plies)
    page.get_by_role("link", name="Last", exact=True).click()
    expect(rows).to_have_count(8)
    page.go_back()
    expect(rows).to_have_count(50)


def test_page_with_a_part_of_the_games_has_a_notice(open_page: Open, cup: Path) -> None:
    """And how to get the others."""
    folder = write_tournament(cup.parent.parent / "part", make_tournament(1))
    page = open_page("#view=games", write_page(folder, "--games", "10"))
    expect(page.locator("#games .note")).to_contain_text("This page holds 10 of 36 games.")
    expect(page.locator("#games .note")).to_contain_text("referee report DIR --games all")
    page.goto(page.url.split("#")[0] + "#game=none")
    expect(page.locator("#replay")).to_contain_text("This game is not in this page")


# Bots.


def test_each_bot_has_its_page(open_page: Open) -> None:
    """Results by board and seat, the course, thinking times and faults, with links to games."""
    page = open_page()
    page.get_by_role("link", name="shaky").click()
    hash_is(page, "#view=bots&bot=shaky")
    expect(page.locator(".bot-name")).to_have_text("shaky")
    expect(page.locator("#bots .crosstable tbody tr")).to_have_count(6)
    expect(page.locator("#bots svg.chart")).to_have_count(2)
    counts = page.locator("#bots svg.chart").nth(1).locator("rect.bar").count()
    assert counts > 3
    page.locator("#bots").get_by_role("link", name="crash").click()
    hash_is(page, "#view=games&bot=shaky&reason=crash&faults=1")
    page.go_back()
    page.locator("#bots").get_by_label("Bot").select_option("mirror")
    expect(page.locator(".bot-name")).to_have_text("mirror")
    expect(page.locator("#bots")).to_contain_text("None.")


# Accessibility: keyboard, colours, phone, paper.


def test_the_keyboard_alone_is_enough(open_page: Open) -> None:
    """From the first tab to a game and back, without a mouse; the focus can be seen."""
    page = open_page()
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.get_by_role("link", name="Games", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#games-title")).to_be_focused()
    page.locator("table.games a").first.focus()
    outline = page.locator("table.games a").first.evaluate("a => getComputedStyle(a).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#replay-title")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".status")).to_contain_text("Ply ")
    page.go_back()
    expect(page.locator("#games")).to_be_visible()


def test_colours_follow_the_system(open_page: Open) -> None:
    """Light or dark, as the reader's machine is set, and when it changes."""
    page = open_page()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
        assert (brightness > 128) == (scheme == "light")


def test_the_reader_can_choose_light_or_dark(open_page: Open) -> None:
    """The choice stays when the page is opened again."""
    page = open_page(color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate(ground) == light


def test_games_are_cards_on_a_phone(open_page: Open) -> None:
    """Two lines each, the filters folded, sorted by a field."""
    page = open_page("#view=games", viewport=PHONE)
    card = page.locator("tr[data-game]").first
    boxes = {
        name: card.locator(f".column-{name}").bounding_box()
        for name in ("first", "second", "board", "plies")
    }
    assert abs(boxes["first"]["y"] - boxes["second"]["y"]) < 3
    assert boxes["board"]["y"] >= boxes["first"]["y"] + boxes["first"]["height"]
    assert abs(boxes["board"]["y"] - boxes["plies"]["y"]) < 3
    expect(page.get_by_label("Bot", exact=True)).to_be_hidden()
    page.get_by_text("Filter and sort").click()
    page.get_by_label("Bot", exact=True).select_option("shaky")
    expect(page.locator(".count")).to_have_text("72 games")
    expect(page.get_by_text("Filter and sort (1 filter)")).to_be_visible()
    page.get_by_label("Sort by").select_option("plies down")
    plies = [int(text.split()[0]) for text in texts(page, "td.column-plies")]
    assert plies == sorted(plies, reverse=True)


def test_targets_are_large_on_a_phone(open_page: Open) -> None:
    """Everything that can be pressed is at least 44 pixels high, in every view."""
    page = open_page(viewport=PHONE, has_touch=True)
    faulted = next(record["id"] for record in make_tournament() if record["fault"])
    for address in [*VIEWS.values(), "#view=rules&variant=runner", f"#game={faulted}&ply=2"]:
        page.goto(page.url.split("#")[0] + address)
        small = page.evaluate(
            """() => [...document.querySelectorAll(
                'a, button, summary, select, input:not([type=checkbox]), label.check')]
            .filter(element => element.checkVisibility() && !element.classList.contains('skip'))
            .filter(element => element.getBoundingClientRect().height < 43.5)
            .map(element => element.outerHTML.slice(0, 120))"""
        )
        assert small == [], address


def test_paper_keeps_colours_and_cuts_nothing(open_page: Open) -> None:
    """Light, with the colours of cells, and no box that scrolls; as wide as A4 between margins."""
    page = open_page(viewport={"width": 703, "height": 1000}, color_scheme="dark")
    page.emulate_media(media="print")
    faulted = next(record["id"] for record in make_tournament() if record["fault"])
    for address in [*VIEWS.values(), f"#game={faulted}&ply=2"]:
        page.goto(page.url.split("#")[0] + address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 703, address
        cut = page.evaluate(
            """() => [...document.querySelectorAll('main *')]
            .filter(element => element.checkVisibility())
            .filter(element => !element.closest('.visually-hidden, svg'))
            .filter(element => getComputedStyle(element).overflowX !== 'visible')
            .filter(element => element.scrollWidth > element.clientWidth + 1)
            .map(element => element.outerHTML.slice(0, 100))"""
        )
        assert cut == [], address
    page.goto(page.url.split("#")[0] + "#view=crosstable")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 250, 248)"
    heat = page.locator("td.heat").first
    assert heat.evaluate("cell => getComputedStyle(cell).printColorAdjust") == "exact"


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_no_view_is_wider_than_the_screen(open_page: Open, viewport: dict[str, int]) -> None:
    """Wide tables scroll by themselves, never the page."""
    page = open_page(viewport=viewport)
    for address in VIEWS.values():
        page.goto(page.url.split("#")[0] + address)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= viewport["width"], address


@pytest.mark.parametrize(
    ("scheme", "viewport"), [("light", DESKTOP), ("dark", PHONE)], ids=["light", "dark"]
)
def test_axe_finds_no_problem_in_any_view(
    open_page: Open, scheme: str, viewport: dict[str, int]
) -> None:
    """Roles, labels and contrast of every view, by the rules of WCAG 2.1 AA and good practice."""
    page = open_page(color_scheme=scheme, viewport=viewport)
    faulted = next(record["id"] for record in make_tournament() if record["fault"])
    for address in [*VIEWS.values(), f"#game={faulted}&ply=2"]:
        page.evaluate("address => { location.hash = address; }", address)
        page.wait_for_selector("main > section:not([hidden]) .scroll")
        assert axe_complaints(page) == [], address


# Security.


def test_hostile_text_never_runs(open_page: Open, hostile: Path) -> None:
    """Names, reasons, `info` lines, details, dossiers and ids full of payloads, in every view."""
    page = open_page("", hostile)
    data = json.loads(page.locator("#data").text_content())
    for view in ("overview", "crosstable", "ratings", "games", "bots"):
        page.evaluate("view => { location.hash = `#view=${view}`; }", view)
        page.wait_for_selector(f"#{view}:not([hidden]) table")
    for bot in data["bots"]:
        address = "#" + page.evaluate(
            "n => new URLSearchParams({view:'bots',bot:n})+''", bot["name"]
        )
        page.evaluate("address => { location.hash = address; }", address)
        page.wait_for_function(
            "n => document.querySelector('.bot-name').textContent === n", arg=bot["name"]
        )
    page.evaluate("location.hash = '#view=games'")
    links = page.locator("table.games a").evaluate_all("links => links.map(link => link.hash)")
    assert len(links) == len(data["games"])
    for address in links:
        page.evaluate("address => { location.hash = address; }", address)
        page.wait_for_selector(".board-frame > *")
        text = page.locator("#replay").inner_text()
        assert not set("\u202e\u2028\x00\x1b") & set(text)
    assert page.evaluate("window.__pwned") is None
    assert page.locator("main img, main script, main iframe").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]


def test_the_policy_stops_what_the_page_did_not_write(browser: Any, cup: Path) -> None:
    """The browser does not run markup that is inserted into the page."""
    page = browser.new_page()
    page.goto(cup.as_uri())
    blocked = page.evaluate(
        """() => new Promise(resolve => {
            const tell = event => resolve(event.violatedDirective);
            document.addEventListener('securitypolicyviolation', tell);
            const script = document.createElement('script');
            script.textContent = 'window.__pwned = 1';
            document.body.append(script);
        })"""
    )
    assert blocked.startswith("script-src")
    assert page.evaluate("window.__pwned") is None
    page.close()


def test_every_script_is_in_the_page() -> None:
    """A file that no list names would be unused."""
    listed = {*SCRIPTS, *SHARE_SCRIPTS, *PUZZLE_SCRIPTS, "theme"}
    assert sorted(listed) == sorted(path.stem for path in RULES.parent.glob("*.js"))
