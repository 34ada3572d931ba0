"""Progress of a tournament: a live display on a terminal, a line every few seconds elsewhere."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Protocol

from referee.records.summary import GameSummary
from referee.schedule.fixtures import Fixture
from referee.scoring.standings import Standings

REFRESH_SECONDS = 0.25
MAX_REFRESH_SHARE = 0.05
"""Maximum share of the coordinator's time that is spent on the display."""
LINE_SECONDS = 10.0
_MAX_DAYS = 36_525


class Progress(Protocol):
    """Interface of progress displays."""

    def started(self, fixtures: Sequence[Fixture]) -> None:
        """Count games that were assigned to a worker."""

    def finished(self, games: Sequence[Fixture | GameSummary]) -> None:
        """Count games that ended or are void."""

    def show(self, done: int, standings: Callable[[], Standings], last: bool = False) -> None:
        """Refresh the display if it is due, or if this is the last call."""

    def close(self) -> None:
        """Restore the terminal."""


class NoProgress:
    """No display; the base of displays that show only some events."""

    def started(self, fixtures: Sequence[Fixture]) -> None:
        """Do nothing."""

    def finished(self, games: Sequence[Fixture | GameSummary]) -> None:
        """Do nothing."""

    def show(self, done: int, standings: Callable[[], Standings], last: bool = False) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class TurnAnnouncer(NoProgress):
    """The next pairing only: a display would disturb the person who plays."""

    def started(self, fixtures: Sequence[Fixture]) -> None:
        """Print the pairing of the next games."""
        print(f"now: {_pairing(fixtures[0])}\n", file=sys.stderr, flush=True)


class _Throughput:
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
        self._throughput = _Throughput(done, total)
        self._next = monotonic() + LINE_SECONDS

    def show(self, done: int, standings: Callable[[], Standings], last: bool = False) -> None:
        """Print a line if it is due, or if this is the last call."""
        if last or monotonic() >= self._next:
            self._next = monotonic() + LINE_SECONDS
            print(self._throughput.text(done), file=sys.stderr, flush=True)


class LiveProgress:
    """A progress bar, the pairings that are being played, and the current standings."""

    def __init__(self, title: str, done: int, total: int) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        self._title = title
        self._throughput = _Throughput(done, total)
        self._playing: Counter[str] = Counter()
        """Unfinished games by pairing."""
        self._next = 0.0
        # No refresh thread: it would compete for the interpreter with the collection of games.
        self._live = RichLive(
            console=Console(stderr=True), auto_refresh=False, transient=True, screen=False
        )
        self._live.start()

    def started(self, fixtures: Sequence[Fixture]) -> None:
        """Count games that were assigned to a worker."""
        self._playing.update(map(_pairing, fixtures))

    def finished(self, games: Sequence[Fixture | GameSummary]) -> None:
        """Count games that ended or are void."""
        self._playing.subtract(map(_pairing, games))

    def show(self, done: int, standings: Callable[[], Standings], last: bool = False) -> None:
        """Redraw if it is due, or if this is the last call."""
        started = monotonic()
        if last or started >= self._next:
            self._live.update(self._render(done, standings()), refresh=True)
            # Computing the standings of a thousand bots is slow and delays the collection of games.
            took = monotonic() - started
            self._next = monotonic() + max(REFRESH_SECONDS, took / MAX_REFRESH_SHARE)

    def _render(self, done: int, standings: Standings) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold")
        for header in ("rank", "bot", "points", "games", "score %"):
            table.add_column(header, justify="left" if header == "bot" else "right")
        for row in standings.rows[:12]:
            score = f"{100 * row.points / row.games:.1f}" if row.games else "-"
            table.add_row(str(row.rank), row.bot, f"{row.points:g}", str(row.games), score)
        if len(standings.rows) > 12:
            table.add_row("", f"… and {len(standings.rows) - 12} more")
        self._playing = +self._playing
        playing = ", ".join(sorted(self._playing)[:6]) or "-"
        bar = Table.grid()  # a bar alone does not end with a line break
        bar.add_row(ProgressBar(total=max(1, self._throughput.total), completed=done, width=60))
        return Group(
            Text(self._title, style="bold"),
            bar,
            Text(self._throughput.text(done)),
            Text(f"now: {playing}", style="dim"),
            table,
        )

    def close(self) -> None:
        """Remove the display."""
        self._live.stop()


def _pairing(game: Fixture | GameSummary) -> str:
    one, two = sorted(game.bots, key=str.casefold)
    return f"{one} - {two} ({game.board})"


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
