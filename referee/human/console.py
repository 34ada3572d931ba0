"""Where a person is talked to: the one reader of standard input, and the screen beside it.

On a terminal the entry can be edited and texts have colour. In a pipe everything is plain, and
each entry is printed behind its prompt, so that a scripted dialogue reads like a real one.
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
from referee.text import printable

RING_SECONDS = 0.1
PIPE_WIDTH = 80
"""How long a line may be where there is no terminal that has a width."""


class InputClosed(Exception):
    """The input has ended: there is nobody to ask any more."""


class InputTimeout(Exception):
    """The entry was not complete in time."""


class Console:
    """Standard input, and where the dialogue is shown."""

    def __init__(self, out: TextIO, *, hints: bool = False) -> None:
        if sys.stdin is None:
            raise InputError("a person needs standard input, and it is closed")
        self.hints = hints
        """Whether to mark on the board where one may play."""
        self.left = False
        """Whether the person has gone."""
        self._out = out
        self._echo = not sys.stdin.isatty()
        # `input` edits lines only where both of these are the terminal.
        self._editing = sys.stdin.isatty() and sys.stdout.isatty()
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self.colour = out.isatty() and not plain
        if self._editing:
            with suppress(ImportError):  # not every Python has it
                import readline  # noqa: F401  (from now on `input` edits)
        for stream in (sys.stdin, out):
            # What a person types or a terminal cannot show must not end a game.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")

    @property
    def dot(self) -> str:
        """The mark of a cell where one may play."""
        try:
            "•".encode(self._out.encoding or "ascii")
        except UnicodeEncodeError:
            return "*"
        return "•"

    def say(self, text: str = "") -> None:
        """Show a text, over one or more lines."""
        print(text, file=self._out, flush=True)

    def say_list(self, title: str, words: list[str]) -> None:
        """Show many words after a title, as wide as there is room."""
        width = PIPE_WIDTH
        if self._out.isatty():
            columns = os.get_terminal_size(self._out.fileno()).columns
            width = max(20, (columns or PIPE_WIDTH) - 1)
        text = " ".join([title, *words])
        self.say(textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False))

    def ask(self, prompt: str, deadline: float | None = None) -> str:
        """What the person enters; Left if there is nobody, TimeUp if it takes too long."""
        try:
            with _alarm(deadline):
                entry = self._read(prompt)
        except EOFError:
            self.left = True
            self.say()
            raise InputClosed from None
        except (InputTimeout, KeyboardInterrupt):
            self.say()
            raise
        if self._echo:
            self.say(printable(entry))
        return entry

    def _read(self, prompt: str) -> str:
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
    """Raise TimeUp at the deadline, also out of a read that waits.

    It rings again and again, because a signal that arrives just before such a read begins, this one
    or that of Ctrl-C, is only acted upon when something interrupts the read.
    """

    def ring(number: int, frame: FrameType | None) -> None:
        if deadline is not None and monotonic() >= deadline:
            raise InputTimeout

    before = signal.signal(signal.SIGALRM, ring)
    try:
        until = RING_SECONDS if deadline is None else min(RING_SECONDS, deadline - monotonic())
        # A timer of zero would never ring.
        signal.setitimer(signal.ITIMER_REAL, max(1e-6, until), RING_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
