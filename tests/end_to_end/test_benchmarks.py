"""The documented commands of the benchmarks can be executed."""

import subprocess
import sys

from tests.conftest import ROOT

PARTS = """
import run
print(*run.read_arguments([]).parts)
print(*run.read_arguments(["growth", "turns"]).parts)
run.read_arguments(["turn"])
"""


def test_benchmarks_measure_all_default_parts_unless_some_are_named() -> None:
    """The message about an unknown one lists all."""
    folder = ROOT / "benchmarks"
    command = [sys.executable, "-c", PARTS]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stdout == "turns games workers memory start\ngrowth turns\n"
    assert result.stderr.splitlines()[-1].endswith(
        "there is no part 'turn': there are turns, games, workers, memory, start, growth"
    )


def test_the_solver_is_measured() -> None:
    """Start positions and recorded games; the exit code shows whether a limit was exceeded."""
    command = [sys.executable, "benchmarks/solver.py", "--quick"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    rows = [line.split()[:2] for line in result.stdout.splitlines()[2:]]
    assert rows == [["standoff-5x5", "won"], ["lockdown-5x5", "won"], ["crossfire-5x5", "won"]]
