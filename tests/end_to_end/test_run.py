"""`referee run` with real bots: its results, and that it survives interruptions."""

import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from referee.outcome import Reason
from referee.rules import Size, find_variant, play_moves
from referee.system.cores import usable_cores
from tests.conftest import ROOT, Referee, command_line, writable
from tests.support.processes import below, children_of, end, is_running, wait_until
from tests.support.tools import needs, needs_root, skip

BOTS = ROOT / "bots"
TABLES = ("standings.md", "standings.csv", "standings.json", "crosstable.md")
PYTHON = f"{shlex.quote(sys.executable)} -S"
SCRIPTED = shlex.join([sys.executable, str(ROOT / "tests" / "support" / "scripted_bot.py")])


class Cup:
    """A tournament file in a folder of its own, and its results."""

    def __init__(self, folder: Path, referee: Referee) -> None:
        self.folder = folder
        self.file = folder / "cup.yaml"
        self.referee = referee
        self.started: list[subprocess.Popen[bytes]] = []
        self.settings: dict[str, object] = {
            "variants": ["standoff", {"name": "lockdown", "rows": 5, "cols": 6}],
            "encounters": 2,
            "seed": 7,
            "per_move": "60s",
            "startup": "60s",
            "sandbox": "none",
            "bots": [
                {"name": "alpha", "command": f"{PYTHON} {self.bring('random_bot.py', 'alpha.py')}"},
                {"name": "beta", "command": f"./{self.bring('random_bot.sh', 'beta.sh')}"},
                {"name": "gamma", "command": f"{PYTHON} {self.bring('random_bot.py', 'gamma.py')}"},
            ],
        }
        self.write()

    def bring(self, bot: str, name: str) -> str:
        """Copy a bundled bot into this tournament."""
        writable(Path(shutil.copy(BOTS / bot, self.folder / name)))
        return name

    def write(self, **changes: object) -> None:
        """Write the file with these keys changed; JSON is YAML."""
        self.settings |= changes
        self.file.write_text(json.dumps(self.settings, indent=1))

    def bot(self, name: str) -> dict[str, object]:
        """Return the entry of a bot."""
        return next(bot for bot in self.settings["bots"] if bot["name"] == name)

    def run(self, *options: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run it, and check the exit code and that there is no traceback."""
        result = self.referee("run", "cup.yaml", *options)
        assert result.returncode == code, result.stderr + result.stdout
        assert "\nTraceback" not in f"\n{result.stderr}"
        return result

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        """Run it in the background."""
        command = command_line("run", "cup.yaml", *options)
        process = subprocess.Popen(command, cwd=self.folder, stdout=-1, stderr=-1)
        self.started.append(process)
        return process

    def close(self) -> None:
        """Kill runs that a failed test has left."""
        for process in self.started:
            end(process)

    def records(self, out: str = "results/cup") -> list[dict]:
        path = self.folder / out / "games.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()]

    def tables(self, out: str = "results/cup") -> dict[str, bytes]:
        return {name: (self.folder / out / name).read_bytes() for name in TABLES}

    def lines(self, out: str = "results/cup") -> int:
        path = self.folder / out / "games.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.fixture
def cup(tmp_path: Path, referee: Referee) -> Iterator[Cup]:
    """Write a small tournament of three bots on two boards: 24 games."""
    with closing(Cup(tmp_path, referee)) as cup:
        yield cup


@pytest.fixture(scope="session")
def played_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play that tournament once."""
    folder = tmp_path_factory.mktemp("played")
    Cup(folder, Referee(folder)).run()
    return folder


@pytest.fixture
def played(tmp_path: Path, referee: Referee, played_folder: Path) -> Cup:
    """Return a copy of it that may be changed."""
    shutil.copytree(played_folder, tmp_path, dirs_exist_ok=True)
    return Cup(tmp_path, referee)


def results_of(records: list[dict]) -> dict[str, tuple]:
    """Return what must be equal however the games were played."""
    return {
        record["id"]: (record["bots"], record["moves"], record["score"], record["reason"])
        for record in records
    }


def test_run_plays_and_writes_a_tournament(cup: Cup) -> None:
    """Every pairing meets on every board, from both seats; each record replays to its outcome."""
    result = cup.run()
    records = cup.records()
    assert len(records) == len({record["id"] for record in records}) == 24
    for record in records:
        rules = find_variant(record["variant"]).on(Size(record["rows"], record["cols"]))
        outcome = rules.outcome(play_moves(rules, record["moves"]))
        assert json.dumps(outcome.score) == json.dumps(record["score"])  # 1 is not 1.0
        assert outcome.reason == record["reason"]
        assert record["opening"] == 2
        assert record["ms"][:2] == [None, None]
        assert record["fault"] is None
    seats = [tuple(record["bots"]) for record in records if record["variant"] == "standoff"]
    assert all(seats.count(pair) == seats.count(pair[::-1]) == 2 for pair in seats)
    assert "cup: 24 of 24 games" in result.stdout
    assert (cup.folder / "results" / "cup" / "timing.md").exists()
    assert not (cup.folder / "results" / "cup" / "faults").exists()


@pytest.mark.parametrize(("openings", "count"), [("spread", 12), ("shared", 4)])
def test_both_games_of_an_encounter_share_their_opening(
    cup: Cup, openings: str, count: int
) -> None:
    """Pairings have openings of their own, unless they share them; each is played twice by them."""
    cup.write(openings=openings)
    cup.run("--quiet")
    found: dict[tuple, set] = {}
    for record in cup.records():
        key = (record["variant"], record["encounter"], *sorted(record["bots"]))
        found.setdefault(key, set()).add(tuple(record["moves"][:2]))
    assert all(len(moves) == 1 for moves in found.values())
    assert len({(key[0], *moves) for key, moves in found.items()}) == count


def test_results_without_the_setting_resume_with_shared_openings(cup: Cup) -> None:
    """A folder from before openings could be spread keeps shared ones, without a message."""
    cup.run("--quiet")
    folder = cup.folder / "results" / "cup"
    manifest = json.loads((folder / "tournament.json").read_text())
    del manifest["settings"]["openings"]
    (folder / "tournament.json").write_text(json.dumps(manifest))
    (folder / "games.jsonl").write_text("")
    cup.run("--quiet")
    openings = {
        (record["variant"], record["encounter"], *record["moves"][:2]) for record in cup.records()
    }
    assert len(openings) == 4
    assert "openings" not in json.loads((folder / "tournament.json").read_text())["settings"]
    cup.write(openings="spread")
    assert "openings: shared before, spread now" in cup.run("--quiet", code=2).stderr


def test_results_of_an_older_version_are_resumed(played: Cup) -> None:
    """It kept the settings of bots among those of the tournament; changes are still found."""
    cup = played
    path = cup.folder / "results" / "cup" / "tournament.json"
    now = path.read_text()
    manifest = json.loads(now)
    for bot, settings in manifest.pop("bot_settings").items():
        manifest["settings"] |= {f"{key} of {bot}": value for key, value in settings.items()}
    older = json.dumps(manifest)
    path.write_text(older)
    assert "all 24 games were played before" in cup.run().stderr
    assert path.read_text() == now
    path.write_text(older)
    cup.write(per_move="50s")
    message = "time of alpha: 60000ms per move before, 50000ms per move now"
    assert message in cup.run(code=2).stderr


def test_run_of_a_finished_tournament_plays_nothing(played: Cup) -> None:
    """It prints the tables again."""
    cup = played
    before = (cup.folder / "results/cup/games.jsonl").read_bytes()
    tables = cup.tables()
    result = cup.run()
    assert "all 24 games were played before" in result.stderr
    assert (cup.folder / "results/cup/games.jsonl").read_bytes() == before
    assert cup.tables() == tables


def test_results_do_not_depend_on_the_number_of_workers(cup: Cup) -> None:
    """With deterministic bots."""
    cup.run("--workers", "1", "--out", "one")
    cup.run("--workers", "2", "--out", "two")
    assert results_of(cup.records("one")) == results_of(cup.records("two"))
    assert cup.tables("one") == cup.tables("two")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_run_killed_repeatedly_has_the_results_of_an_undisturbed_one(
    cup: Cup, workers: str
) -> None:
    """Byte for byte, after any number of SIGKILL."""
    think = "import select; select.select([], [], [], 0.02); print("
    bot = cup.folder / "alpha.py"
    bot.write_text(bot.read_text().replace('print("move', f'{think}"move'))
    cup.write(encounters=4)
    cup.run("--workers", workers, "--out", "calm")
    dice = random.Random(int(workers))
    kills = 0
    while kills < 2:  # on a busy machine a run may have ended when it is to be killed
        shutil.rmtree(cup.folder / "wild", ignore_errors=True)
        kills = 0
        while kills < 4 and killed_after(cup, workers, dice.randrange(1, 12)):
            kills += 1
    cup.run("--out", "wild")
    assert cup.lines("wild") == 48
    assert results_of(cup.records("wild")) == results_of(cup.records("calm"))
    assert cup.tables("wild") == cup.tables("calm")


def killed_after(cup: Cup, workers: str, games: int) -> bool:
    """Kill a run when it has played this many more games; False if it had ended before."""
    target = cup.lines("wild") + games
    process = cup.start("--workers", workers, "--out", "wild")
    wait_until(lambda: cup.lines("wild") >= target or process.poll() is not None)
    bots = below(process.pid)
    process.kill()
    process.communicate()
    wait_until(lambda: not any(is_running(bot) for bot in bots))
    return process.returncode != 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_run_keeps_finished_games(cup: Cup, number: signal.Signals) -> None:
    """Running games end, tables and report are written, exit code 130; it can be resumed."""
    cup.write(encounters=2000)
    process = cup.start()
    wait_until(lambda: cup.lines() >= 5)
    process.send_signal(number)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert b"finishing the games that are running" in err
    assert b"run the same command to go on" in err
    assert b"Traceback" not in err
    done = cup.lines()
    assert 5 <= done < 24_000
    assert f"cup: {done} of 24000 games".encode() in out
    for name in ("standings.md", "report.html"):
        assert (cup.folder / "results/cup" / name).exists()


def test_second_interrupt_stops_a_run_at_once(cup: Cup) -> None:
    """Also during a long move."""
    asked = cup.folder / "asked"
    (cup.folder / "slow.py").write_text(
        "import pathlib, signal, sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('game'): print('ready', flush=True)\n"
        "    if line.startswith('turn'): pathlib.Path(sys.argv[1]).touch(); signal.pause()\n"
    )
    slow = {"name": "slow", "command": f"slow.py {asked}"}
    cup.write(bots=[slow, cup.bot("alpha")])
    process = cup.start("--workers", "1")
    wait_until(asked.exists)
    bots = below(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    said = iter(process.stderr.readline, b"")
    assert any(b"finishing the games" in line for line in said)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err
    wait_until(lambda: not any(is_running(bot) for bot in bots))


def test_incomplete_last_line_is_removed(played: Cup) -> None:
    """With a warning, and that game is played again."""
    cup = played
    tables, games = cup.tables(), cup.folder / "results/cup/games.jsonl"
    whole = games.read_bytes()
    games.write_bytes(whole[:-40])
    result = cup.run()
    assert "was torn" in result.stderr
    assert results_of(cup.records()) == results_of([json.loads(x) for x in whole.splitlines()])
    assert cup.tables() == tables


@pytest.mark.parametrize("garbage", [b"garbage\n", b"{}\n", b"\n", b'{"schema": 2}\n'])
def test_damaged_line_is_rejected(played: Cup, garbage: bytes) -> None:
    """The message names it, and nothing is changed."""
    cup = played
    games = cup.folder / "results/cup/games.jsonl"
    lines = games.read_bytes().splitlines(keepends=True)
    lines[3] = garbage
    games.write_bytes(b"".join(lines))
    result = cup.run(code=2)
    assert "games.jsonl: line 4 " in result.stderr
    assert games.read_bytes() == b"".join(lines)


def test_more_bots_and_encounters_are_played_in_addition(played: Cup) -> None:
    """Old records stay as they are."""
    cup = played
    before = cup.records()
    delta = {"name": "Delta", "command": f"{PYTHON} {cup.bring('random_bot.py', 'd.py')}"}
    cup.write(bots=[delta, *cup.settings["bots"]], encounters=3)
    cup.run()
    after = cup.records()
    assert len(after) == 72
    assert after[:24] == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 8}, "seed: 7 before, 8 now"),
        ({"per_move": "50s"}, "time of alpha: 60000ms per move before, 50000ms per move now"),
        ({"opening_plies": 3}, "opening_plies: 2 before, 3 now"),
        ({"openings": "shared"}, "openings: spread before, shared now"),
        ({"attempts": 2}, "attempts: 1 before, 2 now"),
        ({"variants": ["standoff"]}, "lockdown-5x6 is no longer in the file"),
        ({"variants": ["lockdown"]}, "is no longer in the file"),
        ({"encounters": 1}, "encounters: 1, and more were played already"),
        ({"bots": [0, 1]}, "the bot gamma is no longer in the file"),
        ({"command": f"{PYTHON} -u alpha.py"}, f"command of alpha: {PYTHON} alpha.py before"),
    ],
)
def test_changed_settings_are_named(played: Cup, changes: dict, message: str) -> None:
    """The message suggests --fresh or another --out."""
    cup = played
    before = cup.records()
    bots = cup.settings["bots"]
    if "command" in changes:
        bots[0]["command"] = changes.pop("command")
    if "bots" in changes:
        changes = {"bots": [bots[at] for at in changes["bots"]]}
    cup.write(**changes)
    error = cup.run(code=2).stderr
    assert message in error
    assert "--fresh starts again" in error
    assert "--out DIR" in error
    assert cup.records() == before


