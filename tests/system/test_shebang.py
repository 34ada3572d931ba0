"""First lines of scripts, parsed as the kernel does, and messages about missing programs."""

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from referee.config.bot_command import parse_command
from referee.errors import InputError
from referee.system.shebang import LIMIT, read_shebang, shebang_of
from tests.conftest import Referee
from tests.support.tools import needs

LINES = [
    b"#!%s/i\n",
    b"#!%s/i",
    b"#! \t %s/i \t one  two \t \nthree\n",
    b"#!%s/i\tone\n",
    b"#!%s/i\x0cone\n",
    b"#!%s/i\x0bx\x85 one\n",
    b"#!%s/i\rone\n",
    b"#!%s/i one\r\n",
    b"#!%s/i\0one\n",
    b"#!%s/i one\0two\n",
    b"#!%s/\xff one\n",
    b"#!%s/i " + b"x" * LIMIT,
    b"#!%s/" + b"i" * LIMIT + b" one\n",
    b"#!%s/" + b"./" * LIMIT + b"i\n",
    b"#!" + b" " * LIMIT + b"%s/i\n",
    b"#! \t\n",
    b"#!\n%s/i\n",
    b"# !%s/i\n",
]


@pytest.fixture
def interpreters(tmp_path: Path) -> Path:
    """Create programs with odd names, each of which prints its arguments."""
    echo = shutil.which("echo")
    assert echo is not None
    for name in (b"i", b"i\x0cone", b"i\x0bx\x85", b"i\rone", b"\xff"):
        (tmp_path / os.fsdecode(name)).symlink_to(echo)
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_shebang_parser_agrees_with_the_kernel(interpreters: Path, line: bytes) -> None:
    """The same interpreter with the same argument, or none."""
    script = interpreters / "script"
    script.write_bytes(line.replace(b"%s", os.fsencode(interpreters)))
    script.chmod(0o755)
    read = shebang_of(script)
    if read is None:
        with pytest.raises(OSError, match=os.strerror(errno.ENOEXEC)):
            subprocess.run([script], check=True)
    elif not Path(read.interpreter).exists():
        with pytest.raises(FileNotFoundError):
            subprocess.run([script], check=True)
    else:
        printed = subprocess.run([script], capture_output=True, check=True).stdout
        words = [read.argument] if read.argument else []
        assert printed == os.fsencode(" ".join([*words, f"{script}\n"]))


@pytest.mark.parametrize(
    ("line", "searched"),
    [
        (b"#!/usr/bin/env python3\n", ("python3",)),
        (b"#!/usr/bin/env python3 -u\n", ("python3 -u",)),
        (b"#!/usr/bin/env -S A=1 python3 -u\n", ("python3",)),
        (b"#!/usr/bin/env\n", ()),
        (b"#!/bin/sh -e\n", ()),
    ],
)
def test_shebang_parser_finds_the_program_of_env(line: bytes, searched: tuple[str, ...]) -> None:
    """One word, or several after an option."""
    shebang = read_shebang(line)
    assert shebang is not None
    assert shebang.searched == searched


CAUSES = [
    ("#!/nowhere/python9\n", "names the interpreter '/nowhere/python9': no such file"),
    ("#!/usr/bin/env python9\n", "names 'python9': no such program"),
    ("print('Grüße')\n", "exec format error: a script needs a first line like"),
    ("", "exec format error"),
    (f"#!/{'x' * LIMIT}\n", f"names no interpreter within {LIMIT} bytes"),
    ("#!./bot\n", "leads from script to script"),
]


@pytest.mark.parametrize(("text", "why"), CAUSES)
def test_program_that_cannot_run_is_explained_before_its_start(
    tmp_path: Path, text: str, why: str
) -> None:
    """So the message is the same on all rungs."""
    (tmp_path / "bot").write_text(text)
    (tmp_path / "bot").chmod(0o755)
    with pytest.raises(InputError, match="bot cannot be run: ") as caught:
        parse_command("./bot", tmp_path)
    assert why in str(caught.value)


@pytest.mark.parametrize("rung", ["bwrap", "limits", "none"])
def test_missing_interpreter_has_one_message_on_all_rungs(referee: Referee, rung: str) -> None:
    """One sentence, exit code 2, and no message of a wrapper."""
    bot = referee.folder / "bot"
    bot.write_text("#!/nowhere/python9\n")
    bot.chmod(0o755)
    message = referee.refuse("play", "lockdown", "./bot", "./bot", "--sandbox", rung)
    assert message == (
        "./bot cannot be run: its first line names the interpreter '/nowhere/python9': no such file"
    )


@pytest.mark.parametrize(
    "command",
    ["python3 bots/nope.py", "python3 -u nope.py --x=y.py", "sh ./nope.sh", "node n.js"],
)
def test_missing_script_is_reported_by_line_and_column(referee: Referee, command: str) -> None:
    """With the key, and without a path inside of the results."""
    needs(command.split()[0])
    (referee.folder / "ok.py").touch()
    (referee.folder / "cup.yaml").write_text(
        "variant: lockdown\nbots:\n  - {name: one, command: python3 ok.py}\n"
        f"  - name: two\n    command: {command}\n"
    )
    result = referee("run", "cup.yaml")
    assert result.returncode == 2
    assert "cup.yaml:5:14" in result.stderr
    assert "there is no file '" in result.stderr
    assert not (referee.folder / "results").exists()


@pytest.mark.parametrize("command", ["python3 -c pass x.py", "python3 -m nope.py", "cat x.py"])
def test_arguments_that_are_no_scripts_are_not_checked(tmp_path: Path, command: str) -> None:
    """Only the file that an interpreter would run must exist."""
    assert parse_command(command, tmp_path).arguments[1:] == tuple(command.split()[1:])


def test_shebang_parser_does_not_open_pipes(tmp_path: Path) -> None:
    """An interpreter that is no regular file has no first line."""
    os.mkfifo(tmp_path / "pipe", 0o777)
    assert shebang_of(tmp_path / "pipe") is None
    (tmp_path / "bot").write_text("#!./pipe\n")
    (tmp_path / "bot").chmod(0o755)
    with pytest.raises(InputError, match=r"names the interpreter '\./pipe': no such file"):
        parse_command("./bot", tmp_path)
