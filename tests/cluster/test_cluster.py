"""Tournaments on a Dask cluster, with real schedulers and workers."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from distributed import Client

from referee.cli import main
from referee.sandbox.probe import SandboxProbe
from tests.conftest import ROOT, Referee, command_line
from tests.end_to_end.test_run import PYTHON, Cup
from tests.hostile.world import PYTHON as SYSTEM_PYTHON
from tests.support.clusters import Cluster
from tests.support.processes import is_running, wait_until
from tests.support.tools import needs, needs_root, skip

# Tests that share a cluster are run one after the other by the same process; the others are not.
shares_cluster = pytest.mark.xdist_group("cluster")
PATIENT = ROOT / "tests" / "support" / "patient_bot.py"


class ClusterCup(Cup):
    """A tournament of two bots that wait while the file `hold` exists."""

    def __init__(self, folder: Path, referee: Referee) -> None:
        super().__init__(folder, referee)
        self.hold = folder / "hold"
        shutil.copy(PATIENT, folder)
        self.write(
            variants=["standoff"],
            encounters=3,
            bots=[
                {"name": name, "command": f"{PYTHON} patient_bot.py {choice} {folder}"}
                for name, choice in (("alpha", "first"), ("beta", "last"))
            ],
        )

    def is_held_on(self, worker: str) -> bool:
        return (self.folder / f"playing-{worker}").exists()

    def bot_on(self, worker: str) -> int:
        """Return the process id of a bot that waits there."""
        return int((self.folder / f"playing-{worker}").read_text())


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a scheduler and two workers, for tests that do not end them."""
    folder = tmp_path_factory.mktemp("cluster")
    folder.chmod(0o755)
    tools = folder / "tools"
    tools.mkdir()
    (tools / "mypython").symlink_to(sys.executable)
    cluster = Cluster(folder)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    try:
        cluster.start_scheduler()
        for name in ("one", "two"):
            cluster.start_worker(name, PATH=path)
        cluster.wait_for("one", "two")
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Start a scheduler without workers."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    try:
        cluster.start_scheduler()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
def cup(tmp_path: Path, referee: Referee) -> Iterator[Cup]:
    with closing(Cup(tmp_path, referee)) as cup:
        yield cup


@pytest.fixture
def patient(tmp_path: Path, referee: Referee) -> Iterator[ClusterCup]:
    with closing(ClusterCup(tmp_path, referee)) as cup:
        yield cup


def read_until(run: subprocess.Popen[bytes], text: bytes) -> None:
    """Wait until a run has printed this on standard error."""
    assert run.stderr is not None
    while text not in (line := run.stderr.readline()):
        assert line, f"it ended and never printed {text!r}"


def same_but_for_times(records: list[dict]) -> dict[str, tuple]:
    """Return the values of records that a local run and one on a cluster have in common."""
    keys = ("moves", "score", "reason", "settings", "hashes", "seed", "encounter", "sandbox")
    return {record["id"]: tuple(record[key] for key in keys) for record in records}


@shares_cluster
def test_cluster_run_has_the_games_and_tables_of_a_local_run(cup: Cup, shared: Cluster) -> None:
    """Byte for byte, except the times; no message of Dask is printed."""
    cup.run("--out", "local")
    result = cup.run("--out", "far", "--cluster-file", str(shared.file))
    assert same_but_for_times(cup.records("far")) == same_but_for_times(cup.records("local"))
    assert cup.tables("far") == cup.tables("local")
    assert "distributed" not in result.stderr
    assert "cluster: 2 workers on " in result.stderr
    starts = [ms for record in cup.records("far") for ms in record["startup_ms"] if ms is not None]
    assert len(starts) <= 6, "bots stay alive between tasks: three on each worker"


@shares_cluster
def test_local_and_cluster_runs_resume_each_other(cup: Cup, shared: Cluster) -> None:
    """In any order, and to the same tables."""
    cup.run("--out", "whole")
    games = cup.folder / "whole" / "games.jsonl"
    lines = games.read_bytes().splitlines(keepends=True)
    whole = cup.tables("whole")
    games.write_bytes(b"".join(lines[:7]))
    cup.run("--out", "whole", "--cluster", shared.address)
    assert cup.tables("whole") == whole
    assert cup.lines("whole") == 24
    lines = games.read_bytes().splitlines(keepends=True)
    games.write_bytes(b"".join(lines[:15]))
    cup.run("--out", "whole")
    assert cup.tables("whole") == whole


