"""Progress of a tournament: a live display on a terminal, a line every few seconds elsewhere."""

import sys
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from referee.run.live_table import (
    ASCII_BAR,
    MIN_LIMIT,
    UNICODE_BAR,
    live_table,
    pairing,
    rating_limit,
    running_text,
)
from referee.schedule.fixtures import Fixture
from referee.scoring.ledger import Ledger
from referee.system.signals import Suspension

if TYPE_CHECKING:
    from rich.live import Live

    from referee.ratings.ratings import RatingRow

REFRESH_SECONDS = 0.25
MAX_REFRESH_SHARE = 0.03
"""Maximum share of the coordinator's time that is spent on the display, without ratings."""
FIRST_RATING_SECONDS = 1.0
"""A run that is shorter than this does without ratings on the display."""
RATING_SECONDS = 0.5
MAX_RATING_SHARE = 0.02
"""Maximum share of the coordinator's time that is spent on ratings."""
ASCII_TEXT = str.maketrans("…±", "~~")
MAX_ROWS = 12
FRAME_ROWS = 8
"""Lines of the display without the rows of the table."""
LINE_SECONDS = 10.0
_MAX_DAYS = 36_525
Running = Callable[[], Sequence[Fixture]]
"""A function that returns the games that are running."""


class Progress(Protocol):
    """Interface of progress displays."""

    def started(self, fixtures: Sequence[Fixture]) -> None:
        """Announce games that were assigned to a worker."""

    def show(self, ledger: Ledger, running: Running, last: bool = False) -> None:
        """Refresh the display if it is due, or if this is the last call."""

    def close(self) -> None:
        """Restore the terminal."""


class NoProgress:
    """No display; the base of displays that show only some events."""

    def started(self, fixtures: Sequence[Fixture]) -> None:
        """Do nothing."""

    def show(self, ledger: Ledger, running: Running, last: bool = False) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class TurnAnnouncer(NoProgress):
    """The next pairing only: a display would disturb the person who plays."""

    def started(self, fixtures: Sequence[Fixture]) -> None:
        """Print the pairing of the next games."""
        print(f"now: {pairing(fixtures[0])}\n", file=sys.stderr, flush=True)


class Throughput:
    """Games per second and the estimated time that is left."""

    def __init__(self, done: int, total: int) -> None:
        self.total = total
        self._before = done
        self._start = monotonic()

    def text(self, done: int) -> str:
        """Format the count, the rate and the estimate."""
        seconds = monotonic() - self._start
        rate = (done - self._before) / seconds if seconds > 0 else 0.0
        left = f"{duration((self.total - done) / rate)} left" if rate > 0 else "…"
        return f"{done}/{self.total} games, {rate:.1f} games/s, {left}"


class LineProgress(NoProgress):
    """A plain line every few seconds."""

    def __init__(self, done: int, total: int) -> None:
        self._throughput = Throughput(done, total)
        self._next = monotonic() + LINE_SECONDS

    def show(self, ledger: Ledger, running: Running, last: bool = False) -> None:
        """Print a line if it is due, or if this is the last call."""
        if last or monotonic() >= self._next:
            self._next = monotonic() + LINE_SECONDS
            print(self._throughput.text(len(ledger.done)), file=sys.stderr, flush=True)


class LiveRatings:
    """Ratings during a run, computed as often as their share of the time allows."""

    def __init__(self) -> None:
        self.rows: dict[str, RatingRow] = {}
        """By bot; empty before the first fit."""
        self.limit = MIN_LIMIT
        """End of the axis of the bars."""
        self._next = monotonic() + FIRST_RATING_SECONDS

    def update(self, ledger: Ledger) -> None:
        """Fit the ratings to all games so far, if that is due."""
        if monotonic() < self._next or not len(ledger.done):
            return
        # Imported once, and at the end of every run: not counted.
        from referee.ratings.encounter_table import tally_columns
        from referee.ratings.ratings import rate

        started = monotonic()
        gone = set(ledger.withdrawn)
        bots = [bot for bot in ledger.manifest.bots if bot not in gone]
        self.rows = {
            row.bot: row for row in rate(tally_columns(ledger.game_columns, bots, gone)).rows
        }
        self.limit = rating_limit(self.rows, self.limit)
        took = monotonic() - started
        self._next = monotonic() + max(RATING_SECONDS, took / MAX_RATING_SHARE)


class LiveProgress(NoProgress):
    """A progress bar, the games that are running, and the current standings."""

    def __init__(self, title: str, done: int, total: int) -> None:
        from rich.console import Console

        self._title = title
        self._throughput = Throughput(done, total)
        self._ratings = LiveRatings()
        self._next = 0.0
        self._console = Console(stderr=True, highlight=False)
        self._suspension = Suspension()
        self._suspension.__enter__()
        self._live = self._start()

    def _start(self) -> "Live":
        from rich.live import Live

        # No refresh thread: it would compete for the interpreter with the collection of games.
        live = Live(console=self._console, auto_refresh=False, transient=True)
        live.start()
        return live

    def show(self, ledger: Ledger, running: Running, last: bool = False) -> None:
        """Redraw if it is due, or if this is the last call."""
        if self._suspension.is_requested:
            self._suspend()
        if last or monotonic() >= self._next:
            self._ratings.update(ledger)
            started = monotonic()
            self._live.update(self._render(ledger, running()), refresh=True)
            # Computing the standings of a thousand bots is slow and delays the collection of games.
            took = monotonic() - started
            self._next = monotonic() + max(REFRESH_SECONDS, took / MAX_REFRESH_SHARE)

    def _suspend(self) -> None:
        """Remove the display, stop the process, and draw again when it continues."""
        self._live.stop()
        self._suspension.suspend()
        self._live = self._start()  # the old one would go up over what the shell has printed
        self._next = 0.0

    def _render(self, ledger: Ledger, running: Sequence[Fixture]) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        done, total = len(ledger.done), max(1, self._throughput.total)
        # A terminal may break a line that is exactly as wide as the window.
        rows, cols = self._console.height, self._console.width - 1
        bar = Table.grid()  # a bar alone does not end with a line break
        bar.add_row(ProgressBar(total=total, completed=done, width=min(60, cols)))
        characters = ASCII_BAR if self._console.options.ascii_only else UNICODE_BAR
        size = (max(1, min(MAX_ROWS, rows - FRAME_ROWS)), cols)
        table = live_table(
            ledger.standings(), self._ratings.rows, self._ratings.limit, size, characters
        )
        return Group(
            Text(self._title, style="bold", no_wrap=True),
            bar,
            Text(self._throughput.text(done), no_wrap=True),
            Text(self._encoded(running_text(running, cols)), style="dim", no_wrap=True),
            Text(self._encoded(table), no_wrap=True),
        )

    def _encoded(self, text: str) -> str:
        """Replace characters that the terminal cannot show."""
        return text.translate(ASCII_TEXT) if self._console.options.ascii_only else text

    def close(self) -> None:
        """Remove the display."""
        self._live.stop()
        self._suspension.__exit__()


def duration(seconds: float) -> str:
    """Format a duration in the unit that suits its length."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    days = seconds / 86400
    return f"{days:,.1f} days" if days < _MAX_DAYS else "more than 100 years"
