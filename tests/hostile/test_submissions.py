"""Bots whose files, variables and builds attack, before they run or instead of their wrapper."""

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.supervised import CompletedRun, run_supervised
from referee.config.bot_files import copy_bot, find_bot
from referee.config.tournament_file import BotEntry
from referee.errors import InputError
from referee.game.config import GameSetup
from referee.game.dossier import dossier
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.outcome import Reason
from referee.run.build import build, command_in
from referee.sandbox.limits import ResourceLimits
from referee.sandbox.rungs import Rung
from tests.hostile.world import PYTHON, game_config, rung_called
from tests.support.tools import needs

RUNGS = ["bwrap", "limits"]
ON_EVERY_RUNG = pytest.mark.parametrize("rung", RUNGS)
SECRET = "kept private"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that every user can reach, with a secret that is hidden from bots."""
    with TemporaryDirectory(prefix="submission-") as name:
        folder = Path(os.path.realpath(name))
        folder.chmod(0o755)
        (folder / "private" / "bin").mkdir(parents=True)
        (folder / "private" / "secret").write_text(SECRET)
        shutil.copy("/bin/cat", folder / "private" / "bin" / "tool")
        (folder / "bot").mkdir()
        yield folder


def write_program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.fsencode(text))
    path.chmod(0o755)
    return path


def submit(
    folder: Path,
    rung: Rung,
    command: str,
    build_command: str | list[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Command:
    """Copy, build and confine the bot in `bot` as a tournament does."""
    variables = dict(environment or {})
    entry = BotEntry(name="bot", command=command, dir="bot", build=build_command, env=variables)
    bot = find_bot(entry, folder)
    copy = copy_bot(bot, folder / "results" / "bot")
    build(bot, copy, rung, seconds=60)
    return rung.confine(command_in(bot, copy), bot.limits, [copy])


def run(
    folder: Path, rung: Rung, command: str, build_command: list[str] | None = None
) -> CompletedRun:
    return run_supervised(submit(folder, rung, command, build_command), 60)


# --- what is run outside of the sandbox


def shim(folder: Path) -> str:
    """Write a shim as of a version manager, whose manager is a program of the bot."""
    write_program(folder / "bot" / "tools" / "bin" / "tools", f"#!/bin/sh\ntouch {folder}/pwned\n")
    write_program(folder / "bot" / "tools" / "shims" / "bot", "#!/bin/sh\necho ran\n")
    return "./tools/shims/bot"


def shim_behind_first_line(folder: Path) -> str:
    shim(folder)
    copy = folder / "results" / "bot" / "tools" / "shims" / "bot"
    write_program(folder / "bot" / "bot", f"#!{copy}\n")
    return "./bot"


def shim_behind_env(folder: Path) -> str:
    shim(folder)
    copy = folder / "results" / "bot" / "tools" / "shims" / "bot"
    write_program(folder / "bot" / "bot", f"#!/usr/bin/env -S {copy}\n")
    return "./bot"


@ON_EVERY_RUNG
@pytest.mark.parametrize("attack", [shim, shim_behind_first_line, shim_behind_env])
def test_programs_of_a_bot_run_in_the_sandbox_only(
    folder: Path, rung: str, attack: Callable[[Path], str]
) -> None:
    """Also those that resemble a version manager's."""
    command = attack(folder)
    folder.chmod(0o777)  # so that only the sandbox is in the way
    assert run(folder, rung_called(rung), command).lines == ["ran"]
    assert not (folder / "pwned").exists()


def test_version_manager_runs_outside_of_the_bots_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the user's program, but reads files in the current folder."""
    rung = rung_called("bwrap")
    manager = folder / ".manager"
    write_program(
        manager / "bin" / "manager", '#!/bin/sh\ncat .version 2>/dev/null || echo "$CAT"\n'
    )
    write_program(manager / "shims" / "tool", "#!/bin/sh\n")
    (folder / "bot" / ".version").write_text(str(folder / "private" / "bin" / "tool"))
    (folder / "bot" / "text").write_text("works\n")
    monkeypatch.chdir(folder / "bot")
    monkeypatch.setenv("CAT", "/bin/cat")
    monkeypatch.setenv("PATH", f"{manager}/shims:{os.environ['PATH']}")
    confined = rung.confine(
        Command(("tool", "text"), folder / "bot"), ResourceLimits(), [folder / "bot"]
    )
    assert confined.arguments[0] == "/bin/cat"
    assert run_supervised(confined, 60).lines == ["works"]


