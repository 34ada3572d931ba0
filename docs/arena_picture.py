"""Write the picture of the arena that the documentation shows: docs/arena.png.

    python docs/arena_picture.py

Serve the quickstart tournament while it is played, play a few moves against a bot, and take
screenshots in Chromium; needs the `test` extra.
"""

import base64
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 1280
MOVES = 3
FRAME = """<style>
  body { margin: 0; padding: 16px; display: grid; gap: 16px; background: #d9dee6; }
  img { width: 100%; border-radius: 10px; }
</style>"""


@contextmanager
def serving(*words: str) -> Iterator[str]:
    """Start a command that serves, and yield its address."""
    command = [sys.executable, "-m", "referee", *words, "--port", "0"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        found = (re.search(r"http://\S+/", line) for line in process.stdout)
        yield next(match[0] for match in found if match)
    finally:
        process.terminate()
        process.wait()


def image(page: Page) -> str:
    """Return a screenshot as an HTML image."""
    return f'<img src="data:image/png;base64,{base64.b64encode(page.screenshot()).decode()}">'


def watched(browser: Browser, folder: Path) -> str:
    """Return a picture of a tournament that is being played."""
    words = ("run", "tournaments/quickstart.yaml", "--serve", "--quiet")
    with serving(*words, "--out", str(folder / "quickstart")) as address:
        page = browser.new_page(color_scheme="light", viewport={"width": WIDTH, "height": 860})
        page.goto(f"{address}t/quickstart")
        page.wait_for_selector(".wall li:nth-child(12)")
        page.wait_for_selector(".featured .replay tr[aria-current]")
        page.wait_for_selector(".standings tr:nth-child(4) .interval")
        return image(page)


def played(browser: Browser, folder: Path) -> str:
    """Return a picture of a game against a bot."""
    words = ("--play", "bots/greedy.py", "--records", str(folder / "arena"))
    with serving("serve", str(folder), *words) as address:
        page = browser.new_page(color_scheme="light", viewport={"width": WIDTH, "height": 860})
        page.goto(f"{address}play")
        page.get_by_label("Your nickname").fill("anna")
        page.get_by_label("Game").select_option("runner")
        page.get_by_label("Your clock").select_option("5min+3s")
        page.get_by_role("button", name="Play").click()
        for ply in range(MOVES):
            page.locator(".cell-button.allowed").nth(3 * ply).click()
            page.wait_for_selector(f'.moves tr[data-ply="{2 * ply + 2}"]')
            page.wait_for_selector(".cell-button.allowed")
        return image(page)


def main() -> None:
    """Write docs/arena.png."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        views = watched(browser, Path(folder)) + played(browser, Path(folder))
        page = browser.new_page(viewport={"width": WIDTH + 32, "height": 100})
        page.set_content(FRAME + views)
        page.screenshot(path=ROOT / "docs" / "arena.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
