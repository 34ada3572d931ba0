"""One run of our own referee on the benchmark's games, in a process of its own; prints JSON.

    python benchmarks/python_referee.py turns VARIANT GAMES BOT GAMES_FILE
    python benchmarks/python_referee.py games VARIANT GAMES BOT FOLDER [WORKERS]
    python benchmarks/python_referee.py memory VARIANT GAMES BOT FOLDER

`turns` plays in this very process, to look at the game loop. `games` is the whole way: worker
processes, the records sent to the coordinator, counted, written and synced. The first game has the
bots' own start-up in it and is not measured. `memory` looks at the worker process of such a run.
"""

import gc
import json
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
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
from referee.run.progress import NoProgress
from referee.schedule.fixtures import Fixture


def play_turns(variant: str, games: int, bot: Path, path: Path) -> dict[str, float]:
    """The game loop alone: from the first question to the last answer, in the median game."""
    plan = make_plan(variant, bot)
    fixtures = list(make_fixtures(variant, games))
    ply_ms: list[float] = []
    plies, cpu = 0, 0.0
    pulse = ReadWatchdog()
    terms = plan.terms(fixtures[0].board, NAMES)
    recorders = {pair: _make_recorder(terms, pair) for pair in (NAMES, NAMES[::-1])}
    with Launcher() as launcher, path.open("wb") as file:
        bots = {name: Bot(name, plan.bots[name].command, launcher) for name in plan.bots}
        gc.freeze()
        try:
            for number, fixture in enumerate(fixtures):
                before = time.process_time()
                setup = GameSetup(fixture.id, terms, fixture.opening, fixture.seed)
                pair = bots[fixture.bots[0]], bots[fixture.bots[1]]
                played = play_game(setup, pair, watchdog=pulse)
                line = recorders[fixture.bots].line(setup, played, fixture.encounter, "")
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


def _make_recorder(terms: GameConfig, bots: tuple[str, str]) -> RecordWriter:
    return RecordWriter(terms, bots, settings="", hashes=("", ""), sandbox="none", host="")


def _first_and_last(played: PlayedGame) -> tuple[float, float]:
    """When the first turn was sent and the last answer came."""
    entries = played.transcript.entries
    first = next(e.at_ms for e in entries if e.sent and e.line.startswith(b"turn"))
    last = next(e.at_ms for e in reversed(entries) if not e.sent)
    return first, last


class _Stopwatch(NoProgress):
    """Progress that notes when how many games were on disk, and counted."""

    def __init__(self) -> None:
        self.syncs: list[tuple[float, int]] = []

    def show(self, done: int, standings: Callable[[], Any], last: bool = False) -> None:
        if done > (self.syncs[-1][1] if self.syncs else 0):
            self.syncs.append((time.perf_counter(), done))

    def games_and_seconds(self) -> tuple[int, float]:
        """What was synced from the first sync to the last but one, and how long that took: at both
        moments as many games are under way."""
        if len(self.syncs) < 3:
            raise SystemExit("these are too few games: they were over before the third sync")
        (first_at, first), *_, (last_at, last), _ = self.syncs
        return last - first, last_at - first_at


class _Encounters:
    """Stands in for a tournament: gives out the benchmark's encounters."""

    def __init__(self, fixtures: Iterator[Fixture]) -> None:
        self._fixtures = fixtures

    def encounters(self, matches: object) -> Iterator[Any]:
        from referee.schedule.fixtures import Encounter

        for one in self._fixtures:
            yield Encounter((one, next(self._fixtures)))


def play_games(variant: str, games: int, bot: Path, folder: Path, workers: int) -> dict[str, float]:
    """The whole way of a game: from the fixture to the synced record."""
    from referee.records.manifest import Manifest
    from referee.records.store import Store
    from referee.run.arena import Arena
    from referee.run.local_engine import LocalEngine
    from referee.scoring.ledger import Ledger

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
    """A worker's resident memory over a run, and that of an interpreter that does nothing."""
    from referee.records.manifest import Manifest
    from referee.records.store import Store
    from referee.run.arena import Arena
    from referee.run.local_engine import LocalEngine
    from referee.scoring.ledger import Ledger

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
    """What it was at the last syncs: games that wait to be told of are in it, too."""

    class Watch(NoProgress):
        counted = 0

        def show(self, done: int, standings: Callable[[], Any], last: bool = False) -> None:
            if done == self.counted:
                return
            self.counted = done
            process = engine._hands[0].process.pid
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
    """What the system says of a process's memory."""
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"the system does not tell {what}")


def main() -> None:
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
