"""A worker keeps bots alive between games, but not too many of them."""

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
from referee.run.progress import LiveProgress
from referee.run.worker import MAX_IDLE, Worker
from referee.schedule.fixtures import Board, Encounter, Fixture
from referee.scoring.ledger import Ledger, read_ledger
from referee.scoring.standings import make_standings
from referee.scoring.tally import Tally
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


def test_bots_stay_alive_but_not_too_many() -> None:
    """The last ones that played keep their process; the oldest have to go."""
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


def test_a_bot_may_play_against_itself() -> None:
    """Two processes of one bot."""
    with Launcher() as launcher:
        worker = Worker(plan(1), launcher)
        (game,) = worker.play([fixture(0, 0)])
        worker.close()
    assert isinstance(game, GameFinished)
    assert game.summary.faults == ()


def plan_with_faults() -> Plan:
    """Of four bots, one cannot start, and another answers with an illegal move."""
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
    """Everybody against everybody and the bot that cannot start against itself; openings of no, one
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


def test_what_is_counted_is_what_is_written() -> None:
    """Of games of all kinds: nothing else is told of them."""
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
    """Stands in for a tournament: gives out the encounters above that one can have."""

    def encounters(self, matches: object) -> Iterator[Encounter]:
        return (encounter for encounter in encounters() if len(set(encounter.fixtures[0].bots)) > 1)


def test_a_run_reads_no_record_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it counts while it plays is what the file says in the end."""
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
    assert vars(now.evidence) == vars(again.evidence)


def test_a_worker_that_is_dead_when_it_gets_a_task_is_replaced() -> None:
    """The game is void and can be played by the next worker; nothing else happens."""
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
def test_what_a_worker_is_given_fits_into_a_pipe_that_nobody_reads(plies: int) -> None:
    """However short the games were, and however long names and openings are: twice as much."""
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


def test_who_plays_is_shown_until_the_last_game_of_an_encounter() -> None:
    live = LiveProgress("cup", 0, 2)
    try:
        one, two = fixture(1, 2), fixture(2, 1)
        live.started((one, two))
        live.finished([one])
        assert now(live) == f"now: b1 - b2 ({BOARD})"
        live.finished([two])
        assert now(live) == "now: -"
    finally:
        live.close()


def now(live: LiveProgress) -> str:
    """The line that says who plays."""
    texts = [str(part) for part in live._render(0, make_standings(Tally(), [], [])).renderables]
    return next(text for text in texts if text.startswith("now: "))
