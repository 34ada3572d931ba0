"""Time and memory of ratings, from ten thousand to a million games; how often intervals are right.

    python benchmarks/ratings.py [--bots 200] [--variants 1] [--repeats 3]
    python benchmarks/ratings.py --coverage 1000 [--processes 2]

The second form plays simulated tournaments of several kinds, see simulation.py, and prints how
often the 95 % intervals hold the truth.

Results are generated while they are read and never stored in a list. Each row is measured in a
separate process, so that peak memory is per row. Times are CPU seconds of one core, the best of the
repeats.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import combinations, count, islice

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)


def generate(bots: int, variants: int) -> Iterator["GameResult"]:  # type: ignore[name-defined] # noqa: F821
    """Generate an endless round robin of bots of known strength; no two games are equal."""
    from referee.ratings.encounter_table import GameResult

    dice = random.Random(1)
    names = [f"bot{number}" for number in range(bots)]
    power = [10 ** dice.gauss(0, 0.5) for _ in names]
    key = 0
    for encounter in count():
        for variant in range(variants):
            game = f"game{variant}"
            for pair in combinations(range(bots), 2):
                for one, two in (pair, pair[::-1]):
                    won = dice.random() * (1.5 * power[one] + power[two]) < 1.5 * power[one]
                    score = (1.0, 0.0) if won else (0.0, 1.0)
                    key += 1
                    yield GameResult(names[one], names[two], game, encounter, score, key)


def measure(games: int, bots: int, variants: int) -> dict[str, float]:
    """Measure seconds of generating, counting and rating the results, and peak megabytes."""
    from referee.ratings.encounter_table import tally_games
    from referee.ratings.ratings import rate

    started = time.process_time()
    for _ in islice(generate(bots, variants), games):
        pass
    making = time.process_time() - started
    started = time.process_time()
    tally = tally_games(islice(generate(bots, variants), games))
    counting = time.process_time() - started - making
    started = time.process_time()
    rate(tally)
    rating = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"making": making, "counting": counting, "rating": rating, "peak": peak}


def cover(task: tuple[str, int]) -> list[str]:
    """Measure one kind of tournament: texts of a row of the table."""
    from simulation import KINDS, SWISS_KINDS, measure_coverage, percent

    name, tournaments = task
    found = measure_coverage((KINDS | SWISS_KINDS)[name], tournaments)
    statements = len(found.held) + len(found.bounds_held)

    def shown(held: list[bool]) -> str:
        return f"{percent(held):.1f} %" if held else ""

    return [
        name.strip(),
        shown(found.held),
        f"{sum(found.widths) / len(found.widths):.0f}",
        shown(found.first_held),
        f"{100 * len(found.bounds_held) / statements:.1f} %",
        shown(found.bounds_held),
        shown(found.seats_held),
    ]


def print_coverage(tournaments: int, processes: int) -> None:
    """Print, for each kind, how often statements are true, and how wide intervals are."""
    from multiprocessing import Pool

    from simulation import KINDS, SWISS_KINDS

    headers = ["tournaments", "held", "width", "first row", "bounds", "bounds held", "seats"]
    print(f"| {' | '.join(headers)} |\n|{'---|' * len(headers)}", flush=True)
    with Pool(processes) as pool:
        for row in pool.imap(cover, [(name, tournaments) for name in (*KINDS, *SWISS_KINDS)]):
            print(f"| {' | '.join(row)} |", flush=True)


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--variants", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--coverage", type=int, metavar="TOURNAMENTS")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--games", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.coverage:
        print_coverage(options.coverage, options.processes)
        return
    if options.games:
        print(json.dumps(measure(options.games, options.bots, options.variants)))
        return

    from tabulate import tabulate

    rows = []
    for games in SIZES:
        command = [sys.executable, __file__, f"--games={games}", f"--bots={options.bots}"]
        command += [f"--variants={options.variants}"]
        one_core = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        runs = [
            json.loads(
                subprocess.run(command, env=one_core, capture_output=True, check=True).stdout
            )
            for _ in range(options.repeats)
        ]
        counting, rating = (min(run[key] for run in runs) for key in ("counting", "rating"))
        peak = max(run["peak"] for run in runs)
        seconds = (f"{value:.2f}" for value in (counting, rating, counting + rating))
        rows.append((f"{games:,}", *seconds, f"{peak:.0f}"))
    headers = ("games", "counting s", "rating s", "both s", "peak MB")
    print(f"{options.bots} bots, {options.variants} variant(s)\n")
    print(tabulate(rows, headers, disable_numparse=True, colalign=["right"] * 5))


if __name__ == "__main__":
    main()
