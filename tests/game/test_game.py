"""Games between real processes: faults, verdicts, and no process left afterwards."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.exchange import Exchange
from referee.bots.launcher import Launcher
from referee.bots.process import BotProcess
from referee.bots.watchdog import ReadWatchdog
from referee.errors import RefereeError
from referee.game import loop as game_module
from referee.game.config import GameSetup, PlaySettings
from referee.game.dossier import fault_text
from referee.game.hints import hint_for
from referee.game.result import PlayedGame
from referee.human.player import HumanPlayer
from referee.outcome import Reason, win
from referee.protocol.faults import BotFault
from referee.protocol.phase import Phase
from referee.protocol.time_control import TimeControl
from referee.protocol.transcript import Transcript
from referee.rules import find_variant
from tests.conftest import ROOT
from tests.support.configs import UnevenStartup
from tests.support.processes import (
    below,
    children_of,
    ended,
    is_running,
    open_descriptors,
    pid_of,
    wait_until,
)

SCRIPTED = ROOT / "tests" / "support" / "scripted_bot.py"
AMPLE = TimeControl.per_move("60s")
SHORT = TimeControl.per_move("150ms")
HONEST = ("never", "nothing")
play_game = partial(game_module.play_game, watchdog=ReadWatchdog())  # as workers do

# When, what, and the reason it loses for; `None` is no fault at all.
DEEDS = [
    ("start", "exit", Reason.START),
    ("start", "segv", Reason.START),
    ("start", "raise", Reason.START),
    ("start", "orphan", Reason.START),
    ("start", "hang", Reason.START),
    ("start", "deaf", Reason.START),
    ("start", "close", Reason.START),
    ("start", "garbage", Reason.PROTOCOL),
    ("start", "binary", Reason.PROTOCOL),
    ("start", "flood", Reason.PROTOCOL),
    ("start", "flood-info", Reason.PROTOCOL),
    ("start", "flood-stderr", None),
    ("game", "decline", Reason.START),
    ("game", "exit", Reason.START),
    ("game", "hang", Reason.START),
    ("game", "drip", Reason.START),
    ("game", "resign", Reason.PROTOCOL),
    ("game", "empty", Reason.PROTOCOL),
    ("game", "info", None),
    ("game", "child", None),
    ("turn", "hang", Reason.TIMEOUT),
    ("turn", "drip", Reason.TIMEOUT),
    ("turn", "deaf", Reason.TIMEOUT),
    ("turn", "close", Reason.TIMEOUT),
    ("turn", "partial", Reason.TIMEOUT),
    ("turn", "late-illegal", Reason.TIMEOUT),
    ("turn", "exit", Reason.CRASH),
    ("turn", "raise", Reason.CRASH),
    ("turn", "segv", Reason.CRASH),
    ("turn", "orphan", Reason.CRASH),
    ("turn", "garbage", Reason.PROTOCOL),
    ("turn", "bare", Reason.PROTOCOL),
    ("turn", "empty", Reason.PROTOCOL),
    ("turn", "binary", Reason.PROTOCOL),
    ("turn", "decline", Reason.PROTOCOL),
    ("turn", "flood", Reason.PROTOCOL),
    ("turn", "flood-info", Reason.PROTOCOL),
    ("turn", "illegal", Reason.ILLEGAL_MOVE),
    ("turn", "spaced", Reason.ILLEGAL_MOVE),
    ("turn", "zeros", Reason.ILLEGAL_MOVE),
    ("turn", "resign", Reason.RESIGN),
    ("turn", "info", None),
    ("turn", "crlf", None),
    ("turn", "child", None),
    ("turn", "flood-stderr", None),
    ("turn", "answer-and-exit", Reason.CRASH),
    ("turn", "close-stdin", Reason.CRASH),
    ("move", "exit", Reason.CRASH),
    ("turn", "twice", Reason.PROTOCOL),
    ("move", "garbage", Reason.PROTOCOL),
    ("move", "flood", Reason.PROTOCOL),
    ("move", "info", None),
    ("move", "close", Reason.TIMEOUT),
    ("end", "garbage", None),
    ("end", "exit", None),
]


def scripted(*behaviour: str) -> Command:
    """Return the command of a bot with this behaviour."""
    return Command((sys.executable, "-S", str(SCRIPTED), *behaviour), ROOT)


def setup(seat: int = 1, short: Reason | None = None, variant: str = "standoff") -> GameSetup:
    """Return a game in which at most one deadline is short: the one that this seat is to miss."""
    game = find_variant(variant)
    times, startup = [AMPLE, AMPLE], [60_000, 60_000]
    if short is Reason.TIMEOUT:
        times[seat - 1] = SHORT
    elif short is Reason.START:
        startup[seat - 1] = 500
    config = UnevenStartup(
        variant=variant,
        size=game.size,
        rules=game.on(),
        times=(times[0], times[1]),
        limits_ms=(startup[0], startup[1]),
    )
    return GameSetup("test", config)


def with_config(setup: GameSetup, **changes: Any) -> GameSetup:
    """Return the same game with another configuration."""
    return setup._replace(config=replace(setup.config, **changes))


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    """Start a launcher; at its end check that no process and no descriptor is left."""
    gc.collect()
    descriptors, children = open_descriptors(), children_of(os.getpid())
    with Launcher() as launcher:
        yield launcher
    assert children_of(os.getpid()) <= children
    gc.collect()
    assert open_descriptors() == descriptors


def seated(launcher: Launcher, seat: int, *behaviour: str) -> tuple[Bot, Bot]:
    """Return the bot with this behaviour in this seat, and a correct one in the other."""
    misbehaving = Bot("odd", scripted(*behaviour), launcher)
    honest = Bot("honest", scripted(*HONEST), launcher)
    return (misbehaving, honest) if seat == 1 else (honest, misbehaving)


@pytest.mark.parametrize(("seat", "next_game_same_bots"), [(1, False), (2, False), (1, True)])
@pytest.mark.parametrize(("when", "deed", "reason"), DEEDS, ids=lambda value: str(value))
def test_each_kind_of_misbehaviour_loses_with_its_reason(
    launcher: Launcher,
    when: str,
    deed: str,
    reason: Reason | None,
    seat: int,
    next_game_same_bots: bool,
) -> None:
    """The bot loses with this reason, the other wins, and no process is left."""
    bots = seated(launcher, seat, when, deed)
    waits = reason is Reason.TIMEOUT or deed in ("hang", "drip", "deaf", "close")
    short = reason if waits else None
    try:
        played = play_game(setup(seat, short), bots, next_game_same_bots=next_game_same_bots)
        if reason is None:
            assert played.outcome.reason == Reason.NO_MOVES
            assert played.faults == ()
        else:
            assert played.outcome == win(3 - seat, reason)
            assert [fault.seat for fault in played.faults] == [seat] * (reason != Reason.RESIGN)
            assert (bots[seat - 1].process is None) == (reason != Reason.RESIGN)
        assert bots[2 - seat].process is not None
        # The honest one, and a new process of the other, can play at once.
        again = play_game(setup(seat, short), bots)
        assert again.outcome.reason != Reason.NO_MOVES or again.faults == ()
        assert 3 - seat not in {fault.seat for fault in again.faults}
    finally:
        close_all(list(bots))


@pytest.mark.parametrize("deed", ["exit", "garbage"])
def test_both_bots_lose_if_neither_starts(launcher: Launcher, deed: str) -> None:
    """The score is 0-0."""
    bots = tuple(Bot(name, scripted("start", deed), launcher) for name in ("one", "two"))
    played = play_game(setup(), bots)
    assert played.outcome.score == (0, 0)
    assert [fault.seat for fault in played.faults] == [1, 2]


def test_missing_program_is_a_start_fault(launcher: Launcher, tmp_path: Path) -> None:
    """The fault has the message of the system, and a hint."""
    bots = (
        Bot("none", Command((str(tmp_path / "none"),), tmp_path), launcher),
        Bot("honest", scripted(*HONEST), launcher),
    )
    played = play_game(setup(), bots)
    close_all(list(bots))
    (fault,) = played.faults
    assert (fault.seat, fault.reason) == (1, Reason.START)
    assert fault.detail == "could not be started: No such file or directory"
    assert fault.hint == "check the command and the folder it runs in"


def fault_of(launcher: Launcher, when: str, deed: str, silent: bool = False) -> tuple[str, ...]:
    bots = seated(launcher, 1, when, deed)
    missed = Reason.START if when == "start" else Reason.TIMEOUT
    played = play_game(setup(1, short=missed if silent else None), bots)
    close_all(list(bots))
    (fault,) = played.faults
    return fault.detail, fault.hint, fault.process, fault.stderr


FAULTS = [
    ("turn", "bare", "sent '1,1' where `move M` (or `resign`) was expected", "`move 1,1`"),
    ("turn", "garbage", "sent 'hello there' where `move M`", "debugging text to standard error"),
    ("turn", "empty", "sent '' where `move M`", "an empty line is not an answer"),
    ("turn", "illegal", "99,99 is off the board", "send one of the moves in `legal`"),
    ("turn", "spaced", "'1,1 ' cannot be read as a move", "there is a space too many"),
    ("turn", "exit", "ended while it was asked (exit status 3)", None),
    ("turn", "segv", "ended while it was asked (killed by SIGSEGV)", "accessed memory"),
    ("turn", "raise", "ended while it was asked (exit status 1)", "the traceback"),
    ("start", "raise", "ended before `ready` (exit status 1)", "the traceback"),
    ("game", "decline", "declined the game: not my game", None),
    ("turn", "twice", "spoke out of turn: 'move 1,1'", "answer each `game` and each `turn` once"),
    ("turn", "flood-info", "sent more than 1,048,576 bytes in one turn", "print less"),
    ("turn", "flood", "sent a line of more than 65,536 bytes", "debugging text"),
]
SILENCES = [
    ("turn", "hang", "no complete answer came in time", "is standard output flushed"),
    ("turn", "partial", "its answer had no line end in time", "end each line with a newline"),
    ("turn", "close", "closed its standard output", "keep standard output open"),
    ("start", "hang", "was not ready in time", "is standard output flushed"),
]


@pytest.mark.parametrize(("when", "deed", "detail", "hint"), FAULTS + SILENCES)
def test_fault_text_has_cause_and_hint(
    launcher: Launcher, when: str, deed: str, detail: str, hint: str | None
) -> None:
    """The hint if the cause is likely."""
    said, advice, _, _ = fault_of(launcher, when, deed, (when, deed, detail, hint) in SILENCES)
    assert detail in said
    assert (hint is None) == (advice is None)
    assert (hint or "") in (advice or "")


LATE = """
import sys
for line in sys.stdin:
    sys.stdout.write(sys.argv[1])
    sys.stdout.flush()
