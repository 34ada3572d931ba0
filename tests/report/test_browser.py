"""The report in a real browser: every view, by mouse and by keyboard, and nothing that escapes."""

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright

from referee.report.page import SCRIPTS
from referee.rules import BUILT_IN, Size, find_variant, play_moves
from tests.conftest import ROOT, Referee
from tests.report.test_report import write_hostile
from tests.support.report_games import TICTACTOE, make_tournament, random_game, write_tournament
from tests.support.tools import needs

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = ROOT / "tests" / "vendor" / "axe.min.js"
RULES = ROOT / "referee" / "report" / "js" / "rules.js"
PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 860}
GAME = "runner-5x5.greedy.mirror.1a"
VIEWS = {
    "overview": "#view=overview",
    "crosstable": "#view=crosstable",
    "games": "#view=games",
    "bots": "#view=bots&bot=shaky",
    "replay": f"#game={GAME}&ply=3",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of this file."""
    needs("chromium")
    program = shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()


def write_page(folder: Path, *words: str) -> Path:
    """Run the command; the page that it writes."""
    result = Referee(folder)("report", ".", *words)
    assert result.returncode == 0, result.stderr
    return folder / "report.html"


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a tournament that all tests look at."""
    folder = write_tournament(tmp_path_factory.mktemp("report") / "cup", make_tournament())
    return write_page(folder, "--variant-file", str(TICTACTOE))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a tournament where everybody tries to run script."""
    folder = write_hostile(tmp_path_factory.mktemp("report") / "hostile")
    return write_page(folder)


Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any, cup: Path) -> Iterator[Open]:
    """Open the page at an address; in the end it must have been quiet and kept to itself."""
    contexts, trouble = [], []

    def open_page(address: str = "", path: Path = cup, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        own = path.as_uri()
        page.on(
            "request",
            lambda request: (
                None
                if request.url.split("#")[0] in (own, "data:,")
                else trouble.append(request.url)
            ),
        )
        page.goto(own + address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def texts(page: Any, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def said(element: Any) -> str:
    """All of its text, on one line."""
    return re.sub(r"\s+", " ", element.text_content())


def hash_is(page: Any, text: str) -> None:
    """Wait until the address says so."""
    page.wait_for_function("text => decodeURIComponent(location.hash) === text", arg=text)


# Overview and crosstable.


def test_overview_tells_what_was_played(open_page: Open) -> None:
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
    """A click sorts, another one turns the order round; the heading says which it is."""
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
    """Fifty at a time, in the order that one likes."""
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


def test_a_page_with_a_part_of_the_games_says_so(open_page: Open, cup: Path) -> None:
    """And how to get the others."""
    folder = write_tournament(cup.parent.parent / "part", make_tournament(1))
    page = open_page("#view=games", write_page(folder, "--games", "10"))
    expect(page.locator("#games .note")).to_contain_text("This page holds 10 of 36 games.")
    expect(page.locator("#games .note")).to_contain_text("referee report DIR --games all")
    page.goto(page.url.split("#")[0] + "#game=none")
    expect(page.locator("#replay")).to_contain_text("This game is not in this page")


# Replay.


def test_replay_by_mouse(open_page: Open) -> None:
    """Buttons, the slider, the list of moves and the chart all lead to a ply."""
    page = open_page("#view=games")
    page.locator(f'tr[data-game="{GAME}"]').click()
    plies = len(random_game("runner", Size(5, 5), 18)[0])
    status = page.locator(".status")
    expect(status).to_contain_text(f"Ply {plies} of {plies}")
    expect(page.get_by_role("button", name="One ply on")).to_be_disabled()
    page.get_by_role("button", name="First position").click()
    expect(status).to_contain_text("before the first move")
    page.get_by_role("button", name="One ply on").click()
    expect(status).to_contain_text("Ply 1 of")
    page.get_by_role("button", name="One ply on").click()
    page.get_by_role("button", name="One ply back").click()
    hash_is(page, f"#game={GAME}&ply=1")
    page.get_by_role("button", name="Last position").click()
    expect(status).to_contain_text(f"Ply {plies} of")
    page.get_by_label("Ply", exact=True).fill("3")
    expect(status).to_contain_text("Ply 3 of")
    page.locator("tr[data-ply='2'] button").click()
    expect(status).to_contain_text("Ply 2 of")
    expect(page.locator("tr[aria-current]")).to_have_attribute("data-ply", "2")
    box = page.locator("svg.times").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 10)
    expect(status).to_contain_text(f"Ply {plies} of")


def test_replay_by_keyboard(open_page: Open) -> None:
    """Arrows, Home and End; the slider keeps its own keys."""
    page = open_page(f"#game={GAME}&ply=0")
    status = page.locator(".status")
    for key, text in [
        ("ArrowRight", "Ply 1 of"),
        ("ArrowRight", "Ply 2 of"),
        ("ArrowLeft", "Ply 1 of"),
        ("End", "; "),
        ("Home", "before the first move"),
        ("ArrowLeft", "before the first move"),
    ]:
        page.keyboard.press(key)
        expect(status).to_contain_text(text)
    page.get_by_label("Ply", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(status).to_contain_text("Ply 1 of")


def test_replay_plays_by_itself(open_page: Open) -> None:
    """Ply after ply until the end, or until somebody stops it."""
    page = open_page(f"#game={GAME}&ply=0")
    page.clock.install(time=0)
    page.reload()
    page.clock.pause_at(3_600_000)  # from here on, time goes on only where this test says so
    page.get_by_role("button", name="Play").click()
    status = page.locator(".status")
    page.clock.run_for(1700)
    expect(status).to_contain_text("Ply 2 of")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    expect(status).to_contain_text("Ply 2 of")
    page.keyboard.press("Home")
    page.locator("h1:visible").focus()
    page.keyboard.press("Space")
    page.clock.run_for(800 * 1000)
    expect(page.get_by_role("button", name="Last position")).to_be_disabled()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_a_link_leads_to_one_ply(open_page: Open) -> None:
    """The board of that ply: its marks, the last move, the legal cells; and what was said."""
    id = "standoff-5x5.greedy.shaky.1a"
    page = open_page(f"#game={id}&ply=3")
    moves, _ = random_game("standoff", Size(5, 5), 1)
    rules = find_variant("standoff").on()
    state = play_moves(rules, moves[:3])
    cells = page.locator("svg.board .cell")
    found = cells.evaluate_all("cells => cells.map(cell => [cell.dataset.cell, cell.dataset.mark])")
    assert [mark for _, mark in found] == list(rules.board(state).replace("/", ""))
    assert texts_of(page, ".cell.last") == [moves[2]]
    assert texts_of(page, ".cell.legal") == list(rules.legal_moves(state))
    expect(page.locator(".player.seat-1 .clock")).to_contain_text("left")
    expect(page.locator(".player.seat-2 .clock")).to_contain_text("thought")
    expect(page.locator("tr[data-ply='4'] + tr.info")).to_contain_text("thinking about 4")
    assert page.locator("svg.times rect.seat-1").count() == (len(moves) + 1) // 2
    page.goto(page.url.split("#")[0] + f"#game={id}&ply=99999")
    expect(page.locator(".status")).to_contain_text(f"Ply {len(moves)} of {len(moves)}")
    expect(page.locator(".cell.legal")).to_have_count(0)


def texts_of(page: Any, selector: str) -> list[str]:
    names: list[str] = page.locator(f"svg.board {selector}").evaluate_all(
        "cells => cells.map(cell => cell.dataset.cell)"
    )
    return names


def test_a_faulted_game_shows_its_dossier(open_page: Open) -> None:
    """What happened, the exit status, standard error, and what was sent."""
    page = open_page("#view=games&faults=1")
    page.locator("table.games a").first.click()
    faults = page.get_by_role("region", name="Faults")
    expect(faults).to_contain_text("crash: exited with exit status 1")
    for text in ("exit status 1", "Traceback: <b>boom</b>", "> turn ply=3"):
        expect(page.get_by_role("region", name="Dossier")).to_contain_text(text)
    assert page.locator(".cell.legal").count() > 0


def test_each_game_has_its_drawing(open_page: Open) -> None:
    """A class of its own, the marks of its book, and the end of every game drawn."""
    page = open_page()
    for variant in [*BUILT_IN, "tictactoe"]:
        size = {"lockdown": "5x6", "crossfire": "6x6", "tictactoe": "3x3"}.get(variant, "5x5")
        game = f"{variant}-{size}.greedy.mirror.1a"
        page.evaluate("id => { location.hash = `#game=${id}&ply=999`; }", game)
        expect(page.locator("#replay .small").first).to_contain_text(game)
        board = page.locator("svg.board")
        expect(board).to_have_class(f"board {variant if variant in BUILT_IN else 'any'}")
        for mark in {"barricade": "AB", "runner": "12"}.get(variant, "XO"):
            assert page.locator(f'svg.board [data-mark="{mark}"]').count() > 0
        assert "rows from the top" in board.get_attribute("aria-label")


def test_the_rules_of_the_page_are_those_of_the_referee(browser: Any) -> None:
    """Random games on many boards: the same cells and the same legal moves after every ply."""
    dice = random.Random(9)
    sizes = [Size(3, 3), Size(3, 16), Size(16, 4), Size(5, 5), Size(7, 6), Size(16, 16)]
    games = []
    for variant in BUILT_IN:
        for size in sizes:
            for _ in range(1 if size == (16, 16) else 3):
                rules = find_variant(variant).on(size)
                state, moves, expected = rules.start(), [], []
                while True:
                    is_over = rules.outcome(state) is not None
                    legal = None if is_over else list(rules.legal_moves(state))
                    expected.append([rules.board(state), legal])
                    if legal is None or len(moves) == 60:
                        break
                    moves.append(dice.choice(legal))
                    state = rules.apply(state, moves[-1])
                board = {"variant": variant, "rows": size.rows, "cols": size.cols}
                games.append([board, moves, expected])
    page = browser.new_page()
    found = page.evaluate(
        f"""games => {{ {RULES.read_text(encoding="utf-8")}
        const positions = JSON.parse(games).map(([board, moves]) => positionsOf(board, moves)
            .map(position => [boardText(position, board.cols), position.legal]));
        return JSON.stringify(positions); }}""",
        json.dumps([game[:2] for game in games]),
    )
    page.close()
    for (board, moves, expected), positions in zip(games, json.loads(found), strict=True):
        assert len(positions) == len(expected), (board, moves)
        for (text, legal), (found_text, found_legal) in zip(expected, positions, strict=True):
            assert found_text == text, (board, moves)
            assert legal is None or found_legal == legal, (board, moves)


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


# For everybody.


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
def test_axe_has_no_complaint(open_page: Open, scheme: str, viewport: dict[str, int]) -> None:
    """Roles, labels and contrast of every view, by the rules of WCAG 2.1 AA and good practice."""
    page = open_page(color_scheme=scheme, viewport=viewport)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    faulted = next(record["id"] for record in make_tournament() if record["fault"])
    for address in [*VIEWS.values(), f"#game={faulted}&ply=2"]:
        page.evaluate("address => { location.hash = address; }", address)
        page.wait_for_selector("main > section:not([hidden]) .scroll")
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        complaints = [
            violation["id"] + ": " + " ".join(node["html"] for node in violation["nodes"])
            for violation in found["violations"]
        ]
        assert complaints == [], address


# Against everybody.


def test_hostile_text_never_runs(open_page: Open, hostile: Path) -> None:
    """Names, reasons, `info` lines, details, dossiers and ids full of payloads, in every view."""
    page = open_page("", hostile)
    data = json.loads(page.locator("#data").text_content())
    for view in ("overview", "crosstable", "games", "bots"):
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
    """Should markup ever come in all the same, the browser does not run it."""
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
    """A file that nobody lists would be dead."""
    assert sorted(SCRIPTS) == sorted(path.stem for path in RULES.parent.glob("*.js"))
