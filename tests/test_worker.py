"""A worker keeps bots alive between games, but not too many of them."""

from referee.bot import Command, Launcher
from referee.clock import TimeControl
from referee.engine import Begun, LocalEngine
from referee.grid import Size
from referee.pairings import Fixture
from referee.plan import BoardPlan, BotPlan, Plan
from referee.progress import Live
from referee.standings import Tally, make_standings
from referee.worker import MOST_IDLE, Finished, Void, Worker
from tests.conftest import ROOT

BOARD = "lockdown-4x4"


def plan(count: int) -> Plan:
    command = Command((str(ROOT / "bots" / "random_bot.sh"),), ROOT)
    time = TimeControl.per_move("60s")
    return Plan(
        bots={f"b{n}": BotPlan(f"b{n}", command, time, "") for n in range(count)},
        boards={BOARD: BoardPlan("lockdown", "lockdown", Size(4, 4))},
        attempts=1,
        startup_ms=60_000,
        fresh=False,
        freeze=True,
        pin=False,
        settings="",
        sandbox="none",
    )


def fixture(one: int, two: int) -> Fixture:
    return Fixture(f"{one}-{two}", BOARD, (f"b{one}", f"b{two}"), 1, (), 1)


def test_bots_stay_alive_but_not_too_many() -> None:
    """The last ones that played keep their process; the oldest have to go."""
    count = MOST_IDLE + 6
    with Launcher() as launcher:
        worker = Worker(plan(count), launcher)
        games = list(worker.play([fixture(n, n + 1) for n in range(0, count, 2)]))
        assert all(isinstance(game, Finished) and not game.record["fault"] for game in games)
        alive = [key for key, bot in worker._bots.items() if bot.process is not None]
        assert len(alive) == MOST_IDLE + 2
        assert ("b0", 1) not in alive
        process = worker._bots["b6", 1].process
        again = list(worker.play([fixture(6, 7), fixture(6, count - 1)]))
        assert all(isinstance(game, Finished) and not game.record["fault"] for game in again)
        assert worker._bots["b6", 1].process is process
        worker.close()


def test_a_bot_may_play_against_itself() -> None:
    """Two processes of one bot."""
    with Launcher() as launcher:
        worker = Worker(plan(1), launcher)
        (game,) = worker.play([fixture(0, 0)])
        worker.close()
    assert isinstance(game, Finished)
    assert game.record["fault"] is None


def test_a_worker_that_is_dead_when_it_gets_a_task_is_replaced() -> None:
    """The game is void and can be played by the next worker; nothing else happens."""
    engine = LocalEngine(plan(2), 1)
    try:
        victim = engine._hands[0].process
        victim.kill()
        victim.join()
        tasks = [(fixture(0, 1),), (fixture(0, 1),)]
        events = engine.play(lambda: tasks.pop(0) if tasks else None)
        seen = [type(event) for event in events if event is not None]
    finally:
        engine.close()
    assert seen == [Begun, Void, Begun, Finished]


def test_who_plays_is_shown_until_the_last_game_of_an_encounter() -> None:
    live = Live("cup", 0, 2)
    try:
        one, two = fixture(1, 2), fixture(2, 1)
        live.begun((one, two))
        live.finished(one)
        assert now(live) == f"now: b1 - b2 ({BOARD})"
        live.finished(two)
        assert now(live) == "now: -"
    finally:
        live.close()


def now(live: Live) -> str:
    """The line that says who plays."""
    texts = [str(part) for part in live._picture(0, make_standings(Tally(), [], [])).renderables]
    return next(text for text in texts if text.startswith("now: "))
