"""Control groups: created for a bot where possible, and always removed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from referee.bots.bot import Bot
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.launcher import cgroup
from referee.sandbox.limits import ResourceLimits
from tests.conftest import ROOT
from tests.hostile.world import PYTHON, rung_called
from tests.support.processes import is_running, wait_until
from tests.support.tools import skip

GROUPS = next(
    (
        Path(line.split()[4])
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
        if line.partition(" - ")[2].split()[0] == "cgroup2"
    ),
    None,
)
FAMILY = """
import os, signal, sys
from referee.launcher import cgroup
cgroup.enter(sys.argv[1])
child = os.fork()
if child:
    print(os.getpid(), child, flush=True)
signal.pause()
"""


@pytest.fixture
def parent() -> Iterator[Path]:
    """Create a parent group."""
    if GROUPS is None or not os.access(GROUPS / "cgroup.procs", os.W_OK):
        skip("control groups of version 2 cannot be made here")
    group = GROUPS / f"test-{uuid4()}"  # containers have the same numbers of processes
    group.mkdir()
    yield group
    for left in group.glob(f"{cgroup.PREFIX}*"):
        cgroup.remove(str(left))
    group.rmdir()


def test_group_is_removed_with_its_processes(parent: Path) -> None:
    """And those that they have started."""
    group = cgroup.make_in(str(parent), frozenset(), 2**30, 10)
    assert group is not None
    family = subprocess.Popen(
        [sys.executable, "-c", FAMILY, group], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert family.stdout is not None
    processes = [int(word) for word in family.stdout.readline().split()]
    inside = Path(group, "cgroup.procs").read_text().split()
    assert sorted(map(int, inside)) == sorted(processes)
    cgroup.remove(group)
    assert not Path(group).exists()
    family.wait()
    family.stdout.close()
    wait_until(lambda: not any(map(is_running, processes)))


def test_groups_of_killed_supervisors_are_removed(parent: Path) -> None:
    """By the next supervisor; groups of running ones stay."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    left, kept = (parent / f"referee-{pid}-1234" for pid in (ended.pid, os.getpid()))
    for group in (left, kept):
        group.mkdir()
    made = cgroup.make_in(str(parent), frozenset(), 2**30, 10)
    assert made is not None
    assert (left.exists(), kept.exists()) == (False, True)
    for name in (made, str(kept)):
        cgroup.remove(name)


def test_missing_control_groups_are_no_error(parent: Path) -> None:
    """No parent, no controller, no permission."""
    assert cgroup.make_in(str(parent / "nowhere"), frozenset(), 2**30, 10) is None
    made = cgroup.make_in(str(parent), frozenset(cgroup.CONTROLLERS), 2**30, 10)
    assert made is not None
    assert not cgroup.is_out_of_memory(made)
    cgroup.remove(made)
    cgroup.remove(made)
    cgroup.enter(made)


@pytest.mark.parametrize("name", ["bwrap", "limits"])
def test_bot_has_a_group_while_it_runs(name: str, tmp_path: Path) -> None:
    """Where its user may create one that limits something."""
    rung = rung_called(name)
    words = (PYTHON, "-c", "print('here', flush=True); input()")
    command = rung.confine(Command(words, Path("/")), ResourceLimits(), [])
    with Launcher() as launcher:
        bot = Bot("one", command, launcher)
        process, _ = bot.acquire_process(False)
        wait_until(lambda: process.read_stdout(0.0) and process.buffer.rest == b"here\n")
        process.read_status()
        group = Path(f"/proc/{process.pid}/cgroup").read_text().rpartition("0::/")[2].strip()
        bot.discard()
    assert ("referee-" in group) == bool(cgroup.controllers())
    if cgroup.controllers():
        assert GROUPS is not None
        wait_until(lambda: not (GROUPS / group).exists())
