"""A large games file is read by several processes, and nobody can tell but by the time it takes."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from referee.errors import InputError, RecordError
from referee.records import games_file
from referee.records.columnar import ColumnarList
from referee.records.games_file import Game, GamesFile
from referee.records.manifest import Manifest, read_manifest
from referee.records.store import Store
from referee.records.summary import GameSummary
from referee.report.collect import read_ledger_and_games
from referee.report.write import write_report
from referee.scoring.ledger import read_ledger
from tests.support.processes import is_running, wait_until
from tests.support.report_games import make_tournament, write_tournament

GAMES = make_tournament(2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament's folder."""
    return write_tournament(tmp_path / "cup", GAMES, disqualify_after=5)


@pytest.fixture
def _in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few kilobytes are a large file, and this machine has three cores."""
    monkeypatch.setattr(games_file, "SEGMENT_BYTES", 3_000)
    monkeypatch.setattr(games_file, "MIN_SEGMENTS", 9)
    monkeypatch.setattr(games_file, "usable_cores", lambda: [0, 1, 2])


def manifest_of(folder: Path) -> Manifest:
    with Store(folder) as store:
        return read_manifest(store.read_json("tournament.json"))


Seen = tuple[int, int, list[str]]
"""How many games come before, who read them, and their ids."""


def look(number: int, games: Iterable[Game]) -> Seen:
    return number, os.getpid(), [summary.id for _, summary in games]


def read(folder: Path, take: Callable[[int, Iterable[Game]], Seen] = look) -> list[Seen]:
    """What is taken from each stretch."""
    seen: list[Seen] = []
    GamesFile(folder / "games.jsonl").read(manifest_of(folder), take, seen.append)
    return seen


def check_all_were_read(seen: list[Seen]) -> None:
    ids = [game["id"] for game in GAMES]
    assert [id for _, _, some in seen for id in some] == ids
    assert all(ids[number : number + len(some)] == some for number, _, some in seen)


def readers_of(seen: list[Seen]) -> list[int]:
    return [reader for _, reader, _ in seen]


@pytest.mark.usefixtures("_in_parts")
def test_readers_take_turns_and_the_order_stays(folder: Path) -> None:
    """Each reads every third stretch, and is gone in the end."""
    seen = read(folder)
    check_all_were_read(seen)
    readers = readers_of(seen)
    assert len(seen) > 8
    assert len(set(readers)) == 3
    assert os.getpid() not in readers
    assert readers == (readers[:3] * len(readers))[: len(readers)]
    assert not multiprocessing.active_children()


def test_a_small_file_is_read_here(folder: Path) -> None:
    seen = read(folder)
    check_all_were_read(seen)
    assert readers_of(seen) == [os.getpid()]


@pytest.mark.usefixtures("_in_parts")
def test_one_core_reads_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games_file, "usable_cores", lambda: [0])
    seen = read(folder)
    check_all_were_read(seen)
    assert set(readers_of(seen)) == {os.getpid()}


@pytest.mark.usefixtures("_in_parts")
def test_no_fork_beside_other_threads(folder: Path) -> None:
    """One of them may hold a lock that would never be released in the fork."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        seen = read(folder)
    finally:
        done.set()
        thread.join()
    check_all_were_read(seen)
    assert set(readers_of(seen)) == {os.getpid()}