"""


@pytest.mark.parametrize(
    ("answer", "detail", "hint"),
    [
        ("move 1,1\n", "its answer came too late", "took longer than it may"),
        ("info hard\nmove 1,1\n", "its answer came too late", "took longer than it may"),
        ("info hard\nmove 1,1", "its answer had no line end in time", "end each line"),
        ("info hard\n", "no complete answer came in time", "flushed"),
    ],
)
def test_answer_after_the_deadline_is_reported_as_late(
    launcher: Launcher, answer: str, detail: str, hint: str
) -> None:
    """Also an incomplete one."""
    late = Bot("late", Command((sys.executable, "-S", "-c", LATE, answer), ROOT), launcher)
    process, _ = late.acquire_process(fresh=False)
    table = Exchange([process], Transcript(0.0))
    sent_at = table.send(1, b"turn\n", monotonic() + 60)
    wait_until(lambda: any(descriptor == process.stdout for descriptor, _ in process.poll(100)))
    process.read_stdout(monotonic())
    with pytest.raises(BotFault, match=detail) as caught:
        table.answer(1, Phase.TURN, sent_at)
    assert hint in hint_for(caught.value, (), ())
    close_all([late])


def test_fault_has_time_exit_status_and_standard_error(launcher: Launcher) -> None:
    """The last lines of it."""
    bots = seated(launcher, 2, "turn", "raise")
    played = play_game(setup(2), bots)
    close_all(list(bots))
    (fault,) = played.faults
    assert fault.process == "exit status 1"
    assert fault.stderr[0] == "Traceback (most recent call last):"
    assert fault.stderr[-1] == "ValueError: no idea what to play"
    assert 0 < fault.spent_ms <= fault.allowed_ms == 60_020
    # The name stands in the first line: some details have another subject than the bot.
    assert f"\n  what happened: {fault.detail}\n" in fault_text(fault, "raising")


def test_standard_error_is_captured_from_both_ends(launcher: Launcher) -> None:
    """Four megabytes of it do not delay the game."""
    bots = seated(launcher, 1, "turn", "flood-stderr")
    played = play_game(setup(), bots)
    assert played.faults == ()
    kept = bots[0].process.output.errors.text()
    close_all(list(bots))
    assert len(kept) < 32_768
    assert kept.startswith(b"eeee")
    assert kept.endswith(b"the end\n")
    assert b"bytes not kept" in kept


def test_bot_process_plays_many_games(launcher: Launcher) -> None:
    """As long as it commits no fault."""
    bots = seated(launcher, 1, *HONEST)
    pids = set()
    for _ in range(3):
        assert play_game(setup(), bots).faults == ()
        pids.add((pid_of(bots[0].process), pid_of(bots[1].process)))
    assert len(pids) == 1
    assert bots[0].warnings == []
    close_all(list(bots))


def test_fresh_process_starts_a_process_per_game(launcher: Launcher) -> None:
    """Without a warning."""
    bots = seated(launcher, 1, *HONEST)
    pids = set()
    for _ in range(3):
        play_game(with_config(setup(), play=PlaySettings(fresh_process=True)), bots)
        pids.add(pid_of(bots[0].process))
    assert len(pids) == 3
    assert bots[0].warnings == []
    close_all(list(bots))


@pytest.mark.parametrize(
    ("deed", "warning"),
    [
        ("garbage", "it sent output between two games"),
        ("exit", "its process ended between two games"),
    ],
)
def test_process_with_output_between_games_is_replaced(
    launcher: Launcher, deed: str, warning: str
) -> None:
    """Output or an exit between two games is no fault; a new process plays the next game."""
    bots = seated(launcher, 1, "end", deed)
    assert play_game(setup(), bots).faults == ()
    process = bots[0].process
    wait_until(lambda: not process.can_be_reused())
    assert play_game(setup(), bots).faults == ()
    assert bots[0].process is not process
    assert len(bots[0].warnings) == 1
    assert warning in bots[0].warnings[0]
    close_all(list(bots))


def test_info_between_games_is_allowed(launcher: Launcher) -> None:
    """`info` may come at any time."""
    bots = seated(launcher, 1, "end", "info")
    play_game(setup(), bots)
    process = bots[0].process
    play_game(setup(), bots)
    assert bots[0].process is process
    close_all(list(bots))


def test_illegal_move_is_repeated_while_attempts_are_left(launcher: Launcher) -> None:
    """The same turn is sent with `retry`, and the clock runs on."""
    bots = seated(launcher, 1, "turn", "illegal")
    played = play_game(with_config(setup(), play=PlaySettings(attempts=3)), bots)
    close_all(list(bots))
    assert played.faults == ()
    first, second = (
        entry.line.decode()
        for entry in played.transcript.entries
        if entry.sent and entry.seat == 1 and entry.line.startswith(b"turn ply=1 ")
    )
    assert "retry" not in first
    assert " retry=2 " in second
    assert first.partition(" moves=")[2] == second.partition(" moves=")[2]


def test_opening_moves_have_no_times(launcher: Launcher) -> None:
    """They are the first moves; seat 2 may be first on turn after them."""
    bots = seated(launcher, 1, *HONEST)
    played = play_game(setup()._replace(opening=("3,3",)), bots)
    close_all(list(bots))
    assert played.moves[0] == "3,3"
    assert played.ms[0] is None
    assert len(played.ms) == len(played.moves)
    first_turn = next(e for e in played.transcript.entries if e.line.startswith(b"turn"))
    assert first_turn.seat == 2
    assert first_turn.line.startswith(b"turn ply=2 time_ms=60000 opp_ms=60000 moves=3,3 board=")


def test_turn_line_shows_the_clock(launcher: Launcher) -> None:
    """The time left before, less the time spent, plus the increment."""
    time = TimeControl.clock("60s + 1s")
    bots = seated(launcher, 1, *HONEST)
    played = play_game(with_config(setup(), times=(time, time)), bots)
    close_all(list(bots))
    left = [60_000.0, 60_000.0]
    turns = [e.line.decode().split() for e in played.transcript.entries if b"turn ply" in e.line]
    for ply, (words, spent) in enumerate(zip(turns, played.ms, strict=True)):
        seat = ply % 2
        assert abs(int(words[2].removeprefix("time_ms=")) - left[seat]) < 2
        assert abs(int(words[3].removeprefix("opp_ms=")) - left[1 - seat]) < 2
        left[seat] += 1000 - spent


def test_end_is_sent_to_both_bots(launcher: Launcher) -> None:
    """With the result of each, the reason, and all moves."""
    bots = seated(launcher, 1, *HONEST)
    played = play_game(setup(), bots)
    close_all(list(bots))
    ends = {e.seat: e.line.decode() for e in played.transcript.entries if b"end " in e.line[:4]}
    winner = played.outcome.winner
    moves = ";".join(played.moves)
    assert ends[winner] == f"end result=win reason=no-moves moves={moves}"
    assert ends[3 - winner] == f"end result=loss reason=no-moves moves={moves}"


def test_end_is_sent_to_people_at_once(launcher: Launcher) -> None:
    """To a bot it can be sent with the next game."""

    class Adapter:
        def __init__(self) -> None:
            self.lines: list[str] = []

        def answer(self, line: str) -> str | None:
            self.lines.append(line)
            return None

    adapter = Adapter()
    person, program = HumanPlayer(adapter), launcher.start(scripted(*HONEST))
    bots = Bot("one", scripted(*HONEST), launcher), Bot("two", scripted(*HONEST), launcher)
    bots[0].process, bots[1].process = person, program
    game_module.send_end(
        bots, Transcript(0.0), win(1, Reason.GOAL), "1,1", next_game_same_bots=True
    )
    assert adapter.lines == ["end result=win reason=goal moves=1,1\n"]
    assert (person.unsent, program.unsent) == (b"", b"end result=loss reason=goal moves=1,1\n")
    close_all(bots)


def test_bot_that_does_not_read_times_out(launcher: Launcher) -> None:
    """Unread lines fill the pipe, and then the deadline applies."""
    # Every ply is a turn line that the hung bot never reads: its pipe holds 64 KiB of them.
    game = find_variant("runner")
    hung = Bot("hung", Command(("sh", "-c", "echo ready; exec sleep 1000"), ROOT), launcher)
    honest = Bot("honest", scripted(*HONEST), launcher)
    played = play_game(setup(1, Reason.TIMEOUT, game.name), (hung, honest))
    assert played.outcome == win(2, Reason.TIMEOUT)
    hung.acquire_process(fresh=False)
    assert hung.process.write(b"x" * 1_000_000) < 1_000_000
    close_all([hung, honest])


def test_killed_launcher_costs_no_bot_the_game() -> None:
    """A bot that was not started because of it gets a new process."""
    with Launcher() as launcher:
        launcher.prepare()
        assert launcher._process is not None
        os.kill(launcher._process.pid, signal.SIGSTOP)  # it takes requests, and does nothing
        bots = seated(launcher, 1, *HONEST)
        for bot in bots:
            bot.acquire_process(fresh=False)
        os.kill(launcher._process.pid, signal.SIGKILL)
        launcher._process.wait()
        assert play_game(setup(), bots).faults == ()
        close_all(list(bots))


def test_bot_starts_with_default_signal_handling() -> None:
    """No signal is ignored or blocked, also if the referee ignores or blocks some."""
    program = """
