"""The replay of the report in a real browser: by mouse, by keyboard, by itself, by its address."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from referee.outcome import Outcome, Reason
from referee.report.page import REPLAY_SCRIPTS, REPLAY_STYLES, make_style
from referee.rules import BUILT_IN, Size, find_variant, play_moves
from tests.conftest import ROOT
from tests.support.browser import Open, hash_is, said, texts, write_page
from tests.support.report_games import (
    identified,
    make_faulted,
    make_record,
    make_tournament,
    random_game,
    write_tournament,
)

JS = ROOT / "referee" / "report" / "js"
RULES = JS / "rules.js"
GAME = "runner-5x5.greedy.mirror.1a"


def test_replay_is_controlled_by_mouse(open_page: Open) -> None:
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


def test_replay_is_controlled_by_keyboard(open_page: Open) -> None:
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
    """Ply after ply until the end, or until it is stopped."""
    page = open_page(f"#game={GAME}&ply=0")
    page.clock.install(time=0)
    page.reload()
    page.clock.pause_at(3_600_000)  # from here on, the clock runs only where this test advances it
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
    """The board of that ply: its marks, the last move, the legal cells; and the `info` lines."""
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


# To other games, and into other pages.


def test_replay_links_to_neighbours_and_back_to_the_list(open_page: Open) -> None:
    """The list that the reader came from has a next and a previous game, and a way back."""
    page = open_page("#view=games&bot=greedy&board=standoff-5x5")
    page.locator("tr[data-game]").nth(1).click()
    shown = lambda: page.locator(".game-head .small").inner_text().split(" ")[0]  # noqa: E731
    second = shown()
    links = page.get_by_role("navigation", name="Other games")
    links.get_by_role("link", name="Next").click()
    page.wait_for_function("id => !location.hash.includes(id)", arg=second)
    third = shown()
    links.get_by_role("link", name="Previous").click()
    page.wait_for_function("id => !location.hash.includes(id)", arg=third)
    assert shown() == second
    links.get_by_role("link", name="Previous").click()
    page.wait_for_function("id => !location.hash.includes(id)", arg=second)
    assert links.get_by_text("Previous").get_attribute("aria-disabled") == "true"
    assert "greedy" in shown()
    links.get_by_role("link", name="Back to the list").click()
    hash_is(page, "#bot=greedy&board=standoff-5x5&view=games")
    expect(page.locator(".count")).to_have_text("12 games")


def test_replay_links_to_the_game_with_seats_swapped(open_page: Open) -> None:
    """The other game of the encounter, where the opening ends."""
    page = open_page("#game=standoff-5x5.greedy.mirror.2a&ply=5")
    page.get_by_role("link", name="Seats swapped").click()
    hash_is(page, "#game=standoff-5x5.mirror.greedy.2b&ply=2")
    expect(page.locator("#replay-title")).to_have_text("mirror against greedy")


def test_the_address_has_the_whole_state(open_page: Open) -> None:
    """Ply, playing, speed and repeating are read from it and written to it."""
    page = open_page(f"#game={GAME}&ply=1&speed=2&loop=1")
    speed = page.get_by_label("Speed")
    expect(speed).to_have_value("2")
    expect(page.get_by_role("button", name="Repeat")).to_have_attribute("aria-pressed", "true")
    speed.select_option("4")
    hash_is(page, f"#game={GAME}&ply=1&speed=4&loop=1")
    page.get_by_role("button", name="Repeat").click()
    hash_is(page, f"#game={GAME}&ply=1&speed=4")
    page.goto(page.url.split("#")[0] + f"#game={GAME}&ply=40&play=1&speed=4")
    page.reload()
    expect(page.locator(".status")).to_contain_text("Ply 45 of 45")
    hash_is(page, f"#game={GAME}&ply=45&speed=4")


def test_replay_repeats_if_the_option_is_set(open_page: Open) -> None:
    """After the last position and a pause it begins again."""
    page = open_page("")
    page.clock.install(time=0)
    page.goto(page.url.split("#")[0] + f"#game={GAME}&ply=999&loop=1")
    page.reload()
    page.clock.pause_at(3_600_000)
    page.get_by_role("button", name="One ply back").click()
    page.get_by_role("button", name="Play").click()
    status = page.locator(".status")
    page.clock.run_for(900)
    expect(status).to_contain_text("wins:")
    page.clock.run_for(2500)
    expect(status).to_contain_text("before the first move")
    page.clock.run_for(850)
    expect(status).to_contain_text("Ply 1 of")


def test_nothing_plays_by_itself_where_motion_is_not_wanted(open_page: Open) -> None:
    """A link with `play=1` opens the position; a press on Play still plays."""
    page = open_page(f"#game={GAME}&ply=0&play=1", reduced_motion="reduce")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def test_a_link_can_be_copied(open_page: Open) -> None:
    """It leads to this ply of this game."""
    page = open_page(f"#game={GAME}&ply=3&list=bot%3Dgreedy")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url.split("#")[0] + f"#game={GAME}&ply=3"


def test_page_has_the_sentences_of_the_terminal(browser: Any) -> None:
    """Who won and why, for every reason and every score, to the letter."""
    cases = [
        (score, reason)
        for score in ([1, 0], [0, 1], [0.5, 0.5], [0, 0])
        for reason in [*map(str, Reason), "stalemate"]
    ]
    games = [
        {
            "bots": ["one", "two"],
            "score": score,
            "reason": reason,
            "why": Outcome((1, 0), reason).why(("{winner}", "{loser}")),
        }
        for score, reason in cases
    ]
    page = browser.new_page()
    found = page.evaluate(
        f"""games => {{ {scripts()}
        return games.map(game => make("p", null, ...endingOf(game)).textContent); }}""",
        games,
    )
    page.close()
    for (score, reason), text in zip(cases, found, strict=True):
        expected = Outcome((score[0], score[1]), reason).sentence(("one", "two"))
        assert text == expected[0].upper() + expected[1:] or text == expected


def scripts() -> str:
    """The scripts that show one game, without the page around them."""
    return "\n".join((JS / f"{name}.js").read_text(encoding="utf-8") for name in REPLAY_SCRIPTS)


def test_a_replay_can_be_mounted_in_any_page(browser: Any) -> None:
    """From data alone, twice; an analysis adds a strip, marks in the list, cells on the board."""
    moves, outcome = random_game("standoff", Size(5, 5), 1)
    game = {
        "board": {"variant": "standoff", "rows": 5, "cols": 5},
        "bots": ["one", "two"],
        "opening": 2,
        "moves": list(moves),
        "times": [None, None, *(1.0 for _ in moves[2:])],
        "score": list(outcome.score),
        "reason": outcome.reason,
        "why": "{loser} has no valid move",
        "clocks": [["1000ms per move", None, 0, 1000]] * 2,
        "faults": [],
        "info": [],
    }
    page = browser.new_page()
    page.set_content(f"<style>{make_style(REPLAY_STYLES)}</style><div id=a></div><div id=b></div>")
    page.evaluate(
        f"""game => {{ {scripts()}
        const shown = [];
        const values = make("div", {{ class: "values" }});
        const strip = () => ({{ element: values, show: ply => shown.push(ply) }});
        window.one = mountReplay(document.getElementById("a"), game, {{
            ply: 3,
            strips: [strip],
            markOf: ply => ply === 4 ? make("b", {{ class: "blunder" }}, "??") : null,
            cellsAt: ply => new Map([[game.moves[ply], "good"]]),
            noteAt: ply => [` ${{ply}} noted`],
        }});
        window.shown = shown;
        window.two = mountReplay(document.getElementById("b"), game);
        }}""",
        game,
    )
    one, two = page.locator("#a"), page.locator("#b")
    expect(one.locator(".moves-side > .values")).to_have_count(1)
    expect(one.locator("tr[data-ply='4'] .blunder")).to_have_text("??")
    expect(one.locator(".status")).to_contain_text("3 noted")
    expect(one.locator(f'[data-cell="{moves[3]}"] .highlight.good')).to_have_count(1)
    one.get_by_role("button", name="One ply on").click()
    assert page.evaluate("window.shown") == [3, 4]
    expect(two.locator(".status")).to_contain_text("Ply 0 of")
    page.close()


# What a position shows.


def test_a_large_board_is_readable(open_page: Open, tmp_path: Path) -> None:
    """16x16 in a window of 1440 pixels: cells of 30 pixels, and the controls are in the window."""
    record = make_record("standoff", Size(16, 16), ("one", "two"), 1, 1)
    path = write_page(write_tournament(tmp_path / "cup", [record]))
    for width, height, least in ((1440, 900, 30), (1920, 1080, 40)):
        page = open_page(
            f"#game={record['id']}&ply=20", path, viewport={"width": width, "height": height}
        )
        cell = page.locator("svg.board .ground").first.bounding_box()
        assert cell["width"] > least
        controls = page.locator(".controls").first.bounding_box()
        assert controls["y"] + controls["height"] < height
        assert page.locator("svg.board").bounding_box()["y"] > 0


def test_replay_shows_the_winner_a_legend_and_the_rules(open_page: Open) -> None:
    """The winner has a badge, the marks are explained, and a link leads to the rules."""
    page = open_page(f"#game={GAME}&ply=2")
    _, outcome = random_game("runner", Size(5, 5), 18)
    expect(page.locator(f".player.seat-{outcome.winner} .badge")).to_have_text("winner")
    expect(page.locator(".badge")).to_have_count(1)
    legend = [text.split("\n")[-1] for text in texts(page, ".board-legend li")]
    assert legend[:3] == ["greedy", "mirror", "block"]
    assert legend[-1] == "may be blocked"
    page.get_by_role("link", name="Rules of runner").click()
    hash_is(page, "#view=rules&variant=runner")
    expect(page.get_by_role("heading", level=1)).to_have_text("Rules of runner")
    expect(page.locator("#rules")).to_contain_text("500 plies")
    assert page.locator("#rules h2").count() >= 3
    assert "**" not in page.locator("#rules").inner_text()


def test_thinking_time_is_on_the_scale_of_the_limit(open_page: Open) -> None:
    """A bar is as high as its part of the limit; a button shows the longest in full height."""
    page = open_page(f"#game={GAME}&ply=2")
    record = next(one for one in make_tournament() if one["id"] == GAME)
    heights = "bars => bars.map(bar => Number(bar.getAttribute('height')))"
    bars = page.locator("svg.times rect.seat-2")
    expect(page.locator(".moves-side figcaption")).to_contain_text("2.00 s and 500 ms")
    expected = [max(1.5, ms / 500 * 39) for ms in record["ms"][1::2] if ms is not None]
    assert bars.evaluate_all(heights)[1:] == pytest.approx(expected)
    page.get_by_role("button", name="Show on the scale of the longest").click()
    longest = max(ms for ms in record["ms"] if ms is not None)
    expected = [max(1.5, ms / longest * 39) for ms in record["ms"][1::2] if ms is not None]
    assert bars.evaluate_all(heights)[1:] == pytest.approx(expected, abs=0.01)


# Faults.


def test_a_fault_is_a_card(open_page: Open) -> None:
    """What happened, the exit status and the traceback; the transcript is folded."""
    page = open_page("#view=games&faults=1")
    page.locator("table.games a").first.click()
    faults = page.get_by_role("region", name="Faults")
    expect(faults.get_by_role("heading", level=3)).to_contain_text("shaky (seat")
    expect(faults.locator(".happened")).to_have_text("Exited with exit status 1")
    expect(faults.locator(".fault-facts")).to_contain_text("exit status 1")
    expect(faults.locator(".hint")).to_have_text(
        "Hint: the traceback on its standard error names the line"
    )
    expect(page.get_by_role("region", name="Standard error")).to_have_text("Traceback: <b>boom</b>")
    transcript = page.get_by_role("region", name="Transcript")
    expect(transcript).to_be_hidden()
    page.get_by_text("Transcript: every line").click()
    expect(transcript).to_contain_text("> turn ply=3")
    assert page.locator(".cell.legal").count() > 0


def test_the_failed_answer_is_a_row_of_the_list(open_page: Open, tmp_path: Path) -> None:
    """Behind the last move: what the bot sent, how long it took, and what that is called."""
    record = make_record("standoff", Size(5, 5), ("one", "two"), 1, 1)
    record = make_faulted(record, 2, "illegal-move", "answered with an illegal move: '9,9'", 3)
    folder = write_tournament(tmp_path / "cup", [identified(record)])
    (folder / "faults" / f"{record['id']}.txt").write_text(
        f"{record['id']}: one wins\n\ntwo (seat 2) made a fault: illegal-move\n"
        "  what happened: two answered with an illegal move: '9,9'\n  it sent:       'move 9,9'\n"
        "  time:          1.5 ms of 500 ms\n  its standard error was empty\n\n"
        "transcript (> sent to the bot, < received from it):\n  0.1 ms two < move 9,9\n"
    )
    page = open_page(f"#game={record['id']}&ply=3", write_page(folder))
    row = page.locator("tr.failed")
    assert texts(page, "tr.failed td") == ["4", "two", "'move 9,9' illegal-move", "1.5 ms"]
    assert "3" in said(page.locator("tr[data-ply]").last)
    expect(row).to_be_visible()
