"""Patterns of `.refereeignore`, compared with git."""

import subprocess
import sys
from pathlib import Path

import pytest

from referee.config import ignore_file
from referee.config.bot_files import IGNORE_FILE, find_bot
from referee.config.tournament_file import BotEntry
from referee.errors import InputError
from tests.conftest import ROOT
from tests.support.processes import PATIENCE_SECONDS
from tests.support.tools import needs

FILES = (
    *("x.log", "keep.log", "sp ace", "#hash", "!bang", "a/y.log", "a/b/z.txt", "a/b/c/w.txt"),
    *("a/b/c/k1", "a/b/c/k2", "a/b/c/ka", "a/build/p", "build/x/o", "data/deep/f", "docs/a.md"),
)
PATTERNS = [
    *(
        "*.log\n!keep.log\n",
        "/build\n",
        "build/\n",
        "a/**/c\n",
        "**/b\n",
        "a/**\n",
        "a/b/**/w.txt\n",
    ),
    *("data/*/f\n", "docs/*.md\n", "k[12]\n", "a/b/c/k[!12]\n", "\\#hash\n", "\\!bang\n", "a/\n"),
    *("# c\n\nsp ace  \n", "*\n!a/\n!/a/y.log\n", "/*\n!/docs\n", "**/build/**\n", "x?log\n"),
    *("a*b\n", "**\n", "foo\\*\n", "[a-c]/y.log\n", "**/c/k*\n", "/**\n", "*a*.*g\n"),
    *("**/**/k1\n", "a/**/b/**/w*\n", "?[k-k][!2-9]\n", "k[]2]\n", "[9-1]\n", "*e*p*o*\n"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create a bot's folder."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def found(folder: Path) -> set[str]:
    files = find_bot(BotEntry(name="bot", command="cat", dir="."), folder).files
    return {name for _, name in files} - {IGNORE_FILE}


@pytest.mark.parametrize("patterns", PATTERNS)
def test_ignore_patterns_agree_with_git(folder: Path, patterns: str) -> None:
    """Names anywhere, paths from the top, folders, stars, sets, exceptions."""
    needs("git")
    (folder / IGNORE_FILE).write_text(patterns)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    words = ["git", "ls-files", "-z", "--others", f"--exclude-from={IGNORE_FILE}"]
    listed = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout
    assert found(folder) == set(listed.split("\0")) - {"", IGNORE_FILE}


def test_ignored_files_do_not_change_the_hash(folder: Path) -> None:
    """It depends on the copied files only."""
    bot = BotEntry(name="bot", command="cat", dir=".")
    (folder / IGNORE_FILE).write_text("*.log\n")
    before = find_bot(bot, folder).hash
    (folder / "x.log").write_text("changed")
    assert find_bot(bot, folder).hash == before
    (folder / "docs" / "a.md").chmod(0o755)
    assert find_bot(bot, folder).hash != before


@pytest.mark.parametrize(
    "line",
    [
        "*a" * 100 + "b",
        "**/" * 200 + "b",
        "**/" * 20_000 + "b",
        "*a" * 50 + "/" + "*a" * 50 + "b",
        "[" * 60_000,
    ],
    ids=lambda line: f"{line[:4]} {len(line)}",
)
def test_ignore_patterns_match_in_bounded_time(tmp_path: Path, line: str) -> None:
    """Backtracking would take exponential time."""
    long = tmp_path / ("a" * 250) / ("a" * 250)
    long.parent.mkdir()
    long.touch()
    (tmp_path / IGNORE_FILE).write_text(f"{line}\n")
    program = (
        "import sys; from pathlib import Path; from tests.config.test_ignore_file import found;"
        "print(len(found(Path(sys.argv[1]))))"
    )
    words = [sys.executable, "-c", program, str(tmp_path)]
    result = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert result.stdout == "1\n", result.stderr


def test_patterns_times_files_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pattern is compared with each file: both may be many, but not together."""
    monkeypatch.setattr(ignore_file, "MAX_STEPS", 6_000)
    for number in range(60):
        (tmp_path / f"{number}x").touch()
    write_patterns(tmp_path, 90)
    find_bot(BotEntry(name="bot", command="./0x", dir="."), tmp_path)
    write_patterns(tmp_path, 110)
    with pytest.raises(InputError, match="too many"):
        find_bot(BotEntry(name="bot", command="./0x", dir="."), tmp_path)


def write_patterns(folder: Path, count: int) -> None:
    (folder / IGNORE_FILE).write_text("".join(f"*{number}\n" for number in range(count)))
