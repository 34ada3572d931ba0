"""Resources that the system refuses to the referee: never the fault of a bot."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.exchange import Exchange
from referee.bots.launcher import Launcher
from referee.bots.process import BotProcess
from referee.errors import OutsideError
from referee.protocol.phase import Phase
from referee.protocol.transcript import Transcript
from referee.system.resource_errors import refusal_of_wrapper
from tests.conftest import ROOT
from tests.hostile.findings import BUSY
from tests.hostile.world import PYTHON, descendants_of, rung_called
from tests.support.judging import judge
from tests.support.processes import is_running, open_descriptors, wait_until
from tests.support.tools import needs

HONEST = Command(
    (sys.executable, "-S", str(ROOT / "tests/support/scripted_bot.py"), "never", "none"), ROOT
)


PROCESSES = """
import os, resource, sys
from pathlib import Path
from referee.launcher.confine import count_processes
from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.sandbox.limits import ResourceLimits
from referee.sandbox.probe import SandboxProbe
from referee.sandbox.rungs import Rung
from tests.judging import judge

rung = Rung(sys.argv[1]) if sys.argv[1] == "none" else SandboxProbe().result(sys.argv[1])
folder = Path(sys.argv[2])
command = Command(("/usr/bin/python3", "-S", "bot.py", "never", "nothing"), folder)
command = rung.confine(command, ResourceLimits(), [folder])
more, verdict = 0, ""
while more < 40 or verdict != "played":  # others of this user may start as many as they like
    more += 1
    with Launcher() as launcher:
        launcher.prepare()
        limit = count_processes(os.getuid()) + more
        resource.prlimit(launcher._process.pid, resource.RLIMIT_NPROC, (limit, limit))
        bots = Bot("one", command, launcher), Bot("two", command, launcher)
        verdict = judge(bots)
        print(verdict)
        close_all(list(bots))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Copy a bot and the package to a folder that every user can reach."""
    needs(PYTHON)
    with TemporaryDirectory(prefix="refusals-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(ROOT / "referee", folder / "referee")
        (folder / "tests").mkdir()
        shutil.copy(ROOT / "tests" / "support" / "scripted_bot.py", folder / "bot.py")
        shutil.copy(ROOT / "tests" / "support" / "judging.py", folder / "tests")
        yield folder


RUNGS = ["none", "limits", "bwrap"]
USERS = 100_000 + (len(RUNGS) + 1) * os.getpid()
"""The first of the users of these tests, who have no other processes."""


@pytest.mark.parametrize("rung", RUNGS)
def test_limit_on_processes_makes_games_void(rung: str, folder: Path) -> None:
    """At any point of the start of a bot."""
    rung_called(rung)
    user = USERS + RUNGS.index(rung)
    verdicts = run_as(user, folder, PROCESSES, rung, str(folder)).splitlines()
    assert verdicts[-1] == "played"
    void = [verdict for verdict in verdicts if verdict != "played" and BUSY not in verdict]
    assert void
    for verdict in void:
        assert "Resource temporarily unavailable" in verdict
        assert "RLIMIT_NPROC" in verdict
        assert "pids.max" in verdict


ELSEWHERE = """
import os, signal
from referee.launcher import confine
ready, say_ready = os.pipe()
children = []
for _ in range(30):
    children.append(os.fork())
    if not children[-1]:
        os.write(say_ready, b".")
        signal.pause()
for _ in children:
    os.read(ready, 1)
seen, confine._count_visible_tasks = confine._count_visible_tasks, lambda user: 1
print(confine.count_processes(os.getuid()), seen(os.getuid()))
for child in children:
    os.kill(child, signal.SIGKILL)
