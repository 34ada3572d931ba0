"""The exchange of requests and answers with the players of one game.

There are two ways to wait for an answer. One poll for all players reads the output and status
messages of each of them while one is thinking. A blocking read of the player whose turn it is,
bounded by the watchdog, costs less and is enough for answers that arrive at once. Nothing here
blocks without an absolute deadline.
"""

import os
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from referee.bots.player import Player
from referee.bots.poller import Poller
from referee.bots.watchdog import PERIOD_SECONDS, ReadWatchdog
from referee.errors import OutsideError
from referee.outcome import Seat
from referee.protocol.answers import Answer, is_info, read_answer, read_move
from referee.protocol.clock import round_half_up
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.phase import TURN, Phase
from referee.protocol.transcript import Transcript

SUSPEND_AFTER_MS = 3
"""Thinking time after which the opponent's processes are suspended."""
POLL_SECONDS = 0.05
"""The longest timeout of one poll: a longer real duration shows that the referee did not run."""
DELAY_SECONDS: Final = 0.01
"""Scheduling delays on a busy machine are usually shorter than this."""
DIRECT_MS: Final = 2000 * PERIOD_SECONDS + 1000 * DELAY_SECONDS
"""A read that took longer was not ended by the timer signal: the referee itself did not run."""
SUSPENDED_SECONDS, BUSY_SECONDS = 1.0, 10.0
"""A referee that did not run for longer was suspended; the second limit applies if a bot may have
tried to cause that by keeping the machine busy."""
DIRECT_READ_BYTES: Final = 400
"""Bytes of one direct read; a longer answer is read in parts. A bytes object of this size comes
from Python's own allocator (up to 512 bytes), a larger one from malloc."""

ANNOUNCE_AFTER_MS, ANNOUNCE_EVERY_MS = 2, 1000
"""Thinking time after which `on_wait` is called, because instant answers must not pay for it, and
the interval of further calls."""

WaitObserver = Callable[[Seat, bytes, Transcript], None]
"""A function called for a turn that is not answered at once, or by a person: the seat, the line of
the turn, and the transcript so far. It must neither wait nor raise an exception."""

MoveAnswer = tuple[str | None, float, float]
"""A move (None: the player resigns), when it was requested, and when it was received."""


class MoveRequest:
    """A request for a move that the direct exchange could not start, or did not complete."""

    def __init__(self, seat: Seat, line: bytes, limit_ms: float) -> None:
        self.seat = seat
        self.line = line
        self.limit_ms = limit_ms
        self.is_started = False
        """Whether the direct exchange has started it; the fields below are its results."""
        self.sent_at = 0.0
        self.sent = 0
        """How many bytes of the line were written."""
        self.received = b""
        self.received_at = 0.0

    def note_direct_exchange(
        self, sent_at: float, sent: int, received: bytes, received_at: float
    ) -> None:
        """Store how far the direct exchange got."""
        self.is_started = True
        self.sent_at = sent_at
        self.sent = sent
        self.received = received
        self.received_at = received_at


