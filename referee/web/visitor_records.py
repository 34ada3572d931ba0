"""Records of the games of visitors: a results folder of their own, and a scoreboard."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from referee.records.record import Record, to_line
from referee.records.store import Store
from referee.scoring.tables import number, percent
from referee.text import short_label
from referee.web.feed import TournamentFeed

MAX_ROWS = 100


class VisitorRecords:
    """The results folder of visitors, locked while the server runs."""

    def __init__(self, folder: Path, bots: Collection[str]) -> None:
        """Raise InputError if the folder cannot be written or another server uses it."""
        self.folder = folder
        self._store = Store(folder)
        self._bots = frozenset(bots)
        self._feed = TournamentFeed(folder)
        self._number = 0
        """The largest number of a game so far."""
        self._read_all()

    def _read_all(self) -> None:
        """Read all records that are new."""
        while (records := self._feed.read()) or self._feed.is_behind:
            self._number = max([self._number, *(record["encounter"] for record in records)])

    def next_number(self) -> int:
        """Return a number for the id of the next game."""
        self._number += 1
        return self._number

    def add(self, record: Record) -> None:
        """Append a record; raise OutsideError if the disk is full."""
        self._store.add(to_line(record))
        self._store.sync()

    def scoreboard(self) -> list[dict[str, Any]]:
        """Return games, points and score of each person, best first."""
        self._read_all()
        ledger = self._feed.ledger
        if ledger is None:
            return []
        people = [row for row in ledger.standings().rows if row.bot not in self._bots]
        return [
            {
                "name": short_label(row.bot),
                "games": row.games,
                "points": number(row.points),
                "score": percent(row.points, row.games),
            }
            for row in people[:MAX_ROWS]
        ]

    def close(self) -> None:
        """Release the folder."""
        self._store.__exit__(None, None, None)
