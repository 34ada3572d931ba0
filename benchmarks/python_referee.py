"""One run of this referee on the games of the benchmark, in a separate process; prints JSON.

    python benchmarks/python_referee.py turns VARIANT GAMES BOT GAMES_FILE
    python benchmarks/python_referee.py games VARIANT GAMES BOT FOLDER [WORKERS]
    python benchmarks/python_referee.py memory VARIANT GAMES BOT FOLDER

`turns` plays in this process and measures the game loop. `games` measures the whole path: worker
processes, records sent to the coordinator, counted, written and synced. The first game includes the
start-up of the bots and is not measured. `memory` samples the worker process of such a run.
"""

import gc
import json
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from setting import NAMES, make_fixtures, make_plan

from referee.bots.bot import Bot, close_all
from referee.bots.launcher import Launcher
from referee.bots.watchdog import ReadWatchdog
from referee.game.config import GameConfig, GameSetup
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.records.record import RecordWriter
from referee.run.progress import NoProgress, Running
from referee.schedule.fixtures import Fixture
from referee.scoring.ledger import Ledger


def play_turns(variant: str, games: int, bot: Path, path: Path) -> dict[str, float]:
    """Measure the game loop: from the first turn to the last answer, in the median game."""
    plan = make_plan(variant, bot)
    fixtures = list(make_fixtures(variant, games))
    ply_ms: list[float] = []
    plies, cpu = 0, 0.0
    watchdog = ReadWatchdog()
    config = plan.game_config(fixtures[0].board, NAMES)
    writers = {pair: _make_writer(config, pair) for pair in (NAMES, NAMES[::-1])}
    with Launcher() as launcher, path.open("wb") as file:
        bots = {name: Bot(name, plan.bots[name].command, launcher) for name in plan.bots}
        gc.freeze()
        try:
            for number, fixture in enumerate(fixtures):
                before = time.process_time()
                setup = GameSetup(fixture.id, config, fixture.opening, fixture.seed)
                pair = bots[fixture.bots[0]], bots[fixture.bots[1]]
                played = play_game(setup, pair, watchdog=watchdog)
                line = writers[fixture.bots].line(setup, played, fixture.encounter, "")
                spent = time.process_time() - before
                file.write(line)
                if number:
                    first, last = _first_and_last(played)
                    asked = len(played.moves) - len(fixture.opening)
                    ply_ms.append((last - first) / asked)
                    plies += asked
                    cpu += spent
        finally:
            close_all(list(bots.values()))
    return {
        "games": len(fixtures) - 1,
        "plies": plies,
        "ply_seconds": median(ply_ms) / 1000,
        "cpu_seconds": cpu,
    }


def _make_writer(config: GameConfig, bots: tuple[str, str]) -> RecordWriter:
    return RecordWriter(config, bots, settings="", hashes=("", ""), sandbox="none", host="")


def _first_and_last(played: PlayedGame) -> tuple[float, float]:
    """Return when the first turn was sent and the last answer received."""
    entries = played.transcript.entries
    first = next(e.at_ms for e in entries if e.sent and e.line.startswith(b"turn"))
    last = next(e.at_ms for e in reversed(entries) if not e.sent)
    return first, last


class _Stopwatch(NoProgress):
    """Progress display that records the time and the number of games of each sync."""

    def __init__(self) -> None:
        self.syncs: list[tuple[float, int]] = []

    def show(self, ledger: Ledger, running: Running, last: bool = False) -> None:
        done = len(ledger.done)
        if done > (self.syncs[-1][1] if self.syncs else 0):
            self.syncs.append((time.perf_counter(), done))

    def games_and_seconds(self) -> tuple[int, float]:
        """Return games and seconds from the first sync to the last but one.

        At both times the same number of games is in progress.
        """
        if len(self.syncs) < 3:
            raise SystemExit("too few games: they ended before the third sync")
        (first_at, first), *_, (last_at, last), _ = self.syncs
        return last - first, last_at - first_at


