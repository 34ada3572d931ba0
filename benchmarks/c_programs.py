"""The C bot and the C referee: compiled when needed, run with the benchmark's games."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from setting import TIME, write_fixtures

from referee.rules import find_variant

HERE = Path(__file__).resolve().parent


def compiler() -> str | None:
    """The C compiler of this machine, if it has one."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def compile_bot(folder: Path) -> Path:
    """The bot that answers at once."""
    return _compile(folder / "bot", "bot.c")


def compile_referee(folder: Path) -> Path:
    """The referee that ours is compared with."""
    return _compile(folder / "referee", "referee.c", "rules.c")


def _compile(program: Path, *sources: str) -> Path:
    command = [str(compiler()), "-O2", "-std=c11", "-o", str(program)]
    subprocess.run([*command, *(str(HERE / source) for source in sources)], check=True)
    return program


class CReferee:
    """Plays the benchmark's games of one variant."""

    def __init__(self, program: Path, bot: Path, folder: Path) -> None:
        self._program = program
        self._bot = bot
        self._folder = folder

    def play(self, variant: str, games: int) -> dict[str, Any]:
        """What it took; the records are in `records(variant)`."""
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
        """Where the games are that it played last."""
        return self._folder / f"{variant}-c.jsonl"
