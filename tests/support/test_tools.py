"""Tests of the test suite: reasons of skipped tests, time limits, processes of tests."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.processes import PATIENCE_SECONDS, below, ended, is_running, wait_until
from tests.support.tools import has, needs


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip), ("true", pytest.fail)])
def test_missing_tool_skips_with_its_package_and_fails_in_ci(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    """The message names the program and its Debian package."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("CI", ci)
    has.cache_clear()
    with pytest.raises(outcome.Exception, match="needs ip: apt install iproute2"):
        needs("ip")
    has.cache_clear()


SUITE = """
import signal, subprocess
import pytest
from tests import conftest
from tests.support.tools import needs

@pytest.fixture
def tool():
    needs("no-such-tool")

def test_one(tool):
    pass

def test_two(tool):
    pass

def test_three():
    needs("no-such-tool")

def test_four():
    global usual
    usual, conftest.TEST_SECONDS = conftest.TEST_SECONDS, 3  # of the next test

def test_hangs():
    try:
        with subprocess.Popen(["sleep", "1000"]) as process:
            process.wait()
    finally:
        conftest.TEST_SECONDS = usual

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_arrive(number):
    with subprocess.Popen(["sleep", "1000"]) as process:
        process.send_signal(number)
        assert process.wait() == -number
"""


def test_suite_without_tools_reports_each_tool_once(tmp_path: Path) -> None:
    """A test that hangs fails; signals that this job ignores are not ignored by its children."""
    (tmp_path / "test_it.py").write_text(SUITE)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    words = ["-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-rs", "test_it.py"]
    try:
        result = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    lines = [line for line in result.stdout.splitlines() if "no-such-tool" in line]
    assert [line.partition(": ")[2] for line in lines] == [
        "needs no-such-tool: apt install no-such-tool"
    ]
    assert lines[0].startswith("SKIPPED [3]")
    assert "it hangs: test_hangs was not done after 3 s" in result.stdout
    assert "1 failed, 3 passed, 3 skipped" in result.stdout


def test_processes_of_a_test_are_killed_at_its_end() -> None:
    """Their descendants, too."""
    words = ["sh", "-c", "sleep 1000 & wait"]
    with ended(subprocess.Popen(words)) as process:
        wait_until(lambda: bool(below(process.pid)))
        (child,) = below(process.pid)
    wait_until(lambda: not is_running(child))
