"""A Dask worker's side: what a cluster is asked to run. Everything here happens on the worker.

A station belongs to one run on one worker. It has the bots of that run in a cache named by their
fingerprints, made ready for this machine, and one player. It lives as long as the run keeps the
lease that `prepare` returned: if the coordinator ends, in whatever way, the scheduler lets go of
the lease, and player and bots end with it.
"""

import hashlib
import json
import os
import platform
import shutil
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

from distributed import Status, get_worker

from referee import __version__
from referee.bots.launcher import Launcher
from referee.cluster.archive import unpack
from referee.cluster.game_process import GameProcess, GameProcessDied
from referee.config.plan import BoardPlan, BotSpec, Plan, PortablePlan
from referee.rules import find_variant
from referee.run.events import GameBatch, GameVoid, Result, batch_of
from referee.run.preparation import check_bots_start, prepare_bots
from referee.sandbox.probe import choose_rung
from referee.sandbox.rungs import NONE
from referee.schedule.fixtures import Fixture
from referee.system.cores import usable_cores
from referee.system.cpu_quota import cpu_quota, quota_warning


@dataclass(frozen=True)
class RunBundle:
    """All that a worker needs for a run, but for the bots' files."""

    run: str
    """Its name, unlike that of any other run."""
    version: str
    portable_plan: PortablePlan
    variants: dict[str, bytes]
    """The files of variants that are no part of the referee, by their path at the coordinator."""
    sandbox: str
    """The rung that is wished for."""


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker says of itself before it gets anything."""

    version: str
    host: str
    machine: str
    """Equal for workers that share their cores."""
    cores: tuple[int, ...]
    threads: int
    missing: frozenset[str]
    """The fingerprints of bots whose files it does not have yet."""


class Lease:
    """While this lives on a worker, its station does. Copies that travel mean nothing."""

    def __init__(self, station: "WorkerSession") -> None:
        weakref.finalize(self, station.close)

    def __reduce__(self) -> tuple[type[object], tuple[()]]:
        return object, ()


@dataclass(frozen=True)
class PreparationReport:
    """How making the bots ready went on a worker."""

    sandbox: str
    notes: tuple[str, ...]
    complaints: dict[str, str]
    """What is wrong with each bot that cannot play here."""
    lease: Lease | None = field(repr=False)


@dataclass(frozen=True)
class BatchResult:
    """What became of the games of one task."""

    games: GameBatch
    seconds: float


class SessionExpired(Exception):
    """This worker has no station of that run (any more)."""


def survey(hashes: Sequence[str]) -> WorkerInfo:
    """Who are you, and what do you lack?"""
    worker = get_worker()
    return WorkerInfo(
        version=__version__,
        host=_host(worker.address),
        machine=_machine(),
        cores=tuple(usable_cores()),
        threads=worker.state.nthreads,
        missing=frozenset(hash for hash in hashes if not (_cache() / "files" / hash).is_dir()),
    )


def prepare(kit: RunBundle, archives: dict[str, bytes]) -> PreparationReport:
    """Unpack, build and try every bot; InputError if nothing can be played here."""
    host = _host(get_worker().address)
    folder = _cache()
    _open_way_to(folder)
    for hash, data in archives.items():
        unpack(data, hash, folder / "files" / hash)
    rung = choose_rung(kit.sandbox)
    portable_plan = replace(kit.portable_plan, boards=_boards(kit, folder))
    copies = {bot.name: _copy(bot, folder) for bot in portable_plan.bots}
    with Launcher() as launcher:
        plan, broken = prepare_bots(portable_plan, copies, rung, launcher, host)
        for bot in portable_plan.bots:
            lacking = [path for path in bot.limits.read if not Path(path).exists()]
            if lacking and rung.name != NONE:
                broken.setdefault(bot.name, f"sandbox_read: there is no {lacking[0]}")
        complaints = check_bots_start(plan, broken, launcher)
    station = WorkerSession(kit.run, plan)
    warning = quota_warning(1, cpu_quota())
    notes = rung.notes if warning is None else (*rung.notes, warning)
    return PreparationReport(rung.name, notes, complaints, Lease(station))


def play(run: str, fixtures: Sequence[Fixture], core: int | None) -> BatchResult:
    """Play these games here."""
    station = _stations.get(run)
    if station is None:
        raise SessionExpired(run)
    worker = get_worker()
    started = monotonic()
    # A worker without its scheduler closes, but would wait for the game, and that for its bots.
    games = station.play(fixtures, core, lambda: worker.status in _ENDING)
    return BatchResult(games, monotonic() - started)


def stop(run: str) -> None:
    """Begin no further game of this run here."""
    station = _stations.get(run)
    if station is not None:
        station.stop()


class WorkerSession:
    """What a run has on this worker."""

    def __init__(self, run: str, plan: Plan) -> None:
        self._run = run
        self._plan = plan
        self._player: GameProcess | None = None
        self._stopping = False
        # A worker may have several threads, but plays one game at a time.
        self._playing = threading.Lock()
        _stations[run] = self

    def play(
        self, fixtures: Sequence[Fixture], core: int | None, is_over: Callable[[], bool]
    ) -> GameBatch:
        """Play these games; one that ends the player is void, and the others go on with a new.

        Those that have not begun when it is to stop are left out.
        """
        games: list[Result] = []
        with self._playing:
            while len(games) < len(fixtures) and not self._stopping:
                player = self._seated(core)
                if self._stopping:
                    break  # it may have been seated too late to be told
                try:
                    for game in player.play(fixtures[len(games) :], is_over):
                        games.append(game)
                except GameProcessDied as death:
                    self._player = None
                    if is_over():
                        raise SessionExpired(self._run) from death
                    if self._stopping:
                        break
                    why = f"the process that played it died ({death})"
                    games.append(GameVoid(fixtures[len(games)], why))
        return batch_of(games)

    def _seated(self, core: int | None) -> GameProcess:
        """The player, on that core."""
        if self._run not in _stations:
            raise SessionExpired(self._run)
        if self._player is not None and self._player.core != core:
            self._player.kill()
            self._player = None
        if self._player is None:
            self._player = GameProcess(self._plan, core)
        return self._player

    def stop(self) -> None:
        """Let the player end after the game that is running."""
        self._stopping = True
        player = self._player
        if player is not None:
            player.stop()

    def close(self) -> None:
        """End the player, and with it the bots, whatever they are doing."""
        _stations.pop(self._run, None)
        if self._player is not None:
            self._player.kill()


_stations: dict[str, WorkerSession] = {}
"""By run."""
_ENDING = (Status.closing, Status.closed, Status.failed)


def _host(address: str) -> str:
    """Which host this is, for the records: its name, and its address if others know it by that."""
    place = urlsplit(address).hostname or ""
    local = place.startswith("127.") or place in ("::1", "localhost", "")
    return platform.node() if local else f"{platform.node()} ({place})"


def _machine() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return platform.node()


def _cache() -> Path:
    """In the worker's own folder, which Dask removes with the worker."""
    return Path(get_worker().local_directory).absolute() / "referee"


