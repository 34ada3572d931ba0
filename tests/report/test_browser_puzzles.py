"""The page of puzzles: solved by clicks and by keys, wrong moves are refuted."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.conftest import Referee
from tests.report.test_browser_analysis import complaints
from tests.support.analysed_games import write_analysed
from tests.support.browser import Open
from tests.support.report_games import embedded

BLOCK = re.compile(r"^block \d,\d$")
"""The name of a cell to block."""


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of all puzzles of an analysed tournament."""
    folder = write_analysed(tmp_path_factory.mktemp("puzzles") / "cup")
    result = Referee(folder)("puzzles", ".", "--count", "500", "--html", "puzzles.html")
    assert result.returncode == 0, result.stderr
    return folder / "puzzles.html"


def find(puzzles: Path, variant: str, contains: str = "") -> tuple[int, dict[str, Any]]:
    """The first puzzle of a game whose answer contains a text, with its number."""
    return next(
        (number, puzzle)
        for number, puzzle in enumerate(embedded(puzzles.read_text()), start=1)
        if puzzle["variant"] == variant and contains in puzzle["answer"]
    )


def open_puzzle(page: Any, number: int) -> None:
    page.get_by_role("button", name=f"Puzzle {number}", exact=True).click()
    expect(page.get_by_role("heading", level=2)).to_contain_text(f"Puzzle {number} of")


def test_puzzle_is_answered_by_one_click(open_page: Open, puzzles: Path) -> None:
    """A wrong move is refuted on the board; the right one is confirmed; the first try counts."""
    page = open_page("", puzzles)
    number, puzzle = find(puzzles, "standoff")
    open_puzzle(page, number)
    wrong = next(move for move in puzzle["legal"] if move != puzzle["answer"])
    page.get_by_role("button", name=wrong, exact=True).click()
    moves = puzzle["lines"][wrong][0]
    reply = f": {puzzle['marks'][2 - puzzle['seat']]} replies {moves[1]}" if len(moves) > 1 else ""
    expect(page.locator(".verdict")).to_contain_text(f"{wrong} gives the win away{reply}")
    if reply:
        last = page.locator(".cell.last")
        expect(last).to_have_attribute("data-cell", moves[1])
        expect(last).to_have_attribute("data-mark", puzzle["marks"][2 - puzzle["seat"]])
    assert complaints(page) == []
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name=puzzle["answer"], exact=True).click()
    text = f"Right: {puzzle['answer']} is the only move that wins."
    expect(page.locator(".verdict")).to_have_text(text)
    expect(page.locator("#score")).to_have_text("Right at the first try: 0 of 1.")
    assert complaints(page) == []


def test_every_wrong_move_has_a_refutation(puzzles: Path) -> None:
    """The opponent's reply, or the end of the game."""
    found = embedded(puzzles.read_text())
    assert {puzzle["variant"] for puzzle in found} > {"standoff", "barricade", "runner"}
    for puzzle in found:
        assert puzzle["lines"].keys() == set(puzzle["legal"])
        for move, (moves, changes, ending) in puzzle["lines"].items():
            assert moves[0] == move
            assert len(changes) == len(moves)
            assert ending or len(moves) > 1


def test_barricade_puzzle_is_answered_by_keyboard(open_page: Open, puzzles: Path) -> None:
    """A step, then a block; Escape takes the step back."""
    page = open_page("", puzzles)
    number, puzzle = find(puzzles, "barricade", contains="x")
    step, block = puzzle["answer"].split("x")
    open_puzzle(page, number)
    choose_by_keys(page, step)
    expect(page.get_by_role("status").first).to_contain_text("choose the cell to block")
    page.keyboard.press("Escape")
    choose_by_keys(page, step)
    expect(page.locator(".cell.choice").first).to_have_attribute("aria-label", BLOCK)
    choose_by_keys(page, block)
    expect(page.locator(".verdict")).to_contain_text("Right: ")


def choose_by_keys(page: Any, cell: str) -> None:
    """Go to a cell with the arrow keys alone, and press Enter."""
    page.locator('.cell.choice[tabindex="0"]').focus()
    seen = set()
    target = [int(number) for number in cell.split(",")]
    while True:
        name = page.evaluate("document.activeElement.dataset.cell")
        if name == cell:
            page.keyboard.press("Enter")
            return
        row, col = map(int, name.split(","))
        keys = [
            *(["ArrowDown"] if row < target[0] else ["ArrowUp"] if row > target[0] else []),
            *(["ArrowRight"] if col < target[1] else ["ArrowLeft"] if col > target[1] else []),
        ]
        key = next(key for key in keys if (name, key) not in seen)
        seen.add((name, key))
        page.keyboard.press(key)


@pytest.mark.parametrize("kind", ["step", "block"])
def test_runner_steps_and_blocks_by_one_click(open_page: Open, puzzles: Path, kind: str) -> None:
    """A neighbour is a step; a cell further away is a block."""
    page = open_page("", puzzles)
    number, puzzle, move = next(
        (number, puzzle, move)
        for number, puzzle in enumerate(embedded(puzzles.read_text()), start=1)
        if puzzle["variant"] == "runner"
        for move in puzzle["legal"]
        if move.startswith("x") == (kind == "block")
    )
    open_puzzle(page, number)
    cell = page.locator(f'.cell.choice[data-cell="{move.removeprefix("x")}"]')
    cell.click()
    text = "Right: " if move == puzzle["answer"] else f"{move} gives the win away"
    expect(page.locator(".verdict")).to_contain_text(text)


def test_the_page_needs_nothing_and_runs_nothing_else(puzzles: Path) -> None:
    """Its policy allows its own script and style alone."""
    policy = puzzles.read_text().split('http-equiv="Content-Security-Policy" content="')[1]
    assert policy.startswith("default-src &#39;none&#39;; script-src &#39;sha256-")
