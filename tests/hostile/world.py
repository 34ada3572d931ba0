"""The environment of hostile bots: folders, ordinary opponents, and targets."""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.watchdog import ReadWatchdog
from referee.game.config import GameConfig, GameSetup, PlaySettings
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.protocol.time_control import TimeControl
from referee.rules import Variant, find_variant
from referee.sandbox.limits import MIB, ResourceLimits
from referee.sandbox.probe import SandboxProbe
from referee.sandbox.rungs import LIMITS as LIMITS_RUNG
from referee.sandbox.rungs import NONE, PRIVATE_ROOT, Rung
from tests.hostile.bots.registry import Attack
from tests.hostile.bots.tools import THINKING_SECONDS
from tests.support.tools import needs, skip

BOTS = Path(__file__).parent / "bots"
PYTHON = "/usr/bin/python3"
"""One that every user can reach."""
LIMITS = ResourceLimits(memory=150 * MIB, processes=80, files=64, scratch=16 * MIB)
"""Some processes more than an attack needs: other tests of this user may start some meanwhile."""
AMPLE, SHORT = TimeControl.per_move("60s"), TimeControl.per_move("300ms")
WATCHDOG = ReadWatchdog()
GAME = find_variant("lockdown")
LONG_GAME = find_variant("barricade")
"""With three turns each, for games against an opponent that thinks."""
CAP_DAC_READ_SEARCH = 1 << 2
SECRET = "REFEREE_SECRET"
SIGNALS: list[int] = []
"""What reached the referee."""


def game_config(
    times: tuple[TimeControl, TimeControl] = (AMPLE, AMPLE), game: Variant = GAME
) -> GameConfig:
    """Return a configuration with a long start-up limit in which the bot off turn is suspended."""
    play = PlaySettings(startup_ms=60_000, suspend_opponent=True)
    return GameConfig(game.name, game.size, game.on(), times, play)


def rung_called(name: str) -> Rung:
    """Return a rung, if it works on this machine; else skip."""
    if name == NONE:
        return Rung(NONE)
    if name == "bwrap":
        needs("bwrap")
    found = _probe(name)
    if isinstance(found, str):
        skip(f"needs {name}: it does not work here: {found}")
    return found


@cache
def _probe(name: str) -> Rung | str:
    return SandboxProbe().result(name)


class World:
    """One launcher, ordinary bots that stay alive, and one hostile bot at a time."""

    def __init__(self, folder: Path, rung: Rung, launcher: Launcher, facts: dict[str, str]) -> None:
        self.folder = folder
        self.rung = rung
        self.signals: list[int] = SIGNALS
        self._launcher = launcher
        self._facts = facts
        for name in ("hostile", "honest"):
            shutil.copytree(BOTS, folder / name / "bots", ignore=shutil.ignore_patterns("*.pyc"))
            # Compiled here, because bots can write nothing.
            subprocess.run([PYTHON, "-m", "compileall", "-q", folder / name], check=True)
        self._before = self._look()
        self.honest = [self._bot("honest", "honest", str(uuid4())) for _ in range(2)]
        thinks = str(THINKING_SECONDS)
        self.thinker = self._bot("honest", "honest", str(uuid4()), thinks=thinks)
        self.honest.append(self.thinker)

    def _bot(self, folder: str, name: str, marker: str, network: bool = False, **more: str) -> Bot:
        facts = [f"{key}={value}" for key, value in (self._facts | more).items()]
        words = (PYTHON, "-S", "-B", "-m", "bots", name, marker, *facts)
        home = self.folder / folder
        limits = replace(LIMITS, network=network)
        command = self.rung.confine(Command(words, home), limits, [home])
        return Bot(folder, command, self._launcher)

    def hostile(self, attack: Attack, marker: str) -> Bot:
        """Return a bot that makes this attack; its processes have the marker."""
        opponent = self.honest[0].process
        self._facts["opponent"] = str(opponent.pid if opponent else 0)
        return self._bot("hostile", attack.word, marker, attack.network)

    def opponent(self, attack: Attack) -> Bot:
        """Return the ordinary bot that this attack is made against."""
        return self.thinker if attack.opponent_thinks else self.honest[0]

    def play(self, bots: tuple[Bot, Bot], impatient: int = 0) -> PlayedGame:
        """Play a game; one seat may have a short time."""
        first, second = (SHORT if seat == impatient else AMPLE for seat in (1, 2))
        config = game_config((first, second), LONG_GAME if self.thinker in bots else GAME)
        return play_game(GameSetup("hostile", config), bots, watchdog=WATCHDOG)

    def play_honestly(self) -> PlayedGame:
        first, second, _ = self.honest
        return self.play((first, second))

    def _look(self) -> dict[str, tuple[object, ...]]:
        """Return content, permissions, owner and time of all that bots must not change."""
        found: dict[str, tuple[object, ...]] = {}
        for name in ("hostile", "honest", "results"):
            for path in [self.folder / name, *(self.folder / name).rglob("*")]:
                state = path.lstat()
                content = path.read_bytes() if path.is_file() else b""
                found[str(path)] = content, state.st_mode, state.st_uid, state.st_mtime_ns
        return found

    def changes(self) -> list[str]:
        """Return the differences since the last call."""
        before, self._before = self._before, self._look()
        paths = before.keys() | self._before.keys()
        return [f"{p} was changed" for p in sorted(paths) if before.get(p) != self._before.get(p)]

    def scratch_folders(self) -> set[str]:
        """Return the scratch folders that exist now."""
        return {path.name for path in (self.folder / "scratch").iterdir()}

    def close(self) -> None:
        close_all(self.honest)


