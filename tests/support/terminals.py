"""A terminal for tests: keys are sent to a program, and its output is read."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from types import TracebackType

from tests.conftest import command_line
from tests.support.processes import PATIENCE_SECONDS, end
from tests.support.screens import Screen
from tests.support.tools import needs

CTRL_C, CTRL_D, CTRL_Z, ENTER, BACKSPACE, ESCAPE = "\x03", "\x04", "\x1a", "\r", "\x7f", "\x1b"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"


class Terminal:
    """A pseudo-terminal that is the controlling terminal of the programs started in it."""

    def __init__(self, rows: int = 40, cols: int = 100) -> None:
        self._main, self._device = pty.openpty()
        self._open = {self._main, self._device}
        self.name = os.ttyname(self._device)
        self.seen = ""
        """Everything shown so far."""
        self._read_up_to = 0
        self._started: list[subprocess.Popen[bytes]] = []
        self.screen = Screen(rows, cols)
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self.resize(rows, cols)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for process in self._started:
            end(process)
        for descriptor in self._open:
            os.close(descriptor)

    def start(
        self, *words: str, folder: Path, environment: dict[str, str] | None = None, **pipes: int
    ) -> subprocess.Popen[bytes]:
        """Start a command of `referee` here; `stdin` and others may be something else."""
        streams = {"stdin": self._device, "stdout": self._device, "stderr": self._device} | pipes
        return self._start(command_line(*words), folder, environment, streams)

    def start_shell(self, folder: Path) -> subprocess.Popen[bytes]:
        """Start a shell with job control, without the user's settings."""
        needs("bash")
        streams = {"stdin": self._device, "stdout": self._device, "stderr": self._device}
        words = ["bash", "--norc", "--noprofile", "--noediting", "-i"]
        shell = self._start(words, folder, {"PS1": "shell> ", "HISTFILE": ""}, streams)
        self.wait_for("shell> ")
        return shell

    def _start(
        self,
        words: list[str],
        folder: Path,
        environment: dict[str, str] | None,
        streams: dict[str, int],
    ) -> subprocess.Popen[bytes]:
        # The size is that of the window, whatever surrounds the tests.
        inherited = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**inherited, "TERM": "xterm", **(environment or {})},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(self._device, termios.TIOCSCTTY, 0),
            **streams,
        )
        self._started.append(process)
        return process

    def resize(self, rows: int, cols: int) -> None:
        """Resize the window; the program receives SIGWINCH."""
        self.screen.resize(rows, cols)
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def hang_up(self) -> None:
        """Close the window."""
        for descriptor in (self._device, self._main):
            self._open.remove(descriptor)
            os.close(descriptor)

    def settings(self) -> list[object]:
        """Return the settings of the terminal, for comparison."""
        return termios.tcgetattr(self._device)

    def type(self, text: str) -> None:
        """Send these keys."""
        os.write(self._main, text.encode())

    def finish(self, process: subprocess.Popen[bytes]) -> str:
        """Wait until the process has ended, and return all its output; send no keys."""
        give_up = monotonic() + PATIENCE_SECONDS
        while True:
            has_ended = process.poll() is not None  # what it wrote before is there to be read
            if select.select([self._main], [], [], 0 if has_ended else 0.01)[0]:
                self._read()
            elif has_ended:
                return self.seen
            assert monotonic() < give_up, f"it goes on: {self.seen!r}"

    def wait_for(self, text: str) -> str:
        """Return the output up to and including this text."""
        give_up = monotonic() + PATIENCE_SECONDS
        while (found := self.seen.find(text, self._read_up_to)) < 0:
            left = give_up - monotonic()
            assert left > 0, f"{text!r} was not shown: {self.seen!r}"
            if select.select([self._main], [], [], left)[0]:
                self._read()
        start, self._read_up_to = self._read_up_to, found + len(text)
        return self.seen[start : self._read_up_to]

    def wait_until_shown(self, *texts: str, absent: str | None = None) -> Screen:
        """The screen when it has all these texts at once, and not the one that is to vanish."""
        return self.wait_until(
            lambda screen: (
                all(text in screen.text for text in texts)
                and (absent is None or absent not in screen.text)
            ),
            repr(texts),
        )

    def wait_until(
        self, is_shown: Callable[[Screen], bool], what: str = "what is awaited"
    ) -> Screen:
        """The screen when this is true of it; it may have been drawn in part until then."""
        give_up = monotonic() + PATIENCE_SECONDS
        while not is_shown(self.screen):
            left = give_up - monotonic()
            assert left > 0, f"{what} was not shown:\n{self.screen.text}"
            if select.select([self._main], [], [], left)[0]:
                self._read()
        return self.screen

    def _read(self) -> None:
        text = self._decoder.decode(os.read(self._main, 65536))
        self.screen.feed(text)
        self.seen += text.replace("\r\n", "\n")
