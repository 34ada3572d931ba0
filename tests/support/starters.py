"""Starter bots for tests, created by `referee new` and built once per test session."""

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.bots.command import Command
from referee.commands.new import LANGUAGES, Language
from referee.config.bot_command import parse_command
from tests.support.processes import PATIENCE_SECONDS
from tests.support.tools import needs


@dataclass(frozen=True)
class Starter:
    """A starter bot that is ready to play."""

    language: Language
    folder: Path
    printed: str
    """The output of `referee new`."""
    built: str
    """The output of its build, on both channels."""

    def command(self) -> Command:
        """Return the command that starts it."""
        return parse_command(self.language.command, self.folder)

    def tell(self, *lines: str) -> subprocess.CompletedProcess[str]:
        """Start it, send it these lines and the end of input, and wait until it exits."""
        return subprocess.run(
            shlex.split(self.language.command),
            input="".join(f"{line}\n" for line in lines),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )


def build_starter(name: str, tmp_path_factory: pytest.TempPathFactory) -> Starter:
    """Build the starter bot of a language; skip the test (in CI: fail) without its toolchain."""
    language = LANGUAGES[name]
    needs(*language.needs)
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # shared by all workers
    folder = base / "starters" / language.folder
    folder.parent.mkdir(exist_ok=True)
    said = [folder.with_suffix(suffix) for suffix in (".printed", ".built")]
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said[1].exists():
            shutil.rmtree(folder, ignore_errors=True)  # of one that could not be built
            make = [sys.executable, "-m", "referee", "new", name, language.folder]
            said[0].write_text(_run(make, folder.parent))
            said[1].write_text(_run(shlex.split(language.build or "true"), folder))
    return Starter(language, folder, *(path.read_text() for path in said))


def _run(command: list[str], folder: Path) -> str:
    result = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout
