"""The documentation, executed: every command works and prints what the page shows.

After a change that is meant, `UPDATE_DOCS=1 pytest tests/end_to_end/test_docs.py` writes the new
output into the pages; read the diff.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli import COMMANDS
from tests.conftest import ROOT, writable

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"^\d+ encounters: log-likelihood ratio .*\n", re.MULTILINE)
"""A line that `compare` prints every few seconds, and on a quick machine never."""
TEST_COMMAND = "python3 -m venv .venv && .venv/bin/pip install -q tox && .venv/bin/tox"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project without results of earlier runs."""
    copy = tmp_path_factory.mktemp("docs") / "checkout"
    left_out = shutil.ignore_patterns(".git", ".*cache", ".tox", ".venv", ".hypothesis", "results")
    return writable(shutil.copytree(ROOT, copy, ignore=left_out))


def run(command: str, folder: Path, program_folder: Path | None = None) -> str:
    """Return the output of a shell command; fail if it has a traceback."""
    first = str(program_folder or Path(sys.executable).parent)
    result = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": first + os.pathsep + os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert result.returncode in (0, 2), result.stdout
    assert "Traceback" not in result.stdout
    return PROGRESS.sub("", result.stdout)


def executed(block: str, folder: Path) -> str:
    """Return a console block with each `$ command` followed by its real output."""
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    assert commands, block
    return "".join(f"$ {command}\n{run(command, folder)}" for command in commands)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_docs_console_blocks_show_the_real_output(page: Path, checkout: Path) -> None:
    """In all pages."""
    text = page.read_text(encoding="utf-8")
    real = BLOCK.sub(lambda match: executed(match.group(), checkout), text)
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(real, encoding="utf-8")
    else:
        assert text == real


def test_docs_commands_for_bot_authors_work_in_their_order(checkout: Path, tmp_path: Path) -> None:
    """From `new` to the debugger, on the page and in a checkout; gdb itself is left out."""
    for name in ("bots", "referee"):
        shutil.copytree(checkout / name, tmp_path / name)
    text = (ROOT / "docs" / "writing-a-bot.md").read_text(encoding="utf-8")
    shown: dict[str, str] = {}
    for kind, block in re.findall(r"^```(sh|yaml)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if kind == "yaml":
            (tmp_path / "cup.yaml").write_text(block, encoding="utf-8")
            continue
        for line in block.splitlines():
            command = re.sub(r"gdb --args (\S+) .*", r"\1 < turn.txt", line)
            if command.startswith("make ") and not (shutil.which("make") and shutil.which("cc")):
                break
            shown[line] = run(command, tmp_path)
    answers = [text for line, text in shown.items() if "| python3" in line or "gdb" in line]
    assert answers
    for answer in answers:
        assert re.search(r"^ready\n(info .*\n)*move \d,\d\n", answer, re.MULTILINE), answer
    # It is the question that this bot was asked, not its opponent.
    (question,) = (line for line in shown if line.endswith("| python3 my_bot/bot.py"))
    game, _ = run(question.partition(" |")[0], tmp_path).splitlines()
    seat = int(re.search(r" seat=(\d) ", game).group(1))
    assert re.search(r" id=(\S+) ", game).group(1).split(".")[seat] == "mine"


def test_readme_set_up_works_in_a_fresh_checkout(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty virtual environment; in pure Python, because tox and `.ci/fresh` compile."""
    monkeypatch.setenv("REFEREE_COMPILE", "0")
    command = re.search(r"^python3 -m venv .*referee .*$", readme(), re.MULTILINE).group()
    assert run(command, checkout).strip()


def test_ci_runs_the_test_command_of_the_readme() -> None:
    """For every change."""
    assert f"\n{TEST_COMMAND}\n" in readme()
    assert f"\n{TEST_COMMAND}\n" in (ROOT / ".ci" / "run").read_text()


def test_readme_names_every_command() -> None:
    """That `referee --help` lists."""
    assert [name for name in COMMANDS if f"referee {name}" not in readme()] == []


def test_docs_install_from_a_checkout_or_a_wheel() -> None:
    """The project is on no package index."""
    program = [path for path in (ROOT / "referee").rglob("*") if path.suffix in (".py", ".md")]
    asked = re.compile(r"(?:install|download)\b[^\n`]*\bblockade[-_]referee\b")
    assert [path for path in (*PAGES, *program) if asked.search(path.read_text("utf-8"))] == []


def test_readme_prerequisites_precede_the_commands() -> None:
    """What is needed, then what needs it."""
    text = readme()
    assert text.index("apt install git python3-venv") < text.index("python3 -m venv")
    assert text.index("apt install git python3-venv") < text.index(TEST_COMMAND)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_docs_relative_links_name_existing_files(page: Path) -> None:
    """In all pages."""
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)", text.replace("\n", " "))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")
