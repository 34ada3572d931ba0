"""The table that two players sit at: asks one of them, listens to both.

A single poll waits for both, so that whatever either of them says or whatever becomes of it is
noticed while the other thinks. Nothing here blocks without an absolute deadline.
"""

import select
from collections.abc import Callable, Sequence
from time import monotonic

from referee.bot import Player
from referee.clock import CEILING_MS
from referee.faults import BotFault
from referee.outcome import Reason, Seat
from referee.protocol import Answer, Phase, read_answer, read_move
from referee.transcript import Transcript

FREEZE_AFTER_MS = 3
"""A bot whose turn it is not is stopped when the other one has been thinking for so long."""


MoveAnswer = tuple[str | None, float, float]
"""A move (None is to resign), when it was asked for, and when it came."""


class Table:
    """The processes at one game (or one that is only tried): asks one, listens to all."""

    def __init__(
        self, processes: Sequence[Player], transcript: Transcript, *, freeze: bool = False
    ) -> None:
        self.processes = processes
        self.transcript = transcript
        self._freeze = freeze
        """Whether a bot is stopped while another is thinking about its turn."""
        self._patience_ms = FREEZE_AFTER_MS if freeze else CEILING_MS
        """How long to wait for a move before anything else is done."""
        self._poll = select.poll()
        self._readers: dict[int, Callable[[float], bool]] = {}
        for process in processes:
            self._readers |= process.readers()
        for descriptor in self._readers:
            self._poll.register(descriptor, select.POLLIN)
        self._waited_for: Player | None = None
        """Whose word the last poll was for; it heard everybody."""

    def ask_for_move(self, seat: Seat, line: bytes, limit_ms: float) -> MoveAnswer:
        """Send a turn (with its line end) and wait for the move until the limit.

        BotFault if the bot has spoken unasked, or does not answer as it should. Nearly every turn
        is one write, one poll that hears this bot alone, and one read of one whole line: that way
        is all here, and whatever is different goes on in `answer`.
        """
        process = self.processes[seat - 1]
        buffer = process.buffer
        if self._waited_for is process or self._waited_for is None or buffer.is_filled:
            self.expect_silence(seat)
        buffer.received = 0
        process.thaw()
        asked = monotonic()
        deadline = asked + limit_ms / 1000
        written = process.write(line)
        if written == len(line) and process.ended is None and not process.is_person:
            self._waited_for = process
            patience_ms = self._patience_ms
            events = self._poll.poll(limit_ms if limit_ms < patience_ms else patience_ms)
            arrived = monotonic()
            if len(events) == 1 and events[0][0] == process.stdout and arrived <= deadline:
                chunk = process.read_chunk()
                move = read_move(chunk)
                if move is not None and not buffer.is_filled:
                    self.transcript.add_turn(seat, asked, line, arrived, chunk)
                    return move, asked, arrived
                self.transcript.add(asked, seat, True, line)
                if not process.take(chunk, arrived):
                    self._forget(process.stdout)
            else:
                self.transcript.add(asked, seat, True, line)
                self._take(events)
                if not events and self._freeze:
                    self._freeze_all_but(process)
        else:
            self.transcript.add(asked, seat, True, line)
            if written < len(line):
                self._write_rest(process, line[written:], deadline)
        answer, arrived = self.answer(seat, Phase.TURN, deadline)
        return (answer.text if answer.verb == "move" else None), asked, arrived

    def send(self, seat: Seat, line: str, deadline: float) -> float:
        """Write a line to a bot, and say when. BotFault if it does not read in time.

        The time is taken just before: a bot on the same core often runs as soon as the line is
        there, and has answered before the referee gets to look at the clock again.
        """
        process = self.processes[seat - 1]
        process.thaw()
        data = f"{line}\n".encode("ascii")
        now = monotonic()
        self.transcript.add(now, seat, True, data)
        written = process.write(data)
        if written < len(data):
            self._write_rest(process, data[written:], deadline)
        return now

    def _write_rest(self, process: Player, data: bytes, deadline: float) -> None:
        self._poll.register(process.stdin, select.POLLOUT)
        self._readers[process.stdin] = lambda now: True
        try:
            while data:
                self._listen(process, deadline)
                if process.trouble:
                    raise process.trouble
                data = data[process.write(data) :]
        finally:
            self._poll.unregister(process.stdin)
            del self._readers[process.stdin]

    def answer(self, seat: Seat, phase: Phase, deadline: float) -> tuple[Answer, float]:
        """The next answer of a bot, `info` lines noted in passing, and when it arrived."""
        process = self.processes[seat - 1]
        while True:
            line = process.buffer.next_line()
            if line is None:
                self._wait_for_more(process, deadline, self._freeze and phase is Phase.TURN)
                continue
            arrived = process.arrived
            self.transcript.add(arrived, seat, False, line)
            if arrived > deadline:
                raise _too_late(process)
            answer = read_answer(line, phase)
            if answer.verb != "info":
                return answer, arrived

    def expect_silence(self, seat: Seat) -> None:
        """Before a bot is asked: whatever it has said unasked, but for `info`, is a fault."""
        process = self.processes[seat - 1]
        # While another one was waited for, it was heard too: nothing can be there unread.
        if self._waited_for is process or self._waited_for is None:
            self._take(self._poll.poll(0))
        for line in process.unasked():
            self.transcript.add(process.arrived, seat, False, line)
        process.buffer.new_turn()

    def _wait_for_more(self, process: Player, deadline: float, freeze: bool) -> None:
        """Listen until the bot has said more; BotFault if it cannot or does not."""
        if process.trouble:
            raise process.trouble
        if process.failure:
            raise BotFault(Reason.START, f"could not be started: {process.failure}")
        if process.is_person:
            if freeze:
                self._freeze_all_but(process)
            process.speak()
            return
        if process.ended is None:
            self._listen(process, deadline, freeze)
            return
        # It has ended, but a complete answer that it left behind counts.
        before = process.buffer.received
        read = self._readers.get(process.stdout)
        if read is not None and not read(monotonic()):
            self._forget(process.stdout)
        if process.buffer.received == before:
            raise BotFault(Reason.CRASH, f"ended while it was asked ({process.ended})")

    def _listen(self, process: Player, deadline: float, freeze: bool = False) -> None:
        """Wait for whatever comes first from either bot, and take it in."""
        self._waited_for = process
        left_ms = (deadline - monotonic()) * 1000
        if freeze and left_ms > FREEZE_AFTER_MS:
            # Instant answers must not pay for stopping and waking the other bot.
            events = self._poll.poll(FREEZE_AFTER_MS)
            if not events:
                self._freeze_all_but(process)
                left_ms = (deadline - monotonic()) * 1000
                events = self._poll.poll(left_ms) if left_ms > 0 else []
        else:
            events = self._poll.poll(left_ms) if left_ms > 0 else []
        if not events:
            raise _too_late(process)
        self._take(events)

    def _freeze_all_but(self, process: Player) -> None:
        for waiting in self.processes:
            if waiting is not process:
                waiting.freeze()

    def _take(self, events: list[tuple[int, int]]) -> None:
        now = monotonic()
        for descriptor, _ in events:
            if not self._readers[descriptor](now):
                self._forget(descriptor)

    def _forget(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)
        del self._readers[descriptor]


def _too_late(process: Player) -> BotFault:
    if process.buffer.rest:
        sent = process.buffer.rest[:80]
        return BotFault(Reason.TIMEOUT, "its answer had no line end in time", sent=sent)
    if process.stdout_closed:
        return BotFault(Reason.TIMEOUT, "closed its standard output, and no answer came in time")
    return BotFault(Reason.TIMEOUT, "no complete answer came in time")
