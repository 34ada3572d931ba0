"""A terminal with somebody at it: what they type, and what they see."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from pathlib import Path
from time import monotonic
from types import TracebackType

from tests.conftest import command_line
from tests.support.processes import PATIENCE_SECONDS, end

CTRL_C, CTRL_D, ENTER, BACKSPACE, UP = "\x03", "\x04", "\r", "\x7f", "\x1b[A"


class Terminal:
    """A pseudo-terminal; programs started at it have it as their own."""

    def __init__(self, rows: int = 40, cols: int = 100) -> None:
        self._main, self._device = pty.openpty()
        self.name = os.ttyname(self._device)
        self.seen = ""
        """Everything shown so far."""
        self._read_up_to = 0
        self._started: list[subprocess.Popen[bytes]] = []
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
        os.close(self._main)
        os.close(self._device)

    def start(
        self, *words: str, folder: Path, environment: dict[str, str] | None = None, **pipes: int
    ) -> subprocess.Popen[bytes]:
        """Start a command of `referee` here; `stdin` and others may be something else."""
        streams = {"stdin": self._device, "stdout": self._device, "stderr": self._device} | pipes
        process = subprocess.Popen(
            command_line(*words),
            cwd=folder,
            env={**os.environ, "TERM": "xterm", **(environment or {})},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(self._device, termios.TIOCSCTTY, 0),
            **streams,
        )
        self._started.append(process)
        return process

    def resize(self, rows: int, cols: int) -> None:
        """Make the window another size; the program is told by the system."""
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def settings(self) -> list[object]:
        """How the terminal is set, to be compared."""
        return termios.tcgetattr(self._device)

    def type(self, text: str) -> None:
        """Press these keys."""
        os.write(self._main, text.encode())

    def finish(self, process: subprocess.Popen[bytes]) -> str:
        """Everything shown when the process has ended; nothing is typed meanwhile."""
        give_up = monotonic() + PATIENCE_SECONDS
        while True:
            has_ended = process.poll() is not None  # what it wrote before is there to be read
            if select.select([self._main], [], [], 0 if has_ended else 0.1)[0]:
                chunk = os.read(self._main, 65536).decode("utf-8", "replace")
                self.seen += chunk.replace("\r\n", "\n")
            elif has_ended:
                return self.seen
            assert monotonic() < give_up, f"it goes on: {self.seen!r}"

    def wait_for(self, text: str) -> str:
        """What is shown next, up to and with this text."""
        give_up = monotonic() + PATIENCE_SECONDS
        while (found := self.seen.find(text, self._read_up_to)) < 0:
            left = give_up - monotonic()
            assert left > 0, f"{text!r} was not shown: {self.seen!r}"
            if select.select([self._main], [], [], left)[0]:
                chunk = os.read(self._main, 65536).decode("utf-8", "replace")
                self.seen += chunk.replace("\r\n", "\n")
        start, self._read_up_to = self._read_up_to, found + len(text)
        return self.seen[start : self._read_up_to]
