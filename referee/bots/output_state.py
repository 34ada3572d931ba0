"""The state of a player's output: what was received, and how its process ended."""

from collections.abc import Iterator

from referee.bots.exit_status import ExitStatus
from referee.errors import OutsideError
from referee.protocol.answers import is_info, read_answer, unexpected_line
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.line_buffer import LineBuffer
from referee.protocol.phase import Phase
from referee.protocol.transcript import BoundedCapture


class OutputState:
    """Everything that was received from a player, or about its process."""

    def __init__(self) -> None:
        self.buffer = LineBuffer()
        """Output that has not been read as an answer yet."""
        self.received_at = 0.0
        """When the last part of that was received."""
        self.is_closed = False
        """Whether its standard output has ended."""
        self.errors = BoundedCapture()
        """Its standard error in this game."""
        self.pending_fault: BotFault | None = None
        """A fault found outside of its turn; its output is no longer read."""
        self.start_error: OSError | None = None
        """Why it could not be started."""
        self.exit_status: ExitStatus | None = None
        """How its main process ended; None while it runs."""
        self.lost: str | None = None
        """Why its state is unknown through no fault of its own: its game is void."""

    @property
    def ending(self) -> OSError | ExitStatus | None:
        """Why its process did not start, or how it ended; None while it runs."""
        return self.start_error or self.exit_status

    @property
    def has_ended(self) -> bool:
        """Whether its process has ended, or never started."""
        return self.ending is not None

    @property
    def is_pending(self) -> bool:
        """Whether there is anything to handle before more is read."""
        return bool(self.buffer.is_filled or self.is_closed or self.pending_fault or self.has_ended)

    @property
    def process_state(self) -> str:
        """The state of its process, in words."""
        if self.start_error:
            return "never started"
        return "running" if self.exit_status is None else str(self.exit_status)

    def feed(self, chunk: bytes, now: float) -> bool:
        """Add output to the buffer; return False at its end or after a fault."""
        if not chunk:
            self.is_closed = True
            return False
        self.received_at = now
        try:
            self.buffer.feed(chunk)
        except BotFault as fault:
            self.pending_fault = fault
            return False
        return True

    def check(self) -> None:
        """Raise OutsideError or BotFault if its output no longer counts."""
        if self.lost:
            raise OutsideError(self.lost)
        if self.pending_fault:
            raise self.pending_fault
        if self.start_error:
            raise BotFault(FaultKind.NOT_STARTED, cause=str(self.start_error.strerror))

    def unsolicited_lines(self) -> Iterator[bytes]:
        """Yield the `info` lines received; BotFault for any other output."""
        if self.pending_fault:
            raise self.pending_fault
        while (line := self.buffer.next_line()) is not None:
            read_answer(line, Phase.IDLE)
            yield line
        if not is_info(self.buffer.rest, partial=True):
            raise unexpected_line(self.buffer.rest, Phase.IDLE)

    def new_game(self) -> None:
        """Clear the last game's standard error."""
        if self.errors.size:
            self.errors = BoundedCapture()
        self.buffer.new_turn()