class _Encounters:
    """Substitute for a tournament that yields the encounters of the benchmark."""

    def __init__(self, fixtures: Iterator[Fixture]) -> None:
        self._fixtures = fixtures

    def encounters(self, matches: object) -> Iterator[Any]:
        """Yield all encounters."""
        from referee.schedule.fixtures import Encounter

        for one in self._fixtures:
            yield Encounter((one, next(self._fixtures)))


def play_games(variant: str, games: int, bot: Path, folder: Path, workers: int) -> dict[str, float]:
    """Measure the whole path of a game: from the fixture to the synced record."""
    from referee.records.manifest import Manifest
    from referee.records.store import Store
    from referee.run.arena import Arena
    from referee.run.local_engine import LocalEngine

    plan = make_plan(variant, bot)
    manifest = Manifest("benchmark", list(plan.bots), dict.fromkeys(plan.boards, variant))
    tournament: Any = _Encounters(make_fixtures(variant, games))
    watch = _Stopwatch()
    with Store(folder) as store:
        arena = Arena(tournament, store, Ledger(manifest))
        arena.progress = watch
        engine = LocalEngine(plan, workers)
        before = time.process_time()
        try:
            arena.play(engine)
        finally:
            engine.close()
        cpu = time.process_time() - before
    count, seconds = watch.games_and_seconds()
    return {"games": count, "seconds": seconds, "coordinator_cpu_seconds": cpu / games * count}


def watch_memory(variant: str, games: int, bot: Path, folder: Path) -> dict[str, Any]:
    """Measure the resident memory of a worker over a run, and that of an idle interpreter."""
    from referee.records.manifest import Manifest
    from referee.records.store import Store
    from referee.run.arena import Arena
    from referee.run.local_engine import LocalEngine

    idle = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    time.sleep(0.5)
    bare = _megabytes(idle.pid, "Rss")
    idle.communicate(b"\n")
    plan = make_plan(variant, bot)
    manifest = Manifest("benchmark", list(plan.bots), dict.fromkeys(plan.boards, variant))
    tournament: Any = _Encounters(make_fixtures(variant, games))
    steps: list[tuple[int, float]] = []
    step = max(1, games // 10)
    found: dict[str, float] = {}
    samples: deque[float] = deque(maxlen=9)
    """Values at the last syncs: they vary with the games that are not sent yet."""

    class Watch(NoProgress):
        counted = 0

        def show(self, ledger: Ledger, running: Running, last: bool = False) -> None:
            done = len(ledger.done)
            if done == self.counted:
                return
            self.counted = done
            process = engine._workers[0].process.pid
            assert process is not None
            samples.append(_megabytes(process, "Rss"))
            if done >= step * (len(steps) + 1):
                found["worker"], found["private"] = (
                    median(samples),
                    _megabytes(process, "Private_Clean") + _megabytes(process, "Private_Dirty"),
                )
                steps.append((done, found["worker"]))

    with Store(folder) as store:
        arena = Arena(tournament, store, Ledger(manifest))
        arena.progress = Watch()
        engine = LocalEngine(plan, 1)
        try:
            arena.play(engine)
        finally:
            engine.close()
    return {**found, "bare": bare, "above": found["worker"] - bare, "steps": steps}


def _megabytes(process: int, what: str) -> float:
    """Read a value of /proc/PID/smaps_rollup, in megabytes."""
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"/proc/{process}/smaps_rollup has no {what}")


def main() -> None:
    """Run the mode that the arguments name and print its figures as JSON."""
    mode, variant, games, bot, path, *rest = sys.argv[1:]
    if mode == "turns":
        result: dict[str, Any] = play_turns(variant, int(games), Path(bot), Path(path))
    elif mode == "memory":
        result = watch_memory(variant, int(games), Path(bot), Path(path))
    else:
        workers = int(rest[0]) if rest else 1
        result = play_games(variant, int(games), Path(bot), Path(path), workers)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
