"""Buffer that splits the bytes of a bot into lines, within limits. Pure."""

from referee.protocol.faults import BotFault, FaultKind

MAX_LINE_LENGTH = 64 * 1024
"""The maximum number of bytes in one line of a bot, without the line end."""
MAX_TURN_BYTES = 1024 * 1024
"""The maximum number of bytes that a bot may send in one turn, `info` lines included."""


class LineBuffer:
    """The bytes that a bot has sent and that were not returned as lines yet.

    `feed` does not look for lines, so that a bot that sends too much costs its opponent no time.
    """

    __slots__ = ("_pending", "_start", "is_filled", "received")

    def __init__(self) -> None:
        self._pending = b""
        self._start = 0
        self.is_filled = False
        """Whether there are bytes that were not returned as a line yet."""
        self.received = 0
        """The number of bytes since the last `new_turn`."""

    @property
    def rest(self) -> bytes:
        """The bytes that were not returned as a line yet."""
        return self._pending[self._start :]

    def new_turn(self) -> None:
        """Reset the count of bytes in this turn."""
        self.received = 0

    def feed(self, chunk: bytes) -> None:
        """Append received bytes; raise BotFault if they exceed the limit of one turn."""
        self.received += len(chunk)
        rest = self._pending[self._start :]
        self._pending = rest + chunk if rest else chunk
        self._start = 0
        self.is_filled = bool(self._pending)
        if self.received > MAX_TURN_BYTES:
            raise BotFault(FaultKind.TOO_MANY_BYTES, cause=f"{MAX_TURN_BYTES:,}")

    def next_line(self) -> bytes | None:
        """Return the next complete line without its end, or None; BotFault if it is too long."""
        if not self.is_filled:
            return None
        start, pending = self._start, self._pending
        end = pending.find(b"\n", start)
        line = pending[start:] if end < 0 else pending[start:end]
        # The \r of a line end \r\n does not count, even if its \n was not received yet.
        if len(line) > MAX_LINE_LENGTH and len(line) > MAX_LINE_LENGTH + line.endswith(b"\r"):
            limit = f"{MAX_LINE_LENGTH:,}"
            raise BotFault(FaultKind.LINE_TOO_LONG, cause=limit, sent=line[:80])
        if end < 0:
            return None
        self._start = end + 1
        self.is_filled = self._start < len(pending)
        return line[:-1] if line.endswith(b"\r") else line