@shares_cluster
def test_worker_unpacks_builds_and_isolates_a_bot(cup: Cup, shared: Cluster) -> None:
    """Ignored files are not sent, executable bits are kept, the build runs in the sandbox."""
    rung = SandboxProbe().result("bwrap")
    if isinstance(rung, str) and os.environ.get("CI"):
        pytest.fail(rung)
    wanted = "none" if isinstance(rung, str) else "bwrap"
    folder = cup.folder / "built"
    (folder / "data").mkdir(parents=True)
    shutil.copy(ROOT / "bots" / "random_bot.sh", folder / "source")
    (folder / "start").write_text("#!/bin/sh\ntest ! -e data/huge && exec ./made\n")
    (folder / "start").chmod(0o755)
    (folder / "make").write_text("#!/bin/sh\ncp source made && chmod +x made\n")
    (folder / "make").chmod(0o755)
    (folder / "data" / "huge").write_text("never sent")
    (folder / ".refereeignore").write_text("# not needed\n/data/*\n")
    cup.write(
        variants=["standoff"],
        bots=[
            {"name": "built", "dir": "built", "build": "./make", "command": "./start"},
            {"name": "plain", "command": "./beta.sh"},
        ],
    )
    cup.run("--cluster", shared.address, "--sandbox", wanted)
    assert [record["fault"] for record in cup.records()] == [None] * 4
    assert {record["sandbox"] for record in cup.records()} == {wanted}


@shares_cluster
def test_worker_offers_the_kit_to_any_python(cup: Cup, shared: Cluster) -> None:
    """Also to the system's Python, which does not have the package."""
    (cup.folder / "bot.py").write_text(
        "from referee.kit import play\nplay(lambda turn: turn.legal[0])\n"
    )
    bots = [{"name": name, "command": f"{SYSTEM_PYTHON} bot.py"} for name in ("one", "two")]
    cup.write(variants=["lockdown"], bots=bots)
    cup.run("--cluster", shared.address)
    assert [record["fault"] for record in cup.records()] == [None] * 4


@shares_cluster
def test_worker_without_a_program_or_the_referee_gets_no_games(cup: Cup, shared: Cluster) -> None:
    """The message names worker and bot before a game is lost; the other workers play."""
    bots = [
        {"name": "picky", "command": "mypython -S alpha.py"},
        {"name": "plain", "command": f"{PYTHON} gamma.py"},
    ]
    cup.write(variants=["standoff"], bots=bots)
    blocker = cup.folder / "blocker" / "referee"
    blocker.mkdir(parents=True)
    (blocker / "__init__.py").write_text("raise ImportError('this machine has no referee')\n")
    older = cup.folder / "older" / "referee"
    older.mkdir(parents=True)
    (older / "__init__.py").write_text("__version__ = '0.0.1'\n")
    shared.start_worker("poor")
    shared.start_worker("bare", PYTHONPATH=str(blocker.parent))
    shared.start_worker("old", PYTHONPATH=str(older.parent))
    shared.wait_for("poor", "bare", "old")
    try:
        result = cup.run("--cluster", shared.address)
        for name in ("bare", "old"):
            assert shared.processes[name].poll() is None, "it may work for other users"
    finally:
        for name in ("poor", "bare", "old"):
            shared.kill(name)
    assert "no games for " in result.stderr
    assert "it has no referee" in result.stderr
    assert "it has version 0.0.1 of the referee, here is " in result.stderr
    assert "picky cannot be used: there is no program 'mypython'" in result.stderr
    assert [record["fault"] for record in cup.records()] == [None] * 4
    bots[0]["command"] = "no-such-program -S alpha.py"
    cup.write(bots=bots)
    refused = cup.run("--cluster", shared.address, "--out", "never", code=2)
    assert "picky cannot be used: there is no program 'no-such-program'" in refused.stderr
    assert "The tournament was not started" in refused.stderr


