"""Functions that Dask runs on a worker: prepare the bots of a run, and play batches of games.

A session is the game process of one run on one worker, with the bots of that run, prepared in a
cache named by hashes. It exists while the coordinator references the result of `prepare`: if the
coordinator exits, in any way, the scheduler releases the result, and its finalizer kills the game
process and so the bots. A Dask task cannot be interrupted otherwise.
"""

import platform
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from distributed import Status, get_worker

from referee.bots.launcher import Launcher
from referee.config.bot_archive import BotCache
from referee.config.plan import PortablePlan
from referee.config.variant_files import install_variants
from referee.run.events import GameBatch
from referee.run.game_process import GameSession, SessionExpired
from referee.run.preparation import check_bots_start, prepare_bots
from referee.sandbox.probe import choose_rung
from referee.schedule.fixtures import Fixture
from referee.system.cores import usable_cores
from referee.system.cpu_quota import cpu_quota, quota_warning
from referee.system.machine import machine_id


@dataclass(frozen=True)
class WorkerInfo:
    """Properties of a worker, and what it lacks."""

    host: str
    machine: str
    """Equal for workers on the same machine."""
    cores: tuple[int, ...]
    missing: frozenset[str]
    """Hashes of the bots whose files it does not have."""


@dataclass(frozen=True)
class PreparationReport:
    """Result of preparing the bots on a worker; the session ends with the original."""

    sandbox: str
    notes: tuple[str, ...]
    problems: dict[str, str]
    """A paragraph for each bot that cannot play here."""


_sessions: weakref.WeakValueDictionary[str, GameSession] = weakref.WeakValueDictionary()
"""By run; the finalizers have the only lasting references."""
_CLOSING = (Status.closing, Status.closed, Status.failed)


def worker_info(hashes: Sequence[str]) -> WorkerInfo:
    """Return the properties of this worker, and which of these bots it lacks."""
    missing = BotCache(_folder()).missing(hashes)
    return WorkerInfo(_host(), machine_id(), tuple(usable_cores()), missing)


def prepare(
    run: str,
    portable_plan: PortablePlan,
    variants: dict[str, bytes],
    sandbox: str,
    archives: dict[str, bytes],
) -> PreparationReport:
    """Unpack, build and start every bot once; InputError if no game can be played here.

    `variants` has the files of variants that are not installed, by path on the coordinator.
    """
    folder = _folder()
    folder.mkdir(exist_ok=True)
    cache = BotCache(folder)
    for digest, data in archives.items():
        cache.add(digest, data)
    rung = choose_rung(sandbox)
    portable_plan = install_variants(portable_plan, variants, folder / "variants")
    copies = {bot.name: cache.folder_of(bot) for bot in portable_plan.bots}
    with Launcher() as launcher:
        plan, broken = prepare_bots(portable_plan, copies, rung, launcher, _host())
        problems = check_bots_start(plan, broken, launcher)
    warning = quota_warning(1, cpu_quota())
    notes = rung.notes if warning is None else (*rung.notes, warning)
    report = PreparationReport(rung.name, notes, problems)
    session = _sessions[run] = GameSession(plan)
    weakref.finalize(report, session.close)
    return report


def play(run: str, fixtures: Sequence[Fixture], core: int | None) -> tuple[GameBatch, float]:
    """Play these games on this worker; return the results, and the duration in seconds."""
    session = _sessions.get(run)
    if session is None:
        raise SessionExpired
    worker = get_worker()
    started = monotonic()
    # A worker that has lost its scheduler closes, but waits for its running task first.
    games = session.play(fixtures, core, lambda: worker.status in _CLOSING)
    return games, monotonic() - started


def stop(run: str) -> None:
    """Start no further game of this run on this worker."""
    session = _sessions.get(run)
    if session is not None:
        session.stop()


def _host() -> str:
    """Return the host for the records: its name, and its address unless that is a loopback."""
    address = get_worker().ip
    is_local = address.startswith("127.") or address == "::1"
    return platform.node() if is_local else f"{platform.node()} ({address})"


def _folder() -> Path:
    """Return a path in the worker's local directory, which Dask removes with the worker."""
    return Path(get_worker().local_directory).absolute() / "referee"
