"""The attacks as an ordinary user, for tests that run as root.

    python -m tests.hostile.ordinary become USER HOME RUNG      as root: become that user
    python -m tests.hostile.ordinary attack RUNG                as that user: obey standard input

The second reads names of attacks, one per line, and answers each with its findings as JSON.
"""

import ctypes
import json
import os
import subprocess
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from referee.launcher import syscalls
from tests.conftest import ROOT
from tests.hostile.bots.registry import Attack
from tests.hostile.corpus import ATTACKS
from tests.hostile.findings import Findings, assail
from tests.hostile.world import world
from tests.support.tools import skip

FIRST_USER, USERS = 20_000, 40_000
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x2_0000, 0x1000, 0x4000, 0x4_0000


class OrdinaryUser:
    """A world on one rung in a process of another user."""

    def __init__(self, rung: str) -> None:
        # Another user for each process of the tests: the kernel counts processes by user.
        user = FIRST_USER + os.getpid() % USERS
        self._home = TemporaryDirectory(prefix="home-")
        os.chown(self._home.name, user, user)
        words = [sys.executable, "-m", __name__, "become", str(user), self._home.name, rung]
        self._process = subprocess.Popen(
            words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

        assert self._process.stdout is not None
        self._obstacle: str | None = json.loads(self._process.stdout.readline() or "null")

    def assail(self, attack: Attack) -> Findings:
        """Make an attack in that process."""
        if self._obstacle is not None:
            skip(self._obstacle)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(attack.name, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        assert line, f"the process of the ordinary user ended with {self._process.wait()}"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return Findings(**answer)

    def close(self) -> None:
        self._process.communicate()
        self._home.cleanup()


def become(user: int, home: str, rung: str) -> None:
    """Turn this process into one of an ordinary user that can still reach Python and the tests."""
    try:
        _open_folders([Path(sys.prefix), Path(sys.base_prefix), ROOT])
    except PermissionError:
        print(json.dumps("needs mounts, to show Python to an ordinary user"), flush=True)
        return
    print(json.dumps(None), flush=True)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    os.execve(
        sys.executable,
        [sys.executable, "-m", "tests.hostile.ordinary", "attack", rung],
        {**environment, "HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )


def _open_folders(needed: list[Path]) -> None:
    """Show what is needed of root's folders, in a private mount namespace."""
    paths = sorted({path.resolve() for path in needed})
    if not _closed(paths):
        return
    syscalls.unshare(CLONE_NEWNS)
    _mount("none", "/", "", MS_REC | MS_PRIVATE)
    while closed := _closed(paths):  # again: below an opened folder there may be a closed one
        for folder, shown in closed.items():
            opened = {path: os.open(path, os.O_PATH) for path in shown}
            _mount("tmpfs", str(folder), "tmpfs", 0, "mode=755")
            for path, descriptor in opened.items():
                path.mkdir(parents=True, exist_ok=True)
                _mount(f"/proc/self/fd/{descriptor}", str(path), "", MS_BIND | MS_REC)
                os.close(descriptor)


def _closed(paths: list[Path]) -> dict[Path, list[Path]]:
    """Return the outermost closed folder above each path, and the paths below it."""
    closed: dict[Path, list[Path]] = {}
    for path in paths:
        locked = [folder for folder in path.parents if not folder.stat().st_mode & 0o1]
        if locked:
            closed.setdefault(locked[-1], []).append(path)
    return closed


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    library = ctypes.CDLL(None, use_errno=True)
    texts = [text.encode() or None for text in (source, target, kind, options)]
    if library.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


def attack_by_name(rung: str) -> None:
    """Make the attacks that standard input names."""
    with world(rung) as place:
        for line in sys.stdin:
            try:
                answer = asdict(assail(place, rung, ATTACKS[line.strip()]))
            except BaseException:
                answer = {"error": traceback.format_exc()}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "become":
        become(int(sys.argv[2]), *sys.argv[3:])
    else:
        attack_by_name(sys.argv[2])
