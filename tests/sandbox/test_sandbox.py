"""The sandbox: choice of the rung, what a bot can see, and that no process is left."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.supervised import run_supervised
from referee.config.bot_command import confine_in_place, parse_command
from referee.config.bot_files import copy_bot, find_bot
from referee.config.tournament_file import BotEntry
from referee.errors import InputError
from referee.game.config import GameConfig, GameSetup, PlaySettings
from referee.game.dossier import dossier
from referee.game.loop import play_game
from referee.launcher import scratch_folder, seccomp
from referee.outcome import Reason
from referee.protocol.time_control import TimeControl
from referee.rules import find_variant
from referee.run.build import build
from referee.sandbox import probe
from referee.sandbox.limits import MIB, ResourceLimits
from referee.sandbox.probe import choose_rung
from referee.sandbox.rungs import PRIVATE_ROOT, Rung
from tests.conftest import ROOT, Referee
from tests.hostile.world import PYTHON, descendants_of, rung_called
from tests.support.processes import PATIENCE_SECONDS, ended, is_running, pid_of, wait_until
from tests.support.tools import needs, needs_root, skip

RUNGS = ["bwrap", "limits"]
BOT = """
import sys
for line in sys.stdin:
    verb, *fields = line.split()
    if verb == "game":
        print("ready", flush=True)
    elif verb == "turn":
        print("move", line.split(" legal=")[1].split(";")[0].strip(), flush=True)
    elif verb == "quit":
        break
"""
CUP = """
variant: lockdown
encounters: 1
bots:
  - {name: one, command: /usr/bin/python3 -S bot.py}
  - {name: two, command: /usr/bin/python3 -S bot.py}
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Create a folder with an ordinary bot."""
    with TemporaryDirectory(prefix="sandbox-") as name:
        folder = Path(name)
        (folder / "bot.py").write_text(BOT)
        yield folder


def path_without_bubblewrap(folder: Path) -> str:
    """Return a PATH with everything except bubblewrap."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("python3", "sh", "cat", "setpriv", "env", "true"):
        found = shutil.which(name, path="/usr/bin:/bin")
        if found:
            (programs / name).symlink_to(found)
    return str(programs)


def output(
    rung: Rung, folder: Path, program: str, limits: ResourceLimits | None = None
) -> list[str]:
    """Return the output of a Python program in the sandbox."""
    (folder / "program.py").write_text(program)
    command = Command((PYTHON, "-B", "program.py"), folder)
    return run_supervised(rung.confine(command, limits or ResourceLimits(), [folder]), 60).lines


# --- which rung


def test_rung_none_is_chosen_by_name_only() -> None:
    """Never by `auto`."""
    assert choose_rung("none").name == "none"
    assert choose_rung("auto").name in RUNGS


def test_auto_chooses_the_strongest_rung_and_names_what_is_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bubblewrap if installed; else limits, with the reason."""
    rung_called("bwrap")
    assert choose_rung("auto").name == "bwrap"
    monkeypatch.setenv("PATH", path_without_bubblewrap(folder))
    rung = choose_rung("auto")
    assert rung.name == "limits"
    assert rung.notes[0].startswith("no bwrap: bubblewrap is not installed")


def test_requested_rung_that_does_not_work_is_an_error(
    referee: Referee, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, exit code 2, and no weaker rung instead."""
    monkeypatch.setenv("PATH", path_without_bubblewrap(folder))
    (folder / "cup.yaml").write_text(CUP)
    message = referee.refuse("run", str(folder / "cup.yaml"), "--sandbox", "bwrap")
    assert message.startswith("sandbox: bwrap is not possible here: bubblewrap is not installed")
    assert not (referee.folder / "results").exists()


