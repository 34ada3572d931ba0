"""Time and memory of `referee report` for a large tournament, and the size of the page.

    python benchmarks/report.py [--games 100000]

The games are random games on the default boards, generated before the measurement; times and
`info` lines are synthetic. Every hundredth game has a fault. If Playwright and Chromium are
installed, the time to open the page is measured as well.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from referee.records.manifest import Manifest
from referee.records.record import to_line
from referee.rules import BUILT_IN, find_variant

BOTS = [f"bot-{number}" for number in range(8)]
DIFFERENT = 500
"""Number of different games; the file repeats them with other bots."""


def play(number: int, dice: random.Random) -> dict[str, Any]:
    """Generate the record of one random game."""
    variant = find_variant(BUILT_IN[number % len(BUILT_IN)])
    rules = variant.on()
    state, moves = rules.start(), []
    while (outcome := rules.outcome(state)) is None:
        moves.append(dice.choice(rules.legal_moves(state)))
        state = rules.apply(state, moves[-1])
    return {
        "schema": 1,
        "variant": variant.name,
        "rows": variant.size.rows,
        "cols": variant.size.cols,
        "opening": 2,
        "moves": moves,
        "ms": [None, None, *(round(dice.expovariate(0.02), 2) for _ in moves[2:])],
        "score": list(outcome.score),
        "reason": outcome.reason,
        "settings": "0123456789abcdef",
        "hashes": ["0123456789abcdef", "fedcba9876543210"],
        "sandbox": "none",
        "host": "benchmark",
        "started": "2026-11-16T10:00:00Z",
        "clocks": ["2000ms + 50ms", "2000ms + 50ms"],
        "latency_ms": [0.05, 0.3],
        "info": [[ply, 1 + ply % 2, f"depth={ply} score=0.5 nodes=4711"] for ply in range(3, 9)],
    }


def write_games(path: Path, count: int) -> int:
    """Write a games file of `count` records and return its plies."""
    dice = random.Random(1)
    games = cycle([play(number, dice) for number in range(DIFFERENT)])
    plies = 0
    with path.open("wb") as file:
        for number, game in enumerate(islice(games, count)):
            encounter, half = number // 2 + 1, number % 2
            one, two = sorted(dice.sample(BOTS, 2), reverse=bool(half))
            board = f"{game['variant']}-{game['rows']}x{game['cols']}"
            record = {
                **game,
                "id": f"{board}.{one}.{two}.{encounter}{'ab'[half]}",
                "bots": [one, two],
                "encounter": encounter,
                "fault": None,
            }
            if number % 100 == 0:
                fault = {"seat": 1, "reason": "crash", "detail": "exited with exit status 1"}
                record |= {"score": [0, 1], "reason": "crash", "fault": fault}
            file.write(to_line(record))
            plies += len(record["moves"])
    return plies


def opening_seconds(path: Path) -> float | None:
    """Measure the time until a browser shows the standings; None without a browser."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
        except Error:
            return None
        page = browser.new_page()
        started = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector("#standings table")
        seconds = time.perf_counter() - started
        browser.close()
        return seconds


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    count = parser.parse_args().games
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plies = write_games(folder / "games.jsonl", count)
        boards = {f"{name}-{find_variant(name).size}": name for name in BUILT_IN}
        manifest = Manifest("Benchmark", BOTS, boards)
        (folder / "tournament.json").write_text(json.dumps(manifest.to_json()))
        size = (folder / "games.jsonl").stat().st_size
        print(f"{os.cpu_count()} cores; {count:,} games, {plies:,} plies, {size / 1e6:.0f} MB")
        started = time.perf_counter()
        command = [sys.executable, "-m", "referee", "report", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - started
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        page = folder / "report.html"
        print(f"{seconds:.1f} s ({processor:.1f} s of processor time), {memory:.0f} MiB")
        print(f"page of {page.stat().st_size / 1e6:.2f} MB")
        opening = opening_seconds(page)
        if opening is not None:
            print(f"opened in {opening:.2f} s")


if __name__ == "__main__":
    main()
