"""Folders of bots that are meant to stop the referee, or to end it with a traceback."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, Referee, command_line
from tests.support.tools import needs

DEPTH = 1_200


def name_that_is_not_utf8(bot: Path) -> None:
    Path(os.fsdecode(os.fsencode(bot) + b"/\xff.py")).write_text("")


def nested_folders(bot: Path) -> None:
    """Create folders below each other, deeper than the longest path."""
    place = os.open(bot, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)


def fifo_as_ignore_file(bot: Path) -> None:
    os.mkfifo(bot / ".refereeignore")


def ignore_file_outside(bot: Path) -> None:
    (bot / ".refereeignore").symlink_to(bot.parent / "private")


def device_as_ignore_file(bot: Path) -> None:
    (bot / ".refereeignore").symlink_to("/dev/zero")


def fifo_among_the_files(bot: Path) -> None:
    os.mkfifo(bot / "book.txt")


ATTACKS: list[tuple[Callable[[Path], None], str]] = [
    (name_that_is_not_utf8, "UTF-8"),
    (nested_folders, "nested"),
    (ignore_file_outside, ".refereeignore"),
]
"""Each with a part of the message."""
SPECIAL_FILES = [fifo_as_ignore_file, device_as_ignore_file, fifo_among_the_files]


UNREADABLE = ["inner", "inner/book.txt", ".refereeignore"]
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
"""Root as well can then read only what its owner may read."""


def write_cup(folder: Path) -> Path:
    """Write a tournament with a bot in a folder of its own; return that folder."""
    bot = folder / "bot"
    bot.mkdir()
    shutil.copy(ROOT / "bots" / "random_bot.sh", bot / "bot.sh")
    (folder / "private").write_text("*\n")
    (folder / "cup.yaml").write_text(
        "variant: standoff\nbots:\n"
        "  - {name: hostile, dir: bot, command: ./bot.sh}\n"
        "  - {name: other, dir: bot, command: ./bot.sh}\n"
    )
    return bot


@pytest.mark.parametrize(("attack", "cause"), ATTACKS, ids=[deed.__name__ for deed, _ in ATTACKS])
def test_hostile_folder_is_refused_with_its_cause(
    referee: Referee, attack: Callable[[Path], None], cause: str
) -> None:
    """With exit code 2, at the place in the tournament file."""
    bot = write_cup(referee.folder)
    attack(bot)
    result = referee("run", "cup.yaml", "--dry-run")
    subprocess.run(["rm", "-r", bot], check=True)  # too deep for Python
    assert (result.returncode, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    assert "cup.yaml:3" in result.stderr
    assert cause in result.stderr


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_file_is_refused(referee: Referee, name: str) -> None:
    """With exit code 2, and no traceback."""
    bot = write_cup(referee.folder)
    (bot / "inner").mkdir()
    for file in ("inner/book.txt", ".refereeignore"):
        (bot / file).touch()
    (bot / name).chmod(0)
    words = command_line("run", "cup.yaml", "--dry-run")
    if os.geteuid() == 0:
        needs("setpriv")
        words = [*WITHOUT_RIGHTS, *words]
    result = subprocess.run(words, cwd=referee.folder, capture_output=True, text=True)
    (bot / name).chmod(0o755)
    assert (result.returncode, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    assert f"'{name}' cannot be read: Permission denied" in result.stderr


@pytest.mark.parametrize("attack", SPECIAL_FILES)
def test_special_files_are_not_opened(referee: Referee, attack: Callable[[Path], None]) -> None:
    """The referee would wait for a FIFO, and read a device without end."""
    attack(write_cup(referee.folder))
    result = referee("run", "cup.yaml", "--dry-run")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "**/" * 60 + "b", "[a-z]*" * 60 + "9"])
def test_ignore_pattern_takes_no_time(referee: Referee, pattern: str) -> None:
    """A search with backtracking would not end."""
    bot = write_cup(referee.folder)
    (bot / ".refereeignore").write_text(pattern + "\n")
    inner = bot.joinpath(*["a" * 50] * 20)
    inner.mkdir(parents=True)
    (inner / ("a" * 200)).write_text("")
    result = referee("run", "cup.yaml", "--dry-run")
    assert result.returncode == 0, result.stderr
