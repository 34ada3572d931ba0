"""Limits of a machine: many bots, few descriptors, a quota of processor time."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.system.cores import default_slots
from referee.system.cpu_quota import cpu_quota, quota_warning
from tests.conftest import ROOT, Referee, command_line
from tests.end_to_end.test_run import PYTHON, Cup
from tests.support.tools import skip, skip_control_groups

CROWD = 40
COUNTING_BOT = """
import os, pathlib, sys
folder = pathlib.Path(sys.argv[1])
(folder / str(os.getpid())).touch()
for line in sys.stdin:
    if line.startswith("game"):
        print(len(list(folder.iterdir())), file=(folder.parent / "counts").open("a"))
        print("ready", flush=True)
    if line.startswith("quit"):
        break
(folder / str(os.getpid())).unlink()
"""


@pytest.fixture
def crowd(tmp_path: Path, referee: Referee) -> Cup:
    """Write a tournament of many bots, each of which records how many run at that moment."""
    cup = Cup(tmp_path, referee)
    (cup.folder / "counting.py").write_text(COUNTING_BOT)
    (cup.folder / "there").mkdir()
    command = f"{PYTHON} counting.py {cup.folder / 'there'}"
    bots = [{"name": f"bot-{number}", "command": command} for number in range(CROWD)]
    cup.write(variants=["lockdown"], encounters=1, bots=bots)
    return cup


def test_bots_are_tried_in_groups_of_the_number_of_cores(crowd: Cup) -> None:
    """So none exceeds its start-up limit because of the others."""
    crowd.run("--dry-run")
    counts = [int(line) for line in (crowd.folder / "counts").read_text().split()]
    assert len(counts) == CROWD
    assert max(counts) <= default_slots()


def limit_files(soft: int, hard: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_many_bots_need_few_open_files(crowd: Cup) -> None:
    """All of them are tried with fewer descriptors than they would need together."""
    result = crowd.referee("run", "cup.yaml", "--dry-run", preexec_fn=limit_files(128, 128))
    assert result.returncode == 0, result.stderr


def test_soft_limit_of_open_files_is_raised(tmp_path: Path) -> None:
    """Many workers need more than it allows."""
    cup = Cup(tmp_path, Referee(tmp_path))
    options = ("run", "cup.yaml", "--workers", "24")
    result = cup.referee(*options, preexec_fn=limit_files(48, 1024))
    assert result.returncode == 0, result.stderr
    assert cup.lines() == 24


def test_too_few_open_files_are_reported_in_one_sentence(tmp_path: Path) -> None:
    """Exit code 3, not a traceback."""
    cup = Cup(tmp_path, Referee(tmp_path))
    options = ("run", "cup.yaml", "--workers", "24")
    result = cup.referee(*options, preexec_fn=limit_files(48, 48))
    assert result.returncode == 3, result.stderr
    assert "Too many open files" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    """Open 1100 files: every further one has a number beyond 1024."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 2048 if before[1] == resource.RLIM_INFINITY else min(2048, before[1])
    if most < 2048:
        skip(f"the hard limit of open files is {before[1]}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    yield
    for descriptor in opened:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("many_descriptors")
def test_bot_descriptors_may_exceed_1024(tmp_path: Path) -> None:
    """`select` would reject them; a bot is started, suspended, resumed and ended."""
    with Launcher() as launcher:
        command = Command(
            (sys.executable, str(ROOT / "tests" / "support" / "scripted_bot.py")), tmp_path
        )
        process = launcher.start(command)
        assert process.status > 1024
        while process.pid is None:
            assert process.poll(60_000)
            process.read_status()
        process.suspend()
        process.resume()
        process.kill()
        launcher.start(command).kill()


V2 = "0::/service/referee\n"
V1 = "3:cpuset:/\n2:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n"


@pytest.mark.parametrize(
    ("membership", "files", "quota"),
    [
        (V2, {}, None),
        (V2, {"cpu.max": "max 100000\n"}, None),
        (V2, {"service/referee/cpu.max": "150000 100000\n"}, 1.5),
        (V2, {"service/cpu.max": "50000 100000", "service/referee/cpu.max": "max 100000"}, 0.5),
        (V2, {"service/cpu.max": "50000 100000", "service/referee/cpu.max": "9 100000"}, 9e-5),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2.0),
        ("0::/../elsewhere\n", {"cpu.max": "200000 100000\n"}, 2.0),
        (V2, {"service/referee/cpu.max": "what\n"}, None),
        (V1, {"cpu/docker/abc/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        (
            V1,
            {
                "cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "75000\n",
                "cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000\n",
            },
            0.75,
        ),
        # In a container the path is that of the host, and the mount is the group itself.
        (V1, {"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000"}, 3.0),
        (V1 + "0::/a\n", {"unified/a/cpu.max": "100000 100000\n"}, 1.0),
        ("nonsense\n", {}, None),
    ],
)
def test_cpu_quota_reads_both_versions_of_control_groups(
    tmp_path: Path, membership: str, files: dict[str, str], quota: float | None
) -> None:
    """With all parent groups."""
    (tmp_path / "membership").write_text(membership)
    for name, text in files.items():
        path = tmp_path / "mount" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert cpu_quota(tmp_path / "membership", tmp_path / "mount") == quota


def test_cpu_quota_without_control_groups_is_none(tmp_path: Path) -> None:
    assert cpu_quota(tmp_path / "none", tmp_path / "none") is None


@pytest.mark.parametrize(
    ("slots", "quota", "warning"),
    [(2, None, None), (2, 2.0, None), (1, 1.5, None), (2, 1.5, "--workers 1"), (1, 0.5, "raise")],
)
def test_quota_warning_names_a_quota_that_is_too_small(
    slots: int, quota: float | None, warning: str | None
) -> None:
    """In one line, with what to do."""
    text = quota_warning(slots, quota)
    assert (text is None) == (warning is None)
    if text is not None and warning is not None:
        assert warning in text
        assert "clocks cannot be trusted" in text
        assert "\n" not in text


@pytest.fixture
def one_core() -> Iterator[Path]:
    """Create a control group with a quota of one core."""
    first, second = Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/cpu")
    group = (first if (first / "cgroup.controllers").exists() else second) / f"test-{uuid4()}"
    try:
        group.mkdir()
    except OSError:
        skip_control_groups()
    try:
        if (group / "cpu.cfs_quota_us").exists():
            (group / "cpu.cfs_quota_us").write_text("100000")
        elif (group / "cpu.max").exists():
            (group / "cpu.max").write_text("100000 100000")
        else:
            skip("control groups have no processor time here")
        yield group
    finally:
        group.rmdir()


def test_run_respects_a_real_quota(one_core: Path, tmp_path: Path) -> None:
    """One game at a time by default, a warning with more, and `doctor` shows it."""
    cup = Cup(tmp_path, Referee(tmp_path))

    def inside(*words: str) -> subprocess.CompletedProcess[str]:
        enter = f'echo $$ > {one_core / "cgroup.procs"} && exec "$@"'
        command = ["sh", "-c", enter, "sh", *command_line(*words)]
        return subprocess.run(command, cwd=cup.folder, capture_output=True, text=True)

    assert "1 cores' worth of time" in inside("doctor").stdout
    plain = inside("run", "cup.yaml", "--dry-run")
    assert "workers:     1\n" in plain.stdout
    assert "clocks" not in plain.stderr
    crowded = inside("run", "cup.yaml", "--workers", "2")
    assert crowded.returncode == 0, crowded.stderr
    assert crowded.stderr.count("the clocks cannot be trusted: a quota grants 1 cores' worth") == 1
