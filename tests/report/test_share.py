"""`referee share`: one game as a page of its own, and as an animated picture."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from referee.cli import main
from referee.rules import BUILT_IN, Size, find_variant, play_moves
from tests.conftest import ROOT, Referee
from tests.report.test_report import HOSTILE, write_hostile
from tests.support.browser import PHONE, Open
from tests.support.report_games import (
    TICTACTOE,
    embedded,
    make_faulted,
    make_record,
    make_tournament,
    write_tournament,
)

AXE = ROOT / "tests" / "vendor" / "axe.min.js"
GAME = "crossfire-6x6.greedy.mirror.1a"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament on six boards."""
    return write_tournament(tmp_path_factory.mktemp("share") / "cup", make_tournament(1))


def share(folder: Path, game: str, *words: str) -> Path:
    """The file that the command writes."""
    result = Referee(folder.parent)("share", str(folder), game, *words)
    assert result.returncode == 0, result.stderr
    return folder.parent / result.stdout.removeprefix("the game is in ").strip()


def test_a_game_is_one_small_page(folder: Path) -> None:
    """About 100 KB, named after the game, with the names as title and nothing from elsewhere."""
    path = share(folder, GAME)
    text = path.read_text(encoding="utf-8")
    assert path.name == f"{GAME}.html"
    assert 50_000 < len(text) < 130_000
    assert "<title>greedy against mirror</title>" in text
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}
    record = next(one for one in make_tournament(1) if one["id"] == GAME)
    assert embedded(text)["game"]["moves"] == record["moves"]


def test_the_page_plays_the_game(open_page: Open, folder: Path) -> None:
    """By itself; an address with a ply shows that position and waits."""
    path = share(folder, GAME, "-o", "one.html")
    page = open_page("", path)
    assert page.title() == "greedy against mirror"
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("greedy against mirror")
    page = open_page("#ply=3", path)
    expect(page.locator(".status")).to_contain_text("Ply 3 of")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".status")).to_contain_text("Ply 4 of")
    page.get_by_text("Rules of crossfire").click()
    expect(page.locator("#rules")).to_contain_text("Errata of the rule book")


def test_axe_has_no_complaint_about_a_shared_game(open_page: Open, folder: Path) -> None:
    """On a phone, in the dark, with a fault."""
    faulted = next(record["id"] for record in make_tournament(1) if record["fault"])
    page = open_page("#ply=2", share(folder, faulted), viewport=PHONE, color_scheme="dark")
    expect(page.get_by_role("heading", level=2)).to_have_text("Fault")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_game_of_ones_own_is_shared_too(open_page: Open, folder: Path) -> None:
    """With boards if its rules are named, as page and as picture."""
    game = "tictactoe-3x3.greedy.mirror.1a"
    page = open_page("#ply=4", share(folder, game, "--variant-file", str(TICTACTOE)))
    expect(page.locator("svg.board .cell")).to_have_count(9)
    text = share(folder, game, "--svg", "--variant-file", str(TICTACTOE)).read_text()
    assert text.count('class="gr"') == 9
    text = share(folder, game, "--svg").read_text()
    assert "greedy against mirror" in text


# The picture.


def shown_at(page: Any, selector: str) -> int:
    """How many shapes can be seen."""
    count: int = page.locator(selector).evaluate_all(
        "all => all.filter(one => getComputedStyle(one).visibility === 'visible').length"
    )
    return count


