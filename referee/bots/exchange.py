"""The table that two players sit at: asks one of them, listens to both.

There are two ways to wait for an answer. A single poll for both players, so that whatever either of
them says or whatever becomes of it is noticed while the other thinks. Or, where a pulse bounds it,
a plain read of the one who was asked: answers that come at once are heard so, and cost less.
Nothing here blocks without an absolute deadline.
"""

import os
from collections.abc import Sequence
from time import monotonic

from referee.bots.player import Player
from referee.bots.poller import Poller
from referee.bots.watchdog import PERIOD_SECONDS, ReadWatchdog
from referee.errors import OutsideError
from referee.outcome import Seat
from referee.protocol.answers import Answer, Phase, is_info, read_answer, read_move
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.transcript import Transcript

SUSPEND_AFTER_MS = 3
"""A bot whose turn it is not is stopped when the other one has been thinking for so long."""
LOOK_SECONDS = 0.05
"""The longest wait in one piece: how long it really took tells whether the referee ran."""
DELAY_SECONDS = 0.01
"""The usual delay until a process runs that was woken, on a busy machine, is less than this."""
DIRECT_MS = 2000 * PERIOD_SECONDS + 1000 * DELAY_SECONDS
"""A read that took longer was not ended by the timer signal: the referee itself did not run."""
SUSPENDED_SECONDS, BUSY_SECONDS = 1.0, 10.0
"""A referee that did not run for so long was suspended; the second, where a bot may have tried to
bring that about."""
USUAL_CHUNK = 400
"""Bytes of an answer that is read directly; a longer one is read in parts. Python has room for so
many at hand, and asks the system for larger ones."""

MoveAnswer = tuple[str | None, float, float]
"""A move (None is to resign), when it was asked for, and when it came."""


