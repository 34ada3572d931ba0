"""What a person sees while a tournament runs: live on a terminal, a line now and then elsewhere."""

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
"""The share of its time that the referee spends on showing where things are."""
LINE_SECONDS = 10.0
_MAX_DAYS = 36_525


class Progress(Protocol):
    """Is told what happens; shows it in its own way."""

    def begun(self, fixtures: Sequence[Fixture]) -> None:
        """Two bots sat down for these games."""

    def finished(self, games: Sequence[Fixture | GameSummary]) -> None:
        """Some of them are over."""

    def show(self, done: int, standings: Callable[[], Standings], last: bool = False) -> None:
        """Look at the clock, and show where things are if it is time."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class NoProgress:
    """Shows nothing."""

    def begun(self, fixtures: Sequence[Fixture]) -> None:
        return

    def finished(self, games: Sequence[Fixture | GameSummary]) -> None:
        return

    def show(self, done: int, standings: Callable[[], Standings], last: bool = False) -> None:
        return

    def close(self) -> None:
        return


class TurnAnnouncer(NoProgress):
    """Who plays next, where people play and would be disturbed by more."""

    def begun(self, fixtures: Sequence[Fixture]) -> None:
        print(f"now: {_pairing(fixtures[0])}\n", file=sys.stderr, flush=True)


class _Throughput:
    """Games per second, and how long the rest will take."""

    def __init__(self, done: int, total: int) -> None:
        self.total = total
        self._before = done
        self._started = monotonic()

    def text(self, done: int) -> str:
        seconds = monotonic() - self._started
        rate = (done - self._before) / seconds if seconds > 0 else 0.0
        left = f"{duration((self.total - done) / rate)} left" if rate > 0 else "…"
        return f"{done}/{self.total} games, {rate:.1f} games/s, {left}"


class LineProgress(NoProgress):
    """A plain line every few seconds."""

    def __init__(self, done: int, total: int) -> None:
        self._pace = _Throughput(done, total)
        self._next = monotonic() + LINE_SECONDS

    def show(self, done: int, standings: Callable[[], Standings], last: bool = False) -> None:
        if last or monotonic() >= self._next:
            self._next = monotonic() + LINE_SECONDS
            print(self._pace.text(done), file=sys.stderr, flush=True)


class LiveProgress:
    """A progress bar, who plays whom now, and the current standings."""

    def __init__(self, title: str, done: int, total: int) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        self._title = title
        self._pace = _Throughput(done, total)
        self._playing: Counter[str] = Counter()
        """How many games of each pairing are not over."""
        self._next = 0.0
        # Without its thread: it would share the interpreter with the one that collects games.
        self._live = RichLive(
            console=Console(stderr=True), auto_refresh=False, transient=True, screen=False
        )
        self._live.start()

    def begun(self, fixtures: Sequence[Fixture]) -> None:
        self._playing.update(map(_pairing, fixtures))

    def finished(self, games: Sequence[Fixture | GameSummary]) -> None:
        self._playing.subtract(map(_pairing, games))

    def show(self, done: int, standings: Callable[[], Standings], last: bool = False) -> None:
        started = monotonic()
        if last or started >= self._next:
            self._live.update(self._picture(done, standings()), refresh=True)
            # The standings of a thousand bots take long: that must not hold up the games.
            took = monotonic() - started
            self._next = monotonic() + max(REFRESH_SECONDS, took / MAX_REFRESH_SHARE)

    def _picture(self, done: int, standings: Standings) -> Any:
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
        bar = Table.grid()  # a bar alone does not end its line
        bar.add_row(ProgressBar(total=max(1, self._pace.total), completed=done, width=60))
        return Group(
            Text(self._title, style="bold"),
            bar,
            Text(self._pace.text(done)),
            Text(f"now: {playing}", style="dim"),
            table,
        )

    def close(self) -> None:
        self._live.stop()


def _pairing(game: Fixture | GameSummary) -> str:
    one, two = sorted(game.bots, key=str.casefold)
    return f"{one} - {two} ({game.board})"


def duration(seconds: float) -> str:
    """A length of time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    days = seconds / 86400
    return f"{days:,.1f} days" if days < _MAX_DAYS else "more than 100 years"