def deadly_variant(folder: Path, statement: str) -> Path:
    """Write tic-tac-toe that executes this on a worker when X and O are in opposite corners."""
    text = (ROOT / "docs" / "examples" / "tictactoe.py").read_text()
    legal = 'return [move for move, cell in self.cells.items() if state[cell] == "."]'
    assert legal in text
    check = f"if state == 'X.......O' and 'WORKER' in os.environ: {statement}\n        {legal}"
    text = text.replace(legal, check).replace(
        "from referee.errors", "import os\n\nfrom referee.errors"
    )
    path = folder / "deadly.py"
    path.write_text(text)
    return path


def write_deadly(cup: ClusterCup, statement: str) -> None:
    """Write a tournament with all nine openings of one ply: one of 18 games has that position."""
    deadly_variant(cup.folder, statement)
    cup.write(variants=["deadly.py"], encounters=9, opening_plies=1)


def check_one_void(cup: ClusterCup, result: subprocess.CompletedProcess[str], reason: str) -> None:
    """Check that all games but the deadly one have a record, and that its reason is printed."""
    records = cup.records()
    assert len(records) == len({record["id"] for record in records}) == 17
    (line,) = [line for line in result.stderr.splitlines() if "could not be played" in line]
    assert reason in line
    assert not any(record["id"] in line for record in records)


@shares_cluster
def test_game_that_ends_its_process_is_void(patient: ClusterCup, shared: Cluster) -> None:
    """After three attempts; the worker plays the other games."""
    write_deadly(patient, "os._exit(7)")
    result = patient.run("--cluster", shared.address, code=3)
    check_one_void(patient, result, "the process that played it died (exit code 7)")


def test_game_that_kills_its_worker_is_tried_alone_and_void(
    patient: ClusterCup, cluster: Cluster
) -> None:
    """It kills three workers; the games of the same batches are played."""
    write_deadly(patient, "os.kill(os.getppid(), 9)")
    cluster.start_worker("mortal", nanny=True)
    result = patient.run("--cluster", cluster.address, code=3)
    check_one_void(patient, result, "was lost while it played this")
    assert result.stderr.count("was lost; its games are played again") == 3


def test_late_worker_gets_games_and_games_of_a_killed_worker_are_played_again(
    patient: ClusterCup, cluster: Cluster
) -> None:
    """The bots of a killed worker end with it, and each game is recorded once."""
    patient.hold.touch()
    run = patient.start("--cluster", cluster.address)
    read_until(run, b"no worker is there: waiting")
    cluster.start_worker("first")
    wait_until(lambda: patient.is_held_on("first"))
    cluster.start_worker("late")
    wait_until(lambda: patient.is_held_on("late"))
    bot = patient.bot_on("first")
    cluster.kill("first")
    wait_until(lambda: not is_running(bot))
    patient.hold.unlink()
    _, errors = run.communicate()
    assert run.returncode == 0, errors
    assert b"was lost; its games are played again" in errors
    records = patient.records()
    assert len(records) == len({record["id"] for record in records}) == 6


def test_killed_scheduler_ends_the_run_and_the_next_run_resumes_it(
    patient: ClusterCup, cluster: Cluster
) -> None:
    """Finished games are kept, the message names the cause, and the same command resumes."""
    cluster.start_worker("only")
    run = patient.start("--cluster", cluster.address)
    wait_until(lambda: patient.lines() > 0)
    patient.hold.touch()
    wait_until(lambda: patient.is_held_on("only") or run.poll() is not None)
    if run.poll() is None:
        bot = patient.bot_on("only")
        cluster.kill("scheduler")
        _, errors = run.communicate()
        assert run.returncode == 3, errors
        assert b"does not answer any more" in errors
        assert b"run the same command to go on" in errors
        assert b"Traceback" not in errors
        wait_until(lambda: not is_running(bot))
    patient.hold.unlink()
    before = patient.records()
    patient.run()
    assert patient.records()[: len(before)] == before
    assert len(patient.records()) == 6


@shares_cluster
def test_expired_session_is_prepared_again(patient: ClusterCup, shared: Cluster) -> None:
    """A worker that releases its lease, for example to spill memory, gets games again."""

    def expire() -> None:  # on the worker, where the tests are not installed
        from referee.cluster import worker_session

        for session in list(worker_session._sessions.values()):
            session.close()

    patient.hold.touch()
    run = patient.start("--cluster", shared.address)
    wait_until(lambda: patient.is_held_on("one") and patient.is_held_on("two"))
    bot = patient.bot_on("one")
    with Client(shared.address, set_as_default=False) as client:
        client.run(expire)
    wait_until(lambda: not is_running(bot))
    patient.hold.unlink()
    _, errors = run.communicate()
    assert run.returncode == 0, errors
    records = patient.records()
    assert len(records) == len({record["id"] for record in records}) == 6


