"""State of one tournament for its viewers, updated from its folder by one thread at a time."""

from collections import deque
from pathlib import Path
from time import monotonic, thread_time
from typing import Any, NamedTuple

from referee.ratings.ratings import Ratings
from referee.records.record import Record
from referee.report.rounds import make_rounds
from referee.scoring.ledger import Ledger
from referee.scoring.render import make_ratings
from referee.web.feed import LATEST, TournamentFeed, is_locked
from referee.web.snapshot import (
    MAX_BOTS,
    describe_tournament,
    game_value,
    news_of,
    progress_value,
    standings_value,
)

RATING_SECONDS = 1.0
MAX_RATING_SHARE = 0.01
"""Maximum share of the time that is spent on standings and ratings during a run."""
MAX_NEWS = 40
GONE = "the games file of this tournament was removed"
RATE_SECONDS = 10.0
"""Period over which the rate of games is measured."""
WAITING, RUNNING, FINISHED, STOPPED = "waiting", "running", "finished", "stopped"


class Change(NamedTuple):
    """Result of a step."""

    value: dict[str, Any]
    """The changed parts of the state; empty if there is nothing to send to viewers."""
    ended: list[str]
    """Ids of the games that have a record now."""


class TournamentState:
    """One tournament: the ledger, and the values for viewers."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.feed = TournamentFeed(folder)
        self.ratings: Ratings | None = None
        self.value: dict[str, Any] = {
            "tournament": {"name": name, "title": name},
            "progress": {"state": WAITING},
        }
        """Everything that a new viewer needs. It is replaced and not changed, because the event
        loop reads it while another thread makes the next one."""
        self._news: deque[dict[str, str]] = deque(maxlen=MAX_NEWS)
        self._counts: deque[tuple[float, int]] = deque()
        """Times and numbers of games, for the rate."""
        self._next_rating = 0.0
        self._rated_games = -1
        self._has_rated = False
        self._restarts = 0
        """The restarts of the feed that were seen."""

    @property
    def status(self) -> str:
        """One of the words WAITING, RUNNING, FINISHED and STOPPED."""
        return str(self.value["progress"]["state"])

    def step(self) -> Change:
        """Read the next part of the games file and update the values."""
        feed = self.feed
        records = feed.read()
        ledger = feed.ledger
        changed: dict[str, Any]
        if ledger is None:
            problem = feed.problem or (GONE if "standings" in self.value else None)
            changed = {} if problem == self.value.get("problem") else {"problem": problem}
            self.value = {**self.value, **changed}
            return Change(changed, [])
        if feed.restarts != self._restarts:
            self._restarts = feed.restarts
            self._rated_games = -1
            self._news.clear()
        changed = {}
        if "bots" not in self.value["tournament"]:
            changed["tournament"] = describe_tournament(self.name, ledger)
        status = self._find_status(ledger)
        if feed.is_behind and status != RUNNING:
            return Change({}, [])  # soon done: there is nothing to save processor time for
        newest = feed.newest() if feed.is_behind else records[-LATEST:]
        if newest:
            changed["games"] = [game_value(record) for record in newest]
        if self._is_rating_due(ledger, status):
            changed |= self._rate(ledger)
        changed |= self._find_news(records)
        progress = self._progress(ledger, status)
        if changed or progress["state"] != self.status:
            changed |= {"progress": progress, "problem": feed.problem}
            has_report = (feed.folder / "report.html").is_file()
            whole: dict[str, Any] = {"news": list(self._news)}
            if not feed.is_behind:
                whole["games"] = [game_value(record) for record in feed.latest]
            changed["report"] = has_report
            self.value = {**self.value, **changed, **whole}
        return Change(changed, [record["id"] for record in records])

    def _is_rating_due(self, ledger: Ledger, status: str) -> bool:
        is_time = status != RUNNING or monotonic() >= self._next_rating
        return is_time and len(ledger.done) != self._rated_games

    def _rate(self, ledger: Ledger) -> dict[str, Any]:
        """Compute standings and ratings; the next time is later if this takes long."""
        started = thread_time()
        self._rated_games = len(ledger.done)
        self.ratings = make_ratings(ledger)[None] if self._rated_games else None
        standings = standings_value(ledger.standings(), self.ratings, MAX_BOTS)
        changed: dict[str, Any] = {"standings": standings}
        if (rounds := make_rounds(ledger)) is not None:
            changed["rounds"] = rounds
        # The first time contains imports; waiting for the processor costs players nothing.
        took = thread_time() - started if self._has_rated else 0.0
        self._has_rated = True
        self._next_rating = monotonic() + max(RATING_SECONDS, took / MAX_RATING_SHARE)
        return changed

    def _find_news(self, records: list[Record]) -> dict[str, Any]:
        rated = {row.bot: row for row in self.ratings.rows} if self.ratings else {}
        found = [news for record in records if (news := news_of(record, rated))]
        self._news.extend(found)
        return {"news": found[-MAX_NEWS:]} if found else {}

    def _progress(self, ledger: Ledger, status: str) -> dict[str, Any]:
        now, done = monotonic(), self.feed.count()
        self._counts.append((now, done))
        while len(self._counts) > 2 and self._counts[0][0] < now - RATE_SECONDS:
            self._counts.popleft()
        then, before = self._counts[0]
        rate = (done - before) / (now - then) if now > then else 0.0
        return progress_value(ledger.manifest, done, rate, status)

    def _find_status(self, ledger: Ledger) -> str:
        if is_locked(self.feed.folder):
            return RUNNING
        return FINISHED if ledger.is_over() else STOPPED