def test_tables_and_page_are_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte, whoever has read the games."""
    manifest, pages, ledgers = manifest_of(folder), [], []
    for size in (games_file.SEGMENT_BYTES, 3_000):
        monkeypatch.setattr(games_file, "SEGMENT_BYTES", size)
        monkeypatch.setattr(games_file, "MIN_SEGMENTS", 9)
        monkeypatch.setattr(games_file, "usable_cores", lambda: [0, 1])
        ledger, gathered = read_ledger_and_games(manifest, GamesFile(folder / "games.jsonl"))
        ledgers += [ledger, read_ledger(manifest, GamesFile(folder / "games.jsonl"))]
        pages.append(write_report(folder, ledger, {}, gathered, ()).read_bytes())
    assert pages[0] == pages[1]
    for ledger in ledgers:
        assert vars(ledger.evidence) == vars(ledgers[0].evidence)
        assert vars(ledger.tally) == vars(ledgers[0].tally)
        assert ledger.timing == ledgers[0].timing
        assert len(ledger.done) == len(GAMES)
    assert ledgers[0].withdrawn == ["shaky"]


@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("place", [0, 1, 40, len(GAMES) - 1])
def test_an_unreadable_line_is_named_after_all_before_it(folder: Path, place: int) -> None:
    """As if the lines were read one by one."""
    path = folder / "games.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[place] = b"garbage\n"
    path.write_bytes(b"".join(lines))
    seen: list[Seen] = []
    with pytest.raises(RecordError) as error:
        GamesFile(path).read(manifest_of(folder), look, seen.append)
    assert str(error.value).startswith(f"{path}: line {place + 1} is not a record: Expecting value")
    assert [id for _, _, some in seen for id in some] == [game["id"] for game in GAMES[:place]]
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("_in_parts")
def test_the_first_thing_that_is_wrong_is_told(folder: Path) -> None:
    """Not what another reader found meanwhile."""
    path = folder / "games.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[30] = lines[30].replace(b"greedy", b"stranger")
    lines[33] = lines[60] = b"garbage\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(InputError, match="the bot stranger is no longer in the file"):
        read_ledger(manifest_of(folder), GamesFile(path))


@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("deed", ["killed", "raises"])
def test_what_a_reader_does_not_deliver_is_read_here(folder: Path, deed: str) -> None:
    """From then on all that was its to read."""
    here = os.getpid()

    def fail(number: int, games: Iterable[Game]) -> Seen:
        seen = look(number, games)
        if os.getpid() != here and GAMES[40]["id"] in seen[2]:
            if deed == "raises":
                raise ZeroDivisionError
            os.kill(os.getpid(), signal.SIGKILL)
        return seen

    seen = read(folder, fail)
    check_all_were_read(seen)
    assert here in readers_of(seen)
    assert len(set(readers_of(seen))) >= 3
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("_in_parts")
def test_readers_that_cannot_be_started_are_done_without(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system may have no room for a second one."""
    fork, forks = os.fork, []

    def fork_once() -> int:
        forks.append(None)
        if len(forks) > 1:
            raise BlockingIOError
        return fork()

    monkeypatch.setattr(os, "fork", fork_once)
    seen = read(folder)
    check_all_were_read(seen)
    readers = readers_of(seen)
    assert os.getpid() not in readers[::3]
    assert set(readers) - set(readers[::3]) == {os.getpid()}


@pytest.mark.usefixtures("_in_parts")
def test_what_fails_everywhere_fails_here(folder: Path) -> None:
    def fail(number: int, games: Iterable[Game]) -> Seen:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        read(folder, fail)
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("_in_parts")
def test_no_reader_outlives_an_interrupt(folder: Path) -> None:
    """Ctrl-C while games are added."""

    def interrupt(seen: Seen) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        GamesFile(folder / "games.jsonl").read(manifest_of(folder), look, interrupt)
    assert not multiprocessing.active_children()


PROGRAM = """
import os, signal, sys
from pathlib import Path
from referee.records import games_file
from tests.records.test_games_file import manifest_of

def wait(number, games):
    os.write(1, f"{os.getpid()}\\n".encode())  # at once, as others write there, too
    signal.pause()

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
games_file.SEGMENT_BYTES = 3_000
games_file.MIN_SEGMENTS = 9
games_file.usable_cores = lambda: [0, 1, 2]
folder = Path(sys.argv[1])
games_file.GamesFile(folder / "games.jsonl").read(manifest_of(folder), wait, print)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_readers_end_with_whom_they_read_for(folder: Path, number: signal.Signals) -> None:
    """By whatever way."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            readers = [int(process.stdout.readline()) for _ in range(3)]
            process.send_signal(number)
            wait_until(lambda: not any(map(is_running, [process.pid, *readers])))
        finally:
            process.kill()


# The file.


def test_lines_of_a_games_file_are_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However they fall into stretches; a torn last one is none, nor is one that came later."""
    path = folder / "games.jsonl"
    data = path.read_bytes()
    for size in (1, 500, 3_000, len(data) - 1, len(data), len(data) + 1):
        monkeypatch.setattr(games_file, "SEGMENT_BYTES", size)
        for whole, expected in ((data, GAMES), (data[:-1], GAMES[:-1]), (data + b"{", GAMES)):
            path.write_bytes(whole)
            games = GamesFile(path)
            path.write_bytes(whole + b'"}\n')
            assert games.total == len(expected)
            assert list(games.records()) == expected
    path.unlink()
    assert GamesFile(path).total == 0
    assert list(GamesFile(path).records()) == []


def test_summaries_are_the_same_after_pickling() -> None:
    """Many, one or none."""
    summaries = list(map(GameSummary.from_record, GAMES))
    for some in (summaries, summaries[:1], []):
        there = pickle.loads(pickle.dumps(ColumnarList(some)))
        assert (type(there), there) == (ColumnarList, some)
        assert all(type(summary) is GameSummary for summary in there)


def test_equal_texts_travel_once() -> None:
    """Every record brings strings of its own; what is known of games shares them."""
    one, two = (
        GameSummary.from_record({**GAMES[0], "bots": ["".join("greedy"), "".join("shaky")]})
        for _ in "12"
    )
    assert one.bots[0] is two.bots[0]
    assert one.hashes[1] is two.hashes[0]