class Exchange:
    """The processes at one game (or one that is only tried): asks one, listens to all."""

    def __init__(
        self,
        processes: Sequence[Player],
        transcript: Transcript,
        *,
        freeze: bool = False,
        pulse: ReadWatchdog | None = None,
    ) -> None:
        self.processes = processes
        self.transcript = transcript
        self._freeze = freeze
        """Whether a bot is stopped while another is thinking about its turn."""
        self._pulse = pulse
        self.sent_at = 0.0
        """When the last turn was sent, and later if time was lost that is not the bot's."""
        self._seen = 0.0
        """When the referee last looked whether an answer had come."""
        self._stalled = 0.0
        """Seconds since the question in which the referee did not look although it was time to."""
        self._longest_stall = 0.0
        """The longest time of that kind in one piece."""
        self._all_ears: Poller | None = None

    @property
    def _ears(self) -> Poller:
        """Made when they are needed: nearly every game goes without."""
        if self._all_ears is None:
            self._all_ears = Poller(self.processes)
        return self._all_ears

    @property
    def off_turn_ms(self) -> tuple[float, float]:
        """Processor time that each of two players was seen to take while it was not asked."""
        first, second = self.processes
        return round(first.off_turn_ms, 1), round(second.off_turn_ms, 1)

    def arm_watchdog(self) -> None:
        """Let reads wait while the pulse beats, unless somebody's state asks for a closer look."""
        if not self._pulse:
            return
        for process in self.processes:
            if not process.is_ready_for_direct_read:
                self._pulse.stop()
                return
        self._pulse.start(self.processes)

    def disarm_watchdog(self) -> None:
        """Let no read wait any longer."""
        if self._pulse:
            self._pulse.stop()

    @property
    def _is_direct(self) -> bool:
        """Whether reads wait; that may end at any moment, between two steps."""
        return self._pulse is not None and self._pulse.is_on

    def ask_for_move(self, seat: Seat, line: bytes, limit_ms: float) -> MoveAnswer:
        """Send a turn (with its line end) and wait for the move until the limit.

        BotFault if the bot has spoken unasked, or does not answer as it should. Nearly every turn
        is one look at what may be there unasked, one write, and one read of one whole line: that
        way is all here, and whatever is different goes on in `_ask`.
        """
        process, pulse = self.processes[seat - 1], self._pulse
        if pulse is None or not pulse.is_on or process.poll(0):
            return self._ask(seat, line, limit_ms)
        sent, chunk = 0, b""
        sent_at = self.sent_at = pulse.sent_at = monotonic()
        try:
            sent = os.write(process.stdin, line)
            if sent == len(line):
                chunk = os.read(process.stdout, USUAL_CHUNK)
        except OSError:
            pass  # it is gone, it does not read, or the pulse came first: `_ask` will see
        received_at = monotonic()
        move = read_move(chunk)
        spent_ms = (received_at - sent_at) * 1000
        if move is not None and spent_ms <= limit_ms and spent_ms < DIRECT_MS:
            self.transcript.add_turn(seat, sent_at, line, received_at, chunk)
            return move, sent_at, received_at
        return self._ask(seat, line, limit_ms, sent_at, sent, chunk, received_at)

    def _ask(
        self,
        seat: Seat,
        line: bytes,
        limit_ms: float,
        sent_at: float | None = None,
        sent: int = 0,
        chunk: bytes = b"",
        received_at: float = 0.0,
    ) -> MoveAnswer:
        """Ask for a move whatever may happen; perhaps it was asked for, and half heard, before."""
        process = self.processes[seat - 1]
        if sent_at is None:
            self.check_unsolicited_output(seat)
            self._stop_restless(process)
            process.resume()
            sent_at = self.sent_at = monotonic()
            self._watch_itself(sent_at)
        else:
            process.buffer.new_turn()
            self._watch_itself(received_at)
            if (received_at - sent_at) * 1000 > DIRECT_MS:
                # What the timer signal did not end in time: the referee itself did not run.
                self._note_stall(received_at - sent_at)
        deadline = sent_at + limit_ms / 1000
        self.transcript.add(sent_at, seat, True, line)
        if chunk and not process.feed_output(chunk, received_at):
            self._ears.forget(process.stdout)
        if sent < len(line):
            sent += process.write(line[sent:])
        if sent < len(line):
            self._write_rest(process, line[sent:], deadline)
        answer, received_at = self.answer(seat, Phase.TURN, deadline)
        self._give_back(process, deadline)
        self.arm_watchdog()
        return (
            (answer.text if answer.verb == "move" else None),
            min(self.sent_at, received_at),
            received_at,
        )

    def send(self, seat: Seat, line: bytes, deadline: float) -> float:
        """Write a line (with its end) to a bot, and say when. BotFault if it does not read in time.

        The time is taken just before: a bot on the same core often runs as soon as the line is
        there, and has answered before the referee gets to look at the clock again.
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
        self._seen = monotonic()
        with self._ears.watching_writable(process):
            while data:
                deadline = self._check_time(process, deadline)
                self._listen(process, deadline)
                if process.pending_fault:
                    raise process.pending_fault
                data = data[process.write(data) :]

    def answer(self, seat: Seat, phase: Phase, deadline: float) -> tuple[Answer, float]:
        """The next answer of a bot, `info` lines noted in passing, and when it arrived."""
        process = self.processes[seat - 1]
        if phase is not Phase.TURN:
            self.sent_at = monotonic()
            self._watch_itself(self.sent_at)
        while True:
            line = process.buffer.next_line()
            if line is None:
                freeze = self._freeze and phase is Phase.TURN
                deadline = self._wait_for_more(process, deadline, freeze)
                continue
            received_at = process.received_at
            if received_at > deadline:
                deadline = self._give_back(process, deadline)
            self.transcript.add(received_at, seat, False, line)
            if received_at > deadline:
                if is_info(line) and b"\n" in process.buffer.rest:
                    continue  # the line behind it may be the answer
                raise _too_late(process, line)
            answer = read_answer(line, phase)
            if answer.verb != "info":
                return answer, received_at

    def check_unsolicited_output(self, seat: Seat) -> None:
        """Before a bot is asked: whatever it has said unasked, but for `info`, is a fault."""
        process = self.processes[seat - 1]
        self.disarm_watchdog()
        self._ears.listen(0)
        for line in process.unsolicited_lines():
            self.transcript.add(process.received_at, seat, False, line)
        process.buffer.new_turn()

    def _wait_for_more(self, process: Player, deadline: float, freeze: bool) -> float:
        """Listen until the bot may have said more; the deadline, or a later one.

        BotFault if it cannot say more, or has no time left.
        """
        if self._is_direct:
            self._read(process)
            return deadline
        if process.lost:
            raise OutsideError(process.lost)
        if process.pending_fault:
            raise process.pending_fault
        if process.start_error:
            raise BotFault(FaultKind.NOT_STARTED, cause=process.start_error)
        if process.is_person:
            if freeze:
                self._freeze_all_but(process)
            process.request_answer()
            return deadline
        if process.exit_status is None:
            deadline = self._check_time(process, deadline)
            self._listen(process, deadline, freeze)
            return deadline
        # It has ended, but a complete answer that it left behind counts.
        before = process.buffer.received
        self._ears.drain(process)
        if process.buffer.received == before:
            raise BotFault(FaultKind.EXITED, cause=process.exit_status)
        return deadline

    def _read(self, process: Player) -> None:
        """Wait for the bot alone, until the pulse beats."""
        try:
            chunk = os.read(process.stdout, USUAL_CHUNK)
        except BlockingIOError:
            return
        if not process.feed_output(chunk, monotonic()):
            self.disarm_watchdog()
            self._ears.forget(process.stdout)

    def _listen(self, process: Player, deadline: float, freeze: bool = False) -> None:
        """Wait a while for whatever comes first from either bot, and take it in."""
        now = monotonic()
        self._note_stall(now - self._seen)
        until = min(deadline, now + LOOK_SECONDS)
        if freeze:
            # By the clock: a bot could see to it that there is always something to hear. And not
            # at once: instant answers must not pay for stopping and waking the other bot.
            freeze_at = self.sent_at + SUSPEND_AFTER_MS / 1000
            if now >= freeze_at:
                self._freeze_all_but(process)
            else:
                until = min(until, freeze_at)
        self._ears.listen(max(0.0, (until - now) * 1000))
        self._seen = monotonic()
        self._note_stall(self._seen - until)

    def _watch_itself(self, now: float) -> None:
        """Begin to notice when the referee does not run."""
        self._seen = now
        self._stalled = self._longest_stall = 0.0

    def _note_stall(self, seconds: float) -> None:
        """Add up what is more than the usual delay until a process runs that was woken."""
        if seconds > DELAY_SECONDS:
            self._stalled += seconds
            self._longest_stall = max(self._longest_stall, seconds)

    def _check_time(self, process: Player, deadline: float) -> float:
        """The deadline, or a later one if time was lost; BotFault if none is left."""
        now = monotonic()
        if now >= deadline:
            self._note_stall(now - self._seen)  # it may have been suspended since it last looked
            self._seen = now
            deadline = self._give_back(process, deadline)
            if now >= deadline:
                raise _too_late(process)
        return deadline

    def _give_back(self, process: Player, deadline: float) -> float:
        """The deadline, later by the time that was lost for reasons that are not the bot's.

        Those are a referee that did not run (the machine was busy; if it was suspended, the game is
        void: nothing is known of so long a time), and an opponent that ran although it was not
        asked. A bot that keeps the machine busy itself gets nothing back for the first.
        """
        lost, is_busy = 0.0, process.is_restless
        for other in self.processes:
            if other is not process:
                if other.is_stopping:
                    other.stop()
                is_busy = is_busy or other.is_restless
                lost = max(lost, other.ran_until - self.sent_at)
        if self._longest_stall > (BUSY_SECONDS if is_busy else SUSPENDED_SECONDS):
            raise OutsideError(
                f"the referee itself stood still for {self._longest_stall:.1f} s while a bot was"
                " asked: it was suspended (Ctrl-Z, a machine asleep), or the machine is too busy"
            )
        if not process.is_restless:
            lost = max(lost, self._stalled)
        self._stalled = 0.0
        self.sent_at += lost
        return deadline + lost

    def _stop_restless(self, process: Player) -> None:
        """Stop those that would run on while this one is asked."""
        if self._freeze:
            for other in self.processes:
                if other is not process and other.is_restless:
                    other.stop()

    def _freeze_all_but(self, process: Player) -> None:
        for waiting in self.processes:
            if waiting is not process:
                waiting.suspend()


def _too_late(process: Player, line: bytes = b"info") -> BotFault:
    """The fault of a bot whose time is over; `line` is a complete one that came after that."""
    if not is_info(line):
        return BotFault(FaultKind.LATE)
    if process.buffer.rest:
        return BotFault(FaultKind.NO_LINE_END, sent=process.buffer.rest[:80])
    return BotFault(FaultKind.OUTPUT_CLOSED if process.stdout_closed else FaultKind.NO_ANSWER)
