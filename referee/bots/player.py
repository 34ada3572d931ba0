"""The interface of a player: whoever occupies a seat."""

from collections.abc import Callable, Iterator, Sequence

from referee.protocol.answers import Phase, is_info, read_answer, unexpected_line
from referee.protocol.faults import BotFault
from referee.protocol.line_buffer import LineBuffer
from referee.protocol.transcript import BoundedCapture


class Player:
    """Whoever sits at a table, and what they have said so far; here without any process."""

    is_person = False
    """Whether to let them speak, instead of listening for what comes."""

    def __init__(self) -> None:
        self.stdin = self.stdout = -1
        self.poll: Callable[[int], Sequence[tuple[int, int]]] = _see_nothing
        """What there is to hear of it within so many milliseconds: a function, not a method,
        because it is asked before every turn."""
        self.unsent = b""
        """What it will be told together with the next line."""
        self.buffer = LineBuffer()
        """What it said and nobody has asked for yet."""
        self.received_at = 0.0
        """When the last of that came."""
        self.errors = BoundedCapture()
        self.pending_fault: BotFault | None = None
        """It sent more than a bot may; its output is no longer read."""
        self.start_error: str | None = None
        """Why it could not be started."""
        self.lost: str | None = None
        """Why nothing more can be said of it, though it did nothing wrong: its game is void."""
        self.exit_status: str | None = None
        """How its main process ended."""
        self.stdout_closed = False
        self.is_restless = False
        """Whether it ever ran while it was not asked, or several threads at once: it is stopped
        before another is asked, from then on."""
        self.off_turn_ms = 0.0
        """Processor time in this game that it was seen to take while it was not asked."""
        self.ran_until = 0.0
        """When a bot that was running although it was not asked stood still at last."""
        self._is_frozen = False

    @property
    def is_ready_for_direct_read(self) -> bool:
        """Whether it runs, and nothing that it said or did waits to be looked at."""
        return not (
            self.is_person
            or self._is_frozen
            or self.is_restless
            or self.buffer.is_filled
            or self.stdout_closed
            or self.pending_fault
            or self.exit_status
            or self.start_error
        )

    @property
    def state(self) -> str:
        """How the process is, in words."""
        return "never started" if self.start_error else self.exit_status or "running"

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to stop, and nothing is known of that yet."""
        return False

    def readers(self) -> dict[int, Callable[[float], bool]]:
        """What to listen to, and how it is read: False if nothing more will come."""
        return {}

    def wait_when_read(self, waits: bool) -> None:
        """Whether reading its output waits until there is something."""

    def write(self, data: bytes) -> int:
        """Hand over what fits now; how much did."""
        raise NotImplementedError

    def feed_output(self, chunk: bytes, now: float) -> bool:
        """Keep what was read; False if nothing more will come, or may."""
        raise NotImplementedError

    def request_answer(self) -> None:
        """A person's turn to answer, however long it takes; BotFault if time runs out."""
        raise NotImplementedError

    def suspend(self) -> None:
        """Stop its processes, so that they take no time from anybody."""

    def stop(self) -> None:
        """Stop its processes, and wait until all stand still."""

    def resume(self) -> None:
        """Let its processes run again."""

    def new_game(self) -> None:
        """Forget the last game's standard error, and what it took while it was not asked."""
        if self.errors.size:
            self.errors = BoundedCapture()
        self.off_turn_ms = 0.0
        self.buffer.new_turn()

    def can_be_reused(self) -> bool:
        """Whether it is alive and has said nothing unasked but `info`."""
        return True

    def unsolicited_lines(self) -> Iterator[bytes]:
        """The `info` lines that have come; BotFault if anything else has."""
        if self.pending_fault:
            raise self.pending_fault
        while (line := self.buffer.next_line()) is not None:
            read_answer(line, Phase.IDLE)
            yield line
        if not is_info(self.buffer.rest, partial=True):
            raise unexpected_line(self.buffer.rest, Phase.IDLE)

    def quit(self) -> None:
        """Ask it to go."""

    def wait_for_exit(self, deadline: float) -> bool:
        """Whether its main process has ended by then."""
        return True

    def kill(self) -> None:
        """End every process of this bot and wait until none is left."""


def _see_nothing(milliseconds: int) -> Sequence[tuple[int, int]]:
    return ()
