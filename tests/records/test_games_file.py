"""Parallel reading of a large games file: same results in the same order."""

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
from referee.records.games_file import GamesFile, RecordedGame
from referee.records.manifest import Manifest, load_manifest
from referee.records.summary import GameSummary
from referee.report.collect import read_ledger_and_games
from referee.report.write import write_report
from referee.scoring.ledger import read_ledger
from tests.support.processes import is_running, wait_until
from tests.support.report_games import make_tournament, write_tournament

GAMES = make_tournament(2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the folder of a tournament."""
    return write_tournament(tmp_path / "cup", GAMES, disqualify_after=5)


@pytest.fixture
def _in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few kilobytes count as a large file, on a machine with three cores."""
    monkeypatch.setattr(games_file, "SEGMENT_BYTES", 3_000)
    monkeypatch.setattr(games_file, "MIN_SEGMENTS", 9)
    monkeypatch.setattr(games_file, "usable_cores", lambda: [0, 1, 2])


def manifest_of(folder: Path) -> Manifest:
    manifest = load_manifest(folder)
    assert manifest is not None
    return manifest


Seen = tuple[int, int, list[str]]
"""How many games come before, who read them, and their ids."""


def look(number: int, games: Iterable[RecordedGame]) -> Seen:
    return number, os.getpid(), [summary.id for _, summary in games]


def read(folder: Path, take: Callable[[int, Iterable[RecordedGame]], Seen] = look) -> list[Seen]:
    """Return what was read from each segment."""
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
def test_readers_return_segments_in_order(folder: Path) -> None:
    """Each of three reads every third segment, and exits at the end."""
    seen = read(folder)
    check_all_were_read(seen)
    readers = readers_of(seen)
    assert len(seen) > 8
    assert len(set(readers)) == 3
    assert os.getpid() not in readers
    assert readers == (readers[:3] * len(readers))[: len(readers)]
    assert not multiprocessing.active_children()


def test_small_file_is_read_by_this_process(folder: Path) -> None:
    seen = read(folder)
    check_all_were_read(seen)
    assert readers_of(seen) == [os.getpid()]


@pytest.mark.usefixtures("_in_parts")
def test_file_is_read_by_this_process_on_one_core(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games_file, "usable_cores", lambda: [0])
    seen = read(folder)
    check_all_were_read(seen)
    assert set(readers_of(seen)) == {os.getpid()}


@pytest.mark.usefixtures("_in_parts")
def test_reader_is_not_forked_from_a_process_with_threads(folder: Path) -> None:
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


def test_tables_and_page_do_not_depend_on_the_readers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte."""
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
        assert vars(ledger.game_columns) == vars(ledgers[0].game_columns)
        assert vars(ledger.tally) == vars(ledgers[0].tally)
        assert ledger.timing == ledgers[0].timing
        assert len(ledger.done) == len(GAMES)
    assert ledgers[0].withdrawn == ["shaky"]


@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("place", [0, 1, 40, len(GAMES) - 1])
def test_damaged_line_is_reported_after_all_lines_before_it(folder: Path, place: int) -> None:
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
def test_first_damaged_line_is_reported(folder: Path) -> None:
    """Not one that another reader found earlier."""
    path = folder / "games.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[30] = lines[30].replace(b"greedy", b"stranger")
    lines[33] = lines[60] = b"garbage\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(InputError, match="the bot stranger is no longer in the file"):
        read_ledger(manifest_of(folder), GamesFile(path))


@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("deed", ["killed", "raises"])
def test_segments_of_a_failed_reader_are_read_by_this_process(folder: Path, deed: str) -> None:
    """That one and all later ones of the same reader."""
    here = os.getpid()

    def fail(number: int, games: Iterable[RecordedGame]) -> Seen:
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
def test_file_is_read_without_readers_that_cannot_be_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system may refuse a process."""
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
def test_error_of_all_readers_is_raised(folder: Path) -> None:
    def fail(number: int, games: Iterable[RecordedGame]) -> Seen:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        read(folder, fail)
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("_in_parts")
def test_interrupt_ends_all_readers(folder: Path) -> None:
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

signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where the tests run
games_file.SEGMENT_BYTES = 3_000
games_file.MIN_SEGMENTS = 9
games_file.usable_cores = lambda: [0, 1, 2]
folder = Path(sys.argv[1])
games_file.GamesFile(folder / "games.jsonl").read(manifest_of(folder), wait, print)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_readers_end_with_their_parent(folder: Path, number: signal.Signals) -> None:
    """In any way that it may end."""
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


def test_count_of_lines_does_not_depend_on_segments(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An incomplete last line does not count, nor does one that was appended later."""
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


def test_summaries_are_equal_after_pickling() -> None:
    """Many, one or none."""
    summaries = list(map(GameSummary.from_record, GAMES))
    for some in (summaries, summaries[:1], []):
        there = pickle.loads(pickle.dumps(ColumnarList(some)))
        assert (type(there), there) == (ColumnarList, some)
        assert all(type(summary) is GameSummary for summary in there)


def test_equal_texts_are_pickled_once() -> None:
    """Every record has strings of its own; summaries share them."""
    one, two = (
        GameSummary.from_record({**GAMES[0], "bots": ["".join("greedy"), "".join("shaky")]})
        for _ in "12"
    )
    assert one.bots[0] is two.bots[0]
    assert one.hashes[1] is two.hashes[0]