@shares_cluster
def test_killed_coordinator_leaves_no_bots(patient: ClusterCup, shared: Cluster) -> None:
    """The workers stay, for the tests after this one."""
    patient.hold.touch()
    run = patient.start("--cluster", shared.address)
    wait_until(lambda: patient.is_held_on("one") and patient.is_held_on("two"))
    bots = [patient.bot_on("one"), patient.bot_on("two")]
    run.kill()
    run.communicate()
    wait_until(lambda: not any(map(is_running, bots)))


@shares_cluster
@pytest.mark.parametrize("times", [1, 2])
def test_interrupt_finishes_running_games_and_the_second_stops_them(
    patient: ClusterCup, shared: Cluster, times: int
) -> None:
    """Queued games are dropped."""
    patient.write(encounters=20)
    patient.hold.touch()
    run = patient.start("--cluster", shared.address)
    wait_until(lambda: patient.is_held_on("one") and patient.is_held_on("two"))
    bot = patient.bot_on("one")
    for number in range(times):
        run.send_signal(signal.SIGINT)
        if number == 0:
            read_until(run, b"once more stops at once")
    if times == 1:
        patient.hold.unlink()
    _, errors = run.communicate()
    assert run.returncode == 130, errors
    wait_until(lambda: not is_running(bot))
    patient.hold.unlink(missing_ok=True)
    assert (patient.lines() > 0) == (times == 1)
    assert patient.lines() < 40


def test_local_cluster_survives_an_interrupt_until_its_games_end(patient: ClusterCup) -> None:
    """Ctrl-C at a terminal signals all processes of `local:N`, which end after the run."""
    patient.hold.touch()
    command = command_line("run", "cup.yaml", "--cluster", "local:1")
    run = subprocess.Popen(
        command, cwd=patient.folder, stdout=-1, stderr=-1, start_new_session=True
    )
    patient.started.append(run)
    wait_until(lambda: patient.is_held_on("here"))
    os.killpg(run.pid, signal.SIGINT)
    read_until(run, b"once more stops at once")
    patient.hold.unlink()
    _, errors = run.communicate()
    assert run.returncode == 130, errors
    assert b"was lost" not in errors
    assert 0 < patient.lines() < 6