# --- what is shown


def form_feed(folder: Path) -> str:
    """Return a character that is white space to Python and part of a name to the kernel."""
    copy = folder / "results" / "bot" / "tool\x0cname"
    (folder / "bot" / copy.name).symlink_to("cat")
    shutil.copy("/bin/cat", folder / "bot" / "cat")
    (folder / "results" / "bot").parent.mkdir()
    (folder / "private" / "bin" / copy.name).symlink_to(copy)
    write_program(folder / "bot" / "bot", f"#!{folder}/private/bin/{copy.name}\n")
    return "./bot"


def first_line(folder: Path) -> str:
    write_program(folder / "bot" / "bot", f"#!{folder}/private/bin/tool {folder}/private/secret\n")
    return "./bot"


def first_line_behind_env(folder: Path) -> str:
    line = f"#!/usr/bin/env -S {folder}/private/bin/tool {folder}/private/secret\n"
    write_program(folder / "bot" / "bot", line)
    return "./bot"


def first_line_with_dots(folder: Path) -> str:
    write_program(folder / "bot" / "bot", f"#!/usr/bin/../..{folder}/private/bin/tool\n")
    return "./bot"


@ON_EVERY_RUNG
@pytest.mark.parametrize(
    "attack", [form_feed, first_line, first_line_behind_env, first_line_with_dots]
)
def test_first_line_of_a_script_shows_no_folder(
    folder: Path, rung: str, attack: Callable[[Path], str]
) -> None:
    """An interpreter of the bot's choice does not bring its folder into the sandbox."""
    command = attack(folder)
    try:
        confined = submit(folder, rung_called(rung), command)
    except InputError as error:
        assert "cannot see" in str(error) or "no such file" in str(error)  # noqa: PT017
        return
    assert confined.confinement is not None
    shown = [*confined.confinement.wrapper, *confined.confinement.read]
    assert not any(word.startswith(f"{folder}/private") for word in shown)
    assert not any(SECRET in line for line in run_supervised(confined, 60).lines)


LINKS = {
    "to a program": "ln -s {private}/bin/tool bot",
    "through a folder": "ln -s {private} way; ln -s way/bin/tool bot",
    # What `..` is depends on where the link before it leads.
    "up from a link": "mkdir a; ln -s {private}/bin a/b; ln -s a/b/../bin/tool bot",
    "in a chain": "ln -s {private}/bin/tool one; ln -s ./one two; ln -s ./././two bot",
    "past the system": "ln -s /usr/bin/../..{private}/bin/tool bot",
}


@ON_EVERY_RUNG
@pytest.mark.parametrize("links", LINKS.values(), ids=LINKS.keys())
def test_links_made_by_a_build_show_no_folder(folder: Path, rung: str, links: str) -> None:
    """The program of a bot is its own file, wherever a link points."""
    words = ["sh", "-c", links.format(private=folder / "private")]
    with pytest.raises(InputError, match="which bots cannot see"):
        submit(folder, rung_called(rung), "./bot", words)