class Exchange:
    """The players of one game (or of a check), one of which is requested to answer at a time."""

    def __init__(
        self,
        processes: Sequence[Player],
        transcript: Transcript,
        *,
        suspend_opponent: bool = False,
        watchdog: ReadWatchdog | None = None,
        on_wait: WaitObserver | None = None,
    ) -> None:
        self.processes = processes
        self.transcript = transcript
        self._on_wait = on_wait
        self._awaited: MoveRequest | None = None
        """The turn that `on_wait` is called for."""
        self._announce_at = 0.0
        self._suspend_opponent = suspend_opponent
        """Whether a bot is suspended while its opponent is thinking."""
        self._watchdog = watchdog
        self.sent_at = 0.0
        """When the last turn was sent, plus time lost that is not charged to the bot."""
        self._polled_at = 0.0
        """When the referee last checked for an answer."""
        self.stalled = 0.0
        """Seconds since the request in which the referee did not run although it should have."""
        self._given_back = 0.0
        """The part of them by which the deadline was extended."""
        self._longest_stall = 0.0
        """The longest single period of that kind."""
        self._poller_if_used: Poller | None = None

    @property
    def _poller(self) -> Poller:
        """The poller, created when first needed: nearly every game needs none."""
        if self._poller_if_used is None:
            self._poller_if_used = Poller(self.processes)
        return self._poller_if_used

    @property
    def off_turn_ms(self) -> tuple[float, float]:
        """The processor time of each of two players that was measured off-turn."""
        first, second = self.processes
        return round_half_up(first.off_turn_ms, 10), round_half_up(second.off_turn_ms, 10)

    def arm_watchdog(self) -> None:
        """Permit direct reads, bounded by the watchdog, if all players are ready for them."""
        if not self._watchdog:
            return
        for process in self.processes:
            if not process.is_ready_for_direct_read:
                self._watchdog.stop()
                return
        self._watchdog.start(self.processes)

    def disarm_watchdog(self) -> None:
        """End direct reads."""
        if self._watchdog:
            self._watchdog.stop()

    @property
    def _is_direct(self) -> bool:
        """Whether reads block; the signal handler may end that between any two instructions."""
        return self._watchdog is not None and self._watchdog.is_armed

    def request_move(self, seat: Seat, line: bytes, limit_ms: float) -> MoveAnswer:
        """Send a turn (with its line end) and wait for the move until the limit.

        BotFault for unsolicited output, or if the bot does not answer according to the protocol.
        Nearly every turn is one poll for unsolicited output, one write, and one read of one whole
        line: all of that is here, and every other case continues in `_exchange_with_polling`.
        """
        process, watchdog = self.processes[seat - 1], self._watchdog
        if watchdog is None or not watchdog.is_armed or process.poll(0):
            return self._exchange_with_polling(MoveRequest(seat, line, limit_ms))
        sent, chunk = 0, b""
        sent_at = self.sent_at = watchdog.sent_at = monotonic()
        try:
            sent = os.write(process.stdin, line)
            if sent == len(line):
                chunk = os.read(process.stdout, DIRECT_READ_BYTES)
        except OSError:
            pass  # it has ended, its pipe is full, or the watchdog ended the read: see below
        received_at = monotonic()
        move = read_move(chunk)
        spent_ms = (received_at - sent_at) * 1000
        if move is not None and spent_ms <= limit_ms and spent_ms < DIRECT_MS:
            self.transcript.add_turn(seat, sent_at, line, received_at, chunk)
            return move, sent_at, received_at
        request = MoveRequest(seat, line, limit_ms)
        request.note_direct_exchange(sent_at, sent, chunk, received_at)
        return self._exchange_with_polling(request)

    def _exchange_with_polling(self, request: MoveRequest) -> MoveAnswer:
        """Request a move with polls, from the start or from where the direct exchange stopped."""
        process = self.processes[request.seat - 1]
        if request.is_started:
            self._continue_direct_exchange(process, request)
        else:
            self._start_request(process, request)
        deadline = request.sent_at + request.limit_ms / 1000
        unsent = request.line[request.sent :]
        if unsent:
            unsent = unsent[process.write(unsent) :]
        if unsent:
            self._write_rest(process, unsent, deadline)
        if self._on_wait is not None:
            self._awaited = request
            self._announce_at = request.sent_at + ANNOUNCE_AFTER_MS / 1000
        answer, received_at = self.answer(request.seat, TURN, deadline)
        self._awaited = None
        self._extend_deadline(process, deadline)
        self.arm_watchdog()
        return (
            (answer.text if answer.verb == "move" else None),
            min(self.sent_at, received_at),
            received_at,
        )

    def _start_request(self, process: Player, request: MoveRequest) -> None:
        """Start the clock of a request of which nothing was sent yet."""
        self.check_unsolicited_output(request.seat)
        self._stop_restless_opponents(process)
        process.resume()
        request.sent_at = self.sent_at = monotonic()
        self._reset_stalls(request.sent_at)
        self.transcript.add(request.sent_at, request.seat, True, request.line)

    def _continue_direct_exchange(self, process: Player, request: MoveRequest) -> None:
        """Add the results of the direct exchange to the buffer, the clock and the transcript."""
        process.output.buffer.new_turn()
        self._reset_stalls(request.received_at)
        waited = request.received_at - request.sent_at
        if waited * 1000 > DIRECT_MS:
            # The timer signal did not end the read in time: the referee itself did not run.
            self._note_stall(waited)
        self.transcript.add(request.sent_at, request.seat, True, request.line)
        if request.received and not process.output.feed(request.received, request.received_at):
            self._poller.unregister(process.stdout)

    def send(self, seat: Seat, line: bytes, deadline: float) -> float:
        """Write a line (with its end) and return when. BotFault if the bot does not read in time.

        The time is taken just before: a bot on the same core often runs as soon as the line is
        written, and has answered before the referee runs again.
        """
        process = self.processes[seat - 1]
        process.resume()
        now = monotonic()
        self.transcript.add(now, seat, True, line)
        data, process.unsent = process.unsent + line, b""
        written = process.write(data)
        if written < len(data):
            self._write_rest(process, data[written:], deadline)
        return now

    def _write_rest(self, process: Player, data: bytes, deadline: float) -> None:
        self.disarm_watchdog()
        self._polled_at = monotonic()
        with self._poller.watching_writable(process):
            while data:
                deadline = self._check_deadline(process, deadline)
                self._poll_all(process, deadline)
                if process.output.pending_fault:
                    raise process.output.pending_fault
                data = data[process.write(data) :]

    def answer(self, seat: Seat, phase: Phase, deadline: float) -> tuple[Answer, float]:
        """Wait for the next answer of a bot that is no `info` line; return it with its time."""
        process = self.processes[seat - 1]
        if phase is not TURN:
            self.sent_at = monotonic()
            self._reset_stalls(self.sent_at)
        while True:
            line = process.output.buffer.next_line()
            if line is None:
                suspends = self._suspend_opponent and phase is TURN
                deadline = self._wait_for_output(process, deadline, suspends)
                continue
            received_at = process.output.received_at
            if received_at > deadline:
                deadline = self._extend_deadline(process, deadline)
            self.transcript.add(received_at, seat, False, line)
            if received_at > deadline:
                if is_info(line) and b"\n" in process.output.buffer.rest:
                    continue  # the line after it may be the answer
                raise _timeout_fault(process, line)
            answer = read_answer(line, phase)
            if answer.verb != "info":
                return answer, received_at

    def check_unsolicited_output(self, seat: Seat) -> None:
        """Read what a bot sent before its turn; BotFault if it is anything but `info`."""
        process = self.processes[seat - 1]
        self.disarm_watchdog()
        self._poller.poll(0)
        for line in process.output.unsolicited_lines():
            self.transcript.add(process.output.received_at, seat, False, line)
        process.output.buffer.new_turn()

    def _wait_for_output(self, process: Player, deadline: float, suspends: bool) -> float:
        """Wait once for output of the bot; return the deadline, or a later one.

        BotFault if no more can arrive, or no time is left.
        """
        if self._is_direct:
            self._read(process)
            return deadline
        process.output.check()
        if process.is_person:
            self._announce_at = 0.0
            self._announce_wait()
            if suspends:
                self._suspend_opponents(process)
            process.request_answer()
            return deadline
        if process.output.exit_status is None:
            deadline = self._check_deadline(process, deadline)
            self._poll_all(process, deadline, suspends)
            return deadline
        # It has ended, but a complete answer in the pipe counts.
        before = process.output.buffer.received
        self._poller.drain(process)
        if process.output.buffer.received == before:
            raise BotFault(FaultKind.EXITED, cause=str(process.output.exit_status))
        return deadline

    def _read(self, process: Player) -> None:
        """Read from this bot alone, until the watchdog ends that."""
        try:
            chunk = os.read(process.stdout, DIRECT_READ_BYTES)
        except BlockingIOError:
            return
        now = monotonic()
        if (now - self.sent_at) * 1000 > DIRECT_MS:
            # As in `_continue_direct_exchange`.
            self._note_stall(now - self.sent_at)
            self._polled_at = now
        if not process.output.feed(chunk, now):
            self.disarm_watchdog()
            self._poller.unregister(process.stdout)

    def _poll_all(self, process: Player, deadline: float, suspends: bool = False) -> None:
        """Wait a short time for output or a status message of any player, and read it."""
        self._announce_wait()
        now = monotonic()
        self._note_stall(now - self._polled_at)
        until = min(deadline, now + POLL_SECONDS)
        if self._awaited is not None:
            until = min(until, self._announce_at)
        if suspends:
            # By the clock, because a bot could cause a continuous stream of events. And not at
            # once, because instant answers must not pay for stopping and resuming the opponent.
            suspend_at = self.sent_at + SUSPEND_AFTER_MS / 1000
            if now >= suspend_at:
                self._suspend_opponents(process)
            else:
                until = min(until, suspend_at)
        self._poller.poll(max(0.0, (until - now) * 1000))
        self._polled_at = monotonic()
        self._note_stall(self._polled_at - until)

    def _announce_wait(self) -> None:
        """Call `on_wait` if it is due."""
        request = self._awaited
        if request is not None and (now := monotonic()) >= self._announce_at:
            self._announce_at = now + ANNOUNCE_EVERY_MS / 1000
            assert self._on_wait is not None
            self._on_wait(request.seat, request.line, self.transcript)

    def _reset_stalls(self, now: float) -> None:
        """Start to measure the time in which the referee does not run."""
        self._polled_at = now
        self.stalled = self._given_back = self._longest_stall = 0.0

    def _note_stall(self, seconds: float) -> None:
        """Add a delay if it is longer than usual scheduling delays."""
        if seconds > DELAY_SECONDS:
            self.stalled += seconds
            self._longest_stall = max(self._longest_stall, seconds)

    def _check_deadline(self, process: Player, deadline: float) -> float:
        """Return the deadline, or a later one if time was lost; BotFault if none is left."""
        now = monotonic()
        if now >= deadline:
            # The referee may have been suspended since the last poll.
            self._note_stall(now - self._polled_at)
            self._polled_at = now
            deadline = self._extend_deadline(process, deadline)
            if now >= deadline:
                raise _timeout_fault(process)
        return deadline

    def _extend_deadline(self, process: Player, deadline: float) -> float:
        """Return the deadline, extended by the time that was lost without the bot's fault.

        That is time in which the referee did not run because the machine was busy, or in which the
        opponent was stopped slowly, and time in which the opponent ran off-turn. A bot that keeps
        the machine busy itself gets nothing back for the first two. If the referee was suspended,
        the game is void (OutsideError), because the time that the bot used is unknown.
        """
        lost, is_busy = 0.0, process.is_restless
        stalled = self.stalled - self._given_back
        for other in self.processes:
            if other is not process:
                if other.is_stopping:
                    other.stop()
                is_busy = is_busy or other.is_restless
                lost = max(lost, other.ran_until - self.sent_at)
                stalled = max(stalled, other.slow_stop_until - self.sent_at)
        if self._longest_stall > (BUSY_SECONDS if is_busy else SUSPENDED_SECONDS):
            raise OutsideError(
                f"the referee itself did not run for {self._longest_stall:.1f} s while it waited"
                " for a bot: it was suspended (Ctrl-Z, a machine asleep), or"
                " the machine is too busy"
            )
        if not process.is_restless:
            lost = max(lost, stalled)
        self._given_back = self.stalled
        self.sent_at += lost
        return deadline + lost

    def _stop_restless_opponents(self, process: Player) -> None:
        """Stop opponents that would run off-turn."""
        if self._suspend_opponent:
            for other in self.processes:
                if other is not process and other.is_restless:
                    other.stop()

    def _suspend_opponents(self, process: Player) -> None:
        for other in self.processes:
            if other is not process:
                other.suspend()


def _timeout_fault(process: Player, line: bytes = b"info") -> BotFault:
    """Return the fault of a bot whose time is up; `line` is a complete line received after that."""
    if not is_info(line):
        return BotFault(FaultKind.LATE)
    if process.output.buffer.rest:
        return BotFault(FaultKind.NO_LINE_END, sent=process.output.buffer.rest[:80])
    return BotFault(FaultKind.OUTPUT_CLOSED if process.output.is_closed else FaultKind.NO_ANSWER)
