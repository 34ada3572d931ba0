"""Parts of the benchmark: each measures one quantity and returns a table."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from c_programs import CReferee
from tabulate import tabulate

from referee.game import loop
from referee.rules import BUILT_IN

HERE = Path(__file__).resolve().parent
GAMES = {"standoff": 800, "barricade": 1_000, "lockdown": 2_000, "runner": 400, "crossfire": 800}
"""Number of games per variant: about ten thousand plies each."""
MEMORY_GAMES = 2_000
GROWTH_GAMES = 100_000
BOTS_TO_START = 10
SANDBOXES: tuple[tuple[str, ...], ...] = ((), ("--sandbox", "none"))
"""Options of a run with the default isolation, and without isolation."""


@dataclass
class Bench:
    """Programs, folder and settings of all parts."""

    c_referee: CReferee
    bot: Path
    folder: Path
    repeats: int

    def python(self, mode: str, variant: str, games: int, *more: str) -> dict[str, Any]:
        """Run this referee in a separate process and return its measurements."""
        path = self.folder / f"{variant}-python"
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True) if path.is_file() else None
        words = [mode, variant, str(games), str(self.bot), str(path), *more]
        command = [sys.executable, str(HERE / "python_referee.py"), *words]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        found: dict[str, Any] = json.loads(output)
        return found

    def python_records(self, variant: str, mode: str) -> Path:
        """Return the path of the records of the last run."""
        path = self.folder / f"{variant}-python"
        return path if mode == "turns" else path / "games.jsonl"


def how_installed() -> str:
    """Return whether the turn loop is compiled: `pip install .` compiles it, a checkout is not."""
    return "in pure Python" if loop.__file__.endswith(".py") else "compiled"


def table(headers: list[str], rows: list[list[str]]) -> str:
    """Format a table in Markdown."""
    align = ["left", *["right"] * (len(headers) - 1)]
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True, colalign=align)


def check_same_games(one: Path, two: Path) -> None:
    """Stop if the referees did not play the same games: the comparison would be invalid."""
    first, second = (
        {record["id"]: (record["moves"], record["score"], record["reason"]) for record in records}
        for records in (map(json.loads, path.open("rb")) for path in (one, two))
    )
    if first != second:
        raise SystemExit(f"the referees did not play the same games: {one} and {two} differ")


def turns(bench: Bench) -> str:
    """Measure microseconds per ply, from the first turn to the last answer, and CPU time."""
    rows = []
    for variant in BUILT_IN:
        runs = []
        for _ in range(bench.repeats):
            ours = bench.python("turns", variant, GAMES[variant])
            runs.append((bench.c_referee.play(variant, GAMES[variant]), ours))
        check_same_games(bench.c_referee.records(variant), bench.python_records(variant, "turns"))
        rows.append(
            [
                variant,
                f"{median(c['ply_seconds'] for c, _ in runs) * 1e6:.1f}",
                f"{median(ours['ply_seconds'] for _, ours in runs) * 1e6:.1f}",
                f"{median(ours['ply_seconds'] / c['ply_seconds'] for c, ours in runs):.2f}",
                f"{median(c['cpu_seconds'] / c['plies'] for c, _ in runs) * 1e6:.1f}",
                f"{median(ours['cpu_seconds'] / ours['plies'] for _, ours in runs) * 1e6:.1f}",
            ]
        )
    headers = ["per ply", "C µs", "Python µs", "times", "C CPU µs", "Python CPU µs"]
    return table(headers, rows)


def games(bench: Bench) -> str:
    """Measure microseconds per game, from its fixture to the record on disk."""
    rows = []
    for variant in BUILT_IN:
        number = 10 * GAMES[variant]  # a second or two: syncs are a tenth of one apart
        runs = []
        for _ in range(bench.repeats):
            ours = bench.python("games", variant, number)
            runs.append((bench.c_referee.play(variant, number), ours))
        check_same_games(bench.c_referee.records(variant), bench.python_records(variant, "games"))
        times = [(c["seconds"] / c["games"], p["seconds"] / p["games"]) for c, p in runs]
        rows.append(
            [
                variant,
                f"{median(c for c, _ in times) * 1e6:.0f}",
                f"{median(ours for _, ours in times) * 1e6:.0f}",
                f"{median(ours / c for c, ours in times):.2f}",
                f"{median(p['coordinator_cpu_seconds'] / p['games'] for _, p in runs) * 1e6:.0f}",
            ]
        )
    headers = ["per game", "C µs", "Python µs", "times", "of it the coordinator's CPU µs"]
    return table(headers, rows)


def workers(bench: Bench) -> str:
    """Measure games per second of one worker and of two, on all cores."""
    runs = []
    for _ in range(bench.repeats):
        one, two = (bench.python("games", "standoff", 10_000, str(n)) for n in (1, 2))
        runs.append((one["games"] / one["seconds"], two["games"] / two["seconds"]))
    row = [
        "standoff",
        f"{median(one for one, _ in runs):,.0f}",
        f"{median(two for _, two in runs):,.0f}",
        f"{median(two / one for one, two in runs):.2f}",
    ]
    return table(["games/s", "1 worker", "2 workers", "times"], [row])


def memory(bench: Bench) -> str:
    """Measure the memory of a worker above that of a bare interpreter."""
    result = bench.python("memory", "standoff", MEMORY_GAMES)
    row = [f"after {MEMORY_GAMES:,} games", *(f"{result[key]:.1f}" for key in _MEMORY)]
    return table(["a worker's memory", "bare MB", "worker MB", "above", "private"], [row])


_MEMORY = ("bare", "worker", "above", "private")


def growth(bench: Bench) -> str:
    """Measure the memory of a worker over 100,000 games."""
    result = bench.python("memory", "standoff", GROWTH_GAMES)
    rows = [[f"{games:,}", f"{megabytes:.2f}"] for games, megabytes in result["steps"]]
    return table(["games", "worker MB"], rows)


def start(bench: Bench) -> str:
    """Measure seconds to the first move of a tournament, and CPU time of `--help`."""
    rows = []
    runs: list[list[float]] = [[] for _ in SANDBOXES]
    bots = []
    for _ in range(bench.repeats):
        for seconds, words in zip(runs, SANDBOXES, strict=True):
            seconds.append(_first_move(bench, words))
        bots.append(_bots_alone(bench))
    for seconds, words in zip(runs, SANDBOXES, strict=True):
        over = median(whole - alone for whole, alone in zip(seconds, bots, strict=True))
        title = " ".join([f"{BOTS_TO_START} bots to the first move", *words])
        rows.append([title, f"{median(seconds):.3f}", f"{median(bots):.3f}", f"{over:.3f}", ""])
    pairs = [(_seconds(["-m", "referee", "--help"]), _seconds(["-c", "pass"])) for _ in bots]
    whole, bare = (median(pair[at] for pair in pairs) for at in (0, 1))
    ratio = median(one / two for one, two in pairs)
    rows.append(["referee --help", f"{whole:.3f}", f"{bare:.3f}", "", f"{ratio:.2f}"])
    return table(["to start", "seconds", "bots or python alone", "difference", "times"], rows)


_numbers = count()
_AS_INSTALLED = {key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
"""Allow bytecode files: an installed package has them, a checkout writes them at its first run."""


def _first_move(bench: Bench, sandbox: Sequence[str]) -> float:
    """Run a tournament of ten bots, which send the time of their first turn as `info`."""
    folder = bench.folder / f"start{next(_numbers)}"
    folder.mkdir()
    bots = [f"  - {{name: b{bot}, command: ['{bench.bot}', tell]}}" for bot in range(BOTS_TO_START)]
    lines = ["variant: lockdown", "encounters: 1", "bots:", *bots]
    (folder / "cup.yaml").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "referee", "run", "cup.yaml", "--quiet", *sandbox]
    started = time.time()
    subprocess.run(command, cwd=folder, env=_AS_INSTALLED, check=True, stdout=subprocess.DEVNULL)
    records = map(json.loads, (folder / "results" / "cup" / "games.jsonl").open("rb"))
    times = (int(text) for record in records for _, _, text in record.get("info", ()))
    return min(times) / 1e9 - started


def _bots_alone(bench: Bench) -> float:
    """Measure the start of the same bots without a referee, twice: a run tries them first."""
    started = time.perf_counter()
    for _ in range(2):
        running = [
            subprocess.Popen([str(bench.bot)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for _ in range(BOTS_TO_START)
        ]
        for bot in running:
            bot.communicate(b"game seed=1\n")
    return time.perf_counter() - started


def _seconds(words: list[str]) -> float:
    """Measure the CPU seconds of a run of the interpreter."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def profile(variant: str, bot: Path, folder: Path) -> str:
    """Profile the game loop, by function."""
    program = (
        "import cProfile, pstats, sys; from pathlib import Path\n"
        "from python_referee import play_turns\n"
        "profile = cProfile.Profile()\n"
        f"profile.runcall(play_turns, {variant!r}, {GAMES.get(variant, 500)},"
        f" Path({str(bot)!r}), Path({str(folder / 'profile.jsonl')!r}))\n"
        "pstats.Stats(profile).sort_stats('tottime').print_stats(30)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