@pytest.mark.parametrize("rung", RUNGS)
def test_rung_is_printed_and_recorded(referee: Referee, folder: Path, rung: str) -> None:
    """At the start, in the manifest, and in every record."""
    rung_called(rung)
    (folder / "cup.yaml").write_text(f"sandbox: {rung}\n{CUP}")
    words = ("--out", str(folder / "out"), "--workers", "1")
    result = subprocess.run(
        [sys.executable, "-m", "referee", "run", str(folder / "cup.yaml"), *words],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert f"isolation: {rung}\n" in result.stderr
    assert json.loads((folder / "out" / "tournament.json").read_text())["sandbox"] == rung
    records = (folder / "out" / "games.jsonl").read_text().splitlines()
    assert {json.loads(record)["sandbox"] for record in records} == {rung}
    assert [json.loads(record)["fault"] for record in records] == [None] * len(records)
    # Other limits make other games: the error names the bot.
    (folder / "cup.yaml").write_text(f"sandbox: {rung}\nmemory: 512MiB\n{CUP}")
    changed = referee("run", str(folder / "cup.yaml"), *words)
    assert changed.returncode == 2
    assert "limits of one" in changed.stderr


def test_old_bubblewrap_is_used_without_unknown_flags(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note names them."""
    rung_called("bwrap")
    programs = folder / "old"
    programs.mkdir()
    old = programs / "bwrap"
    old.write_text(
        "#!/bin/sh\n"
        'case "$1" in --help) echo "usage: bwrap --unshare-pid --ro-bind --perms"; exit;; esac\n'
        'for word; do case "$word" in --disable-userns|--size|--seccomp) exit 9;; esac; done\n'
        f'exec {shutil.which("bwrap")} "$@"\n'
    )
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    rung = choose_rung("bwrap")
    missing = [note.partition(":")[0] for note in rung.notes]
    assert "this bubblewrap has no --disable-userns" in missing
    assert "this bubblewrap has no --size" in missing
    assert output(rung, folder, "print('works')") == ["works"]


def test_rung_that_does_not_respond_is_named_with_the_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A weaker one is chosen only after a time in which any machine has started a program."""
    rung_called("bwrap")
    assert probe.PROBE_SECONDS == 60
    programs = folder / "hanging"
    programs.mkdir()
    hanging = programs / "bwrap"
    hanging.write_text('#!/bin/sh\n[ "$1" = --help ] || exec sleep 1000\n')
    hanging.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(probe, "PROBE_SECONDS", 5.0)
    with pytest.raises(InputError, match="here: it did not start a program within 5 s"):
        choose_rung("bwrap")


def test_doctor_shows_the_means_of_isolation(referee: Referee) -> None:
    """Exit code 0 where bots can be isolated."""
    result = referee("doctor")
    assert result.returncode == 0
    for title in ("Isolation", "Machine", "Limits of this user", "Clock", "Software"):
        assert f"{title}\n" in result.stdout


# --- what a bot sees


@pytest.mark.parametrize("name", RUNGS)
def test_interpreters_outside_of_the_system_are_found(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Virtual environments, chains of links, scripts that name them, and shims of a manager."""
    rung = rung_called(name)
    before = os.environ["PATH"]
    venv = folder / "venv"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", str(venv)], check=True)
    links = folder / "links"
    links.mkdir()
    (links / "first").symlink_to("second")
    (links / "second").symlink_to(venv / "bin" / "python3")
    mine = folder / "mine"
    mine.mkdir()
    script = mine / "bot"
    script.write_text(f"#!{venv}/bin/python3\nimport sys\nprint(sys.prefix)\n")
    script.chmod(0o755)
    # A bot's first line shows nothing that is not on the referee's PATH, or named by the organiser.
    with pytest.raises(InputError, match="which bots cannot see"):
        rung.confine(Command(("./bot",), mine), ResourceLimits(), [mine])
    named = rung.confine(Command(("./bot",), mine), ResourceLimits(read=(str(venv),)), [mine])
    assert run_supervised(named, 60).lines == [str(venv)]
    manager = folder / ".fakeenv"
    for part in ("shims", "bin"):
        (manager / part).mkdir(parents=True)
    (manager / "bin" / "fakeenv").write_text(f"#!/bin/sh\necho {venv}/bin/python3\n")
    (manager / "shims" / "python3").write_text("#!/bin/sh\nexit 9\n")
    for program in (manager / "bin" / "fakeenv", manager / "shims" / "python3"):
        program.chmod(0o755)
    ask = ("-c", "import sys; print(sys.prefix)")
    for words, path in (
        ((str(venv / "bin" / "python3"), *ask), ""),
        (("./bot",), f"{venv}/bin:"),
        ((str(manager / "shims" / "python3"), *ask), f"{manager}/shims:"),
        (("python3", *ask), f"{manager}/shims:"),
    ):
        monkeypatch.setenv("PATH", path + before)
        command = rung.confine(Command(words, mine), ResourceLimits(), [mine])
        assert run_supervised(command, 60).lines == [str(venv)], words
    command = rung.confine(
        Command((str(links / "first"), "-c", "print(1)"), mine), ResourceLimits(), [mine]
    )
    assert run_supervised(command, 60).lines == ["1"]


CLOSED = """
import os
shown = "secret" in open("secret").read()
caps = [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")]
refused = []
for path in ("/etc/shadow", "../hidden", "/proc/1/environ"):
    try:
        open(path)
    except OSError:
        refused.append(path)
print(shown, os.getuid() != 0, int(caps[0], 16) & ~4, len(refused))
"""
WITHOUT_NAMESPACES = [sys.executable, str(ROOT / "tests" / "support" / "without_namespaces.py")]


@pytest.mark.parametrize("place", ["bwrap", "limits", "limits in a container"])
def test_bots_of_root_can_use_files_in_folders_of_root(place: str, folder: Path) -> None:
    """These are shown, and nothing beside them."""
    needs_root()
    name, _, contained = place.partition(" ")
    rung = rung_called(name)
    has_mounts = not contained and (name == "bwrap" or PRIVATE_ROOT in rung.flags)
    closed = folder / "closed"
    mine = closed / "mine"
    mine.mkdir(parents=True)
    (mine / "bot.py").write_text(CLOSED)
    (mine / "secret").write_text("a secret of this bot")
    (closed / "hidden").write_text("not for bots")
    venv = closed / "venv"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", str(venv)], check=True)
    for path in (*closed.rglob("*"), closed):
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() else 0o600)
    program = (
        "from pathlib import Path\n"
        "from referee.bots.command import Command\n"
        "from referee.bots.supervised import run_supervised\n"
        "from referee.sandbox.limits import ResourceLimits\n"
        "from referee.sandbox.probe import SandboxProbe\n"
        f"rung, mine = SandboxProbe().result({name!r}), Path({str(mine)!r})\n"
        f"command = Command(({str(venv / 'bin' / 'python3')!r}, '-B', 'bot.py'), mine)\n"
        "confined = rung.confine(command, ResourceLimits(), [mine])\n"
        "print(*run_supervised(confined, 60).lines, rung.notes)\n"
    )
    prefix = WITHOUT_NAMESPACES if contained else []
    result = subprocess.run(
        [*prefix, sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True
    )
    said, _, notes = result.stdout.partition(" (")
    assert said == "True True 0 3", result
    assert ("bots see that files exist" in notes) == (not has_mounts)


def test_program_executable_by_its_owner_only_is_an_error(folder: Path) -> None:
    """The sentence names that file."""
    needs_root()
    rung = rung_called("limits")
    bot = folder / "bot"
    bot.write_text("#!/bin/sh\n")
    bot.chmod(0o700)
    with pytest.raises(InputError, match=r"executable for its owner alone: chmod o\+x .*/bot$"):
        rung.confine(Command(("./bot",), folder), ResourceLimits(), [folder])


@pytest.mark.parametrize("container", [False, True])
def test_every_command_works_below_a_closed_folder(tmp_path: Path, container: bool) -> None:
    """`new`, `check`, `play`, `compare` and `run`, as in the home of root."""
    tmp_path.chmod(0o700)
    (tmp_path / "cup.yaml").write_text(CUP)
    (tmp_path / "bot.py").write_text(BOT)
    quick = ("lockdown", "./bot.py", "./bot.py", "--quiet")
    compare = ("./bot.py", "./mine/bot.py", "--variant", "standoff", "--max-games", "2")
    for words in (
        ("new", "python", "mine"),
        ("check", "./mine/bot.py", "--sandbox", "limits"),
        ("play", *quick, "--sandbox", "limits"),
        ("compare", *compare, "--sandbox", "limits"),
        ("run", "cup.yaml", "--sandbox", "limits"),
    ):
        command = [sys.executable, "-m", "referee", *words]
        result = subprocess.run(
            [*(WITHOUT_NAMESPACES if container else []), *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result


def test_program_in_a_home_folder_does_not_show_the_home_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`~/bin/bot` needs one folder."""
    rung = rung_called("bwrap")
    home = folder / "home"
    (home / "bin").mkdir(parents=True)
    (home / "secret").write_text("mine")
    (home / "bin" / "bot").write_text("#!/bin/sh\nls ..\n")
    (home / "bin" / "bot").chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    command = Command((str(home / "bin" / "bot"),), home / "bin")
    lines = run_supervised(rung.confine(command, ResourceLimits(), [home / "bin"]), 60).lines
    assert lines == ["bin"]


@pytest.mark.parametrize("name", RUNGS)
def test_folder_of_a_script_elsewhere_is_shown(name: str, folder: Path) -> None:
    """`../bot.py`; the current folder too, but no home folder."""
    rung_called(name)
    (folder / "beside.py").touch()
    (folder / "bot.py").write_text("import beside\n" + BOT)
    (folder / "here").mkdir()
    words = ("play", "lockdown", f"{PYTHON} -S -B ../bot.py", f"{PYTHON} -S -B {folder}/bot.py")
    referee = Referee(folder / "here")
    result = referee(*words, "--sandbox", name, "--quiet")
    assert (result.returncode, result.stderr) == (0, ""), result
    assert " wins: " in result.stdout


@pytest.mark.parametrize("name", RUNGS)
def test_folder_of_a_script_is_shown_when_the_interpreter_is_below_the_same_home_folder(
    name: str, folder: Path
) -> None:
    """As with a checkout and its virtual environment in a home folder; `/` holds all programs."""
    rung_called(name)
    (folder / "beside.py").touch()
    (folder / "bot.py").write_text("import beside\n" + BOT)
    bots = (f"{folder}/bot.py", str(folder / "bot.py").lstrip("/"))
    result = Referee(Path("/"))("play", "lockdown", *bots, "--sandbox", name, "--quiet")
    assert (result.returncode, result.stderr) == (0, ""), result
    assert " wins: " in result.stdout


@pytest.mark.parametrize("name", RUNGS)
def test_program_directly_in_a_home_folder_is_shown_alone(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs, and cannot see files beside it."""
    rung = rung_called(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("TMPDIR", "/var/tmp")  # another folder that is never shown
    (folder / "secret").write_text("mine")
    (folder / "bot").write_text(f"#!/bin/sh\necho works; cat {folder}/secret\n")
    (folder / "bot").chmod(0o755)
    confined = confine_in_place(rung, parse_command("./bot", folder))
    first, second = run_supervised(confined, 60).lines
    assert first == "works"
    assert second.startswith("cat: ")


@pytest.mark.parametrize("name", RUNGS)
def test_sandbox_read_shows_a_path_read_only(name: str, folder: Path) -> None:
    """`sandbox_read` is seen, and can still not be written."""
    rung = rung_called(name)
    with TemporaryDirectory() as other:
        Path(other).chmod(0o755)
        book = Path(other) / "book"
        book.write_text("openings")
        program = f"print(open({str(book)!r}).read())\nopen({str(book)!r}, 'a')"
        assert output(rung, folder, program)[-1] != "openings"
        lines = output(rung, folder, program, ResourceLimits(read=(other,)))
    assert lines[0] == "openings"
    assert "Error: [Errno" in lines[-1]


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("nowhere", "there is no file or folder 'nowhere'"),
        ("/..", "that is the whole machine, with the results: name the folders that bots need"),
    ],
)
def test_wrong_sandbox_read_path_is_an_error_in_the_file(
    referee: Referee, folder: Path, path: str, problem: str
) -> None:
    """With its line."""
    (folder / "cup.yaml").write_text(f"{CUP}sandbox_read: [{path}]\n")
    result = referee("run", str(folder / "cup.yaml"), "--sandbox", "auto")
    assert result.returncode == 2
    assert f"cup.yaml:7:16: sandbox_read[1]: {problem}\n" in result.stderr


@pytest.mark.parametrize("name", RUNGS)
def test_missing_sandbox_read_path_is_an_error_on_this_machine(name: str, folder: Path) -> None:
    """A worker of a cluster may lack what the machine of the file has."""
    missing = folder / "missing"
    command = Command(("/usr/bin/python3", "bot.py"), folder)
    with pytest.raises(InputError, match=f"sandbox_read: there is no {missing}"):
        rung_called(name).confine(command, ResourceLimits(read=(str(missing),)), [folder])


@pytest.mark.parametrize("name", RUNGS)
@pytest.mark.parametrize(
    "words",
    [
        ("/bin/sh", "-ec", "ulimit -c 0; echo on"),
        (PYTHON, "-Sc", "from resource import *; setrlimit(RLIMIT_CORE, (0, 0)); print('on')"),
    ],
    ids=["sh", "python"],
)
def test_program_that_wants_no_core_dumps_goes_on(
    name: str, words: tuple[str, ...], folder: Path
) -> None:
    """It gets none anyway, and must not change the limit: there is no error."""
    command = rung_called(name).confine(Command(words, folder), ResourceLimits(), [folder])
    completed = run_supervised(command, 60.0)
    assert (completed.lines, completed.succeeded) == (["on"], True)


@pytest.mark.parametrize("name", RUNGS)
def test_network_is_available_only_if_the_file_allows_it(name: str, folder: Path) -> None:
    """Loopback of the machine, or no network."""
    rung = rung_called(name)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        program = f"import socket\nsocket.create_connection(('127.0.0.1', {port}))\nprint('there')"
        assert output(rung, folder, program, ResourceLimits(network=True)) == ["there"]
        assert "PermissionError" in output(rung, folder, program)[-1]


@pytest.mark.parametrize("name", RUNGS)
def test_network_excludes_abstract_sockets_of_this_machine(name: str, folder: Path) -> None:
    """They belong to the network namespace, and their servers expect their own user."""
    rung = rung_called(name)
    address = f"referee-{uuid4()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{address}")
        listener.listen()
        program = (
            "import socket\n"
            "socket.socketpair()\n"
            "print('pair')\n"
            "try:\n"
            "    socket.socketpair(type=socket.SOCK_DGRAM)\n"
            "except PermissionError:\n"
            "    print('no datagrams')\n"
            f"socket.socket(socket.AF_UNIX).connect('\\0{address}')\n"
        )
        lines = output(rung, folder, program, ResourceLimits(network=True))
    assert lines[:2] == ["pair", "no datagrams"]
    assert "PermissionError" in lines[-1]


TRUNCATING = """
import os, sys
from referee.launcher import seccomp, syscalls
syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
seccomp.restrict(network=False, sees_files=True, truncates=sys.argv[2] == "yes")
try:
    os.truncate(sys.argv[1], 0)
except PermissionError:
    print("refused")
"""


@pytest.mark.parametrize(("truncates", "said"), [("yes", ""), ("no", "refused\n")])
def test_files_cannot_be_truncated_by_path(folder: Path, truncates: str, said: str) -> None:
    """Where Landlock is too old to cover that, the system call filter does."""
    if not seccomp.is_offered():
        skip("there is no filter of system calls for this processor")
    words = [sys.executable, "-c", TRUNCATING, str(folder / "bot.py"), truncates]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == said
    assert ((folder / "bot.py").stat().st_size == 0) == (truncates == "yes")


# --- builds


def build_in(folder: Path, rung: Rung, command: list[str], seconds: float = 60) -> Path:
    """Build a bot from `source`, and return its copy."""
    entry = BotEntry(name="one", command="./bot", dir="source", build=command)
    bot = find_bot(entry, folder)
    copy = copy_bot(bot, folder / "copies" / "one")
    build(bot, copy, rung, seconds=seconds)
    return copy


@pytest.fixture
def source(folder: Path) -> Path:
    """Create the folder of a bot with a build."""
    (folder / "source").mkdir()
    (folder / "source" / "bot").write_text("#!/bin/sh\n")
    return folder / "source"


@pytest.mark.parametrize("name", RUNGS)
def test_build_writes_to_its_own_copy_only(
    name: str, folder: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No network, no environment of the referee; the bot can read the results."""
    rung = rung_called(name)
    monkeypatch.setenv("REFEREE_SECRET", "hush")
    victim = folder / "victim"
    victim.write_text("private")
    victim.chmod(0o600)
    (source / "build.py").write_text(
        "import os, socket\n"
        "made = open('made', 'w')\n"
        "os.chmod('made', 0o600)\n"
        f"os.symlink({str(victim)!r}, 'link')\n"
        "assert 'REFEREE_SECRET' not in os.environ\n"
        f"for attempt in (lambda: open({str(folder / 'x')!r}, 'w'), socket.socket):\n"
        "    try:\n"
        "        attempt()\n"
        "    except OSError as error:\n"
        "        print(error, file=made)\n"
        "    else:\n"
        "        print('done', file=made)\n"
    )
    copy = build_in(folder, rung, [PYTHON, "build.py"])
    wrote, connected = (copy / "made").read_text().splitlines()
    assert wrote != "done" or name == "bwrap"  # where it has a /tmp of its own
    assert connected != "done"
    assert not (folder / "x").exists()
    assert (copy / "made").stat().st_mode & 0o444 == 0o444
    assert (copy / "made").stat().st_uid == os.getuid()
    # A link that a build made is no way to what is private.
    assert victim.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", RUNGS)
def test_build_that_takes_too_long_is_killed(name: str, folder: Path, source: Path) -> None:
    """With all its processes."""
    rung = rung_called(name)
    before = descendants_of(os.getpid())
    with pytest.raises(InputError, match=r"its build was not done after 0\.2 s"):
        build_in(folder, rung, ["sleep", "1000"], seconds=0.2)
    wait_until(lambda: descendants_of(os.getpid()) <= before)


def test_link_out_of_the_folder_of_a_bot_is_rejected(folder: Path, source: Path) -> None:
    """Its target may be hidden from the bot's author."""
    (source / "key").symlink_to(folder / "bot.py")
    entry = BotEntry(name="one", command="./bot", dir="source")
    with pytest.raises(InputError, match="'key' is a link that leads out of its folder"):
        find_bot(entry, folder)


@pytest.mark.parametrize("name", RUNGS)
def test_build_may_create_very_deep_folders(name: str, folder: Path, source: Path) -> None:
    """Deeper than Python can recur."""
    rung = rung_called(name)
    (source / "build.py").write_text(
        "import os\nfor _ in range(1200):\n    os.mkdir('d')\n    os.chdir('d')\n"
    )
    try:
        copy = build_in(folder, rung, [PYTHON, "build.py"])
        assert (copy / "d" / "d").stat().st_uid == os.getuid()
    finally:
        scratch_folder.remove(str(folder / "copies"))


def test_scratch_folder_with_any_content_is_measured_and_removed(folder: Path) -> None:
    """Deep, without permissions, and full of links."""
    made = folder / "made"
    (made / "locked" / "inner").mkdir(parents=True)
    (made / "locked" / "file").write_bytes(b"x" * MIB)
    (made / "link").symlink_to(folder)
    assert MIB <= scratch_folder.bytes_below(str(made)) < 2 * MIB
    (made / "locked").chmod(0)
    deep = "import os\nfor _ in range(2500):\n    os.mkdir('d')\n    os.chdir('d')\n"
    subprocess.run([PYTHON, "-c", deep], cwd=made, check=True)
    assert scratch_folder.bytes_below(str(made)) == scratch_folder.UNCOUNTABLE
    scratch_folder.remove(str(made))
    assert not made.exists()
    assert (folder / "bot.py").exists()


# --- processes


@pytest.mark.parametrize("size", [0, 100, 1024])
@pytest.mark.parametrize("name", RUNGS)
def test_small_scratch_folder_is_no_obstacle_to_a_bot(name: str, size: int, folder: Path) -> None:
    """The rung needs no room in it; a file is at most that large."""
    program = f"""
import os
file = os.open(os.environ["TMPDIR"] + "/file", os.O_WRONLY | os.O_CREAT)
print(os.write(file, b"x" * {size}))
try:
    os.write(file, b"x")
except OSError as error:
    print(error.strerror)
"""
    limits = ResourceLimits(scratch=size)
    assert output(rung_called(name), folder, program, limits) == [str(size), "File too large"]


def start(rung: Rung, launcher: Launcher, folder: Path, program: str) -> Bot:
    """Start a bot that runs this program."""
    (folder / "attack.py").write_text(program + BOT)
    command = Command((PYTHON, "-S", "-B", "attack.py"), folder)
    return Bot("one", rung.confine(command, ResourceLimits(memory=150 * MIB), [folder]), launcher)


def setup() -> GameSetup:
    game = find_variant("lockdown")
    time = TimeControl.per_move("60s")
    play = PlaySettings(startup_ms=60_000)
    config = GameConfig(game.name, game.size, game.on(), (time, time), play)
    return GameSetup("test", config)


@pytest.mark.parametrize("name", RUNGS)
def test_empty_files_count_against_the_scratch_limit(name: str, folder: Path) -> None:
    """They use memory of the kernel."""
    (folder / "program.py").write_text(
        "import os, signal\n"
        "for number in range(55_000):\n"
        "    os.mknod(f'{os.environ[\"TMPDIR\"]}/{number}')\n"
        "signal.pause()\n"
    )
    command = Command((PYTHON, "-B", "program.py"), folder)
    completed = run_supervised(rung_called(name).confine(command, ResourceLimits(), [folder]), 60)
    assert completed.over == (
        "was ended: its scratch files are too many or too deep to be counted"
    ), completed


@pytest.mark.parametrize("name", RUNGS)
def test_too_much_memory_is_a_memory_fault(name: str, folder: Path) -> None:
    """With a text for its author."""
    rung = rung_called(name)
    with Launcher() as launcher:
        program = "x = bytearray(b'1') * (300 * 2**20)\nimport signal\nsignal.pause()\n"
        bots = (start(rung, launcher, folder, program), Bot("two", honest(rung, folder), launcher))
        played = play_game(setup(), bots)
        close_all(list(bots))
    assert [fault.reason for fault in played.faults] == [Reason.MEMORY]
    text = dossier("game", ("one", "two"), played)
    assert "one (seat 1) made a fault: memory" in text
    assert "MiB of memory together" in text


def honest(rung: Rung, folder: Path) -> Command:
    return rung.confine(Command((PYTHON, "-S", "-B", "bot.py"), folder), ResourceLimits(), [folder])


FAMILY = f"""
import os, threading, time
def burn():
    end = time.monotonic() + {2 * PATIENCE_SECONDS}  # not before a test gives up
    while time.monotonic() < end:
        pass
    os._exit(0)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        burn()
    os._exit(0)
if os.fork() == 0:
    threading.Thread(target=burn).start()
    burn()
"""


def states(processes: set[int]) -> list[str]:
    """Return the states of processes: R running, S sleeping, T stopped."""
    found = []
    for process in processes:
        try:
            found.append(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0])
        except OSError:
            continue
    return found


@pytest.mark.parametrize("name", RUNGS)
def test_all_processes_of_a_bot_are_suspended_and_resumed(name: str, folder: Path) -> None:
    """Daemons included."""
    rung = rung_called(name)
    with Launcher() as launcher:
        bot = start(rung, launcher, folder, FAMILY)
        process, _ = bot.acquire_process(fresh=False)
        process.write(b"game\n")
        wait_until(lambda: process.read_stdout(0.0) and process.output.buffer.rest == b"ready\n")
        number = pid_of(process)
        # All below its supervisor: the bot, its helpers, and what is around it.
        (supervisor,) = (p for p in descendants_of(os.getpid()) if number in children(p))
        family = descendants_of(supervisor)
        assert len(family) >= 3
        process.suspend()
        wait_until(lambda: set(states(family)) <= {"T", "Z"})
        process.resume()
        wait_until(lambda: "T" not in states(family))
        bot.discard()
        assert states(family) == []


def children(process: int) -> set[int]:
    try:
        return set(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except OSError:
        return set()


@pytest.mark.parametrize("name", RUNGS)
def test_bot_outlives_the_thread_that_started_it(name: str, folder: Path) -> None:
    """It ends with the process that started it."""
    rung = rung_called(name)
    with Launcher() as launcher:
        bot = Bot("one", honest(rung, folder), launcher)
        thread = threading.Thread(target=bot.acquire_process, args=(False,))
        thread.start()
        thread.join()
        bots = (bot, Bot("two", honest(rung, folder), launcher))
        first = bot.process
        assert play_game(setup(), bots).faults == ()
        assert bot.process is first
        close_all(list(bots))


REFEREE = """
import os, signal, sys
from pathlib import Path
from tests.sandbox.test_sandbox import *
with Launcher() as launcher:
    bot = start(choose_rung(sys.argv[1]), launcher, Path(sys.argv[2]), FAMILY)
    process, _ = bot.acquire_process(False)
    process.write(b"game\\n")
    wait_until(lambda: process.read_stdout(0.0) and process.output.buffer.rest == b"ready\\n")
    print(launcher._process.pid, flush=True)
    signal.pause()
"""


@pytest.mark.parametrize("victim", ["referee", "launcher"])
@pytest.mark.parametrize("name", RUNGS)
def test_killed_referee_or_launcher_leaves_no_bot(name: str, victim: str, folder: Path) -> None:
    """The same for a worker."""
    rung_called(name)
    words = [sys.executable, "-c", REFEREE, name, str(folder)]
    with ended(subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE)) as referee:
        assert referee.stdout is not None
        launcher = int(referee.stdout.readline())
        (supervisor,) = children(launcher)
        family = descendants_of(supervisor)
        assert len(family) >= 3
        if victim == "launcher":
            os.kill(launcher, signal.SIGKILL)
        referee.kill()
        referee.wait()
    wait_until(lambda: not any(is_running(process) for process in family))


ORDINARY = """
import sys
from pathlib import Path
from referee.bots.supervised import run_supervised
from referee.bots.command import Command
from referee.sandbox.limits import ResourceLimits
from referee.sandbox.probe import SandboxProbe
program = '''
import os, socket
lines = dict(l.split(":", 1) for l in open("/proc/self/status").read().splitlines())
print(os.getuid() != 0, int(lines["CapEff"], 16), int(lines["NoNewPrivs"]))
for attempt in (socket.socket, lambda: open("new", "w"), lambda: os.listdir("/root")):
    try:
        attempt()
    except OSError as error:
        print("refused")
open(os.environ["TMPDIR"] + "/mine", "w").write("x")
print("done")
'''
folder = Path(sys.argv[1])
for name in ("bwrap", "limits"):
    rung = SandboxProbe().result(name)
    assert not isinstance(rung, str), rung
    command = Command(("/usr/bin/python3", "-c", program), folder)
    print(name, run_supervised(rung.confine(command, ResourceLimits(), [folder]), 60))
"""


def run_as_ordinary_user(
    folder: Path, program: str, owned: tuple[str, ...] = (), prefix: Sequence[str] = ()
) -> list[str]:
    """Return the output of a program that runs as an ordinary user, who owns these files."""
    # The package may lie where that user cannot go.
    folder.chmod(0o755)
    shutil.copytree(ROOT / "referee", folder / "package" / "referee")
    user: tuple[str, ...] = ()
    if os.geteuid() == 0:
        needs("setpriv")
        user = ("setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups")
        for name in owned:
            os.chown(folder / name, 12345, 12345)
    result = subprocess.run(
        [*prefix, *user, PYTHON, "-B", "-c", program, str(folder)],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder / "package")},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_ordinary_user_can_isolate_bots(folder: Path) -> None:
    """Both rungs work without privileges."""
    rung_called("bwrap")
    lines = run_as_ordinary_user(folder, ORDINARY)
    said = "lines=['True 0 1', 'refused', 'refused', 'refused', 'done']"
    assert [said in line for line in lines] == [True, True], lines


ORDINARY_BUILD = """
import sys
from pathlib import Path
from referee.bots.supervised import run_supervised
from referee.bots.command import Command
from referee.sandbox.limits import ResourceLimits
from referee.sandbox.probe import SandboxProbe
folder = Path(sys.argv[1])
command = Command(("/bin/sh", "build.sh"), folder / "mine")
rung = SandboxProbe().result("limits")
result = run_supervised(rung.confine(command, ResourceLimits(), [folder], [folder / "mine"]), 60)
print(*result.lines, sep=chr(10))
"""
BUILD = """
echo one > file
mkdir inner
chmod 700 file && touch -d 2001-01-01 file && cp -p file copy && stat -c '%a %Y' copy
tar cf - file | tar xpf - -C inner && stat -c '%a %Y' inner/file
install -m 750 file installed && stat -c '%a' installed
cd inner && chmod 640 ../file && stat -c '%a' ../file
ln -s ../file link && touch -h -d 2001-01-01 link && stat -c '%Y' link
ln -s ../../other/file out
for wrong in "chmod 600 out" "chmod 700 ../../other" "touch ../../other" "chmod 600 nowhere"
do $wrong 2>/dev/null && echo that must not work; done
"""


@pytest.mark.parametrize("prefix", [[], WITHOUT_NAMESPACES], ids=["mounts", "no mounts"])
def test_build_changes_permissions_of_its_own_files_only(folder: Path, prefix: list[str]) -> None:
    """Also where bots share the user who owns everything else, by any path."""
    rung_called("limits")
    for name in ("mine", "other"):
        (folder / name).mkdir()
    (folder / "mine" / "build.sh").write_text(BUILD)
    (folder / "other" / "file").write_text("x")
    (folder / "other" / "file").chmod(0o644)
    before = (folder / "other").stat()
    owned = ("mine", "other", "other/file")
    lines = run_as_ordinary_user(folder, ORDINARY_BUILD, owned, prefix)
    assert lines == ["700 978307200", "700 978307200", "750", "640", "978307200"]
    after = (folder / "other").stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert (folder / "other" / "file").stat().st_mode & 0o777 == 0o644
