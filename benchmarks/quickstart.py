"""Time of the first command of the README: `referee run tournaments/quickstart.yaml`.

    python benchmarks/quickstart.py [--repeats 3]

Measured from the command to its end: bots copied and tried, all games played, tables written.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    command = [sys.executable, "-m", "referee", "run", str(ROOT / "tournaments/quickstart.yaml")]
    print(f"{os.cpu_count()} cores")
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            subprocess.run([*command, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - started
            games = (Path(folder) / "results/quickstart/games.jsonl").read_text().splitlines()
            plies = sum(len(json.loads(game)["moves"]) for game in games)
            print(f"{seconds:.2f} s for {len(games)} games, {plies} plies")


if __name__ == "__main__":
    main()
