"""A program that uses the whole window of a terminal: frames out, keys in.

The terminal is restored however the block ends. Ctrl-Z restores it, too, and the frame is drawn
again when the program continues.
"""

import atexit
import os
import select
import signal
import sys
import termios
from collections import deque
from contextlib import suppress
from time import monotonic
from types import FrameType, TracebackType

from referee.system.keys import END_OF_INPUT, KeyDecoder
from referee.system.signals import Suspension

REDRAW = "redraw"
"""In place of a key: the frame has to be drawn again."""
SEQUENCE_SECONDS = 0.05
"""Time in which the rest of a sequence follows its first byte."""
_ENTER = "\x1b[?1049h\x1b[?7l\x1b[?25l"
"""The alternate screen, no automatic line breaks, no cursor."""
_LEAVE = "\x1b[?25h\x1b[?7h\x1b[?1049l"
_SIGNALS = (signal.SIGWINCH, signal.SIGCONT)


class FullScreen:
    """Standard input and output as a screen and a keyboard; a context manager."""

    def __init__(self) -> None:
        self._input = 0
        self._before = termios.tcgetattr(self._input)
        self._is_open = False
        self._decoder = KeyDecoder()
        self._keys: deque[str] = deque()
        self._suspension = Suspension()
        self._handlers: dict[int, object] = {}

    def __enter__(self) -> "FullScreen":
        # The write end gets a byte for each signal, so that `select` returns.
        self._signalled, self._signalling = os.pipe()
        os.set_blocking(self._signalling, False)
        self._wakeup = signal.set_wakeup_fd(self._signalling, warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, _do_nothing) for number in _SIGNALS}
        self._suspension.__enter__()
        atexit.register(self._leave)  # if a second signal interrupts `__exit__`
        self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave()
        atexit.unregister(self._leave)
        self._suspension.__exit__(kind, error, traceback)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._signalled)
        os.close(self._signalling)

    @property
    def size(self) -> tuple[int, int]:
        """Return the rows and columns of the window; 24 and 80 if they are unknown."""
        try:
            cols, rows = os.get_terminal_size(sys.stdout.fileno())
        except OSError:
            return 24, 80
        return rows or 24, cols or 80

    def show(self, lines: list[str]) -> None:
        """Replace the frame; lines that do not fit are cut off."""
        text = "\x1b[K\r\n".join(lines[: self.size[0]])
        # One write: a frame is not seen in parts.
        print(f"\x1b[H{text}\x1b[K\x1b[J", end="", flush=True)

    def read_key(self, deadline: float | None = None) -> str | None:
        """Return the next key, `REDRAW`, or `END_OF_INPUT`; None at the deadline."""
        while not self._keys:
            if self._decoder.is_waiting:
                wait: float | None = SEQUENCE_SECONDS
            else:
                wait = None if deadline is None else max(0.0, deadline - monotonic())
            ready, _, _ = select.select([self._input, self._signalled], [], [], wait)
            if self._signalled in ready:
                os.read(self._signalled, 4096)
                self._resume()
                return REDRAW
            if self._input in ready:
                self._keys += self._read_input()
            elif self._decoder.is_waiting:
                self._keys += self._decoder.flush()
            elif deadline is not None and monotonic() >= deadline:
                return None
        return self._keys.popleft()

    def _read_input(self) -> list[str]:
        try:
            data = os.read(self._input, 1024)
        except OSError:  # the terminal was closed
            data = b""
        return self._decoder.feed(data) if data else [END_OF_INPUT]

    def _resume(self) -> None:
        """Process signals: suspend the program if that is requested, and set the terminal up."""
        if self._suspension.is_requested:
            self._leave()
            self._suspension.suspend()
        # After SIGSTOP and SIGCONT, the shell may have changed the settings.
        self._open()

    def _open(self) -> None:
        self._is_open = True
        settings = termios.tcgetattr(self._input)
        settings[3] &= ~(termios.ICANON | termios.ECHO)
        settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._input, termios.TCSANOW, settings)
        print(_ENTER, end="", flush=True)

    def _leave(self) -> None:
        if self._is_open:
            self._is_open = False
            print(_LEAVE, end="", flush=True)
            with suppress(termios.error):  # the terminal was closed
                termios.tcsetattr(self._input, termios.TCSANOW, self._before)


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """Handle a signal: its number is written to the pipe."""
