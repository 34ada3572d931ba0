"""The report in a real browser: the switches of Chromium, and what a page shows."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, Referee
from tests.support.processes import PATIENCE_SECONDS

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 1000 * PATIENCE_SECONDS
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 860}
AXE = ROOT / "tests" / "vendor" / "axe.min.js"
Open = Callable[..., Any]


def axe_complaints(page: Any) -> list[str]:
    """What axe-core finds in a page, by the rules of WCAG 2.1 AA and good practice."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        violation["id"] + ": " + " ".join(node["html"] for node in violation["nodes"])
        for violation in found["violations"]
    ]


def write_page(folder: Path, *words: str) -> Path:
    """Run the command; the page that it writes."""
    result = Referee(folder)("report", ".", *words)
    assert result.returncode == 0, result.stderr
    return folder / "report.html"


def texts(page: Any, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def said(element: Any) -> str:
    """All of its text, on one line."""
    return re.sub(r"\s+", " ", element.text_content())


def hash_is(page: Any, text: str) -> None:
    """Wait until the address has this fragment."""
    page.wait_for_function("text => decodeURIComponent(location.hash) === text", arg=text)
