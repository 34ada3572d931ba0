"""Functions that Dask runs on a worker: prepare the bots of a run, and play batches of games.

A session belongs to one run on one worker. It has the bots of that run, prepared in a cache named
by hashes, and one game process. It exists while the coordinator references the lease that
`prepare` returned: if the coordinator exits, in any way, the scheduler releases the lease, and its
finalizer kills the game process and so the bots. A Dask task cannot be interrupted otherwise.
"""

import hashlib
import json
import os
import platform
import shutil
import threading
import uuid
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

from distributed import Status, get_worker

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
    """All that a worker needs for a run except the bots' files."""

    run: str
    """Unique name of the run."""
    portable_plan: PortablePlan
    variants: dict[str, bytes]
    """Contents of the variant files that are not installed, by path on the coordinator."""
    sandbox: str
    """The requested isolation."""

    @classmethod
    def of(cls, portable_plan: PortablePlan, sandbox: str) -> "RunBundle":
        """Read the variant files of a plan."""
        sources = {board.source for board in portable_plan.boards.values()}
        files = {name: Path(name).read_bytes() for name in sources if name.endswith(".py")}
        return cls(uuid.uuid4().hex, portable_plan, files, sandbox)


@dataclass(frozen=True)
class WorkerInfo:
    """Properties of a worker, and what it lacks."""

    host: str
    machine: str
    """Equal for workers on the same machine."""
    cores: tuple[int, ...]
    missing: frozenset[str]
    """Hashes of the bots whose files it does not have."""


class Lease:
    """Object in the worker's memory whose finalizer closes the session; its pickle is empty."""

    def __init__(self, session: "WorkerSession") -> None:
        weakref.finalize(self, session.close)

    def __reduce__(self) -> tuple[type[object], tuple[()]]:
        return object, ()


@dataclass(frozen=True)
class PreparationReport:
    """Result of preparing the bots on a worker."""

    sandbox: str
    notes: tuple[str, ...]
    problems: dict[str, str]
    """A paragraph for each bot that cannot play here."""
    lease: Lease | None = field(repr=False)


class SessionExpired(Exception):
    """This worker has no session of that run, or none any more."""


def survey(hashes: Sequence[str]) -> WorkerInfo:
    """Return the properties of this worker, and which of these bots it lacks."""
    return WorkerInfo(
        host=_host(get_worker().address),
        machine=_machine(),
        cores=tuple(usable_cores()),
        missing=frozenset(name for name in hashes if not (_cache() / "files" / name).is_dir()),
    )


def prepare(bundle: RunBundle, archives: dict[str, bytes]) -> PreparationReport:
    """Unpack, build and start every bot once; InputError if no game can be played here."""
    host = _host(get_worker().address)
    folder = _cache()
    _allow_traversal(folder)
    for digest, data in archives.items():
        unpack(data, digest, folder / "files" / digest)
    rung = choose_rung(bundle.sandbox)
    portable_plan = replace(bundle.portable_plan, boards=_boards(bundle, folder))
    copies = {bot.name: _copy(bot, folder) for bot in portable_plan.bots}
    with Launcher() as launcher:
        plan, broken = prepare_bots(portable_plan, copies, rung, launcher, host)
        for bot in portable_plan.bots:
            missing = [path for path in bot.limits.read if not Path(path).exists()]
            if missing and rung.name != NONE:
                broken.setdefault(bot.name, f"sandbox_read: there is no {missing[0]}")
        problems = check_bots_start(plan, broken, launcher)
    session = WorkerSession(bundle.run, plan)
    warning = quota_warning(1, cpu_quota())
    notes = rung.notes if warning is None else (*rung.notes, warning)
    return PreparationReport(rung.name, notes, problems, Lease(session))


def play(run: str, fixtures: Sequence[Fixture], core: int | None) -> tuple[GameBatch, float]:
    """Play these games on this worker; return the results, and the duration in seconds."""
    session = _sessions.get(run)
    if session is None:
        raise SessionExpired(run)
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


