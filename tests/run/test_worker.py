"""Workers, and the engine that starts them."""

import json
import multiprocessing
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.config.plan import BoardPlan, Plan, PreparedBot
from referee.game.config import PlaySettings
from referee.protocol.time_control import TimeControl
from referee.records import record as records_module
from referee.records.games_file import GamesFile
from referee.records.manifest import Manifest
from referee.records.store import Store
from referee.records.summary import GameSummary
from referee.rules.grid import Size
from referee.run.arena import Arena
from referee.run.events import Event, GameBatch, GameFinished, GamesStarted
from referee.run.local_engine import MAX_AHEAD, LocalEngine, _WorkerHandle
from referee.run.worker import MAX_IDLE, Worker
from referee.schedule.fixtures import Board, Encounter, Fixture
from referee.scoring.ledger import Ledger, read_ledger
from tests.conftest import ROOT

BOARD = "lockdown-4x4"


def plan(count: int) -> Plan:
    command = Command((str(ROOT / "bots" / "random_bot.sh"),), ROOT)
    time = TimeControl.per_move("60s")
    return Plan(
        bots={f"b{n}": PreparedBot(f"b{n}", command, time, "") for n in range(count)},
        boards={BOARD: BoardPlan(Board("lockdown", Size(4, 4)), "lockdown")},
        play=PlaySettings(startup_ms=60_000, suspend_opponent=True),
        settings="",
        sandbox="none",
    )


def fixture(one: int, two: int) -> Fixture:
    return Fixture(f"{one}-{two}", BOARD, (f"b{one}", f"b{two}"), 1, (), 1)


def test_worker_keeps_the_bots_that_played_last() -> None:
    """It quits the least recently used ones."""
    count = MAX_IDLE + 6
    with Launcher() as launcher:
        worker = Worker(plan(count), launcher)
        games = list(worker.play([fixture(n, n + 1) for n in range(0, count, 2)]))
        assert all(isinstance(game, GameFinished) and not game.summary.faults for game in games)
        alive = [key for key, bot in worker._bots.items() if bot.process is not None]
        assert len(alive) == MAX_IDLE + 2
        assert ("b0", 1) not in alive
        process = worker._bots["b6", 1].process
        again = list(worker.play([fixture(6, 7), fixture(6, count - 1)]))
        assert all(isinstance(game, GameFinished) and not game.summary.faults for game in again)
        assert worker._bots["b6", 1].process is process
        worker.close()


def test_worker_starts_two_processes_for_a_bot_against_itself() -> None:
    """One per seat."""
    with Launcher() as launcher:
        worker = Worker(plan(1), launcher)
        (game,) = worker.play([fixture(0, 0)])
        worker.close()
    assert isinstance(game, GameFinished)
    assert game.summary.faults == ()


def plan_with_faults() -> Plan:
    """Return a plan of four bots: one cannot start, and another answers with an illegal move."""
    whole = plan(4)
    script = (
        sys.executable,
        str(ROOT / "tests" / "support" / "scripted_bot.py"),
        "turn",
        "illegal",
    )
    commands = {"b2": Command(script, ROOT), "b3": Command(("/bin/false",), ROOT)}
    bots = {
        name: replace(bot, command=commands.get(name, bot.command), hash=f"hash of {name}")
        for name, bot in whole.bots.items()
    }
    return replace(whole, bots=bots)


def encounters() -> Iterator[Encounter]:
    """Yield all pairings, the broken bot against itself included, with openings of no, one
    and two plies."""
    openings = [(), ("1,1",), ("1,1", "4,4")]
    pairs = [(0, 1), (0, 2), (1, 2), (2, 3), (0, 3), (3, 3)]
    for number, (one, two) in enumerate(pairs, start=1):
        a, b = (
            fixture(*bots)._replace(
                id=f"{BOARD}.b{bots[0]}.b{bots[1]}.{number}{letter}",
                encounter=number,
                opening=openings[number % 3],
            )
            for bots, letter in (((one, two), "a"), ((two, one), "b"))
        )
        yield Encounter((a, b))


