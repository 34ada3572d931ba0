"""What was said in one game, line by line with times, kept within a bound."""

from typing import NamedTuple

from referee.outcome import Seat
from referee.text import printable

MAX_BYTES = 4 * 1024 * 1024
"""More than the five games can make a referee say in one game; beyond it the middle goes."""
MAX_KEPT_LENGTH = 16 * 1024
HEAD_BYTES, TAIL_BYTES = 4 * 1024, 16 * 1024
"""How much is kept of a game's standard error: the first lines and the last ones."""


class Entry(NamedTuple):
    """One line: when (milliseconds since the game began), to or from which seat, and what."""

    at_ms: float
    seat: Seat
    sent: bool
    line: bytes


_Exchange = tuple[Seat, float, bytes | None, float, bytes | None]
"""A seat, when it was sent something and what, when it answered and what; None if there was no such
line. Nearly always there are both, and one tuple for a turn is less work than two."""


class Transcript:
    """The lines of a game in order.

    Lines are only kept as they come: who reads a transcript waits for its entries to be made.
    """

    __slots__ = ("_kept", "_size", "dropped", "has_info", "started")

    def __init__(self, started: float) -> None:
        self.started = started
        """The monotonic time, in seconds, that entries are counted from."""
        self.dropped = 0
        """How many lines went because the game said too much."""
        self.has_info = False
        """Whether a bot said something beside its answers."""
        self._kept: list[_Exchange] = []
        self._size = 0

    @property
    def entries(self) -> list[Entry]:
        """What was kept."""
        return [
            Entry((now - self.started) * 1000, seat, is_sent, line.removesuffix(b"\n"))
            for seat, sent_at, question, answered, answer in self._kept
            for is_sent, now, line in ((True, sent_at, question), (False, answered, answer))
            if line is not None
        ]

    def add(self, now: float, seat: Seat, sent: bool, line: bytes) -> None:
        """Note a line that was sent to a seat or received from it, with or without its end."""
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
            self._drop_the_middle()

    def add_turn(
        self, seat: Seat, sent_at: float, question: bytes, answered: float, answer: bytes
    ) -> None:
        """Note a turn and its answer, both of ordinary length."""
        self._kept.append((seat, sent_at, question, answered, answer))
        self._size += len(question) + len(answer)
        if self._size > MAX_BYTES:
            self._drop_the_middle()

    def _drop_the_middle(self) -> None:
        quarter = len(self._kept) // 4
        gone = self._kept[quarter : 3 * quarter + 1]
        del self._kept[quarter : 3 * quarter + 1]
        both = [line for _, _, question, _, answer in gone for line in (question, answer)]
        lines = [line for line in both if line is not None]
        self.dropped += len(lines)
        self._size -= sum(map(len, lines))

    def text(self, names: tuple[str, str]) -> str:
        """For people: `>` is what a bot was sent, `<` what it answered."""
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
    """The beginning and the end of a stream that may be endless."""

    __slots__ = ("_head", "_tail", "size")

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Take in what came next."""
        self.size += len(chunk)
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]

    def text(self) -> bytes:
        """What is kept, with a note where something is missing."""
        missing = self.size - len(self._head) - len(self._tail)
        gap = f"\n… {missing:,} bytes not kept …\n".encode() if missing else b""
        return self._head + gap + self._tail