@ON_EVERY_RUNG
def test_link_to_an_interpreter_on_the_path_works(
    folder: Path, rung: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a virtual environment that a build makes."""
    monkeypatch.setenv("PATH", f"{folder}/private/bin:{os.environ['PATH']}")
    words = ["sh", "-c", f"mkdir bin; echo works > text; ln -s {folder}/private/bin/tool bin/tool"]
    assert run(folder, rung_called(rung), "./bin/tool text", words).lines == ["works"]


# --- variables

LIBRARY = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern char *program_invocation_short_name;
__attribute__((constructor)) static void loaded(void) {
    fprintf(stderr, "loaded into %s\\n", program_invocation_short_name);
}
"""


@ON_EVERY_RUNG
def test_preloaded_library_is_loaded_into_the_bot_only(folder: Path, rung: str) -> None:
    """Not into bubblewrap, setpriv or other programs before the bot."""
    needs("cc")
    (folder / "bot" / "library.c").write_text(LIBRARY)
    library = folder / "bot" / "library.so"
    words = ["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, "library.c"]
    subprocess.run(words, cwd=folder / "bot", check=True)
    write_program(folder / "bot" / "main.sh", "")
    variables = {"LD_PRELOAD": str(folder / "results" / "bot" / "library.so")}
    confined = submit(folder, rung_called(rung), "/bin/cat main.sh", environment=variables)
    assert run_supervised(confined, 60).lines == ["loaded into cat"]


@ON_EVERY_RUNG
def test_variables_are_passed_unchanged(folder: Path, rung: str) -> None:
    """With any content, without others, and in no command line."""
    variables = {
        "A": "two\nlines 'and' \"quotes\" $HOME `id` \\",
        "-u": "PATH",
        "b.c": "",
        "PWD": "x",
    }
    program = (
        "import os\n"
        "try:\n"
        "    numbers = [name for name in os.listdir('/proc') if name.isdigit()]\n"
        "except PermissionError:\n"
        "    numbers = [os.getpid(), os.getppid()]\n"
        "print(ascii({k: v for k, v in os.environ.items() if k not in ('HOME', 'TMPDIR')}))\n"
        "print('quotes' in ''.join(open(f'/proc/{p}/cmdline').read()"
        " for p in numbers if os.access(f'/proc/{p}/cmdline', 4)))\n"
    )
    (folder / "bot" / "a=b.py").write_text(program)
    confined = submit(folder, rung_called(rung), f"{PYTHON} -S a=b.py", environment=variables)
    ours = {name: confined.environment[name] for name in ("PATH", "PYTHONPATH", "LANG")}
    expected = ours | variables
    shown, in_command_line = run_supervised(confined, 60).lines
    assert eval(shown) == expected
    assert in_command_line == "False"


@ON_EVERY_RUNG
def test_program_path_may_contain_an_equals_sign(folder: Path, rung: str) -> None:
    """To `env` that would be one more variable."""
    write_program(folder / "bot" / "a=b", "#!/bin/sh\necho $X $1\n")
    confined = submit(folder, rung_called(rung), "./a=b c=d", environment={"X": "works"})
    assert run_supervised(confined, 60).lines == ["works c=d"]


# --- what is taken for the wrapper's own word

PLAYER = """
import os, sys
for line in sys.stdin:
    if line.startswith("game"):
        print("ready", flush=True)
    elif line.startswith("turn"):
        os.write(2, {text!r})
        os._exit({status})
"""
COMPLAINTS = [
    b"bwrap: execvp /x: \x1b]0;owned\x07\x1b[2J\n",
    b"setpriv: failed to execute x: \x1b[31m\n",
    b"bwrap: Creating new namespace failed: \x1b[31m\n",
]


def play(folder: Path, rung: Rung, text: bytes, status: int) -> PlayedGame:
    """Play a game of a bot that writes this and exits at its first turn."""
    (folder / "bot" / "bot.py").write_text(PLAYER.format(text=text, status=status))
    confined = submit(folder, rung, f"{PYTHON} -S -B bot.py")
    with Launcher() as launcher:
        bots = (Bot("one", confined, launcher), Bot("two", confined, launcher))
        try:
            return play_game(GameSetup("complaint", game_config()), bots)
        finally:
            close_all(list(bots))


@ON_EVERY_RUNG
@pytest.mark.parametrize("text", COMPLAINTS)
def test_bot_cannot_imitate_messages_of_its_wrapper(folder: Path, rung: str, text: bytes) -> None:
    """It crashed, and its output is shown escaped as its own."""
    played = play(folder, rung_called(rung), text, status=1)
    assert played.outcome.reason == Reason.CRASH
    (fault,) = played.faults
    assert (fault.process, len(fault.stderr)) == ("exit status 1", 1)
    assert all(
        letter.isprintable() or letter == "\n" for letter in dossier("x", ("a", "b"), played)
    )


@ON_EVERY_RUNG
@pytest.mark.parametrize("status", [1, 127, 128, 193, 255])
def test_exit_status_above_128_is_no_signal(folder: Path, rung: str, status: int) -> None:
    """No signal has such a number."""
    (fault,) = play(folder, rung_called(rung), b"", status).faults
    assert fault.process == f"exit status {status}"


def test_bubblewrap_status_names_signal_and_exit_code(folder: Path) -> None:
    """It reports both as the same number; other rungs distinguish them."""
    (fault,) = play(folder, rung_called("bwrap"), b"", 137).faults
    assert fault.process == "killed by SIGKILL, or exit status 137"
    shutil.rmtree(folder / "results")
    (fault,) = play(folder, rung_called("limits"), b"", 137).faults
    assert fault.process == "exit status 137"


def test_failure_of_bubblewrap_is_no_fault_of_the_bot(folder: Path) -> None:
    """Before it runs a command, all output is its own."""
    rung = rung_called("bwrap")
    (folder / "bot" / "bot.py").touch()
    confined = submit(folder, rung, f"{PYTHON} -S -B bot.py")
    shutil.rmtree(folder / "results")
    with Launcher() as launcher:
        process = launcher.start(confined)
        assert process.wait_for_exit(monotonic() + 60)
        process.kill()
    assert process.output.start_error is None
    assert process.output.lost is not None
    assert process.output.lost.startswith("a sandbox could not be made: bwrap: Can't find source")


# --- bits of files


def special_bits(folder: Path) -> dict[str, int]:
    files = (folder / "results").rglob("*")
    return {
        path.name: mode
        for path in files
        if not path.is_symlink() and (mode := stat.S_IMODE(path.stat().st_mode)) & 0o7022
    }


@ON_EVERY_RUNG
def test_copies_have_no_setuid_bits(folder: Path, rung: str) -> None:
    """Neither from the bot's folder nor from its build; and only the referee may write to them."""
    for name, mode in (("user", 0o4755), ("group", 0o2755), ("all", 0o6777), ("text", 0o2666)):
        (folder / "bot" / name).write_text("#!/bin/sh\n")
        (folder / "bot" / name).chmod(mode)
    script = "cp user built; chmod 6777 built; mkdir made; chmod 3777 made; chmod 2755 ."
    script += "; cp user open; chmod 777 open; true"
    submit(folder, rung_called(rung), "./user", ["sh", "-c", script])
    assert (folder / "results" / "bot" / "built").exists()
    assert special_bits(folder) == {}
    owners = {path.lstat().st_uid for path in (folder / "results").rglob("*")}
    assert owners == {os.geteuid()}
    assert re.fullmatch(r"-rwxr-xr-x", stat.filemode((folder / "results/bot/user").stat().st_mode))


def test_link_that_appears_before_the_copy_shows_no_file(folder: Path) -> None:
    """A bot's folder may belong to another user, who changes it at any time."""
    (folder / "bot" / "bot.py").write_text("print(1)\n")
    found = find_bot(BotEntry(name="bot", command="python3 bot.py", dir="bot"), folder)
    (folder / "bot" / "bot.py").unlink()
    (folder / "bot" / "bot.py").symlink_to(folder / "private" / "secret")
    with pytest.raises(InputError, match="changed while they were copied"):
        copy_bot(found, folder / "results" / "bot")
    assert not any((folder / "results").iterdir())


@ON_EVERY_RUNG
def test_build_command_with_an_open_quote_is_rejected(folder: Path, rung: str) -> None:
    (folder / "bot" / "bot.py").touch()
    with pytest.raises(InputError, match="cannot be split"):
        submit(folder, rung_called(rung), "python3 bot.py", "sh 'x")
