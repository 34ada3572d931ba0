"""Play encounters, and keep bots alive between games."""

import gc
import os
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import zip_longest
from multiprocessing.connection import Connection
from time import gmtime, monotonic, strftime, time
from typing import NamedTuple

from referee.bots.bot import Bot, close_all
from referee.bots.launcher import Launcher, PlayerStarter
from referee.bots.watchdog import ReadWatchdog
from referee.config.plan import Plan
from referee.errors import OutsideError
from referee.game.config import GameConfig, GameSetup
from referee.game.dossier import dossier
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.records.record import RecordWriter
from referee.records.summary import GameSummary
from referee.run.events import GameBatch, GameFinished, GameVoid, Result, batch_of
from referee.schedule.fixtures import Fixture
from referee.system.garbage_collection import relaxed_gc
from referee.system.parent_death import die_with_parent
from referee.system.signals import StopFlag

MAX_IDLE = 16
"""Bots that a worker keeps alive besides those that play."""
MAX_PAIRINGS = 16
"""Two bots on a board, from both seats, that a worker knows the terms of."""
BATCH_SECONDS = 0.05
"""Games that end within so long are told of together."""


class _Pairing(NamedTuple):
    """Two bots on a board, seat by seat."""

    terms: GameConfig
    hashes: tuple[str, str]
    recorder: RecordWriter


class Worker:
    """One game at a time, on bots that stay alive."""

    def __init__(
        self, plan: Plan, launcher: PlayerStarter, pulse: ReadWatchdog | None = None
    ) -> None:
        self._plan = plan
        self._pulse = pulse
        self._launcher = launcher
        self._bots: dict[tuple[str, int], Bot] = {}
        """By name and copy (a bot may play against itself); the least recently used first."""
        self._pairing = lru_cache(maxsize=MAX_PAIRINGS)(self._meet)
        """By board and bots: what was worked out for their last game is there for the next."""

    def play(self, fixtures: Sequence[Fixture], stop: StopFlag | None = None) -> Iterator[Result]:
        """Play these games one after the other, until the flag is set."""
        for fixture, next_one in zip_longest(fixtures, fixtures[1:]):
            if stop is not None and stop.is_set:
                return
            next_game_same_bots = next_one is not None and next_one.bots in (
                fixture.bots,
                fixture.bots[::-1],
            )
            yield self._play(fixture, next_game_same_bots)

    def _play(self, fixture: Fixture, next_game_same_bots: bool) -> Result:
        first, second = fixture.bots
        bots = self._bot(first, 1), self._bot(second, 2 if first == second else 1)
        self._rest_of_them(bots)
        started = _in_words(int(time()))
        try:
            pairing = self._pairing(fixture.board, fixture.bots)
            setup = GameSetup(fixture.id, pairing.terms, fixture.opening, fixture.seed)
            played = play_game(
                setup, bots, watchdog=self._pulse, next_game_same_bots=next_game_same_bots
            )
            line = pairing.recorder.line(setup, played, fixture.encounter, started)
            summary = self._gist(fixture, pairing.hashes, played)
            text = dossier(fixture.id, fixture.bots, played) if played.faults else None
        except OutsideError as error:
            return GameVoid(fixture, str(error))
        except Exception:
            # A failure of ours never costs a bot a game: no record, and it is told loudly.
            return GameVoid(fixture, traceback.format_exc())
        warnings = tuple([(bot.name, text) for bot in bots for text in bot.warnings])
        for bot in bots:
            bot.warnings.clear()
        return GameFinished(summary, line, text, warnings)

    def _meet(self, board: str, bots: tuple[str, str]) -> _Pairing:
        plan, (first, second) = self._plan, bots
        terms = plan.terms(board, bots)
        hashes = plan.bots[first].hash, plan.bots[second].hash
        recorder = RecordWriter(
            terms,
            bots,
            settings=plan.settings,
            hashes=hashes,
            sandbox=plan.sandbox,
            host=plan.host,
        )
        return _Pairing(terms, hashes, recorder)

    def _gist(self, fixture: Fixture, hashes: tuple[str, str], played: PlayedGame) -> GameSummary:
        """What is counted of a game."""
        return GameSummary.from_game(fixture, played, host=self._plan.host, hashes=hashes)

    def _bot(self, name: str, copy: int) -> Bot:
        bot = self._bots.pop((name, copy), None)
        if bot is None:
            bot = Bot(name, self._plan.bots[name].command, self._launcher)
        self._bots[name, copy] = bot
        return bot

    def _rest_of_them(self, playing: tuple[Bot, Bot]) -> None:
        """Idle bots take no time from those that play, and there are not too many of them."""
        idle = [(key, bot) for key, bot in self._bots.items() if bot not in playing]
        for key, bot in idle[: max(0, len(idle) - MAX_IDLE)]:
            bot.quit()
            del self._bots[key]
        if self._plan.freeze:
            for _, bot in idle:
                if bot.process is not None:
                    bot.process.suspend()

    def close(self) -> None:
        """Stop every bot."""
        close_all(list(self._bots.values()))
        self._bots.clear()


@contextmanager
def worker(plan: Plan, launcher: Launcher | None = None) -> Iterator[Worker]:
    """A worker whose bots are gone afterwards, and its launcher too; it takes a whole process."""
    with launcher or Launcher() as launcher:
        launcher.prepare()
        worker = Worker(plan, launcher, ReadWatchdog())
        try:
            yield worker
        finally:
            worker.close()


def serve(
    plan: Plan, tasks: Connection, core: int | None, launcher: Launcher | None = None
) -> None:
    """The life of a worker process: encounters in, games out, until the tasks end.

    If the coordinator sends `STOP`, it ends after the game that is running.
    """
    stop = StopFlag()
    die_with_parent()
    if core is not None:
        os.sched_setaffinity(0, {core})
    gc.freeze()  # what is there by now stays: there is no use in looking at it again
    with relaxed_gc(), worker(plan, launcher) as player:
        while not stop.is_set:
            try:
                for ended in batch_results(player.play(tasks.recv(), stop)):
                    tasks.send(ended)
            except (EOFError, BrokenPipeError, ConnectionResetError):
                return


@lru_cache(maxsize=1)
def _in_words(seconds: int) -> str:
    """A time of day, which is the same for many short games."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


def batch_results(results: Iterable[Result]) -> Iterator[GameBatch]:
    """Results as they come, those of very short games several at a time."""
    batch: list[Result] = []
    begun = monotonic()
    for result in results:
        batch.append(result)
        if monotonic() - begun > BATCH_SECONDS:
            yield batch_of(batch)
            batch, begun = [], monotonic()
    if batch:
        yield batch_of(batch)