def test_worker_summary_equals_that_of_the_written_record() -> None:
    """For games of all kinds."""
    fixtures = [fixture for encounter in encounters() for fixture in encounter.fixtures]
    with Launcher() as launcher:
        worker = Worker(plan_with_faults(), launcher)
        games = list(worker.play(fixtures))
        worker.close()
    faults = set()
    for game, fixture in zip(games, fixtures, strict=True):
        assert isinstance(game, GameFinished)
        record = json.loads(game.line)
        assert game.summary == GameSummary.from_record(record)
        assert game.line == records_module.to_line(record)
        assert (game.summary.id, game.summary.board, game.summary.bots) == fixture[:3]
        faults.add(tuple(reason for _, reason in game.summary.faults))
    assert faults == {(), ("illegal-move",), ("start",), ("start", "start")}


class Cup:
    """A replacement of a tournament that yields the encounters above."""

    def encounters(self, matches: object) -> Iterator[Encounter]:
        return (encounter for encounter in encounters() if len(set(encounter.fixtures[0].bots)) > 1)


def test_ledger_of_a_run_equals_that_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run counts summaries and reads none of its own records."""
    monkeypatch.setattr(records_module, "_read_line", None)
    manifest = Manifest("cup", [f"b{n}" for n in range(4)], {BOARD: "lockdown"})
    tournament: Any = Cup()
    with Store(tmp_path) as store:
        arena = Arena(tournament, store, Ledger(manifest))
        engine = LocalEngine(plan_with_faults(), 2)
        try:
            arena.play(engine)
        finally:
            engine.close()
        monkeypatch.undo()
        again = read_ledger(manifest, GamesFile(store.games_path))
    assert not arena.voids
    assert len(again.done) == 10
    now = arena.ledger
    assert (now.tally.games, now.tally.faults) == (again.tally.games, again.tally.faults)
    assert (now.timing, now.hashes) == (again.timing, again.hashes)
    assert vars(now.game_columns) == vars(again.game_columns)


def test_engine_replaces_a_worker_that_died_before_its_task() -> None:
    """The game is void, and the next worker can play it."""
    engine = LocalEngine(plan(2), 1)
    try:
        victim = engine._workers[0].process
        victim.kill()
        victim.join()
        tasks = [(fixture(0, 1),), (fixture(0, 1),)]
        events = engine.play(lambda: tasks.pop(0) if tasks else None)
        seen = [_kinds(event) for event in events if event is not None]
    finally:
        engine.close()
    assert seen == [GamesStarted, (0, 1), GamesStarted, (1, 0)]


def _kinds(event: Event) -> object:
    return (len(event.summaries), len(event.voids)) if isinstance(event, GameBatch) else type(event)


@pytest.mark.parametrize("plies", [0, 256])
def test_engine_sends_tasks_that_fit_twice_into_a_pipe_buffer(plies: int) -> None:
    """For games of any duration, and names and openings of any length."""
    engine = LocalEngine(plan(2), 0)
    numbers = count(1)

    def take() -> tuple[Fixture, ...]:
        number = next(numbers)
        opening = tuple(f"x{number % 16},{ply % 16}" for ply in range(plies))
        return tuple(
            fixture(0, 1)._replace(
                id=f"{'n' * 110}.{number}{letter}", encounter=number, opening=opening
            )
            for letter in "ab"
        )

    ours, theirs = multiprocessing.Pipe()
    with ours, theirs:
        handle = _WorkerHandle(multiprocessing.current_process(), ours, None, seconds=1e-6)
        (begun,) = engine._assign(handle, take)
        assert isinstance(begun, GamesStarted)
        given = list(handle.fixtures)
        handle.fixtures.clear()
        assert len(list(engine._assign(handle, take))) == 1
        assert theirs.recv() == begun.fixtures == given
    assert len(given) == (MAX_AHEAD if plies == 0 else 2 * 8)
