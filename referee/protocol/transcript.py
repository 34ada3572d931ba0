"""The lines of one game with their times, within a memory limit. Pure."""

from typing import Final, NamedTuple

from referee.outcome import Seat
from referee.text import printable

MAX_BYTES: Final = 4 * 1024 * 1024
"""More than a regular game of the built-in variants needs; beyond it the middle is dropped."""
MAX_KEPT_LENGTH: Final = 16 * 1024
"""The maximum number of bytes kept of one line."""
HEAD_BYTES, TAIL_BYTES = 4 * 1024, 16 * 1024
"""The number of bytes kept of the standard error of a game: at its beginning and at its end."""


class Entry(NamedTuple):
    """One line."""

    at_ms: float
    """Milliseconds since the game began."""
    seat: Seat
    sent: bool
    """Whether the line was sent to the seat, or received from it."""
    line: bytes


_RequestAndAnswer = tuple[Seat, float, bytes | None, float, bytes | None]
"""A seat, the time and line of a request, the time and line of the answer; None for a missing line.
Nearly always there are both, and one tuple per turn takes less time than two."""


class Transcript:
    """The lines of a game in order.

    `add` and `add_turn` only store their arguments. Entries are created when they are read, which
    happens in games with a fault and in few others.
    """

    __slots__ = ("_kept", "_size", "dropped", "has_info", "started")

    def __init__(self, started: float) -> None:
        self.started = started
        """The monotonic time, in seconds, at which the game began."""
        self.dropped = 0
        """The number of lines dropped because of the memory limit."""
        self.has_info = False
        """Whether there are `info` lines."""
        self._kept: list[_RequestAndAnswer] = []
        self._size = 0

    @property
    def entries(self) -> list[Entry]:
        """The lines that were kept."""
        return [
            Entry((now - self.started) * 1000, seat, is_sent, line.removesuffix(b"\n"))
            for seat, sent_at, request, received_at, answer in self._kept
            for is_sent, now, line in ((True, sent_at, request), (False, received_at, answer))
            if line is not None
        ]

    def add(self, now: float, seat: Seat, sent: bool, line: bytes) -> None:
        """Add a line that was sent to a seat or received from it, with or without its end."""
        if len(line) > MAX_KEPT_LENGTH:
            line = line[:MAX_KEPT_LENGTH]
        if sent:
            self._kept.append((seat, now, line, now, None))
        else:
            if line.startswith(b"info"):
                self.has_info = True
            self._kept.append((seat, now, None, now, line))
        self._size += len(line)
        if self._size > MAX_BYTES:
            self._drop_middle()

    def add_turn(
        self, seat: Seat, sent_at: float, request: bytes, received_at: float, answer: bytes
    ) -> None:
        """Add a turn and its answer, neither longer than MAX_KEPT_LENGTH."""
        self._kept.append((seat, sent_at, request, received_at, answer))
        self._size += len(request) + len(answer)
        if self._size > MAX_BYTES:
            self._drop_middle()

    def _drop_middle(self) -> None:
        """Drop the second and third quarter of what is kept."""
        quarter = len(self._kept) // 4
        dropped = self._kept[quarter : 3 * quarter + 1]
        del self._kept[quarter : 3 * quarter + 1]
        both = [line for _, _, request, _, answer in dropped for line in (request, answer)]
        lines = [line for line in both if line is not None]
        self.dropped += len(lines)
        self._size -= sum(map(len, lines))

    def text(self, names: tuple[str, str]) -> str:
        """Format the lines for display: `>` marks lines sent to a bot, `<` lines received."""
        width = max(map(len, names))
        rows = [
            f"{entry.at_ms:10.2f} ms  {names[entry.seat - 1]:<{width}} {'>' if entry.sent else '<'}"
            f" {printable(entry.line, MAX_KEPT_LENGTH)}\n"
            for entry in self.entries
        ]
        if self.dropped:
            gap = f"  … {self.dropped:,} lines in the middle were not kept …\n"
            rows.insert(len(rows) // 2, gap)
        return "".join(rows)


class BoundedCapture:
    """The beginning and the end of a stream of unknown length."""

    __slots__ = ("_head", "_tail", "size")

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Append the next bytes of the stream."""
        self.size += len(chunk)
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]

    def text(self) -> bytes:
        """Return the bytes kept, with a note where bytes are missing."""
        missing = self.size - len(self._head) - len(self._tail)
        gap = f"\n… {missing:,} bytes not kept …\n".encode() if missing else b""
        return self._head + gap + self._tail
