"""Worker: plays games one after the other, with bots that stay alive between them."""

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
from referee.outcome import Seat
from referee.protocol.transcript import Transcript
from referee.records.record import RecordWriter
from referee.records.summary import GameSummary
from referee.run.events import GameBatch, GameFinished, GameVoid, Result, batch_of
from referee.run.live_feed import LiveFeed
from referee.schedule.fixtures import Fixture
from referee.system.garbage_collection import relaxed_gc
from referee.system.parent_death import die_with_parent
from referee.system.signals import StopFlag

MAX_IDLE = 16
"""Maximum number of idle bots that a worker keeps alive."""
MAX_PAIRINGS = 16
"""Size of the cache of pairings; a pairing is two bots, seat by seat, on a board."""
BATCH_SECONDS = 0.05
"""Results within this period are sent as one batch."""


class _Pairing(NamedTuple):
    """Common part of all games of two bots, seat by seat, on a board."""

    config: GameConfig
    hashes: tuple[str, str]
    writer: RecordWriter


class Worker:
    """Plays one game at a time, with bots that stay alive between games."""

    def __init__(
        self, plan: Plan, launcher: PlayerStarter, watchdog: ReadWatchdog | None = None
    ) -> None:
        self._plan = plan
        self._watchdog = watchdog
        self._launcher = launcher
        self._live = LiveFeed(plan.live_folder) if plan.live_folder is not None else None
        self._game_id = ""
        self._bots: dict[tuple[str, int], Bot] = {}
        """By name and instance (a bot may play against itself); least recently used first."""
        self._pairing = lru_cache(maxsize=MAX_PAIRINGS)(self._pairing_context)
        """Cached by board and bots."""
        self._on_wait = self._send_position if self._live is not None else None

    def play(
        self,
        fixtures: Sequence[Fixture],
        stop: StopFlag | None = None,
        started: memoryview | None = None,
    ) -> Iterator[Result]:
        """Play these games one after the other, until the stop flag is set.

        `started` counts the games that were started, for another process.
        """
        for fixture, next_one in zip_longest(fixtures, fixtures[1:]):
            if stop is not None and stop.is_set:
                return
            next_game_same_bots = next_one is not None and next_one.bots in (
                fixture.bots,
                fixture.bots[::-1],
            )
            if started is not None:
                started[0] += 1
            yield self._play(fixture, next_game_same_bots)

    def _play(self, fixture: Fixture, next_game_same_bots: bool) -> Result:
        first, second = fixture.bots
        bots = self._bot(first, 1), self._bot(second, 2 if first == second else 1)
        self._suspend_idle_bots(bots)
        started = _format_time(int(time()))
        self._game_id = fixture.id
        try:
            pairing = self._pairing(fixture.board, fixture.bots)
            setup = GameSetup(fixture.id, pairing.config, fixture.opening, fixture.seed)
            played = play_game(
                setup,
                bots,
                watchdog=self._watchdog,
                next_game_same_bots=next_game_same_bots,
                on_wait=self._on_wait,
            )
            line = pairing.writer.line(setup, played, fixture.encounter, started)
            summary = self._summarize(fixture, pairing.hashes, played)
            text = dossier(fixture.id, fixture.bots, played) if played.faults else None
        except OutsideError as error:
            return GameVoid(fixture, str(error))
        except Exception:
            # A failure of the referee is no fault of a bot: no record, and it is reported.
            return GameVoid(fixture, traceback.format_exc())
        warnings = tuple([(bot.name, text) for bot in bots for text in bot.warnings])
        for bot in bots:
            bot.warnings.clear()
        return GameFinished(summary, line, text, warnings)

    def _send_position(self, seat: Seat, line: bytes, transcript: Transcript) -> None:
        assert self._live is not None
        self._live.send(self._game_id, seat, line, transcript)

    def _pairing_context(self, board: str, bots: tuple[str, str]) -> _Pairing:
        plan, (first, second) = self._plan, bots
        config = plan.game_config(board, bots)
        hashes = plan.bots[first].hash, plan.bots[second].hash
        writer = RecordWriter(
            config,
            bots,
            settings=plan.settings,
            hashes=hashes,
            sandbox=plan.sandbox,
            host=plan.host,
        )
        return _Pairing(config, hashes, writer)

    def _summarize(
        self, fixture: Fixture, hashes: tuple[str, str], played: PlayedGame
    ) -> GameSummary:
        """Return the summary of a game."""
        return GameSummary.from_game(fixture, played, host=self._plan.host, hashes=hashes)

    def _bot(self, name: str, instance: int) -> Bot:
        bot = self._bots.pop((name, instance), None)
        if bot is None:
            bot = Bot(name, self._plan.bots[name].command, self._launcher)
        self._bots[name, instance] = bot
        return bot

    def _suspend_idle_bots(self, playing: tuple[Bot, Bot]) -> None:
        """Suspend idle bots; quit the least recently used beyond `MAX_IDLE`."""
        idle = [(key, bot) for key, bot in self._bots.items() if bot not in playing]
        for key, bot in idle[: max(0, len(idle) - MAX_IDLE)]:
            bot.quit()
            del self._bots[key]
        if self._plan.play.suspend_opponent:
            for _, bot in idle:
                if bot.process is not None:
                    bot.process.suspend()

    def close(self) -> None:
        """Stop every bot."""
        close_all(list(self._bots.values()))
        self._bots.clear()


@contextmanager
def open_worker(plan: Plan, launcher: Launcher | None = None) -> Iterator[Worker]:
    """Open a worker; its bots and its launcher are stopped at the end.

    The read watchdog uses the timer signal of the process, so a process has one worker.
    """
    with launcher or Launcher() as launcher:
        launcher.prepare()
        worker = Worker(plan, launcher, ReadWatchdog())
        try:
            yield worker
        finally:
            worker.close()


def serve(
    plan: Plan,
    tasks: Connection,
    core: int | None,
    launcher: Launcher | None = None,
    started: memoryview | None = None,
) -> None:
    """Run a worker process: receive fixtures, send batches of results, until the pipe is closed.

    The signal `STOP` ends it after the running game. `started` counts its games for the
    coordinator.
    """
    stop = StopFlag()
    die_with_parent()
    if core is not None:
        os.sched_setaffinity(0, {core})
    gc.freeze()  # the imported modules are permanent: no collection visits them
    with relaxed_gc(), open_worker(plan, launcher) as worker:
        while not stop.is_set:
            try:
                for batch in batch_results(worker.play(tasks.recv(), stop, started)):
                    tasks.send(batch)
            except (EOFError, BrokenPipeError, ConnectionResetError):
                return


@lru_cache(maxsize=1)
def _format_time(seconds: int) -> str:
    """Format a time in UTC; cached, because many short games start in the same second."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


def batch_results(results: Iterable[Result]) -> Iterator[GameBatch]:
    """Yield results in batches of `BATCH_SECONDS`, longer games one by one."""
    batch: list[Result] = []
    start = monotonic()
    for result in results:
        batch.append(result)
        if monotonic() - start > BATCH_SECONDS:
            yield batch_of(batch)
            batch, start = [], monotonic()
    if batch:
        yield batch_of(batch)
