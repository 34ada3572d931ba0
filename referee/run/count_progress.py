"""Progress of work on many games: a bar on a terminal, a line every few seconds elsewhere."""

import sys
from time import monotonic
from typing import Protocol

from referee.run.progress import LINE_SECONDS, REFRESH_SECONDS, Throughput


class CountProgress(Protocol):
    """Interface of the displays."""

    def show(self, done: int, last: bool = False) -> None:
        """Refresh the display if it is due, or if this is the last call."""

    def close(self) -> None:
        """Restore the terminal."""


class _NoCount:
    """No display."""

    def show(self, done: int, last: bool = False) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class _LineCount(_NoCount):
    """A plain line every few seconds."""

    def __init__(self, done: int, total: int) -> None:
        self._throughput = Throughput(done, total)
        self._next = monotonic() + LINE_SECONDS

    def show(self, done: int, last: bool = False) -> None:
        """Print a line if it is due, or if this is the last call."""
        if last or monotonic() >= self._next:
            self._next = monotonic() + LINE_SECONDS
            print(self._throughput.text(done), file=sys.stderr, flush=True)


class _BarCount:
    """A progress bar, which is removed at the end."""

    def __init__(self, title: str, done: int, total: int) -> None:
        from rich.console import Console
        from rich.live import Live

        self._title = title
        self._throughput = Throughput(done, total)
        self._next = 0.0
        self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
        self._live.start()

    def show(self, done: int, last: bool = False) -> None:
        """Redraw if it is due, or if this is the last call."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        if last or monotonic() >= self._next:
            self._next = monotonic() + REFRESH_SECONDS
            bar = Table.grid()  # a bar alone does not end with a line break
            bar.add_row(ProgressBar(total=self._throughput.total, completed=done, width=60))
            title = Text(self._title, style="bold")
            self._live.update(Group(title, bar, Text(self._throughput.text(done))), refresh=True)

    def close(self) -> None:
        """Remove the display."""
        self._live.stop()


def make_count_progress(title: str, done: int, total: int, *, quiet: bool) -> CountProgress:
    """Make the display that fits standard error."""
    if quiet:
        return _NoCount()
    return _BarCount(title, done, total) if sys.stderr.isatty() else _LineCount(done, total)
