"""Time and memory of scheduling, resuming and summarising a tournament of 1,000 bots.

    python benchmarks/scale.py [--bots 1000]

A round robin with one encounter per pairing: 1,000 bots make 999,000 games. No bot is started; the
records are synthetic, of the usual size. Each part is a separate process with children: CPU seconds
and memory (proportional set size, sampled twenty times a second) are those of all of them.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setting import make_openings

if TYPE_CHECKING:
    from referee.records.manifest import Manifest
    from referee.schedule.fixtures import Fixture

VARIANT = "standoff"


def make_manifest(bots: int) -> "Manifest":
    """Make the manifest of a round robin."""
    from referee.records.manifest import Manifest

    names = [f"bot{number:04}" for number in range(bots)]
    board = f"{VARIANT}-5x5"
    return Manifest("scale", names, {board: VARIANT}, encounters=1, games=bots * (bots - 1))


def fixtures(manifest: "Manifest") -> Iterator["Fixture"]:
    """Yield every game, in the order of play."""
    from referee.schedule.fixtures import encounters_in_order

    openings = make_openings(VARIANT, 1)
    for pairings in manifest.schedule().play(dict):
        for encounter in encounters_in_order(pairings.matches, openings, 1):
            yield from encounter.fixtures


def write_records(manifest: "Manifest", count: int, path: Path) -> None:
    """Write the records of `count` games; the bot with the lower number wins most of them."""
    from referee.records.record import to_line

    dice = random.Random(1)
    cells = [f"{row},{col}" for row in range(1, 6) for col in range(1, 6)]
    with path.open("wb") as file:
        for fixture in islice(fixtures(manifest), count):
            moves = dice.sample(cells, 15)
            won = (fixture.bots[0] < fixture.bots[1]) == (dice.random() < 0.8)
            record = {
                "schema": 1,
                "id": fixture.id,
                "variant": VARIANT,
                "rows": 5,
                "cols": 5,
                "bots": list(fixture.bots),
                "encounter": 1,
                "opening": 2,
                "moves": moves,
                "ms": [None, None, *(round(dice.random(), 2) for _ in moves[2:])],
                "score": [1, 0] if won else [0, 1],
                "reason": "no-moves",
                "fault": None,
                "settings": "0123456789abcdef",
                "hashes": ["0123456789abcdef"] * 2,
                "sandbox": "none",
                "host": "host",
                "started": "2026-11-16T10:00:00Z",
                "seed": fixture.seed,
                "clocks": ["1000ms per move"] * 2,
                "startup_ms": [None, None],
                "latency_ms": [0.015, 0.1],
            }
            file.write(to_line(record))


def schedule(manifest: "Manifest", folder: Path) -> str:
    """Generate every fixture."""
    return f"{sum(1 for _ in fixtures(manifest)):,} fixtures"


def resume(manifest: "Manifest", folder: Path) -> str:
    """Read a games file with half of the games, and find the first game that is missing."""
    from referee.records.games_file import GamesFile
    from referee.scoring.ledger import read_ledger

    ledger = read_ledger(manifest, GamesFile(folder / "half.jsonl"))
    missing = next(fixture for fixture in fixtures(manifest) if fixture.id not in ledger.done)
    return f"{len(ledger.done):,} games read, the next is {missing.id}"


def tables(manifest: "Manifest", folder: Path) -> str:
    """Write all tables, ratings and the report, as `run` does if all games have a record."""
    from referee.records.games_file import GamesFile
    from referee.records.store import Store
    from referee.report.collect import read_ledger_and_games
    from referee.run.write_results import write_results

    with Store(folder) as store:
        ledger, gathered = read_ledger_and_games(manifest, GamesFile(store.games_path))
        write_results(ledger, store, gathered)
    return f"{len(ledger.done):,} games, {len(manifest.bots):,} bots"


PARTS = {"schedule": schedule, "resume": resume, "tables": tables}


def measure(part: str, manifest: "Manifest", folder: Path) -> dict[str, object]:
    """Run a part in this process and measure its time."""
    wall, cpu = time.monotonic(), _cpu_seconds()
    what = PARTS[part](manifest, folder)
    return {"what": what, "wall": time.monotonic() - wall, "cpu": _cpu_seconds() - cpu}


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def run_part(part: str, bots: int, folder: Path) -> tuple[dict[str, Any], float]:
    """Run a part in a separate process; return its measurements and its peak megabytes."""
    command = [sys.executable, __file__, f"--bots={bots}", f"--part={part}", f"--folder={folder}"]
    peak = 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while process.poll() is None:
            family = [process.pid, *_children(process.pid)]
            peak = max(peak, sum(map(_megabytes, family)))
            time.sleep(0.05)
        assert process.stdout is not None
        output = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"{part} failed")
    return json.loads(output), peak


def _children(process: int) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except OSError:
        return []


def _megabytes(process: int) -> float:
    """Return the proportional set size of a process in megabytes."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0  # it has just ended
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    manifest = make_manifest(options.bots)
    if options.part:
        print(json.dumps(measure(options.part, manifest, options.folder)))
        return

    from tabulate import tabulate

    rows = []
    with tempfile.TemporaryDirectory(prefix="referee-scale-") as name:
        folder = Path(name)
        write_records(manifest, manifest.games, folder / "games.jsonl")
        with (
            (folder / "games.jsonl").open("rb") as file,
            (folder / "half.jsonl").open("wb") as half,
        ):
            half.writelines(islice(file, manifest.games // 2))
        for part in PARTS:
            result, peak = run_part(part, options.bots, folder)
            numbers = (f"{result['wall']:.1f}", f"{result['cpu']:.1f}", f"{peak:.0f}")
            rows.append((part, result["what"], *numbers))
    headers = ("part", "what", "wall s", "CPU s", "peak MB")
    print(tabulate(rows, headers, disable_numparse=True, colalign=("left", "left", *["right"] * 3)))


if __name__ == "__main__":
    main()