import signal
from tests.game.test_game import *
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR2])
with Launcher() as launcher:
    cat = Bot("cat", Command(("cat", "/proc/self/status"), ROOT), launcher)
    process, _ = cat.acquire_process(fresh=False)
    process.wait_for_exit(monotonic() + 60)
    process.read_stdout(0.0)
    print(process.output.buffer.rest.decode())
    cat.discard()
"""
    said = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    fields = dict(line.split(":", 1) for line in said.stdout.splitlines() if ":" in line)
    # Two others belong to the C library, which may ignore them in what it starts (`posix_spawn`).
    ours = sum(1 << number - 1 for number in signal.valid_signals())
    assert [int(fields[name], 16) & ours for name in ("SigIgn", "SigBlk")] == [0, 0], said


def test_error_of_the_referee_kills_both_bots(launcher: Launcher) -> None:
    """And the error is raised."""
    bots = seated(launcher, 1, *HONEST)

    def fail(*_: object) -> None:
        raise RefereeError("a bug of ours")

    with pytest.raises(RefereeError, match="a bug of ours"):
        play_game(setup(), bots, watch=fail)
    assert [bot.process for bot in bots] == [None, None]


@pytest.mark.parametrize("deed", ["hang", "deaf", "orphan", "child"])
def test_killed_referee_leaves_no_process(deed: str, tmp_path: Path) -> None:
    """Neither bots nor their descendants."""
    program = f"""
