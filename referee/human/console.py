"""Terminal input with a deadline, and output.

On a terminal, lines can be edited and text is coloured. With a pipe, text is plain and each entry
is echoed after its prompt, so that the output of a scripted dialogue is complete.
"""

import os
import signal
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import TextIO

from referee.errors import InputError
from referee.system.terminal import shows_colour
from referee.text import printable

ALARM_PERIOD_SECONDS = 0.1
PIPE_WIDTH = 80
"""Line width where the output is not a terminal."""


class InputClosed(Exception):
    """Standard input has ended."""


class InputTimeout(Exception):
    """The entry was not complete at the deadline."""


class Console:
    """Standard input, and the stream that displays the dialogue."""

    def __init__(self, out: TextIO, *, hints: bool = False, coach: bool = False) -> None:
        if sys.stdin is None:
            raise InputError("a person needs standard input, and it is closed")
        self.hints = hints
        """Whether to mark legal moves on the board."""
        self.coach = coach
        """Whether to comment on moves that give a win away, and to hint at moves that keep it."""
        self.left = False
        """Whether the input has ended."""
        self._out = out
        self._echo = not sys.stdin.isatty()
        # `input` supports line editing only if both are the terminal.
        self._editing = sys.stdin.isatty() and sys.stdout.isatty()
        self.colour = shows_colour(out)
        if self._editing:
            with suppress(ImportError):  # an optional module of Python
                import readline  # noqa: F401  (the import enables editing in `input`)
        for stream in (sys.stdin, out):
            # Characters that cannot be decoded or displayed must not end a game.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")

    @property
    def dot(self) -> str:
        """The mark of a cell with a legal move."""
        try:
            "•".encode(self._out.encoding or "ascii")
        except UnicodeEncodeError:
            return "*"
        return "•"

    def print_text(self, text: str = "") -> None:
        """Print a text of one or more lines."""
        print(text, file=self._out, flush=True)

    def print_list(self, title: str, words: list[str]) -> None:
        """Print a title and words, wrapped to the width of the terminal."""
        width = PIPE_WIDTH
        if self._out.isatty():
            columns = os.get_terminal_size(self._out.fileno()).columns
            width = max(20, (columns or PIPE_WIDTH) - 1)
        text = " ".join([title, *words])
        self.print_text(textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False))

    def read_entry(self, prompt: str, deadline: float | None = None) -> str:
        """Read a line; raise InputClosed at the end of the input, InputTimeout at the deadline."""
        try:
            with _alarm(deadline):
                entry = self._read_line(prompt)
        except EOFError:
            self.left = True
            self.print_text()
            raise InputClosed from None
        except (InputTimeout, KeyboardInterrupt):
            self.print_text()
            raise
        if self._echo:
            self.print_text(printable(entry))
        return entry

    def _read_line(self, prompt: str) -> str:
        if self._editing:
            self._out.flush()
            return input(prompt)
        print(prompt, end="", file=self._out, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\r\n")


@contextmanager
def _alarm(deadline: float | None) -> Iterator[None]:
    """Raise InputTimeout at the deadline, also from a blocking read.

    The timer is periodic: a signal that arrives just before the read blocks (this one, or SIGINT)
    is handled only when another signal interrupts the read.
    """

    def check_deadline(number: int, frame: FrameType | None) -> None:
        if deadline is not None and monotonic() >= deadline:
            raise InputTimeout

    before = signal.signal(signal.SIGALRM, check_deadline)
    try:
        until = (
            ALARM_PERIOD_SECONDS
            if deadline is None
            else min(ALARM_PERIOD_SECONDS, deadline - monotonic())
        )
        # A timer of zero is disarmed.
        signal.setitimer(signal.ITIMER_REAL, max(1e-6, until), ALARM_PERIOD_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