@pytest.mark.parametrize("variant", BUILT_IN)
def test_the_picture_shows_each_position(browser: Any, tmp_path: Path, variant: str) -> None:
    """At the time of a ply the marks of its board are seen; without motion, those of the last."""
    size = Size(6, 5)
    record = make_record(variant, size, ("one", "two"), 1, 3)
    path = share(write_tournament(tmp_path / "cup", [record]), record["id"], "--svg")
    rules = find_variant(variant).on(size)
    page = browser.new_page()
    page.goto(path.as_uri())
    marks = "g > .on, g > .l1:not(.fi), g > .l2:not(.fi), g > .hg, g > .st"
    plies = len(record["moves"])
    step = min(0.8, 60 / (plies + 1))
    for ply in (0, 1, plies // 2, plies):
        at = 1000 * (ply + 0.5) * step
        page.evaluate(
            "at => document.getAnimations().forEach(one => { one.pause(); one.currentTime = at; })",
            at,
        )
        board = rules.board(play_moves(rules, record["moves"][:ply]))
        assert shown_at(page, marks) == len(re.sub("[./]", "", board)), ply
        assert shown_at(page, ".la") == (
            0 if ply == 0 else 2 if "x" in moves_at(record, ply) else 1
        )
    page.close()
    page = browser.new_page(reduced_motion="reduce")
    page.goto(path.as_uri())
    assert page.evaluate("document.getAnimations().length") == 0
    board = rules.board(play_moves(rules, record["moves"]))
    assert shown_at(page, marks) == len(re.sub("[./]", "", board))
    page.close()


def moves_at(record: dict[str, Any], ply: int) -> str:
    """The move of a ply; `2` cells in barricade, where a move has a step and a blockade."""
    move: str = record["moves"][ply - 1]
    return move[1:] if move.startswith("x") else move


def test_the_picture_has_no_scripts_and_needs_nothing(folder: Path) -> None:
    """Well-formed, small, without scripts, links or images; long games play faster."""
    path = share(folder, GAME, "--svg", "-o", "pictures/game.svg")
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    tags = {element.tag.partition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "circle", "path", "text", "g"}
    assert len(text) < 40_000
    assert "url(" not in text
    assert "@import" not in text
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "greedy against mirror"
    record = next(one for one in make_tournament(1) if one["id"] == GAME)
    total = re.search(r"--t:([0-9.]+)s", text)
    assert total is not None
    assert float(total[1]) == pytest.approx(0.8 * len(record["moves"]) + 3)


def test_hostile_games_are_shared_as_text(open_page: Open, tmp_path: Path) -> None:
    """Names and reasons with payloads neither run nor break the picture."""
    folder = write_hostile(tmp_path / "cup")
    ids = [embedded_id for embedded_id in game_ids(folder) if len(embedded_id) < 200]
    assert len(ids) >= len(HOSTILE)
    for number, game in enumerate(ids):
        html, svg = tmp_path / f"{number}.html", tmp_path / f"{number}.svg"
        words = ["share", str(folder), game, "-o"]
        # In this process: dozens of commands would take longer than what they do.
        assert (main([*words, str(html)]), main([*words, str(svg), "--svg"])) == (0, 0)
        page = open_page("#ply=1", html)
        page.wait_for_selector(".board-frame > *")
        assert page.evaluate("window.__pwned") is None
        page.close()
        ElementTree.parse(svg)


def game_ids(folder: Path) -> list[str]:
    """Ids that can be an argument of a command."""
    from referee.records.record import read_records

    ids = [record["id"] for record in read_records(folder / "games.jsonl")]
    return [id for id in ids if "\0" not in id and not re.search("[\ud800-\udfff]", id)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cup", "nothing"], "there is no game 'nothing' in cup"),
        (["cup", GAME, "-o", "cup"], "cup is a folder: name the file to write"),
        (["none", GAME], "there are no games in none"),
    ],
)
def test_share_refuses_wrong_arguments_in_a_sentence(
    folder: Path, words: list[str], message: str
) -> None:
    """Exit code 2, and no file."""
    result = Referee(folder.parent)("share", *words)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_an_id_that_is_a_path_needs_a_name(tmp_path: Path) -> None:
    """A games file from elsewhere does not choose where files are written."""
    record = make_record("standoff", Size(5, 5), ("one", "two"), 1, 1)
    record = make_faulted(record, 1, "crash", "exited", 3)
    write_tournament(
        tmp_path / "cup",
        [{**record, "bots": ["../../up", "two"], "id": "standoff-5x5.../../up.two.1a"}],
    )
    result = Referee(tmp_path)("share", "cup", "standoff-5x5.../../up.two.1a")
    assert (result.returncode, result.stderr) == (
        2,
        "referee: the id of this game is no name for a file: name one with -o FILE\n",
    )
