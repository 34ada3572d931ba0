"""The process that plays for a worker of a cluster."""

import os
import signal
from collections.abc import Sequence

import pytest

from referee.run.events import GameFinished
from referee.run.game_process import GameProcess, GameProcessDied
from referee.schedule.fixtures import Fixture
from tests.run.test_worker import fixture, plan
from tests.support.processes import is_running


def play_to_the_end(process: GameProcess, fixtures: Sequence[Fixture]) -> list[GameFinished]:
    """Play games, again if some are void because the machine is too busy."""
    while True:
        games = list(process.play(fixtures, lambda: False))
        finished = [game for game in games if isinstance(game, GameFinished)]
        if len(finished) == len(fixtures):
            return finished


def test_game_process_plays_several_lists_of_games() -> None:
    """One result per game, in order, on the core that it was given."""
    (core, *_) = os.sched_getaffinity(0)
    process = GameProcess(plan(2), core)
    try:
        for fixtures in ([fixture(0, 1)], [fixture(1, 0), fixture(0, 0)]):
            games = play_to_the_end(process, fixtures)
            assert [game.summary.id for game in games] == [one.id for one in fixtures]
        assert os.sched_getaffinity(process._process.pid) == {core}
    finally:
        process.kill()


def test_game_process_that_dies_is_reported_with_its_signal() -> None:
    """Also if it died before it received the games."""
    process = GameProcess(plan(2), None)
    assert play_to_the_end(process, [fixture(0, 1)])
    os.kill(process._process.pid, signal.SIGKILL)
    with pytest.raises(GameProcessDied, match="killed by signal 9"):
        list(process.play([fixture(1, 0)], lambda: False))


def test_game_process_is_killed_when_its_worker_closes() -> None:
    """A worker without its scheduler waits for its running task."""
    process = GameProcess(plan(2), None)
    os.kill(process._process.pid, signal.SIGSTOP)
    with pytest.raises(GameProcessDied):
        list(process.play([fixture(0, 1)], lambda: True))
    assert not is_running(process._process.pid)