"""


def test_processes_of_other_containers_are_counted(folder: Path) -> None:
    """As the kernel does."""
    counted, seen = map(int, run_as(USERS + len(RUNGS), folder, ELSEWHERE).split())
    assert counted > 30
    if os.geteuid() == 0:  # this user has no others
        assert counted == seen


def run_as(user: int, folder: Path, program: str, *words: str) -> str:
    """Return the output of a program run by an ordinary user; root has no limit on processes."""
    command = [PYTHON, "-B", "-c", program, *words]
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        assert setpriv is not None
        clear = "--clear-groups"
        command = [setpriv, "--reuid", str(user), "--regid", str(user), clear, *command]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder)}
    result = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_limit_on_open_files_makes_games_void() -> None:
    """At any point of the start of a bot by the launcher."""
    verdicts = []
    for limit in range(7, 24):
        with Launcher() as launcher:
            launcher.prepare()
            assert launcher._process is not None
            resource.prlimit(launcher._process.pid, resource.RLIMIT_NOFILE, (limit, limit))
            bots = Bot("one", HONEST, launcher), Bot("two", HONEST, launcher)
            verdicts.append(judge(bots))
            close_all(list(bots))
    void = [verdict for verdict in verdicts if verdict != "played" and BUSY not in verdict]
    assert len(void) > 2
    assert "played" in verdicts
    assert all("RLIMIT_NOFILE" in verdict for verdict in void), void


def test_referee_without_descriptors_makes_games_void() -> None:
    """It opens the pipes of a bot itself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Launcher() as launcher:
        launcher.prepare()
        bots = Bot("one", HONEST, launcher), Bot("two", HONEST, launcher)
        highest = max(map(int, open_descriptors()))
        free = set(range(highest)) - set(map(int, open_descriptors()))
        taken = [os.open(os.devnull, os.O_RDONLY) for _ in free]
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 2, hard))
        try:
            verdict = judge(bots)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for descriptor in taken:
                os.close(descriptor)
        assert "Too many open files" in verdict
        assert judge(bots) == "played"
        close_all(list(bots))


WITH_A_DAEMON = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.pause()
    os._exit(0)
os.wait()
for line in sys.stdin:
    if line.startswith("game"):
        print("ready", flush=True)
    elif line.startswith("turn"):
        print("info thinking", flush=True)
"""


def test_killed_supervisor_makes_the_game_void() -> None:
    """The next game is played, and no process of the bot is left."""
    with Launcher() as launcher:
        launcher.prepare()
        assert launcher._process is not None
        daemon = Command((sys.executable, "-S", "-c", WITH_A_DAEMON), ROOT)
        bots = Bot("one", daemon, launcher), Bot("two", HONEST, launcher)
        process, _ = bots[0].acquire_process(fresh=False)
        assert isinstance(process, BotProcess)
        process.write(b"game\n")
        wait_until(lambda: any(place == process.stdout for place, _ in process.poll(1000)))
        process.read_stdout(0.0)
        process.read_status()
        assert process.pid is not None
        supervisor = int(
            Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[1]
        )
        started = descendants_of(supervisor)
        assert len(started) == 2
        os.kill(supervisor, signal.SIGKILL)
        assert "the supervisor of a bot was ended" in judge_running(bots)
        wait_until(lambda: not any(map(is_running, started)))
        wait_until(lambda: not descendants_of(launcher._process.pid))
        bots = Bot("one", HONEST, launcher), bots[1]
        assert judge(bots) == "played"
        close_all(list(bots))


def judge_running(bots: tuple[Bot, Bot]) -> str:
    """Return the verdict on a bot whose move is requested in a running process."""
    assert bots[0].process is not None
    bots[0].process.output.buffer.next_line()
    try:
        Exchange([bots[0].process], Transcript(0.0)).answer(1, Phase.TURN, monotonic() + 60)
    except OutsideError as error:
        return str(error)
    finally:
        bots[0].discard()
    raise AssertionError


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (b"bwrap: Creating new namespace failed: Resource temporarily unavailable\n", "pids.max"),
        (b"bwrap: Can't fork for --die-with-parent: Cannot allocate memory\n", "memory"),
        (b"bwrap: execvp ./bot: No such file or directory\n", None),
        (b"bwrap: execvp ./bot: Permission denied\n", None),
        (b"Traceback\nbwrap: x: Resource temporarily unavailable\n", None),
        (b"", None),
    ],
)
def test_wrapper_messages_about_limits_make_games_void(text: bytes, limit: str | None) -> None:
    """Other messages are about the bot's program."""
    said = refusal_of_wrapper(text)
    assert (said is None) == (limit is None)
    assert (limit or "") in (said or "")
