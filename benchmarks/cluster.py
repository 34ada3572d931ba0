"""Overhead of a cluster: the same tournament with local workers and with as many Dask workers.

    python benchmarks/cluster.py [--workers 2] [--repeats 5] [--encounters 100] [--think 5]

Two bots compute for a few milliseconds per move, so that a game takes 50 ms or more. Local and
cluster runs alternate, and each is compared with its neighbour, from the first game to the last:
start-up time does not depend on the length of a tournament. A ratio of 1.0 is no overhead.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOT = """
import sys, time
for line in sys.stdin:
    verb, *fields = line.split()
    if verb == "game":
        print("ready", flush=True)
    elif verb == "turn":
        end = time.process_time() + THINK
        while time.process_time() < end:
            pass
        print("move", fields[-1][6:].split(";")[0], flush=True)
    elif verb == "quit":
        break
"""


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--encounters", type=int, default=100)
    parser.add_argument("--think", type=float, default=5.0, help="milliseconds per move")
    options = parser.parse_args()
    ways = {
        "local": ["--workers", str(options.workers)],
        "cluster": ["--cluster", f"local:{options.workers}"],
    }
    rates: dict[str, list[float]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tournament(folder, options.encounters, options.think)
        for number in range(options.repeats):
            for way, words in sorted(ways.items(), reverse=number % 2 == 0):
                seconds, games, game_ms = play(folder, f"{way}-{number}", words)
                rates[way].append(games / seconds)
                print(f"{way:<8} {seconds:6.2f} s, {games / seconds:6.2f} games/s", end="")
                print(f", a game takes {game_ms:.0f} ms", flush=True)
    ratios = [a / b for a, b in zip(rates["local"], rates["cluster"], strict=True)]
    print(f"{options.workers} workers: local / cluster = {statistics.median(ratios):.3f}", end="")
    print(f" (median of {', '.join(f'{ratio:.3f}' for ratio in ratios)})")


def write_tournament(folder: Path, encounters: int, think_ms: float) -> None:
    """Write the bot and the tournament file."""
    (folder / "bot.py").write_text(BOT.replace("THINK", str(think_ms / 1000)))
    bots = [{"name": name, "command": f"{sys.executable} -S bot.py"} for name in ("one", "two")]
    settings = {"variant": "standoff", "encounters": encounters, "per_move": "10s", "bots": bots}
    (folder / "cup.yaml").write_text(json.dumps(settings))


def play(folder: Path, out: str, words: list[str]) -> tuple[float, int, float]:
    """Return seconds from the first record to the last, games in that time, ms per game."""
    command = [sys.executable, "-m", "referee", "run", "cup.yaml", "--quiet", "--sandbox", "none"]
    run = subprocess.Popen([*command, "--out", out, *words], cwd=folder, stdout=subprocess.DEVNULL)
    path = folder / out / "games.jsonl"
    first: tuple[float, int] | None = None
    last = (0.0, 0)
    while True:
        ended = run.poll() is not None
        games = path.read_bytes().count(b"\n") if path.exists() else 0
        if games > last[1]:
            last = (time.perf_counter(), games)
            first = first or last
        if ended:
            break
        time.sleep(0.02)
    if run.returncode != 0 or first is None:
        raise SystemExit(f"the run failed with exit code {run.returncode}")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    thought = statistics.mean(sum(ms for ms in record["ms"] if ms) for record in records)
    return last[0] - first[0], last[1] - first[1], thought


if __name__ == "__main__":
    main()
