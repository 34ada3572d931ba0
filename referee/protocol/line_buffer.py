"""Split the bytes of a bot into lines, within limits. Pure."""

from referee.outcome import Reason
from referee.protocol.faults import BotFault

MAX_LINE_LENGTH = 64 * 1024
"""Bytes of one line of a bot's, the line end not counted."""
MAX_TURN_BYTES = 1024 * 1024
"""Bytes that a bot may send in one turn, `info` lines included."""


class LineBuffer:
    """Keeps what a bot sent until it is asked for, within the limits, and cuts it into lines.

    Taking in is cheap whatever is sent, so that a flood from one bot costs the other no time.
    """

    __slots__ = ("_pending", "_start", "is_filled", "received")

    def __init__(self) -> None:
        self._pending = b""
        self._start = 0
        self.is_filled = False
        """Whether anything has come that was not cut off as a line yet."""
        self.received = 0
        """Bytes since the last `new_turn`."""

    @property
    def rest(self) -> bytes:
        """What has come and was not cut off as a line yet."""
        return self._pending[self._start :]

    def new_turn(self) -> None:
        """Count from here what the bot sends in one turn."""
        self.received = 0

    def feed(self, chunk: bytes) -> None:
        """Take in what came; BotFault if it is too much for one turn."""
        self.received += len(chunk)
        rest = self._pending[self._start :]
        self._pending = rest + chunk if rest else chunk
        self._start = 0
        self.is_filled = bool(self._pending)
        if self.received > MAX_TURN_BYTES:
            raise BotFault(Reason.PROTOCOL, f"sent more than {MAX_TURN_BYTES:,} bytes in one turn")

    def next_line(self) -> bytes | None:
        """The next complete line without its end, if there is one; BotFault if it is too long."""
        if not self.is_filled:
            return None
        start, pending = self._start, self._pending
        end = pending.find(b"\n", start)
        line = pending[start : None if end < 0 else end]
        # Without its end, a line may still be about to end in \r\n.
        if len(line) > MAX_LINE_LENGTH and len(line) > MAX_LINE_LENGTH + line.endswith(b"\r"):
            detail = f"sent a line of more than {MAX_LINE_LENGTH:,} bytes"
            raise BotFault(Reason.PROTOCOL, detail, sent=line[:80])
        if end < 0:
            return None
        self._start = end + 1
        self.is_filled = self._start < len(pending)
        return line[:-1] if line.endswith(b"\r") else line