def _open_way_to(cache: Path) -> None:
    """Bots of root run as somebody else, who has to get here; others see no more than names."""
    cache.mkdir(exist_ok=True)
    if os.geteuid() == 0:
        for folder in (cache, cache.parent):
            folder.chmod(folder.stat().st_mode | 0o011)


def _copy(bot: BotSpec, folder: Path) -> Path:
    """Where a bot runs: its files as they came, or a copy for each way in which they are built."""
    files = folder / "files" / bot.hash
    if bot.build is None:
        return files
    text = json.dumps([bot.hash, bot.build, dict(bot.environment)], sort_keys=True)
    copy = folder / "built" / hashlib.sha256(text.encode()).hexdigest()[:16]
    if not copy.is_dir():
        _copy_folder(files, copy)
    return copy


def _copy_folder(source: Path, target: Path) -> None:
    """Whole or not at all."""
    unfinished = target.with_name(target.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(source, unfinished)
    unfinished.rename(target)


def _boards(kit: RunBundle, folder: Path) -> dict[str, BoardPlan]:
    """The boards, with variants of one's own where they were unpacked here."""
    sources: dict[str, str] = {}
    for source, data in kit.variants.items():
        path = folder / "variants" / hashlib.sha256(data).hexdigest()[:16] / Path(source).name
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
        unfinished.write_bytes(data)
        unfinished.replace(path)
        sources[source] = str(path)
    boards = {}
    for name, board in kit.portable_plan.boards.items():
        boards[name] = replace(board, source=sources.get(board.source, board.source))
        find_variant(boards[name].source)  # InputError if this worker does not know it
    return boards
