"""The files of a bot: which they are, and messages about those that cannot be used."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.conftest import ROOT, Referee

CUP = """
variant: lockdown
encounters: 1
bots:
  - {name: one, command: python3 bot.py, dir: .}
  - {name: two, command: python3 bot.py, dir: .}
"""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """Write a tournament of a bot whose folder is that of the tournament file."""
    shutil.copy(ROOT / "bots" / "random_bot.py", tmp_path / "bot.py")
    (tmp_path / "cup.yaml").write_text(CUP)
    return tmp_path


def test_results_and_tournament_file_are_no_files_of_a_bot(referee: Referee, cup: Path) -> None:
    """So a tournament in the folder of its bots can be resumed."""
    assert referee("run", "cup.yaml").returncode == 0
    assert referee("run", "cup.yaml", "--out", "elsewhere/deep").returncode == 0
    (cup / "cup.yaml").write_text(f"name: another\n{CUP}")
    again = referee("run", "cup.yaml")
    assert (again.returncode, "were played before" in again.stderr) == (0, True), again.stderr
    (copy,) = (cup / "results" / "cup" / "bots" / "one").iterdir()
    assert {path.name for path in copy.iterdir()} == {"bot.py"}
    # Files of other folders belong to the bot, also with names of result files.
    (cup / "data").mkdir()
    (cup / "data" / "games.jsonl").write_text("{}\n")
    assert "one" in referee.refuse("run", "cup.yaml")


@pytest.mark.parametrize("out", [".", "results/..", "./"])
def test_results_are_never_files_of_a_bot(referee: Referee, cup: Path, out: str) -> None:
    """Such a tournament could not be resumed, so it does not start."""
    error = referee.refuse("run", "cup.yaml", "--out", out)
    assert "would become files of one, whose folder is .: name another folder" in error
    assert {path.name for path in cup.iterdir()} == {"bot.py", "cup.yaml"}


@pytest.mark.parametrize("folder", ["bots", "bots/one", "faults"])
def test_folders_of_results_are_not_those_of_bots(referee: Referee, cup: Path, folder: str) -> None:
    """Copies of bots and dossiers are written there."""
    (cup / folder).mkdir(parents=True)
    (cup / "bot.py").rename(cup / folder / "bot.py")
    (cup / "cup.yaml").write_text(CUP.replace("dir: .", f"dir: {folder}"))
    error = referee.refuse("run", "cup.yaml", "--out", ".")
    assert f"would become files of one, whose folder is {folder}" in error


def complaint(referee: Referee) -> str:
    """Return the problem with the first bot's files."""
    result = referee("run", "cup.yaml")
    assert result.returncode == 2, result
    assert "Traceback" not in result.stderr
    assert "cup.yaml:5:26" in result.stderr
    return result.stderr


def test_file_names_that_are_not_utf_8_are_reported(referee: Referee, cup: Path) -> None:
    """They can be ignored by a pattern."""
    (cup / os.fsdecode(b"b\xff.dat")).touch()
    assert r"its file 'b\udcff.dat' has a name that is not UTF-8" in complaint(referee)
    (cup / ".refereeignore").write_text("*.dat\n")
    assert referee("run", "cup.yaml", "--dry-run").returncode == 0


def test_folders_beyond_the_path_limit_are_reported(referee: Referee, cup: Path) -> None:
    """Deeper than Python can recur."""
    program = "import os\nfor _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\n"
    subprocess.run([sys.executable, "-c", program], cwd=cup, check=True)
    try:
        assert "its folders are nested deeper than 100" in complaint(referee)
    finally:
        subprocess.run(["rm", "-rf", cup / "d"], check=True)


def test_ignore_file_may_not_be_a_link_to_the_outside(referee: Referee, cup: Path) -> None:
    """As any other file of the bot, also if its patterns leave itself out."""
    (cup.parent / "patterns").write_text(".refereeignore\n")
    (cup / ".refereeignore").symlink_to("../patterns")
    assert "'.refereeignore' is a link that leads out of its folder" in complaint(referee)
    (cup / ".refereeignore").unlink()
    (cup / ".refereeignore").write_text("x\n" * 40_000)
    assert "'.refereeignore' has more than 65,536 bytes" in complaint(referee)


CLOSED = """
import os, sys
from pathlib import Path
from referee.errors import InputError
from referee.config.bot_files import find_bot
from referee.config.tournament_file import BotEntry
if os.geteuid() == 0:
    os.setuid(12345)  # root may read everything
try:
    find_bot(BotEntry(name="bot", command="cat", dir="bot"), Path(sys.argv[1]))
except InputError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("closed", "message"),
    [
        ("inner", "its folder 'inner' cannot be read: Permission denied"),
        ("file", "its file 'file' cannot be read: Permission denied"),
        (".refereeignore", "its file '.refereeignore' cannot be read: Permission denied"),
        (".", "its folder cannot be read: Permission denied"),
    ],
)
def test_unreadable_files_are_reported(closed: str, message: str) -> None:
    """By file or folder."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot" / "inner").mkdir(parents=True)
        for file in ("file", ".refereeignore"):
            (folder / "bot" / file).touch()
        (folder / "bot" / closed).chmod(0o111 if closed == "." else 0)
        words = [sys.executable, "-c", CLOSED, name]
        result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        (folder / "bot" / closed).chmod(0o755)
    assert result.stdout == f"{message}\n", result.stderr


def test_missing_module_beside_the_script_is_hinted_with_dir(
    referee: Referee, tmp_path: Path
) -> None:
    """Without `dir` only files that the command names are copied."""
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "games.py").touch()
    shutil.copy(ROOT / "bots" / "random_bot.py", bots / "honest.py")
    (bots / "broken.py").write_text("import games\n")
    (bots / "lost.py").write_text("import no_such_module\n")
    lines = [
        f"  - {{name: {n}, command: python3 bots/{n}.py}}" for n in ("honest", "broken", "lost")
    ]
    (tmp_path / "cup.yaml").write_text("variant: lockdown\nbots:\n" + "\n".join(lines))
    result = referee("run", "cup.yaml")
    assert result.returncode == 2
    hint = f"games.py in {bots} was not copied: without `dir` a bot has only the files"
    assert result.stderr.count("was not copied") == 1
    assert hint in result.stderr