def processes_with(marker: str) -> dict[int, str]:
    """Return all processes with this word in their command line, without zombies."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in text:
                found[int(entry.name)] = text.decode(errors="replace")
    return found


def descendants_of(process: int) -> set[int]:
    """Return every descendant of a process, by a single scan."""
    by_parent: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            by_parent.setdefault(int(fields[1]), []).append(int(entry.name))
    found = by_parent.get(process, [])
    for child in found:
        found.extend(by_parent.get(child, []))
    return set(found)


@contextmanager
def world(rung: str) -> Iterator[World]:
    """Create a world on this rung; at the end check that nothing of it is left."""
    found = rung_called(rung)
    needs(PYTHON)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hostile-")))
        folder.chmod(0o755)
        results = folder / "results" / "games.jsonl"
        results.parent.mkdir()
        results.write_text("private\n")
        results.chmod(0o666)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        name = f"referee-{uuid4()}"
        nameless, named = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        nameless.bind(f"\0{name}")
        nameless.listen()
        named.bind(str(folder / "results" / "socket"))
        (folder / "results" / "socket").chmod(0o777)
        named.listen()
        library = ctypes.CDLL(None)
        segment = library.shmget(0, 4096, 0o1666)
        assert segment >= 0
        stack.callback(library.shmctl, segment, 0, None)
        os.environ[SECRET] = "hush"
        stack.callback(os.environ.pop, SECRET, None)
        # Where root may not mount, its bots may read closed folders: those that Landlock permits.
        is_shown_all = rung == LIMITS_RUNG and PRIVATE_ROOT not in found.flags
        facts = {
            "referee": str(os.getpid()),
            "rights": str(CAP_DAC_READ_SEARCH if is_shown_all and os.geteuid() == 0 else 0),
            "results": str(results),
            "opponent_folder": str(folder / "honest"),
            "home": str(Path.home()),
            "port": str(listener.getsockname()[1]),
            "abstract": name,
            "segment": str(segment),
            "socket": str(folder / "results" / "socket"),
        }
        launcher = stack.enter_context(Launcher())
        (folder / "scratch").mkdir()
        (folder / "scratch").chmod(0o1777)
        made = World(folder, found, launcher, facts)
        before = signal.signal(signal.SIGURG, lambda number, _: SIGNALS.append(number))
        stack.callback(signal.signal, signal.SIGURG, before)
        stack.callback(made.close)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TMPDIR", str(folder / "scratch"))  # of the launcher
            assert made.play_honestly().faults == ()
        yield made