class WorkerSession:
    """The prepared bots and the game process of one run on this worker."""

    def __init__(self, run: str, plan: Plan) -> None:
        self._run = run
        self._plan = plan
        self._process: GameProcess | None = None
        self._stopping = False
        # A worker with several threads plays one game at a time, too.
        self._playing = threading.Lock()
        _sessions[run] = self

    def play(
        self, fixtures: Sequence[Fixture], core: int | None, is_closing: Callable[[], bool]
    ) -> GameBatch:
        """Play these games; one is void if the game process exits, the next gets a new process.

        Games that have not started when `stop` is called are left out.
        """
        games: list[Result] = []
        with self._playing:
            while len(games) < len(fixtures) and not self._stopping:
                process = self._process_on(core)
                if self._stopping:
                    break  # `stop` may have been called before the process existed
                try:
                    for game in process.play(fixtures[len(games) :], is_closing):
                        games.append(game)
                except GameProcessDied as death:
                    self._process = None
                    if is_closing():
                        raise SessionExpired(self._run) from death
                    if self._stopping:
                        break
                    reason = f"the process that played it died ({death})"
                    games.append(GameVoid(fixtures[len(games)], reason))
        return batch_of(games)

    def _process_on(self, core: int | None) -> GameProcess:
        """Return the game process, pinned to that core."""
        if self._run not in _sessions:
            raise SessionExpired(self._run)
        if self._process is not None and self._process.core != core:
            self._process.kill()
            self._process = None
        if self._process is None:
            self._process = GameProcess(self._plan, core)
        return self._process

    def stop(self) -> None:
        """Let the game process exit after the running game."""
        self._stopping = True
        process = self._process
        if process is not None:
            process.stop()

    def close(self) -> None:
        """Kill the game process and so the bots, also during a game."""
        _sessions.pop(self._run, None)
        if self._process is not None:
            self._process.kill()


_sessions: dict[str, WorkerSession] = {}
"""By run."""
_CLOSING = (Status.closing, Status.closed, Status.failed)


def _host(address: str) -> str:
    """Return the host for the records: its name, and its address unless that is a loopback."""
    place = urlsplit(address).hostname or ""
    local = place.startswith("127.") or place in ("::1", "localhost", "")
    return platform.node() if local else f"{platform.node()} ({place})"


def _machine() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return platform.node()


def _cache() -> Path:
    """Return a path in the worker's local directory, which Dask removes with the worker."""
    return Path(get_worker().local_directory).absolute() / "referee"


def _allow_traversal(cache: Path) -> None:
    """Create the cache; if the worker is root, let the bots' user traverse its folders."""
    cache.mkdir(exist_ok=True)
    if os.geteuid() == 0:
        for folder in (cache, cache.parent):
            folder.chmod(folder.stat().st_mode | 0o011)


def _copy(bot: BotSpec, folder: Path) -> Path:
    """Return the folder of a bot: its unpacked files, or a copy per build command."""
    files = folder / "files" / bot.hash
    if bot.build is None:
        return files
    text = json.dumps([bot.hash, bot.build, dict(bot.environment)], sort_keys=True)
    copy = folder / "built" / hashlib.sha256(text.encode()).hexdigest()[:16]
    if not copy.is_dir():
        unfinished = copy.with_name(copy.name + ".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(files, unfinished)
        unfinished.rename(copy)
    return copy


def _boards(bundle: RunBundle, folder: Path) -> dict[str, BoardPlan]:
    """Return the boards, with the sources of sent variants replaced by their paths here."""
    sources: dict[str, str] = {}
    for source, data in bundle.variants.items():
        path = folder / "variants" / hashlib.sha256(data).hexdigest()[:16] / Path(source).name
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
        unfinished.write_bytes(data)
        unfinished.replace(path)
        sources[source] = str(path)
    boards = {}
    for name, board in bundle.portable_plan.boards.items():
        boards[name] = replace(board, source=sources.get(board.source, board.source))
        find_variant(boards[name].source)  # InputError if it is not installed here
    return boards
