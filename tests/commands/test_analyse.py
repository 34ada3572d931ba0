"""`referee analyse`: every ply of every game; several workers, interrupts, resume, clusters."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from distributed import Client

from referee.analysis.solver import VERSION
from referee.records.analysis_file import FILE, read_line
from referee.rules import Size
from tests.conftest import Referee, command_line
from tests.support.clusters import Cluster
from tests.support.processes import PATIENCE_SECONDS, below, wait_until
from tests.support.report_games import TICTACTOE, Record, make_record, write_tournament
from tests.support.terminals import CTRL_C, Terminal

NAMES = ("ann", "bob")
SMALL = [("standoff", (4, 4)), ("barricade", (3, 4)), ("lockdown", (4, 5)), ("runner", (3, 4))]
SMALL += [("crossfire", (4, 4))]


def small_games(count: int = 2) -> list[Record]:
    """Games on boards that are solved in milliseconds."""
    return [
        make_record(name, Size(*size), bots, encounter, 10 * encounter + len(bots[0]))
        for name, size in SMALL
        for encounter in range(1, count + 1)
        for bots in (NAMES, NAMES[::-1])
    ]


def analyses(folder: Path) -> dict[str, bytes]:
    """The lines of the analysis file by id."""
    lines = (folder / FILE).read_bytes().splitlines(keepends=True)
    return {read_line(line).id: line for line in lines}


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    return write_tournament(tmp_path / "cup", small_games())


def test_analyse_proves_every_ply_of_every_game(cup: Path, referee: Referee) -> None:
    """The table has each bot; the file has each game; a second run adds nothing."""
    records = {record["id"]: record for record in small_games()}
    ledger = (cup / "games.jsonl").read_bytes()
    result = referee("analyse", "cup")
    assert result.returncode == 0, result.stderr
    assert [line.split()[0] for line in result.stdout.splitlines()[3:5]] == ["ann", "bob"]
    assert max(map(len, result.stdout.splitlines())) <= 84
    assert "20/20 games" in result.stderr
    found = analyses(cup)
    assert found.keys() == records.keys()
    for game_id, line in found.items():
        content = json.loads(line)
        assert content["solver"] == VERSION
        assert len(content["values"]) == len(records[game_id]["moves"])
    again = referee("analyse", "cup")
    assert (again.returncode, again.stdout, again.stderr) == (0, result.stdout, "")
    assert analyses(cup) == found
    assert (cup / "games.jsonl").read_bytes() == ledger


def test_analyse_results_do_not_depend_on_the_number_of_workers(
    cup: Path, referee: Referee
) -> None:
    """Nor does the order, with a budget that leaves much unproved."""
    for workers in ("1", "3"):
        result = referee("analyse", "cup", "--workers", workers, "--nodes", "150")
        assert result.returncode == 0, result.stderr
        if workers == "1":
            first, text = analyses(cup), result.stdout
            assert b"unproved" in b"".join(first.values())
            (cup / FILE).unlink()
    assert analyses(cup) == first
    assert result.stdout == text


def test_what_is_missing_or_has_another_budget_or_version_is_analysed(
    cup: Path, referee: Referee
) -> None:
    """A file cut short, a strange line and old objects cost nothing else."""
    referee("analyse", "cup", "--nodes", "150")
    whole = analyses(cup)
    lines = [*whole.values()]
    old = lines[0].replace(f'"solver":{VERSION}'.encode(), b'"solver":99')
    (cup / FILE).write_bytes(b"".join([old, b"?\n", *lines[2:-1], lines[-1][:-30]]))
    result = referee("analyse", "cup", "--nodes", "150")
    assert result.returncode == 0
    assert "the last line" in result.stderr
    assert "1 line of" in result.stderr
    assert "17 of 20 games were analysed before" in result.stderr
    assert analyses(cup) == whole
    more = referee("analyse", "cup")
    assert more.returncode == 0
    values = {game_id: json.loads(line) for game_id, line in analyses(cup).items()}
    for game_id, line in whole.items():
        before = json.loads(line)
        assert all(
            value in ("unproved", now)
            for value, now in zip(before["values"], values[game_id]["values"], strict=True)
        )


def test_a_game_that_was_played_again_is_analysed_again(cup: Path, referee: Referee) -> None:
    """The ledger is the truth, and the old analysis is gone."""
    referee("analyse", "cup")
    records = small_games()
    other = make_record("standoff", Size(4, 4), NAMES, 1, 999)
    write_tournament(cup, [other, *records[1:-1]])
    result = referee("analyse", "cup")
    assert "18 of 19 games were analysed before" in result.stderr
    found = analyses(cup)
    assert found.keys() == {record["id"] for record in [other, *records[1:-1]]}
    assert len(json.loads(found[other["id"]])["values"]) == len(other["moves"])


def test_single_games_are_shown_ply_by_ply(cup: Path, referee: Referee) -> None:
    """With a mark for each error."""
    record = small_games()[0]
    result = referee("analyse", "cup", record["id"])
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"{record['id']}\n")
    rows = [line.split() for line in result.stdout.splitlines()[5:] if line]
    assert [row[2].removesuffix("??") for row in rows] == record["moves"]
    assert list(analyses(cup)) == [record["id"]]
    content = json.loads(analyses(cup)[record["id"]])
    for ply, (row, move) in enumerate(zip(rows, record["moves"], strict=True)):
        value, winning = content["values"][ply], content["winning"][ply].split(";")
        assert row[1] == ("(opening)" if ply < 2 else record["bots"][ply % 2])
        assert row[2].endswith("??") == (ply >= 2 and value == "won" and move not in winning)
        assert row[3] == value


def test_analyse_json_is_one_object(cup: Path, referee: Referee) -> None:
    """One object, and nothing else on standard output."""
    result = referee("analyse", "cup", "--json", "--quiet")
    assert result.stderr == ""
    bots = json.loads(result.stdout)["bots"]
    assert [bot["bot"] for bot in bots] == ["ann", "bob"]
    assert all(bot["games"] == 20 and 0 <= bot["kept"] <= 1 for bot in bots)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing"], "there are no games in missing"),
        (["cup", "standoff-4x4.ann.bob.9a"], "there is no game 'standoff-4x4.ann.bob.9a' in cup"),
        (["cup", "--nodes", "0"], "--nodes 0"),
        (["cup", "--budget", "soon"], "--budget is 'soon'"),
        (["cup", "--budget", "0s"], "--budget is '0s'"),
        (["cup", "--workers", "0"], "--workers 0"),
        (["cup", "--cluster", "nowhere"], "--cluster 'nowhere' is no address"),
        (["cup", "--cluster", "local:1", "--workers", "2"], "--workers is for games on this"),
        (["cup", "--variant-file", "no.py"], "there is no variant file"),
    ],
)
def test_analyse_refuses_wrong_arguments_in_a_sentence(
    cup: Path, referee: Referee, words: list[str], message: str
) -> None:
    """And no file is written."""
    assert message in referee.refuse("analyse", *words)
    assert not (cup / FILE).exists()


def test_a_folder_of_another_version_gets_a_sentence(cup: Path, referee: Referee) -> None:
    """Its records are not understood; what was analysed stays."""
    referee("analyse", "cup")
    before = (cup / FILE).read_bytes()
    games = cup / "games.jsonl"
    games.write_bytes(games.read_bytes().replace(b'"schema":1', b'"schema":7', 1))
    assert "has schema 7, this referee reads 1" in referee.refuse("analyse", "cup")
    assert (cup / FILE).read_bytes() == before


def test_moves_that_are_not_legal_get_a_sentence(cup: Path, referee: Referee) -> None:
    """The game is named, and the others are kept."""
    records = small_games()
    records[3]["moves"][1] = records[3]["moves"][0]
    write_tournament(cup, records)
    result = referee("analyse", "cup", "--workers", "1", "--quiet")
    assert result.returncode == 2
    assert result.stderr.startswith(f"referee: {records[3]['id']}: move 2 is not legal")
    assert records[0]["id"] in analyses(cup)


def test_analyse_needs_the_file_of_a_variant(tmp_path: Path, referee: Referee) -> None:
    """Without its file its games are left out; with it they are analysed, on a cluster too."""
    games = [make_record(str(TICTACTOE), Size(3, 3), NAMES, 1, 5)]
    folder = write_tournament(tmp_path / "cup", [*small_games(1), *games])
    without = referee("analyse", "cup", "--quiet")
    assert without.returncode == 0
    assert "there is no variant 'tictactoe'" in without.stderr
    assert "without the rules of tictactoe, 1 of the games are left out" in without.stderr
    assert games[0]["id"] not in analyses(folder)
    result = referee("analyse", "cup", "--quiet", "--variant-file", str(TICTACTOE))
    assert (result.returncode, result.stderr) == (0, "")
    local = analyses(folder)
    assert "drawn" in json.loads(local[games[0]["id"]])["values"]
    (folder / FILE).unlink()
    words = ["--quiet", "--variant-file", str(TICTACTOE), "--cluster", "local:2"]
    on_cluster = referee("analyse", "cup", *words)
    assert (on_cluster.returncode, on_cluster.stderr) == (0, "")
    assert analyses(folder) == local
    assert on_cluster.stdout == result.stdout


def long_games() -> list[Record]:
    """Games of which the last takes minutes: its start position is hard to prove."""
    first = small_games(1)
    return [*first, make_record("crossfire", Size(8, 7), NAMES, 1, 1)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_was_analysed(
    tmp_path: Path, referee: Referee, number: signal.Signals
) -> None:
    """Exit code 130, one line, no process left; the same command goes on."""
    folder = write_tournament(tmp_path / "cup", long_games())
    words = ["analyse", "cup", "--workers", "2", "--nodes", "1000000000"]
    process = subprocess.Popen(
        command_line(*words), cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    wait_until(lambda: (folder / FILE).exists() and len(analyses(folder)) == 10)
    workers = below(process.pid)
    assert workers
    process.send_signal(number)
    output, complaints = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, output) == (130, b"")
    assert b"referee: interrupted; run the same command to go on\n" in complaints
    assert b"Traceback" not in complaints
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    assert len(analyses(folder)) == 10
    result = referee("analyse", "cup", "--nodes", "50")
    assert "10 of 11 games were analysed before" in result.stderr
    assert len(analyses(folder)) == 11


def test_workers_end_with_their_coordinator(tmp_path: Path) -> None:
    """Also if it is killed."""
    folder = write_tournament(tmp_path / "cup", long_games())
    words = ["analyse", "cup", "--workers", "2", "--nodes", "1000000000"]
    process = subprocess.Popen(command_line(*words), cwd=tmp_path, stderr=subprocess.DEVNULL)
    wait_until(lambda: (folder / FILE).exists() and len(analyses(folder)) == 10)
    workers = below(process.pid)
    process.kill()
    process.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def test_a_worker_that_dies_is_reported(tmp_path: Path) -> None:
    """Exit code 3, and what was analysed is kept."""
    folder = write_tournament(tmp_path / "cup", long_games())
    words = ["analyse", "cup", "--workers", "1", "--nodes", "1000000000"]
    process = subprocess.Popen(
        command_line(*words), cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: (folder / FILE).exists() and len(analyses(folder)) == 10)
    for worker in below(process.pid):
        os.kill(worker, signal.SIGKILL)
    _, complaints = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 3
    assert "a worker process died (exit code -9)" in complaints
    assert len(analyses(folder)) == 10


def test_analyse_removes_its_bar_after_ctrl_c(tmp_path: Path) -> None:
    """It shows how far it is, is removed, and the terminal is as before."""
    write_tournament(tmp_path / "cup", long_games())
    with Terminal(cols=80) as terminal:
        settings = terminal.settings()
        process = terminal.start("analyse", "cup", "--nodes", "1000000000", folder=tmp_path)
        terminal.wait_for("10/11 games")
        terminal.type(CTRL_C)
        shown = terminal.finish(process)
        assert process.returncode == 130
        assert "interrupted; run the same command to go on" in shown
        assert "Traceback" not in shown
        assert terminal.settings() == settings


def test_analyse_budget_limits_the_time(tmp_path: Path, referee: Referee) -> None:
    """It ends proofs before their number of nodes does; the limit is in the file."""
    folder = write_tournament(tmp_path / "cup", long_games())
    result = referee("analyse", "cup", "--budget", "20ms", "--nodes", "1000000000")
    assert result.returncode == 0, result.stderr
    contents = {game_id: json.loads(line) for game_id, line in analyses(folder).items()}
    assert {content["budget_ms"] for content in contents.values()} == {20}
    assert contents["crossfire-8x7.ann.bob.1a"]["values"][0] == "unproved"


def test_analyse_on_a_cluster_has_the_same_results(
    cup: Path, referee: Referee, tmp_path: Path
) -> None:
    """With a scheduler and workers of their own; a run on the cluster resumes a local one."""
    referee("analyse", "cup")
    local = analyses(cup)
    (cup / FILE).write_bytes(b"".join([*local.values()][:5]))
    cluster = Cluster(tmp_path)
    try:
        cluster.start_scheduler()
        for name in ("one", "two"):
            cluster.start_worker(name)
        result = referee("analyse", "cup", "--cluster-file", str(cluster.file))
    finally:
        cluster.close()
    assert result.returncode == 0, result.stderr
    assert "5 of 20 games were analysed before" in result.stderr
    assert analyses(cup) == local


def test_a_killed_scheduler_ends_an_analysis_on_a_cluster(tmp_path: Path) -> None:
    """The message names the scheduler, not a game, and exit code 3."""
    write_tournament(tmp_path / "cup", long_games())
    cluster = Cluster(tmp_path)
    try:
        cluster.start_scheduler()
        cluster.start_worker("one")
        words = ["--cluster-file", str(cluster.file), "--budget", "60s", "--nodes", "1000000000"]
        command = command_line("analyse", "cup", *words)
        run = subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1, text=True)
        with Client(cluster.address, set_as_default=False) as client:
            wait_until(lambda: any(client.processing().values()))
        cluster.kill("scheduler")
        _, errors = run.communicate(timeout=PATIENCE_SECONDS)
    finally:
        cluster.close()
    assert run.returncode == 3, errors
    assert "does not answer any more" in errors
    assert "Traceback" not in errors


def test_analyse_gives_up_a_cluster_without_workers(
    cup: Path, referee: Referee, tmp_path: Path
) -> None:
    """It waits for the given time, and prints that."""
    cluster = Cluster(tmp_path)
    try:
        cluster.start_scheduler()
        words = ["--cluster-file", str(cluster.file), "--cluster-wait", "1s"]
        result = referee("analyse", "cup", *words)
    finally:
        cluster.close()
    assert result.returncode == 3
    assert "no worker has joined the scheduler" in result.stderr
