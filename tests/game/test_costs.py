"""Costs of a game in counts: system calls, writes and bytes per turn, memory.

How long things take is for benchmarks/run.py, which is no test.
"""

import gc
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.watchdog import ReadWatchdog
from referee.game.config import GameConfig, GameSetup, PlaySettings
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.protocol.time_control import TimeControl
from referee.protocol.transcript import Transcript
from referee.records import store as store_module
from referee.records.store import Store
from referee.rules import BUILT_IN, find_variant
from referee.rules.grid import Size
from referee.run.events import GameFinished, GameVoid
from referee.run.worker import Worker, batch_results
from tests.conftest import ROOT
from tests.run.test_worker import fixture, plan
from tests.support.tools import needs, skip

HONEST = Command(
    (sys.executable, "-S", str(ROOT / "tests" / "support" / "scripted_bot.py"), "never", "nothing"),
    ROOT,
)
ABOUT_MEMORY = {"brk", "mmap", "munmap", "mremap", "madvise"}
TRACED = """
from tests.game.test_costs import play
play({variant!r}, games={games})
"""


def setup(variant: str, size: Size | None = None) -> GameSetup:
    """Return a game with long limits in which no bot is suspended: that depends on its speed."""
    game = find_variant(variant)
    size = size or game.size
    time = TimeControl.per_move("60s")
    play = PlaySettings(startup_ms=60_000)
    return GameSetup("test", GameConfig(variant, size, game.on(size), (time, time), play))


def play(variant: str, games: int = 1) -> PlayedGame:
    """Play some games between two bots that play the first legal move; return the last."""
    watchdog = ReadWatchdog(period_seconds=600)  # never, while nothing goes wrong
    with Launcher() as launcher:
        bots = Bot("one", HONEST, launcher), Bot("two", HONEST, launcher)
        try:
            for left in reversed(range(games)):
                played = play_game(
                    setup(variant), bots, watchdog=watchdog, next_game_same_bots=left > 0
                )
            return played
        finally:
            close_all(list(bots))


@pytest.fixture
def strace() -> str:
    """Return a tracer that may trace; without one skip the test, in CI fail."""
    needs("strace")
    if subprocess.run(["strace", "true"], capture_output=True).returncode:
        skip("needs the right to trace: strace is refused it")
    return "strace"


@pytest.mark.parametrize("variant", BUILT_IN)
def test_turn_costs_one_poll_one_write_one_read(strace: str, variant: str, tmp_path: Path) -> None:
    """From the first turn to the last answer the referee makes no other system call.

    The poll does not wait: it finds unsolicited output before the turn is sent.
    """
    lines = _trace(strace, TRACED.format(variant=variant, games=2), tmp_path)
    # In the second game, after all messages about the start of a process.
    begun = _beginnings(lines)[-1]
    sent_at = [at for at, line in enumerate(lines) if re.match(r'write\(\d+, "turn ', line)]
    sent_at = [at for at in sent_at if at > begun]
    calls = [
        line.partition("(")[0]
        for line in lines[sent_at[0] - 1 : sent_at[-1] + 2]
        if line.partition("(")[0] not in ABOUT_MEMORY
    ]
    turns = Counter(zip(*[iter(calls)] * 3, strict=True))
    assert turns == {("poll", "write", "read"): len(sent_at)}, turns
    looks = [line for line in lines[sent_at[0] - 1 : sent_at[-1]] if line.startswith("poll(")]
    assert all(line.endswith("0) = 0 (Timeout)") for line in looks), looks


def _trace(strace: str, program: str, folder: Path) -> list[str]:
    """Return the system calls of a program."""
    log = folder / "strace.txt"
    command = [strace, "-o", str(log), "-s", "5", sys.executable, "-c", program]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return log.read_text().splitlines()


def _beginnings(lines: list[str]) -> list[int]:
    """Return where games begin, for each bot; the end of the game before belongs to it."""
    found = [at for at, line in enumerate(lines) if re.match(r'write\(\d+, "(end |game)', line)]
    return found[:-2]  # the last end is followed by no game


def test_game_costs_one_more_poll_write_read_per_bot(strace: str, tmp_path: Path) -> None:
    """With the same bots: no timer is set and no pipe changed between the games."""
    lines = _trace(strace, TRACED.format(variant="lockdown", games=4), tmp_path)
    _, second, third, _ = _beginnings(lines)[::2]
    calls = Counter(line.partition("(")[0] for line in lines[second:third])
    turns = sum('"turn' in line for line in lines[second:third])
    assert turns > 1
    assert {name: calls[name] for name in calls if name not in ABOUT_MEMORY} == dict.fromkeys(
        ("poll", "write", "read"), turns + 2
    )


