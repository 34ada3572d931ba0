"""Benchmarks are no tests, but the commands that are documented can be typed."""

import subprocess
import sys

from tests.conftest import ROOT

PARTS = """
import run
print(*run.read_arguments([]).parts)
print(*run.read_arguments(["growth", "turns"]).parts)
run.read_arguments(["turn"])
"""


def test_all_usual_parts_are_measured_unless_some_are_named() -> None:
    """And one that does not exist is answered by those that do."""
    folder = ROOT / "benchmarks"
    command = [sys.executable, "-c", PARTS]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stdout == "turns games workers memory start\ngrowth turns\n"
    assert result.stderr.splitlines()[-1].endswith(
        "there is no part 'turn': there are turns, games, workers, memory, start, growth"
    )