def test_missing_dask_is_reported_with_the_command_to_install_it(cup: Cup) -> None:
    """A run without `--cluster` needs no Dask."""
    blocker = cup.folder / "blocker"
    (blocker / "distributed").mkdir(parents=True)
    text = "raise ModuleNotFoundError(\"No module named 'distributed'\", name='distributed')\n"
    (blocker / "distributed" / "__init__.py").write_text(text)
    message = cup.referee.refuse("run", "cup.yaml", "--cluster", "local:2", path=blocker)
    assert "pip install '.[cluster]' in the checkout" in message
    assert cup.referee("run", "cup.yaml", "--quiet", path=blocker).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cluster", "nonsense"], "'nonsense' is no address"),
        (["--cluster", "pigeon://127.0.0.1:1"], "is no address"),
        (["--cluster", "local:0"], "1 to 1024 processes"),
        (["--cluster", "local:1", "--workers", "2"], "a cluster has its own workers"),
        (["--cluster", "local:1", "--cluster-file", "x"], "one of them is enough"),
        (["--cluster-file", "none.json"], "No such file"),
        (["--cluster", "local:1", "--cluster-wait", "soon"], "--cluster-wait is 'soon'"),
    ],
)
def test_wrong_cluster_options_are_reported_in_one_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2."""
    assert main(["run", "cup.yaml", *options]) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1


def test_unreachable_scheduler_is_an_external_error(cup: Cup) -> None:
    """One sentence and exit code 3, in bounded time."""
    result = cup.run("--cluster", "tcp://127.0.0.1:1", code=3)
    assert "no scheduler answers at tcp://127.0.0.1:1" in result.stderr


def test_person_cannot_play_on_a_cluster(cup: Cup) -> None:
    """The message has the way to run the file instead."""
    bots = [{"name": "me", "command": "human"}, {"name": "plain", "command": "./beta.sh"}]
    cup.write(bots=bots)
    message = cup.referee.refuse("run", "cup.yaml", "--cluster", "tcp://127.0.0.1:1")
    assert "run this file without --cluster" in message


def test_scheduler_without_workers_is_given_up_after_the_wait(cup: Cup, cluster: Cluster) -> None:
    """With exit code 3."""
    result = cup.run("--cluster", cluster.address, "--cluster-wait", "1ms", code=3)
    assert "no worker has joined" in result.stderr


class Network:
    """Three hosts with their own addresses: a hub, and two that are connected to the hub only."""

    def __init__(self) -> None:
        self.names = {host: f"referee-{os.getpid()}-{host}" for host in ("hub", "a", "b")}

    def ip(self, *words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def inside(self, host: str) -> list[str]:
        """Return the prefix that runs a command on that host."""
        return ["ip", "netns", "exec", self.names[host]]

    def open(self) -> None:
        for name in self.names.values():
            self.ip("netns", "add", name)
            self.ip("-n", name, "link", "set", "lo", "up")
        for number, host in enumerate(("a", "b"), start=1):
            hub, other, near, far = self.names["hub"], self.names[host], f"to-{host}", "to-hub"
            pair = ("type", "veth", "peer", "name", far, "netns", other)
            self.ip("-n", hub, "link", "add", "name", near, *pair)
            self.ip("-n", hub, "addr", "add", f"10.231.{number}.1/24", "dev", near)
            self.ip("-n", other, "addr", "add", f"10.231.{number}.2/24", "dev", far)
            self.ip("-n", hub, "link", "set", near, "up")
            self.ip("-n", other, "link", "set", far, "up")

    def close(self) -> None:
        for name in self.names.values():
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@pytest.fixture
def network() -> Iterator[Network]:
    """Create the hosts as network namespaces."""
    needs("ip")
    needs_root()
    network = Network()
    try:
        try:
            network.open()
        except subprocess.CalledProcessError as error:
            skip(f"needs network namespaces: {error.stderr.decode().strip()}")
        yield network
    finally:
        network.close()


def test_records_name_the_hosts_of_two_machines(
    patient: ClusterCup, network: Network, tmp_path: Path
) -> None:
    """Both play."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    try:
        cluster.start_scheduler(inside=network.inside("hub"), host="0.0.0.0")
        port = cluster.address.rpartition(":")[2]
        for number, host in enumerate(("a", "b"), start=1):
            address = f"tcp://10.231.{number}.1:{port}"
            cluster.start_worker(host, address, inside=network.inside(host))
        cluster.wait_for("a", "b")
        patient.hold.touch()
        command = command_line("run", "cup.yaml", "--cluster", f"tcp://10.231.1.1:{port}")
        run = subprocess.Popen(
            [*network.inside("hub"), *command], cwd=patient.folder, stdout=-1, stderr=-1
        )
        patient.started.append(run)
        wait_until(lambda: patient.is_held_on("a") and patient.is_held_on("b"))
        patient.hold.unlink()
        _, errors = run.communicate()
        assert run.returncode == 0, errors
    finally:
        cluster.close()
    hosts = {record["host"].partition(" ")[2] for record in patient.records()}
    assert hosts == {"(10.231.1.2)", "(10.231.2.2)"}


@shares_cluster
def test_dry_run_prepares_the_workers(cup: Cup, shared: Cluster) -> None:
    """It plays no game, and warns of a worker with several threads."""
    shared.start_worker("broad", "--scheduler-file", str(shared.file), "--nthreads", "2")
    shared.wait_for("broad")
    try:
        result = cup.run("--dry-run", "--cluster", shared.address)
    finally:
        shared.kill("broad")
    assert "workers:     3" in result.stdout
    assert "has 2 threads, and plays one game at a time all the same" in result.stderr
    assert not (cup.folder / "results").exists()


def test_local_run_does_not_import_dask(cup: Cup) -> None:
    """Its import would delay the first move."""
    program = "import sys; from referee.cli import main; code = main(sys.argv[1:]);"
    program += (
        "sys.exit(code or any(name.startswith(('dask', 'distributed')) for name in sys.modules))"
    )
    command = [sys.executable, "-c", program, *command_line("run", "cup.yaml", "--quiet")[3:]]
    subprocess.run(command, cwd=cup.folder, check=True, capture_output=True)
