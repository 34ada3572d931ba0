"""Standard output and error that never raise: a failure to print must not end a run.

If a reader goes away, a terminal is closed, the disk behind a redirection is full or a descriptor
was closed from the start, the games are still played and the files written; the exit code then
shows that output was lost.
"""

import errno
import io
import os
import select
import sys

TYPE_CHECKING = False  # `typing` would be the largest part of `referee --help`
if TYPE_CHECKING:
    from typing import TextIO

    from _typeshed import ReadableBuffer


_write = io.FileIO.write
"""A direct reference: `super()` is one more call, and Python runs signal handlers after calls."""


class _Sink(io.FileIO):
    """A descriptor that records its first failure and discards what is written after it."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.failure: OSError | None = None
        self._interrupted = b""
        """Data of the write during which a signal raised KeyboardInterrupt."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write all of it, or what the system takes; after a failure, discard it."""
        size = memoryview(data).nbytes
        done, self._interrupted = self._interrupted, b""
        if done and bytes(data).startswith(done):
            return len(done)
        while self.failure is None:
            try:
                written = _write(self, data)
            except OSError as error:
                self.failure = error
                break
            except KeyboardInterrupt:
                # Nearly always raised after the write was complete but before it returned: the
                # buffer writes the same data again, and it would be printed twice.
                self._interrupted = bytes(data)
                raise
            if written is not None:
                return written
            self._wait_until_writable()
        return size

    def _wait_until_writable(self) -> None:
        """Wait for the reader: another program shares the descriptor and made it non-blocking."""
        poll = select.poll()
        poll.register(self.fileno(), select.POLLOUT)
        poll.poll()


_sinks: dict[int, _Sink] = {}
"""The replaced streams, by descriptor."""


def protect_output() -> None:
    """Replace standard output and error by streams that do not raise."""
    _reopen_closed_descriptors()
    if sys.stdout is sys.__stdout__:
        sys.stdout = _open(1, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _open(2, sys.stderr)


def _reopen_closed_descriptors() -> None:
    """Open closed standard descriptors for reading, so that no other file gets their numbers.

    Writing to them fails, as before.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY), True)


def _open(descriptor: int, before: "TextIO | None") -> "TextIO":
    sink = _sinks[descriptor] = _Sink(descriptor)
    return io.TextIOWrapper(
        io.BufferedWriter(sink),
        encoding=before.encoding if before is not None else None,
        errors="backslashreplace",  # characters that the terminal cannot show
        line_buffering=descriptor == 2 or sink.isatty(),
    )


def lost_output() -> str | None:
    """Flush both streams; return why results on standard output were lost, or None.

    A reader that closed its end (`referee variants | head -1`) needs no more: nothing was lost.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    failure = _sinks[1].failure if 1 in _sinks else None
    if failure is None or failure.errno == errno.EPIPE:
        return None
    return f"standard output cannot be written: {failure.strerror}"
