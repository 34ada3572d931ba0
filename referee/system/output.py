"""Standard output and error that never raise: nothing that is printed may end a run.

A reader that goes away, a terminal that is closed, a full disk behind a redirection or a descriptor
that was closed from the start: the games are played, the files are written, and the exit code tells
in the end whether output was lost.
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
"""Called by this name: `super()` would be a call of its own, and signals are raised after calls."""


class _Sink(io.FileIO):
    """A descriptor whose first failure is noted; what is written after it is lost."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.failure: OSError | None = None
        self._interrupted = b""
        """What was being written when a signal was raised as an exception."""

    def write(self, data: "ReadableBuffer", /) -> int:
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
                # Nearly always raised after all of it was written, but before anything learned of
                # that: the buffer offers the same once more, and it would be printed twice.
                self._interrupted = bytes(data)
                raise
            if written is not None:
                return written
            self._wait_for_room()
        return size

    def _wait_for_room(self) -> None:
        """Wait for a reader: the descriptor is shared with a program that made it non-blocking."""
        poll = select.poll()
        poll.register(self.fileno(), select.POLLOUT)
        poll.poll()


_sinks: dict[int, _Sink] = {}
"""By descriptor."""


def protect_output() -> None:
    """Replace standard output and error by streams that do not raise."""
    _occupy_closed()
    if sys.stdout is sys.__stdout__:
        sys.stdout = _open(1, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _open(2, sys.stderr)


def _occupy_closed() -> None:
    """Open closed standard descriptors, or the next file that is opened would take their place.

    They cannot be written to, as before.
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
    """Flush what was printed; say why results on standard output were lost, if they were.

    A reader that has gone away (`referee variants | head -1`) has read enough: nothing was lost.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    failure = _sinks[1].failure if 1 in _sinks else None
    if failure is None or failure.errno == errno.EPIPE:
        return None
    return f"standard output cannot be written: {failure.strerror}"
