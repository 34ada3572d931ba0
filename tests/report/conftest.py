"""A browser, and pages of tournaments to open in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.test_report import write_hostile
from tests.support.browser import DESKTOP, PATIENCE_MS, Open, write_page
from tests.support.report_games import TICTACTOE, make_tournament, write_tournament


@pytest.fixture(scope="session")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a tournament that all tests look at."""
    folder = write_tournament(tmp_path_factory.mktemp("report") / "cup", make_tournament())
    return write_page(folder, "--variant-file", str(TICTACTOE))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a tournament in which every text contains a script."""
    folder = write_hostile(tmp_path_factory.mktemp("report") / "hostile")
    return write_page(folder)


@pytest.fixture
def open_page(browser: Any, cup: Path) -> Iterator[Open]:
    """Open the page at an address; at the end check for errors and requests to other hosts."""
    contexts, trouble = [], []

    def open_page(address: str = "", path: Path = cup, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
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
