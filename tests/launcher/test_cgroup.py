"""Control groups: created for a bot where possible, and always removed."""

import os
import signal
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
from referee.launcher.process_tree import processor_ns
from referee.sandbox.limits import ResourceLimits
from tests.conftest import ROOT
from tests.hostile.world import PYTHON, rung_called
from tests.support.processes import below, end, is_running, pid_of, wait_until
from tests.support.tools import skip_control_groups

GROUPS = next(
    (
        Path(line.split()[4])
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
        if line.partition(" - ")[2].split()[0] == "cgroup2"
    ),
    None,
)
SECOND_NS = 1_000_000_000
FAMILY = """
import os, signal, sys
from referee.launcher import cgroup
cgroup.enter(sys.argv[1])
child = os.fork()
if child:
    print(os.getpid(), child, flush=True)
signal.pause()
"""

FORKS = """
import os, signal, sys
from referee.launcher import cgroup
cgroup.enter(sys.argv[1])
children = []
try:
    for _ in range(20):
        children.append(os.fork())
        if not children[-1]:
            signal.pause()
except BlockingIOError:
    pass
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
print(len(children))
"""
PAGES = """
import sys
from referee.launcher import cgroup
cgroup.enter(sys.argv[1])
print(len(bytes(range(256)) * (100 << 12)))
"""
BURNERS = """
import os, sys
from referee.launcher import cgroup
cgroup.enter(sys.argv[1])
os.sched_setaffinity(0, {int(sys.argv[2])})
for _ in range(int(sys.argv[3]) - 1):
    if not os.fork():
        break
os.write(1, b"on\\n")
while True:
    pass
"""


@pytest.fixture
def parent() -> Iterator[Path]:
    """Create a parent group."""
    if GROUPS is None or not os.access(GROUPS / "cgroup.procs", os.W_OK):
        skip_control_groups()
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


@pytest.fixture
def groups() -> Iterator[list[str]]:
    """Make two groups for 64 MiB and 10 processes each, as bots have them."""
    made = [cgroup.make(64 << 20, 10) for _ in range(2)]
    assert (None not in made) == bool(cgroup.controllers())
    yield [group or "none" for group in made]  # entering `none` changes nothing
    for group in made:
        if group is not None:
            cgroup.remove(group)


def _start(program: str, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", program, *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def test_kernel_limits_the_processes_of_a_group(groups: list[str]) -> None:
    forks, _ = _start(FORKS, groups[0]).communicate()
    assert int(forks) == (9 if "pids" in cgroup.controllers() else 20)


def test_kernel_ends_a_group_over_its_memory(groups: list[str]) -> None:
    process = _start(PAGES, groups[0])
    process.communicate()
    has_control = "memory" in cgroup.controllers()
    assert process.returncode == (-signal.SIGKILL if has_control else 0)
    assert cgroup.is_out_of_memory(groups[0]) == has_control


def test_kernel_shares_a_core_between_groups(groups: list[str]) -> None:
    """One process gets as much as four, and not a fifth."""
    core = str(min(os.sched_getaffinity(0)))
    one, four = (_start(BURNERS, group, core, n) for group, n in zip(groups, "14", strict=True))
    try:
        for family, count in ((one, 1), (four, 4)):
            assert family.stdout is not None
            assert [family.stdout.readline() for _ in range(count)] == [b"on\n"] * count
        children = below(four.pid)

        def burned() -> tuple[int, int]:
            return processor_ns(one.pid), sum(map(processor_ns, [four.pid, *children]))

        before = burned()
        wait_until(lambda: sum(burned()) - sum(before) > SECOND_NS)
        by_one, by_four = (now - then for now, then in zip(burned(), before, strict=True))
        assert (by_one > by_four / 2) == ("cpu" in cgroup.controllers())
    finally:
        end(one)
        end(four)


@pytest.mark.parametrize("name", ["bwrap", "limits"])
def test_bot_has_a_group_while_it_runs(name: str, tmp_path: Path) -> None:
    """Where its user may create one that limits something."""
    rung = rung_called(name)
    words = (PYTHON, "-c", "print('here', flush=True); input()")
    command = rung.confine(Command(words, Path("/")), ResourceLimits(), [])
    with Launcher() as launcher:
        bot = Bot("one", command, launcher)
        process, _ = bot.acquire_process(False)
        wait_until(lambda: process.read_stdout(0.0) and process.output.buffer.rest == b"here\n")
        group = Path(f"/proc/{pid_of(process)}/cgroup").read_text().rpartition("0::/")[2].strip()
        bot.discard()
    assert ("referee-" in group) == bool(cgroup.controllers())
    if cgroup.controllers():
        assert GROUPS is not None
        wait_until(lambda: not (GROUPS / group).exists())