import sys
from tests.game.test_game import *
with Launcher() as launcher:
    bots = seated(launcher, 1, "move", "child")
    bots[1].command = scripted("turn", {deed!r})
    def tell(*_):
        print("playing", flush=True)
    play_game(setup(), bots, watch=tell)
    print("over", flush=True)
    signal.pause()
"""
    words = [sys.executable, "-c", program]
    with ended(subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE)) as referee:
        assert referee.stdout.readline() == b"playing\n"
        started = below(referee.pid)
        assert len(started) >= 4
        referee.send_signal(signal.SIGKILL)
        referee.wait()
    wait_until(lambda: not any(is_running(process) for process in started))


def test_played_game_holds_no_process(launcher: Launcher) -> None:
    """It can be kept."""
    bots = seated(launcher, 1, *HONEST)
    played = play_game(setup(), bots)
    close_all(list(bots))
    assert isinstance(played, PlayedGame)
    assert all(isinstance(move, str) for move in played.moves)


def test_watchdog_signals_lose_no_answer(launcher: Launcher) -> None:
    """At any point of the exchange: every answer is read once."""
    bots = seated(launcher, 1, *HONEST)
    calm = game_module.play_game(setup(), bots)
    hasty = ReadWatchdog(period_seconds=0.0001)
    for _ in range(50):
        played = game_module.play_game(setup(), bots, watchdog=hasty)
        assert played.faults == ()
        assert played.moves == calm.moves
        assert [entry.line for entry in played.transcript.entries] == [
            entry.line for entry in calm.transcript.entries
        ]
    close_all(list(bots))


def test_watchdog_signals_between_games_lose_no_answer(launcher: Launcher) -> None:
    """Where the next game follows at once, with the seats exchanged."""
    bots = seated(launcher, 1, *HONEST)
    calm = game_module.play_game(setup(), bots)
    hasty = ReadWatchdog(period_seconds=0.0001)
    for _ in range(50):
        played = game_module.play_game(setup(), bots, watchdog=hasty, next_game_same_bots=True)
        assert (played.faults, played.moves) == ((), calm.moves)
        bots = bots[1], bots[0]
    close_all(list(bots))
    hasty.stop()


def test_watchdog_is_disarmed_after_the_last_game(launcher: Launcher) -> None:
    bots = seated(launcher, 1, *HONEST)
    assert play_game(setup(), bots, next_game_same_bots=True).faults == ()
    assert play_game(setup(), bots).faults == ()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert _that_wait(bots) == set()
    close_all(list(bots))


def _that_wait(bots: Sequence[Bot]) -> set[str]:
    """Return those players whose reads would block."""
    return {bot.name for bot in bots if bot.process and os.get_blocking(bot.process.stdout)}


def test_reads_block_only_for_players_of_the_game(launcher: Launcher) -> None:
    """Also if another game was expected, and other bots play it, or a bot has exited."""
    never = ReadWatchdog(period_seconds=600)
    one, two, three = (Bot(name, scripted(*HONEST), launcher) for name in ("one", "two", "three"))
    for pair in ((one, two), (three, one), (two, three)):
        played = game_module.play_game(setup(), pair, watchdog=never, next_game_same_bots=True)
        assert played.faults == ()
        assert _that_wait((one, two, three)) == {bot.name for bot in pair}
    two.discard()
    three.discard()
    never.stop()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    close_all([one, two, three])


TALKER = """
import sys
turn = 0
for line in sys.stdin:
    verb, *fields = line.split()
    if verb == "game":
        print("ready", flush=True)
    elif verb == "turn":
        turn += 1
        if turn == int(sys.argv[1]):
            print("the last one", file=sys.stderr, flush=True)
        legal = dict(field.split("=", 1) for field in fields)["legal"]
        print("move", legal.split(";")[0], flush=True)
"""


def test_unread_standard_error_does_not_delay_the_next_game(launcher: Launcher) -> None:
    """There is output to read, but no answer."""
    bots = seated(launcher, 1, *HONEST)
    turns = (len(play_game(setup(), bots).moves) + 1) // 2
    bots[0].quit()
    talker = Command((sys.executable, "-S", "-c", TALKER, str(turns)), ROOT)
    bots = Bot("talker", talker, launcher), bots[1]
    never = ReadWatchdog(period_seconds=600)
    assert (
        game_module.play_game(setup(), bots, watchdog=never, next_game_same_bots=True).faults == ()
    )
    process = bots[0].process
    assert isinstance(process, BotProcess)
    assert [descriptor for descriptor, _ in process.poll(0)] == [process.stderr]
    assert game_module.play_game(setup(), bots, watchdog=never).faults == ()
    close_all(list(bots))
