"""Write the picture of the report that the README shows: docs/report.png.

    python docs/report_picture.py

Play the quickstart tournament and take screenshots of its page in Chromium; needs the `test` extra.
"""

import base64
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 1200
GAME, PLY = "barricade-5x5.mirror.greedy.1b", 9
FRAME = """<style>
  body { margin: 0; padding: 16px; display: grid; gap: 16px; background: #d9dee6; }
  img { width: 100%; border-radius: 10px; }
</style>"""


def screenshot(page: Page, address: str, height: int) -> str:
    """Return a screenshot of one view as an HTML image."""
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.evaluate("address => { location.hash = address; }", address)
    page.wait_for_selector("main > section:not([hidden]) table")
    return f'<img src="data:image/png;base64,{base64.b64encode(page.screenshot()).decode()}">'


def main() -> None:
    """Write docs/report.png."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "referee", "run", "tournaments/quickstart.yaml"]
        subprocess.run(
            [*command, "--quiet", "--workers", "1", "--out", folder], cwd=ROOT, check=True
        )
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
            page = browser.new_page(color_scheme="light")
            page.goto((Path(folder) / "report.html").as_uri())
            views = screenshot(page, "#view=overview", 520)
            views += screenshot(page, f"#game={GAME}&ply={PLY}", 840)
            page = browser.new_page(viewport={"width": WIDTH + 32, "height": 100})
            page.set_content(FRAME + views)
            page.screenshot(path=ROOT / "docs" / "report.png", full_page=True)
            browser.close()


if __name__ == "__main__":
    main()
