"""No bot uses its opponent's time, and no bot pays for time that the referee lost."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.process import BotProcess
from referee.bots.watchdog import ReadWatchdog
from referee.game.config import GameConfig, GameSetup, PlaySettings
from referee.game.handshake import NEXT_GAME_MS, try_bots
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.launcher.process_tree import LOWEST_PRIORITY
from referee.outcome import Reason
from referee.protocol.time_control import TimeControl
from referee.rules import find_variant
from tests.conftest import ROOT, command_line
from tests.support.configs import UnevenStartup
from tests.support.processes import children_of, pid_of, wait_until

pytestmark = pytest.mark.xdist_group("one core")  # which some of these keep busy
AMPLE = TimeControl.per_move("60s")
WATCHDOG = ReadWatchdog()
BOT = """
import os, signal, sys, threading, time

def spin(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end:
        pass

def burn_in_a_few_children():
    burn_in_children(10)

def burn_in_children(count=90):
    reading, writing = os.pipe()
    for _ in range(count):
        if os.fork() == 0:
            os.close(writing)
            os.read(reading, 1)  # until all of them exist: busy ones would slow down the rest
            spin(60_000)
            os._exit(0)
    os.close(writing)

def burn_in_a_thread():
    threading.Thread(target=spin, args=(60_000,), daemon=True).start()

def complain():
    def flood():
        while True:
            os.write(2, b"e" * 4096)
    threading.Thread(target=flood, daemon=True).start()

def wake_up():
    import ctypes
    libc = ctypes.CDLL(None)
    event = (ctypes.c_int * 16)()
    event[2] = signal.SIGCONT
    for number in range(1, 1500):
        timer = ctypes.c_void_p()
        assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
        times = (ctypes.c_long * 4)(0, 0, *divmod(int(20_000_000 * 1.005**number), 1_000_000_000))
        assert libc.timer_settime(timer, 0, times, None) == 0
    burn_in_a_thread()

deed = globals().get(sys.argv[1])
if sys.argv[1] == "late_once" and not os.path.exists(sys.argv[2]):
    open(sys.argv[2], "w").close()
    signal.pause()
if sys.argv[1] == "start":
    spin(float(sys.argv[2]))
for line in sys.stdin:
    verb = line.split()[0]
    if verb == "game":
        print("ready", flush=True)
        if deed and "early" in sys.argv:
            deed()
            deed = None
    elif verb == "turn":
        if sys.argv[1] == "think":
            spin(float(sys.argv[2]))
        print("move", line.split("legal=")[1].split(";")[0].strip(), flush=True)
        if deed:
            deed()
            deed = None
    elif verb == "quit":
        break
"""


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    """Return a launcher whose bots share one core with this process, as those of a worker do."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        with Launcher() as launcher:
            yield launcher
    finally:
        os.sched_setaffinity(0, cores)


def bot(launcher: Launcher, *words: str) -> Bot:
    """Return a bot with this behaviour."""
    return Bot(words[0], Command((sys.executable, "-S", "-c", BOT, *words), ROOT), launcher)


def play(bots: tuple[Bot, Bot], time: TimeControl = AMPLE, variant: str = "lockdown") -> PlayedGame:
    """Play a game in which the second bot has this time, and the one off turn is suspended."""
    game = find_variant(variant)
    play = PlaySettings(startup_ms=60_000, suspend_opponent=True)
    config = GameConfig(game.name, game.size, game.on(), (AMPLE, time), play)
    return play_game(GameSetup("test", config), bots, watchdog=WATCHDOG)


@pytest.mark.parametrize("habit", ["burn_in_a_few_children", "burn_in_a_thread"])
def test_bot_that_runs_off_turn_is_suspended_from_then_on(launcher: Launcher, habit: str) -> None:
    """Its processor time is measured, and its opponent's turn starts when it is suspended."""
    bots = bot(launcher, habit), bot(launcher, "think", "20")
    off_turn_ms = 0.0
    while not off_turn_ms:  # on a busy machine it may be stopped before it has run at all
        played = play(bots)
        assert played.faults == ()
        off_turn_ms = played.off_turn_ms[0]
    restless = bots[0].process
    assert restless is not None
    assert restless.is_restless
    assert play(bots).faults == ()
    assert isinstance(restless, BotProcess)
    assert has_priority_over(pid_of(restless))
    close_all(list(bots))


def test_restless_bot_is_stopped_before_its_opponent_is_asked(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not only when the opponent has been thinking for a while."""
    bots = bot(launcher, "burn_in_a_thread"), bot(launcher, "think", "20")
    while not (bots[0].process and bots[0].process.is_restless):
        assert play(bots).faults == ()
    restless, thinker = (bot.process for bot in bots)
    assert isinstance(restless, BotProcess)
    assert isinstance(thinker, BotProcess)
    stopped: list[bool] = []
    resume = thinker.resume

    def note_and_resume() -> None:
        stopped.append(restless._is_suspended and not restless.is_stopping)
        resume()

    monkeypatch.setattr(thinker, "resume", note_and_resume)
    played = play(bots)
    assert played.faults == ()
    turns = len(played.ms) // 2
    assert stopped[-turns:] == [True] * turns
    close_all(list(bots))


def test_referee_has_priority_over_bots(launcher: Launcher) -> None:
    """Also over bots without any fault."""
    bots = bot(launcher, "think", "0"), bot(launcher, "think", "0")
    assert play(bots).faults == ()
    for process in (bot.process for bot in bots):
        assert isinstance(process, BotProcess)
        assert has_priority_over(pid_of(process))
    close_all(list(bots))


def test_session_of_a_bot_has_the_priority_of_the_bot(launcher: Launcher) -> None:
    """In the end: if not root, a user may set that of ten sessions per second."""
    bots = bot(launcher, "think", "0"), bot(launcher, "think", "0")
    has_priority = False
    while not has_priority:
        assert play(bots).faults == ()
        process = bots[0].process
        assert isinstance(process, BotProcess)
        number = pid_of(process)
        has_priority = session_priority(number) == os.getpriority(os.PRIO_PROCESS, number)
        close_all(list(bots))


def session_priority(process: int) -> int:
    """Return the nice value of the session of a process; its own where there are none."""
    try:
        return int(Path(f"/proc/{process}/autogroup").read_text().split()[-1])
    except FileNotFoundError:
        return os.getpriority(os.PRIO_PROCESS, process)


def has_priority_over(process: int) -> bool:
    """Return whether this process has the higher priority, or both have the lowest one."""
    own, other = (os.getpriority(os.PRIO_PROCESS, number) for number in (0, process))
    return own < other or own == other == LOWEST_PRIORITY


def test_bot_that_floods_standard_error_is_suspended_off_turn(launcher: Launcher) -> None:
    """There is always output to read, and the clock runs nevertheless."""
    bots = bot(launcher, "complain"), bot(launcher, "think", "20")
    while not (isinstance(flooder := bots[0].process, BotProcess) and flooder._is_suspended):
        # On a busy machine the referee may not run during the turns of its opponent.
        assert play(bots).faults == ()
    thinker = bots[1].process
    assert isinstance(thinker, BotProcess)
    assert not thinker._is_suspended
    close_all(list(bots))


def test_busy_children_of_a_bot_cost_its_opponent_no_time(launcher: Launcher) -> None:
    """Neither in the turn in which they are detected, nor later."""
    bots = bot(launcher, "burn_in_children"), bot(launcher, "think", "20")
    played = play(bots, TimeControl.per_move("1s"))  # alone with 90 others it would take 2 s
    assert played.faults == ()
    close_all(list(bots))


def test_bot_that_resumes_itself_commits_a_fault(launcher: Launcher) -> None:
    """A timer of its own makes it run although it is suspended."""
    bots = bot(launcher, "wake_up"), bot(launcher, "think", "100")
    played = play(bots, variant="standoff")  # perhaps it is stopped before its timers are set
    close_all(list(bots))
    (fault,) = played.faults
    assert (fault.seat, fault.reason) == (1, Reason.CRASH)
    assert fault.detail in (
        "was ended: its processes ran on although they were stopped",
        "was ended: its processes came and went too fast to be stopped",  # it wakes at once
    )


def setup(startup_ms: tuple[int, int]) -> GameSetup:
    """Return a game whose bots have this start-up limit."""
    game = find_variant("lockdown")
    config = UnevenStartup(
        game.name,
        game.size,
        game.on(),
        (AMPLE, AMPLE),
        PlaySettings(startup_ms=min(startup_ms)),
        limits_ms=startup_ms,
    )
    return GameSetup("test", config)


def test_slow_start_beside_a_busy_bot_is_repeated_alone(launcher: Launcher, tmp_path: Path) -> None:
    """The bot was not ready in time; while the other is suspended it gets a second attempt."""
    (tmp_path / "started").unlink(missing_ok=True)
    late = bot(launcher, "late_once", str(tmp_path / "started"))
    bots = bot(launcher, "burn_in_a_few_children", "early"), late
    played = play_game(setup((60_000, 5_000)), bots)
    assert played.faults == ()
    assert played.outcome.reason == Reason.NO_MOVES
    close_all(list(bots))


def test_trial_beside_a_busy_bot_is_repeated_alone(launcher: Launcher, tmp_path: Path) -> None:
    """Before a tournament, when several bots are tried at the same time."""
    (tmp_path / "started").unlink(missing_ok=True)
    late = bot(launcher, "late_once", str(tmp_path / "started"))
    bots = [bot(launcher, "burn_in_a_few_children", "early"), late]
    try:
        assert try_bots(setup((5_000, 5_000)), bots) == {}
    finally:
        close_all(bots)


def test_slow_start_beside_an_idle_bot_is_not_repeated(launcher: Launcher) -> None:
    """No second process is started."""
    bots = bot(launcher, "think", "1"), bot(launcher, "start", "600000")
    played = play_game(setup((60_000, 500)), bots)
    close_all(list(bots))
    assert [(fault.seat, fault.detail) for fault in played.faults] == [(2, "was not ready in time")]
    assert bots[1].warnings == []


def test_idle_bots_are_not_suspended_between_turns(launcher: Launcher) -> None:
    """Long thinking on turn is allowed."""
    bots = bot(launcher, "think", "20"), bot(launcher, "think", "1")
    for _ in range(3):
        played = play(bots)
        assert (played.faults, played.off_turn_ms) == ((), (0.0, 0.0))
    assert not any(bot.process is None or bot.process.is_restless for bot in bots)
    close_all(list(bots))


def test_delay_between_two_game_lines_costs_no_bot_a_game(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first bot has answered when the referee, which was suspended, sends the second line."""
    bots = bot(launcher, "think", "1"), bot(launcher, "think", "1")
    assert play(bots).faults == ()
    second = bots[1].process
    assert isinstance(second, BotProcess)
    resume, calls = second.resume, iter(["for the game", "for its line"])

    def resume_late() -> None:
        if next(calls, None) == "for its line":
            sleep(NEXT_GAME_MS / 1000 + 0.1)
        resume()

    monkeypatch.setattr(second, "resume", resume_late)
    assert play(bots).faults == ()
    assert next(calls, None) is None
    close_all(list(bots))


SLOW = """
import os, pathlib, sys, time
mark, awaited, number = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
count = os.open(mark.with_name("count"), os.O_RDWR | os.O_CREAT | os.O_APPEND)
for line in sys.stdin:
    verb = line.split()[0]
    if verb == awaited and os.fstat(count).st_size < number:
        os.write(count, b"x")
    elif verb == awaited and not mark.exists():
        mark.touch()
        while not mark.with_name("go").exists():
            time.sleep(0.01)
    if verb == "game":
        print("ready", flush=True)
    elif verb == "turn":
        print("move", line.split("legal=")[1].split(";")[0].strip(), flush=True)
"""


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize(
    ("awaited", "number", "processes"),
    [("game", 0, 1), ("game", 2, 2), ("turn", 0, 2)],
    ids=["in the trial", "in a handshake", "in a turn"],
)
def test_suspended_run_costs_no_bot_a_game(
    tmp_path: Path, awaited: str, number: int, processes: int
) -> None:
    """Ctrl-Z, and `fg` after the time is over: the game, or the trial of the bots, is repeated.

    The signals go to the process group, as a terminal sends them.
    """
    words = [sys.executable, "-S", "slow.py", str(tmp_path / "mark"), awaited, str(number)]
    bots = [{"name": name, "command": shlex.join(words)} for name in ("one", "two")]
    (tmp_path / "slow.py").write_text(SLOW)
    settings = {"variant": "lockdown", "encounters": 1, "per_move": "3s", "startup": "4s"}
    (tmp_path / "cup.yaml").write_text(json.dumps(settings | {"bots": bots}))
    run = subprocess.Popen(
        command_line("run", "cup.yaml", "--workers", "1"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    wait_until(lambda: (tmp_path / "mark").exists())
    group = [run.pid, *(p for p in children_of(run.pid) if os.getpgid(p) == run.pid)]
    assert len(group) == processes
    os.killpg(run.pid, signal.SIGTSTP)
    wait_until(lambda: {state(process) for process in group} == {"T"})
    (tmp_path / "go").touch()
    with pytest.raises(subprocess.TimeoutExpired):
        run.wait(5)  # what it has slept through
    os.killpg(run.pid, signal.SIGCONT)
    out, err = run.communicate()
    assert run.returncode == 0, out + err
    lines = (tmp_path / "results/cup/games.jsonl").read_text().splitlines()
    assert [json.loads(line)["fault"] for line in lines] == [None, None]
