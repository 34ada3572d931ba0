"""Fixtures and hooks that several test modules share."""

import _thread
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from referee.bots import exchange
from tests.hostile.summary import print_summary
from tests.support.processes import PATIENCE_SECONDS, below, children_of, kill, own_children

# Machines are shared and noisy: the time of an example shows nothing.
settings.register_profile("referee", deadline=None)
settings.load_profile("referee")

# Nor is a game that a test plays void because the machine is busy: bots get the lost time back.
exchange.SUSPENDED_SECONDS = exchange.BUSY_SECONDS = PATIENCE_SECONDS

# Hundreds of processes import the package: it is compiled by the first of them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Jobs of the background and of `nohup` ignore these, and so would all that tests start and signal.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(
            number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        )

ROOT = Path(__file__).resolve().parents[1]
TEST_SECONDS = 900
"""How long a test may take on a machine that does a lot besides; then it hangs."""
RUN_BOTS = ("run", "play", "check", "compare")


@pytest.hookimpl(optionalhook=True)  # of a plugin that can be disabled
def pytest_xdist_auto_num_workers() -> int:
    """Return two per core for `-n auto`, because tests often wait; one for an ordinary user.

    The kernel counts the processes of a user, those of all tests at the same time.
    """
    return (2 if os.geteuid() == 0 else 1) * len(os.sched_getaffinity(0))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Choose tests that one process runs one after the other.

    Tests of a file that share a browser: each process would start its own. And those with bots of
    an ordinary user under `limits`: without user namespaces the kernel counts all processes of the
    user, so those of one bot take from another's limit. Bots started by root have a user each.
    """
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group(item.module.__name__))
        if os.geteuid() != 0 and "limits" in _parameters(item):
            item.add_marker(pytest.mark.xdist_group("limits"))


def _parameters(test: pytest.Function) -> list[object]:
    return list(test.callspec.params.values()) if hasattr(test, "callspec") else []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fail a test that exceeds its time limit, kill what it started, and run the next."""

    def give_up(number: int, frame: object) -> None:
        for child in children_of(os.getpid()) - children:
            kill({child} | below(child))
        pytest.fail(f"it hangs: {item.name} was not done after {TEST_SECONDS} s")

    def watch() -> None:
        if not over.acquire(timeout=TEST_SECONDS):
            signal.pthread_kill(main, signal.SIGUSR1)

    children = own_children()
    before = signal.signal(signal.SIGUSR1, give_up)
    main, over = _thread.get_ident(), _thread.allocate_lock()
    over.acquire()
    # Unknown to `threading`: the package forks only where it counts no other thread.
    _thread.start_new_thread(watch, ())
    try:
        return (yield)
    finally:
        over.release()
        signal.signal(signal.SIGUSR1, before)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show skipped tests by reason, one line for each missing tool, and the attacks tried."""
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple):
            report.longrepr = (str(ROOT / "tests"), None, report.longrepr[2])
    # Here, because pytest-xdist's own process does not load the files of inner folders.
    print_summary(terminalreporter)


def command_line(*words: str) -> list[str]:
    """Return a command of `referee`; without isolation, which has its own tests and takes time."""
    if words[:1] and words[0] in RUN_BOTS and "--sandbox" not in words:
        words = (*words, "--sandbox", "none")
    return [sys.executable, "-m", "referee", *words]


def writable(copy: Path) -> Path:
    """Return a copy of a file of the checkout, which may be read-only, that a test may change."""
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o200)
    return copy


class Referee:
    """The command line in a separate process, started in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self, *words: str, path: Path | None = None, **options: object
    ) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ)
        if path is not None:
            environment["PYTHONPATH"] = str(path)
        return subprocess.run(
            command_line(*words),
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            **options,  # type: ignore[call-overload]
        )

    def refuse(self, *words: str, path: Path | None = None) -> str:
        """Run a wrong command line, check exit code 2, and return its message of one sentence."""
        result = self(*words, path=path)
        assert (result.returncode, result.stdout) == (2, ""), result
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        return lines[0].removeprefix("referee: ")


@pytest.fixture
def referee(tmp_path: Path) -> Referee:
    """Return an object that runs `referee` with these arguments in an empty folder."""
    return Referee(tmp_path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of a file; its threads end with it."""
    from playwright.sync_api import expect, sync_playwright

    from tests.support.browser import PATIENCE_MS, SWITCHES  # it imports this module
    from tests.support.tools import needs

    needs("chromium")
    program = shutil.which("chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()
