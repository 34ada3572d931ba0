"""The interface of a player: a bot's process or a person in a seat."""

from collections.abc import Callable, Sequence

from referee.bots.output_state import OutputState


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
        self.output = OutputState()
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

    @property
    def is_ready_for_direct_read(self) -> bool:
        """Whether its output may be read without a poll before."""
        return False

    @property
    def state(self) -> str:
        """The state of the process, in words."""
        return self.output.process_state

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

    def write_later(self, data: bytes) -> int:
        """Write together with the next line; return how many bytes were accepted."""
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
        self.output.new_game()
        self.off_turn_ms = 0.0

    def can_be_reused(self) -> bool:
        """Return whether it is running and has sent nothing unsolicited but `info`."""
        return True

    def quit(self) -> None:
        """Send `quit` and close its input."""

    def wait_for_exit(self, deadline: float) -> bool:
        """Wait for the end of its main process; return whether it ended by the deadline."""
        return True

    def kill(self) -> None:
        """Kill every process of this bot and wait until none is left."""


def _no_events(milliseconds: int) -> Sequence[tuple[int, int]]:
    return ()