@pytest.mark.parametrize("variant", BUILT_IN)
def test_line_costs_one_write(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a byte more is sent than the protocol has."""
    sizes: list[int] = []
    write = os.write

    def count(descriptor: int, data: bytes) -> int:
        sizes.append(len(data))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", count)
    played = play(variant)
    sent = [len(entry.line) + 1 for entry in played.transcript.entries if entry.sent]
    assert len(sent) == len(played.moves) + 4  # `game` and `end`, to both
    assert sizes[: len(sent)] == sent
    assert set(sizes[len(sent) :]) == {len(b"quit\n")}


def test_end_is_sent_with_the_next_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games of the same bots are two writes fewer, and the last end is sent at once."""
    written: list[bytes] = []
    write = os.write

    def note(descriptor: int, data: bytes) -> int:
        written.append(data)
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", note)
    with Launcher() as launcher:
        worker = Worker(plan(3), launcher)
        results = list(worker.play([fixture(0, 1), fixture(1, 0), fixture(0, 2)]))
        worker.close()
    assert [isinstance(result, GameFinished) and result.summary.faults for result in results] == [
        ()
    ] * 3
    verbs = [b" ".join(line.split()[0] for line in data.splitlines()) for data in written]
    assert [verb for verb in verbs if b"end" in verb or b"game" in verb] == [
        *(b"game", b"game", b"end game", b"end game"),
        *(b"end", b"end", b"game", b"game", b"end", b"end"),
    ]


# Bytes of all turn lines of the game in which both play the first legal move.
BYTES = {"standoff": 2161, "barricade": 1120, "lockdown": 486, "runner": 1530, "crossfire": 3557}


@pytest.mark.parametrize(("variant", "size"), BYTES.items())
def test_turn_line_has_a_fixed_length(variant: str, size: int) -> None:
    """A longer line costs time in every turn: a change here is deliberate."""
    turns = [e.line for e in play(variant).transcript.entries if e.line.startswith(b"turn ")]
    assert sum(map(len, turns)) == size


@pytest.fixture
def bots() -> Iterator[tuple[Bot, Bot]]:
    """Start two bots that play all games."""
    with Launcher() as launcher:
        pair = Bot("one", HONEST, launcher), Bot("two", HONEST, launcher)
        yield pair
        close_all(list(pair))


def test_games_do_not_increase_the_number_of_objects(bots: tuple[Bot, Bot]) -> None:
    """For any number of games."""
    game = setup("lockdown")

    def blocks_after(games: int) -> int:
        for _ in range(games):
            play_game(game, bots)
        gc.collect()
        return sys.getallocatedblocks()

    blocks_after(20)
    before = blocks_after(20)
    assert blocks_after(200) - before < 50  # less than a block per game


def test_games_of_twenty_plies_do_not_increase_the_number_of_objects(bots: tuple[Bot, Bot]) -> None:
    """Workers hardly ever collect garbage, and until then the interpreter keeps what was in tuples
    of some lengths: of 20, CPython 3.11 keeps every one and uses none again.
    """
    game = setup("standoff", Size(5, 7))

    def blocks_after(games: int) -> int:
        for _ in range(games):
            assert len(play_game(game, bots).ms) == 20
        return sys.getallocatedblocks()

    gc.disable()
    try:
        blocks_after(20)
        before = blocks_after(20)
        assert blocks_after(100) - before < 25
    finally:
        gc.enable()


def test_transcript_stores_lines_without_copies() -> None:
    """A turn adds one small tuple for both lines."""
    transcript = Transcript(0.0)
    question, answer = b"turn " + b"x" * 1000 + b"\n", b"move 1,1\n"
    transcript.add_turn(1, 0.0, question, 0.001, answer)
    [(_, _, kept_question, _, kept_answer)] = transcript._kept
    assert kept_question is question
    assert kept_answer is answer


def test_store_syncs_once_for_games_that_end_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are written by one write, and counted after the sync."""
    calls: list[str] = []
    write, sync = os.write, os.fdatasync
    monkeypatch.setattr(
        store_module.os, "write", lambda *given: (calls.append("write"), write(*given))[1]
    )
    monkeypatch.setattr(
        store_module.os, "fdatasync", lambda *given: (calls.append("sync"), sync(*given))[1]
    )
    with Store(tmp_path) as store:
        for number in range(100):
            store.add(b"{}\n", lambda number=number: calls.append(f"kept {number}"))
        store.sync()
        store.sync()
    assert calls == ["write", "sync", *(f"kept {number}" for number in range(100))]
    assert (tmp_path / "games.jsonl").read_bytes() == b"{}\n" * 100


def test_batch_results_keeps_all_results_in_order() -> None:
    """For any durations."""
    results = [GameVoid(fixture(0, number), "") for number in range(500)]
    batches = list(batch_results(iter(results)))
    assert all(batch.voids for batch in batches)
    assert [void for batch in batches for void in batch.voids] == results
    assert list(batch_results(iter(()))) == []
