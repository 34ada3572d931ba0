"""The interface of a player: a bot's process or a person in a seat."""

from collections.abc import Callable, Iterator, Sequence

from referee.bots.exit_status import ExitStatus
from referee.protocol.answers import Phase, is_info, read_answer, unexpected_line
from referee.protocol.faults import BotFault
from referee.protocol.line_buffer import LineBuffer
from referee.protocol.transcript import BoundedCapture


class Player:
    """A player and its pending output; this base class has no process."""

    is_person = False
    """Whether answers come from `request_answer` instead of a pipe."""

    def __init__(self) -> None:
        self.stdin = self.stdout = -1
        self.poll: Callable[[int], Sequence[tuple[int, int]]] = _no_events
        """Poll its descriptors, with a timeout in milliseconds. A function and not a method,
        because that saves a call before every turn."""
        self.unsent = b""
        """Lines that are sent together with the next one."""
        self.buffer = LineBuffer()
        """Output that has not been read as an answer yet."""
        self.received_at = 0.0
        """When the last part of that was received."""
        self.errors = BoundedCapture()
        self.pending_fault: BotFault | None = None
        """A fault found outside of its turn; its output is no longer read."""
        self.start_error: OSError | None = None
        """Why it could not be started."""
        self.lost: str | None = None
        """Why its state is unknown through no fault of its own: its game is void."""
        self.exit_status: ExitStatus | None = None
        """How its main process ended; None while it runs."""
        self.stdout_closed = False
        self.is_restless = False
        """Whether it ever ran off-turn, or several threads at once: from then on it is stopped
        before the opponent's turn starts."""
        self.off_turn_ms = 0.0
        """Processor time that was measured off-turn in this game."""
        self.ran_until = 0.0
        """When a bot that ran off-turn was stopped."""
        self.slow_stop_until = 0.0
        """When a bot was stopped whose supervisor took long for it, because it was measuring it:
        until then the bot may have run, and its supervisor did."""
        self._is_suspended = False

    @property
    def is_ready_for_direct_read(self) -> bool:
        """Whether it runs, and none of its output or status messages is pending."""
        return not (
            self.is_person
            or self._is_suspended
            or self.is_restless
            or self.buffer.is_filled
            or self.stdout_closed
            or self.pending_fault
            or self.exit_status is not None
            or self.start_error
        )

    @property
    def state(self) -> str:
        """The state of the process, in words."""
        if self.start_error:
            return "never started"
        return "running" if self.exit_status is None else str(self.exit_status)

    @property
    def is_stopping(self) -> bool:
        """Whether it is being stopped, and its supervisor has not confirmed that yet."""
        return False

    def readers(self) -> dict[int, Callable[[float], bool]]:
        """Return the descriptors to poll and their readers; a reader returns False at the end."""
        return {}

    def set_blocking_reads(self, blocking: bool) -> None:
        """Make reads of its output blocking or non-blocking."""

    def write(self, data: bytes) -> int:
        """Write what fits now; return how many bytes."""
        raise NotImplementedError

    def feed_output(self, chunk: bytes, now: float) -> bool:
        """Add output to the buffer; return False if no more is to be read."""
        raise NotImplementedError

    def request_answer(self) -> None:
        """Wait for the answer of a person; BotFault if time runs out."""
        raise NotImplementedError

    def suspend(self) -> None:
        """Stop its processes, so that they take no processor time; do not wait for that."""

    def stop(self) -> None:
        """Stop its processes, and wait until all are stopped."""

    def resume(self) -> None:
        """Resume its processes."""

    def new_game(self) -> None:
        """Clear the last game's standard error and off-turn time."""
        if self.errors.size:
            self.errors = BoundedCapture()
        self.off_turn_ms = 0.0
        self.buffer.new_turn()

    def can_be_reused(self) -> bool:
        """Return whether it is running and has sent nothing unsolicited but `info`."""
        return True

    def unsolicited_lines(self) -> Iterator[bytes]:
        """Yield the `info` lines received; BotFault for any other output."""
        if self.pending_fault:
            raise self.pending_fault
        while (line := self.buffer.next_line()) is not None:
            read_answer(line, Phase.IDLE)
            yield line
        if not is_info(self.buffer.rest, partial=True):
            raise unexpected_line(self.buffer.rest, Phase.IDLE)

    def quit(self) -> None:
        """Send `quit` and close its input."""

    def wait_for_exit(self, deadline: float) -> bool:
        """Wait for the end of its main process; return whether it ended by the deadline."""
        return True

    def kill(self) -> None:
        """Kill every process of this bot and wait until none is left."""


def _no_events(milliseconds: int) -> Sequence[tuple[int, int]]:
    return ()