def test_edited_variant_is_rejected(cup: Cup) -> None:
    """Games by two sets of rules never share a table."""
    game = cup.folder / "tictactoe.py"
    shutil.copy(ROOT / "docs" / "examples" / "tictactoe.py", game)
    cup.write(variants=["tictactoe.py"], encounters=1)
    cup.run()
    assert "all 6 games were played before" in cup.run().stderr
    game.write_text(game.read_text().replace('"048", ', ""))
    error = cup.run(code=2).stderr
    assert re.search("rules of tictactoe: [0-9a-f]{16} before, [0-9a-f]{16} now", error)
    assert "--fresh starts again" in error


def test_fresh_and_out_start_a_new_tournament(played: Cup) -> None:
    """--out plays in another folder, --fresh moves the old one aside; nothing is deleted."""
    before = played.records()
    played.write(seed=8)
    played.run("--out", "elsewhere")
    assert "the old results are in results/cup.1 now" in played.run("--fresh").stderr
    old = (played.folder / "results/cup.1/games.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in old] == before
    assert results_of(played.records("elsewhere")) == results_of(played.records())


@pytest.mark.parametrize(
    ("options", "file"),
    [
        (["--out", "taken"], "taken"),
        (["--out", "taken", "--fresh"], "taken"),
        (["--out", "taken/cup"], "taken"),
    ],
)
def test_results_path_that_is_a_file_is_rejected(cup: Cup, options: list[str], file: str) -> None:
    """Also above it; the file stays as it is."""
    (cup.folder / "taken").write_text("mine")
    message = cup.referee.refuse("run", "cup.yaml", *options)
    assert message == f"{file} is a file: results go into a folder (--out DIR)"
    assert (cup.folder / "taken").read_text() == "mine"


@pytest.mark.parametrize(
    ("encounters", "text"),
    [(1, "h, if every bot"), (1_000_000, "more than 100 years, if every bot")],
)
def test_worst_case_is_printed_in_readable_units(cup: Cup, encounters: int, text: str) -> None:
    """For any number of games."""
    cup.write(encounters=encounters)
    lines = cup.run("--dry-run", "--yes").stdout.splitlines()
    (worst,) = (line for line in lines if line.startswith("worst case:"))
    assert text in worst


def test_redo_plays_the_games_of_an_edited_bot_again(played: Cup) -> None:
    """Only those; the old ones are kept aside."""
    cup = played
    before = results_of(cup.records())
    bot = cup.folder / "alpha.py"
    bot.write_text(bot.read_text().replace("random.Random(", "random.Random('other' + "))
    error = cup.run(code=2).stderr
    assert "the files of alpha have changed since games were played" in error
    assert "--redo alpha" in error
    assert (
        "there is no bot 'alpah': did you mean alpha?" in cup.run("--redo", "alpah", code=2).stderr
    )
    assert "16 games of alpha are played again" in cup.run("--redo", "alpha").stderr
    after = results_of(cup.records())
    assert before.keys() == after.keys()
    changed = {id for id in before if before[id] != after[id]}
    assert changed
    assert all("alpha" in before[id][0] for id in changed)
    old = cup.folder / "results/cup/games-before-redo-1.jsonl"
    assert len(old.read_text().splitlines()) == 24


def test_redo_drops_nothing_for_a_bot_that_does_not_start(played: Cup) -> None:
    """With a version that works it plays again."""
    cup = played
    games = cup.folder / "results/cup/games.jsonl"
    before = games.read_bytes()
    bot = cup.folder / "alpha.py"
    works = bot.read_text()
    bot.write_text("raise SystemExit(1)\n")
    assert "alpha cannot play" in cup.run("--redo", "alpha", code=2).stderr
    assert games.read_bytes() == before
    assert [path.name for path in games.parent.glob("games*")] == ["games.jsonl"]
    bot.write_text(works + "# better\n")
    assert "16 games of alpha are played again" in cup.run("--redo", "alpha").stderr
    assert (games.parent / "games-before-redo-1.jsonl").read_bytes() == before
    assert cup.lines() == 24


def test_redo_accepts_several_edited_bots(played: Cup) -> None:
    """The options that the message names work, and neither bot can be redone alone."""
    cup = played
    for name in ("alpha.py", "gamma.py"):
        with (cup.folder / name).open("a") as file:
            file.write("# better\n")
    assert "the files of alpha and gamma have changed" in (error := cup.run(code=2).stderr)
    assert "--redo alpha --redo gamma plays the games of alpha and gamma again" in error
    assert (
        "--redo gamma plays the games of gamma again" in cup.run("--redo", "alpha", code=2).stderr
    )
    options = ("--redo", "alpha", "--redo", "gamma")
    assert "24 games of alpha and gamma are played again" in cup.run(*options).stderr
    assert cup.lines() == 24


def test_games_file_is_replaced_after_its_copy_is_synced(tmp_path: Path) -> None:
    """And the folder is synced after it."""
    needs("strace")
    program = (
        "from pathlib import Path; from referee.records.store import Store\n"
        "with Store(Path('cup')) as store:\n"
        "    store.prepare_drop(lambda record: False); store.commit_drop()\n"
    )
    trace = tmp_path / "trace"
    options = ("-y", "-e", "trace=fsync,rename,renameat,renameat2", "-o", str(trace))
    subprocess.run(["strace", *options, sys.executable, "-c", program], cwd=tmp_path, check=True)
    steps = [line.split(" = ")[0] for line in trace.read_text().splitlines() if "cup" in line]
    assert [step.partition("(")[0] for step in steps] == ["fsync", "fsync", "rename", "fsync"]
    assert "games.jsonl.new" in steps[0]
    assert "games-before-redo-1.jsonl" in steps[1]
    assert steps[3].endswith("/cup>)")


def test_edited_bot_does_not_change_a_running_tournament(cup: Cup) -> None:
    """Bots run from copies, with their executable bits."""
    cup.write(encounters=10)
    cup.run("--out", "calm")
    process = cup.start()
    wait_until(lambda: cup.lines() >= 5)
    for name in ("alpha.py", "beta.sh", "gamma.py"):
        (cup.folder / name).write_text("exit 1\n")
    process.communicate()
    assert process.returncode == 0
    assert results_of(cup.records()) == results_of(cup.records("calm"))


def test_two_runs_in_one_folder_exclude_each_other(cup: Cup) -> None:
    """The second ends with a message and changes nothing."""
    cup.write(encounters=2000)
    process = cup.start()
    wait_until(lambda: cup.lines() >= 5)
    assert "another run uses results/cup" in cup.run(code=2).stderr
    assert "another run uses results/cup" in cup.run("--fresh", code=2).stderr
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 256 KiB and 100 files, which needs root."""
    folder = tmp_path / "disk"
    folder.mkdir()
    needs("mount")
    needs_root()
    words = ["mount", "-t", "tmpfs", "-o", "size=256k,nr_inodes=100", "tmpfs", str(folder)]
    if subprocess.run(words, capture_output=True).returncode:
        skip("needs the right to mount a tmpfs: root is refused it here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_keeps_finished_games(cup: Cup, small_disk: Path) -> None:
    """Exit code 3, whole lines only; with more space the run is resumed."""
    cup.write(encounters=50)
    result = cup.run("--out", str(small_disk / "cup"), code=3)
    # And not about the tables, which cannot be written either.
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("referee: ")]
    assert "games.jsonl cannot be written: No space left on device" in line
    games = (small_disk / "cup/games.jsonl").read_bytes()
    assert games.endswith(b"\n")
    assert len([json.loads(line) for line in games.splitlines()]) > 50
    assert not list(small_disk.rglob("*.part"))
    moved = cup.folder / "roomy"
    shutil.copytree(small_disk / "cup", moved)
    cup.run("--out", str(moved))
    assert len(cup.records("roomy")) == 600
    assert (moved / "games.jsonl").read_bytes().startswith(games)


def test_full_disk_at_the_start_is_an_external_error(cup: Cup, small_disk: Path) -> None:
    """Nothing is wrong with the command: exit code 3."""
    with suppress(OSError):  # no more files can be created
        for number in range(1000):
            (small_disk / str(number)).touch()
    error = cup.run("--out", str(small_disk / "cup"), code=3).stderr
    assert "disk/cup cannot be written: No space left on device" in error
    result = cup.referee("new", "python", str(small_disk / "bot"))
    assert result.returncode == 3
    assert "the bot cannot be written: No space left on device (" in result.stderr


def test_full_disk_while_bots_are_copied_is_reported(cup: Cup, small_disk: Path) -> None:
    """One sentence, exit code 3; with more space the same command plays."""
    cup.write(variants=["lockdown"], encounters=1)
    (cup.folder / "large").mkdir()
    shutil.copy(BOTS / "random_bot.sh", cup.folder / "large/bot.sh")
    (cup.folder / "large/data").write_bytes(bytes(2**20))
    cup.write(bots=[{"name": "large", "dir": "large", "command": "./bot.sh"}, cup.bot("alpha")])
    result = cup.run("--out", str(small_disk / "cup"), code=3)
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("referee: ")]
    assert "bots/large/" in line
    assert "cannot be written: No space left on device" in line
    (cup.folder / "large/data").unlink()
    cup.run("--out", str(small_disk / "cup"))


def test_run_works_on_a_disk_without_links_and_modes(cup: Cup) -> None:
    """As FAT: a tournament is played there, and a bot is redone."""
    program = [sys.executable, str(ROOT / "tests/support/without_links_and_modes.py")]
    cup.bring("random_bot.py", "beta.py")
    cup.write(bots=[{"name": name, "command": f"{PYTHON} {name}.py"} for name in ("alpha", "beta")])
    for options in ([], ["--redo", "beta"]):
        command = [*program, *command_line("run", "cup.yaml", *options)]
        result = subprocess.run(command, cwd=cup.folder, capture_output=True, text=True)
        assert (result.returncode, "Traceback" in result.stderr) == (0, False), result.stderr
        assert cup.lines() == 8
    assert (cup.folder / "results/cup/games-before-redo-1.jsonl").exists()


def test_root_folder_as_dir_is_rejected(cup: Cup) -> None:
    """One sentence that names the key, without a copy of the whole machine."""
    cup.write(bots=[{"name": "all", "dir": "/", "command": "bin/true"}, cup.bot("alpha")])
    error = cup.run(code=2).stderr
    assert "bots[1].dir: `dir` is the root of the file system" in error


def test_folder_that_cannot_be_written_is_named(cup: Cup) -> None:
    """One sentence, before anything is started."""
    assert "/proc/cup cannot be written: " in cup.run("--out", "/proc/cup", code=2).stderr


def test_broken_bots_are_reported_before_the_first_game(cup: Cup) -> None:
    """With command, folder, exit status and standard error; nothing is played."""
    bots = cup.settings["bots"]
    bots[0]["command"] = f"{SCRIPTED} start raise"
    bots[1]["command"] = f"{SCRIPTED} game decline"
    bots[2]["build"] = "sh -c 'echo no compiler here; exit 4'"
    cup.write()
    error = cup.run(code=2).stderr
    for part in (
        "alpha cannot play standoff-5x5",
        "ended before `ready` (exit status 1)",
        "ValueError: no idea what to play",
        "beta cannot play standoff-5x5",
        "declined the game: not my game",
        "gamma cannot be used: its build failed with exit status 4:\n    | no compiler here",
        f"{SCRIPTED} start raise",
        "its folder:",
        "The tournament was not started",
    ):
        assert part in error
    assert cup.lines() == 0


def test_broken_bots_forfeit_if_the_file_allows(cup: Cup) -> None:
    """They lose their games, and the rest is played."""
    cup.settings["bots"][0]["command"] = f"{SCRIPTED} start exit"
    cup.settings["bots"][2]["build"] = "false"
    cup.settings["bots"][2]["command"] = "./not-built"
    cup.write(broken_bots="forfeit")
    cup.run()
    by_pair: dict[frozenset, set] = {}
    for record in cup.records():
        reasons = by_pair.setdefault(frozenset(record["bots"]), set())
        reasons.add((record["reason"], sum(record["score"])))
    assert by_pair == {
        frozenset({"alpha", "beta"}): {("start", 1)},
        frozenset({"beta", "gamma"}): {("start", 1)},
        frozenset({"alpha", "gamma"}): {("start", 0)},
    }


def test_fault_costs_one_game_and_leaves_a_dossier(cup: Cup) -> None:
    """The next game has a new process; the dossier has transcript, status and standard error."""
    cup.settings["bots"][0]["command"] = f"{SCRIPTED} turn raise 2"
    cup.write()
    result = cup.run("--workers", "1")
    faulted = [record for record in cup.records() if record["fault"]]
    assert 0 < len(faulted) < 16
    for record in faulted:
        seat = record["fault"]["seat"]
        assert record["bots"][seat - 1] == "alpha"
        assert record["reason"] == record["fault"]["reason"] == "crash"
        text = (cup.folder / "results/cup/faults" / f"{record['id']}.txt").read_text()
        assert "ended while it was asked (exit status 1)" in text
        assert "ValueError: no idea what to play" in text
        assert " ms of 60,020 ms" in text
        assert "alpha > turn ply=" in text
    assert f"crash {len(faulted)}" in result.stdout
    assert len(cup.records()) == 24


def test_bot_with_too_many_faults_is_withdrawn(cup: Cup) -> None:
    """Its games do not count; the tables do not depend on the workers."""
    cup.settings["bots"][0]["command"] = f"{SCRIPTED} turn illegal"
    cup.write(disqualify_after=3, encounters=15)  # more than a worker is given at once
    result = cup.run("--workers", "1", "--out", "one")
    cup.run("--workers", "2", "--out", "two")
    assert "alpha was withdrawn: its games do not count" in result.stdout
    rows = json.loads((cup.folder / "one/standings.json").read_text())["overall"]
    assert rows["withdrawn"] == ["alpha"]
    assert {row["bot"]: row["games"] for row in rows["rows"]} == {"beta": 60, "gamma": 60}
    assert cup.tables("one") == cup.tables("two")
    assert cup.lines("one") < 180
    again = cup.run("--out", "one")
    assert "withdrawn" in again.stdout


def test_withdrawals_do_not_depend_on_the_number_of_workers(cup: Cup) -> None:
    """Two bots whose every game is a fault: the schedule decides."""
    for bot in cup.settings["bots"][:2]:
        bot["command"] = f"{SCRIPTED} turn illegal"
    cup.write(disqualify_after=9, encounters=6, restart="game")
    cup.run("--workers", "1", "--out", "one")
    cup.run("--workers", "4", "--out", "four")
    assert cup.tables("one") == cup.tables("four")


def test_exception_in_the_referee_makes_the_game_void(cup: Cup) -> None:
    """No record, three attempts, exit code 3, and the rest is played."""
    (cup.folder / "buggy.py").write_text(
        "from dataclasses import replace\n"
        "from referee.variants.lockdown import VARIANT as ORIGINAL, Lockdown\n"
        "class Buggy(Lockdown):\n"
        "    def board(self, state):\n"
        "        if state[0].bit_count() + state[1].bit_count() == 5:\n"
        "            raise RuntimeError('a bug in the rules')\n"
        "        return super().board(state)\n"
        "VARIANT = replace(ORIGINAL, name='buggy', rules=Buggy)\n"
    )
    cup.write(variants=["standoff", {"name": "buggy.py", "rows": 5, "cols": 5}])
    result = cup.run(code=3)
    played = [record["variant"] for record in cup.records()]
    assert played.count("standoff") == 12
    assert played.count("buggy") < 12
    assert "could not be played: RuntimeError: a bug in the rules" in result.stderr
    assert "a bug in the rules" in (cup.folder / "results/cup/void.txt").read_text()


@pytest.mark.parametrize("victims", ["worker", "worker and launcher"])
def test_killed_worker_is_replaced(cup: Cup, victims: str) -> None:
    """Its game is played again, and recorded once."""
    cup.write(encounters=20)
    cup.run("--out", "calm")
    process = cup.start("--workers", "1")
    wait_until(lambda: cup.lines() >= 10)
    children = children_of(process.pid)
    (launcher,) = {child for child in children if "launcher" in command_of(child)}
    if "launcher" in victims:
        os.kill(launcher, signal.SIGKILL)  # the next worker's would be forked off it
    (worker,) = children - {launcher}
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert cup.lines() == 240
    assert results_of(cup.records()) == results_of(cup.records("calm"))


def command_of(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def test_identical_games_are_reported(cup: Cup) -> None:
    """They are no further evidence."""
    first = f"{SCRIPTED} never nothing"
    bots = [{"name": name, "command": first} for name in ("one", "two")]
    cup.write(bots=bots, opening_plies=0, encounters=3, variants=["standoff"])
    result = cup.run()
    assert "4 of 6 games repeat an earlier one move by move" in result.stdout
    assert "standoff-5x5 has only 1 different openings of 0 plies for 3 encounters" in result.stdout


def test_builds_run_once_and_bots_run_from_their_copy(cup: Cup) -> None:
    """A resumed run uses the result of the build."""
    source = cup.folder / "src"
    source.mkdir()
    shutil.copy(BOTS / "random_bot.sh", source / "bot.txt")
    build = "sh -c 'echo built >> log; cp bot.txt bot; chmod +x bot'"
    entry = {"name": "built", "dir": "src", "build": build, "command": "./bot"}
    cup.write(bots=[entry, cup.bot("alpha")])
    cup.run()
    cup.write(encounters=3)
    cup.run()
    (log,) = (cup.folder / "results/cup/bots/built").glob("*/log")
    assert log.read_text() == "built\n"
    assert sorted(path.name for path in source.iterdir()) == ["bot.txt"]


def test_bot_has_its_own_environment_and_time(cup: Cup) -> None:
    """`env` and `time`."""
    (cup.folder / "green.py").write_text(
        "import os, sys\n"
        "for line in sys.stdin:\n"
        "    verb = line.split()[0]\n"
        "    if verb == 'game':\n"
        "        assert os.environ['COLOUR'] == 'green'\n"
        "        assert line.endswith(' time_ms=90000 inc_ms=500\\n')\n"
        "        print('ready', flush=True)\n"
        "    if verb == 'turn':\n"
        "        print('move', line.split('legal=')[1].strip().split(';')[0], flush=True)\n"
    )
    entry = {"name": "green", "command": "green.py", "env": {"COLOUR": "green"}}
    cup.write(bots=[entry | {"time": "90s + 500ms"}, cup.bot("alpha")], variants=["standoff"])
    cup.run()
    assert all(record["fault"] is None for record in cup.records())


def test_dry_run_checks_everything_and_plays_nothing(cup: Cup) -> None:
    """The number of games, the pairings and the worst case; no folder is created."""
    result = cup.run("--dry-run", "--workers", "2")
    assert "all bots are ready" in result.stdout
    for row in ("pairings:    3", "games:       24", "workers:     2", "worst case:  "):
        assert row in result.stdout
    assert not (cup.folder / "results").exists()
    cup.settings["bots"][0]["command"] = f"{SCRIPTED} start exit"
    cup.write()
    assert "alpha cannot play" in cup.run("--dry-run", code=2).stderr


def test_more_than_a_million_games_need_yes(cup: Cup) -> None:
    """They may be a typing error."""
    cup.write(encounters=200_000)
    assert "the schedule has 2,400,000 games: confirm that with --yes" in cup.run(code=2).stderr
    assert not (cup.folder / "results").exists()


def test_waiting_bot_is_suspended_while_its_opponent_thinks(cup: Cup) -> None:
    """It answers its next turn."""
    watcher = cup.folder / "watcher.py"
    watcher.write_text(
        "import pathlib, select, sys\n"
        "for line in sys.stdin:\n"
        "    verb = line.split()[0]\n"
        "    if verb == 'game': print('ready', flush=True)\n"
        "    if verb == 'turn':\n"
        "        pid = pathlib.Path(sys.argv[1]).read_text()\n"
        "        stat = pathlib.Path(f'/proc/{pid}/stat')\n"
        "        while stat.read_text().rpartition(')')[2].split()[0] != 'T':\n"
        # Not all the time: on a busy machine the referee needs a part of it.
        "            select.select([], [], [], 0.001)\n"
        "        print('move', line.split('legal=')[1].split(';')[0].strip(), flush=True)\n"
    )
    honest = cup.folder / "honest.py"
    text = (BOTS / "random_bot.py").read_text()
    tell = "import os, pathlib, sys\npathlib.Path(sys.argv[1]).write_text(str(os.getpid()))\n"
    honest.write_text(tell + text)
    pid = cup.folder / "pid"
    bots = [
        {"name": "watcher", "command": f"{PYTHON} watcher.py {pid}"},
        {"name": "honest", "command": f"{PYTHON} honest.py {pid}"},
    ]
    cup.write(bots=bots, variants=["lockdown"], encounters=1)
    cup.run("--workers", "1")
    assert [record["fault"] for record in cup.records()] == [None, None]
    cup.write(pondering=True, per_move="300ms")
    cup.run("--workers", "1", "--out", "pondering")
    assert {record["reason"] for record in cup.records("pondering")} == {Reason.TIMEOUT}


@pytest.mark.parametrize(("settings", "pinned"), [({}, True), ({"pin": False}, False)])
def test_worker_and_its_bots_share_one_core(cup: Cup, settings: dict, pinned: bool) -> None:
    """By default."""
    if not usable_cores():
        skip("needs a system that pins processes to cores")
    text = (BOTS / "random_bot.py").read_text()
    tell = "import os, sys\nopen(sys.argv[1], 'a').write(f'{len(os.sched_getaffinity(0))}\\n')\n"
    (cup.folder / "alpha.py").write_text(tell + text)
    log = cup.folder / "cores"
    cup.settings["bots"][0]["command"] = f"{PYTHON} alpha.py {log}"
    cup.write(variants=["lockdown"], encounters=1, **settings)
    cup.run("--workers", "1")
    everywhere = len(os.sched_getaffinity(0))
    assert log.read_text().split()[-1] == str(1 if pinned else everywhere)


def test_progress_on_a_terminal_shows_bar_pace_and_standings(cup: Cup) -> None:
    """It is erased at the end."""
    import pty

    main, terminal = pty.openpty()
    command = command_line("run", "cup.yaml")
    cup.write(encounters=20)
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    with subprocess.Popen(
        command, cwd=cup.folder, env=environment, stdout=subprocess.DEVNULL, stderr=terminal
    ) as process:
        os.close(terminal)
        shown = b""
        while True:
            try:
                chunk = os.read(main, 65536)
            except OSError:
                break
            shown += chunk
    os.close(main)
    assert process.returncode == 0
    text = shown.decode()
    assert "/240 games" in text
    assert "games/s" in text
    assert "now: " in text
    assert "points" in text
