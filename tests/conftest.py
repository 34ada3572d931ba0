"""What several test modules share: running the command line as a person would."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Here, because pytest-xdist's own process does not load the files of inner folders.
from tests.hostile.summary import pytest_terminal_summary  # noqa: F401

# Machines are shared and noisy: how long an example takes says nothing.
settings.register_profile("referee", deadline=None)
settings.load_profile("referee")

# Hundreds of processes import the package: it is compiled by the first of them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

ROOT = Path(__file__).resolve().parents[1]
RUN_BOTS = ("run", "play", "check", "compare")


def command_line(*words: str) -> list[str]:
    """A command of `referee`; without isolation, which has tests of its own and takes time."""
    if words[:1] and words[0] in RUN_BOTS and "--sandbox" not in words:
        words = (*words, "--sandbox", "none")
    return [sys.executable, "-m", "referee", *words]


class Referee:
    """The command line in a process of its own, started in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self, *words: str, path: Path | None = None, **options: object
    ) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ)
        if path is not None:
            environment["PYTHONPATH"] = str(path)
        return subprocess.run(
            command_line(*words),
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            **options,  # type: ignore[call-overload]
        )

    def refuse(self, *words: str, path: Path | None = None) -> str:
        """The one sentence that a wrong command line gets; its exit code is 2."""
        result = self(*words, path=path)
        assert (result.returncode, result.stdout) == (2, ""), result
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        return lines[0].removeprefix("referee: ")


@pytest.fixture
def referee(tmp_path: Path) -> Referee:
    """Run `referee` with these words in an empty folder."""
    return Referee(tmp_path)
