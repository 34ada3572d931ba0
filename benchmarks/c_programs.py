"""The C bot and the C referee: compile them, and run the games of the benchmark."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from setting import TIME, write_fixtures

from referee.rules import find_variant

HERE = Path(__file__).resolve().parent


def compiler() -> str | None:
    """Find the C compiler of this machine; None if there is none."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def compile_bot(folder: Path) -> Path:
    """Compile the bot that answers immediately."""
    return _compile(folder / "bot", "bot.c")


def compile_referee(folder: Path) -> Path:
    """Compile the reference referee."""
    return _compile(folder / "referee", "referee.c", "rules.c")


def _compile(program: Path, *sources: str) -> Path:
    command = [str(compiler()), "-O2", "-std=c11", "-o", str(program)]
    subprocess.run([*command, *(str(HERE / source) for source in sources)], check=True)
    return program


class CReferee:
    """Runner of the reference referee."""

    def __init__(self, program: Path, bot: Path, folder: Path) -> None:
        self._program = program
        self._bot = bot
        self._folder = folder

    def play(self, variant: str, games: int) -> dict[str, Any]:
        """Play games and return the measured times; the records are in `records(variant)`."""
        fixtures = self._folder / f"{variant}-{games}.txt"
        if not fixtures.exists():
            write_fixtures(variant, games, fixtures)
        records = self.records(variant)
        records.unlink(missing_ok=True)
        size = find_variant(variant).size
        words = [variant, size.rows, size.cols, TIME.main_ms, TIME.increment_ms]
        words += [fixtures, records, self._bot, self._bot]
        command = [str(self._program), *map(str, words)]
        result = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    def records(self, variant: str) -> Path:
        """Return the path of the records of the last run."""
        return self._folder / f"{variant}-c.jsonl"
