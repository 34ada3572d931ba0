"""Play the fixtures that have no record, and store each game as it ends."""

import sys
from collections import Counter, deque
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

from referee.records.store import Store
from referee.records.summary import GameSummary
from referee.run.engine import Engine, Task
from referee.run.events import MAX_TRIES, GameBatch, GamesStarted, GameVoid
from referee.run.progress import NoProgress, Progress
from referee.schedule.fixtures import Encounter
from referee.scoring.ledger import Ledger
from referee.system.garbage_collection import relaxed_gc
from referee.system.signals import handled_by

if TYPE_CHECKING:
    # `referee standings` imports this package and does not read a tournament file.
    from referee.config.tournament import Tournament

MAX_EQUAL_DOSSIERS = 20
"""Dossiers that are kept per bot and reason of a fault; further faults are only counted."""


class Arena:
    """One run of a tournament: its unplayed fixtures, its records, its progress."""

    def __init__(self, tournament: "Tournament", store: Store, ledger: Ledger) -> None:
        self.ledger = ledger
        self.progress: Progress = NoProgress()
        self.voids: list[GameVoid] = []
        """Games that failed `MAX_TRIES` times."""
        self.interrupted = False
        self._announced = False
        """Whether the interruption was announced."""
        self.warnings: list[str] = []
        self._tournament = tournament
        self._encounters: Iterator[Encounter] = iter(())
        self._store = store
        self._resumes = len(ledger.done) > 0
        """Whether some games have a record already."""
        self._retries: deque[Task] = deque()
        self._attempts: Counter[str] = Counter()
        self._dossiers: Counter[tuple[str, str]] = Counter()

    def play(self, engine: Engine) -> None:
        """Play until every fixture has a record, or a signal interrupts the run."""

        def interrupt(number: int, frame: FrameType | None) -> None:
            """Finish the running games; on the second signal, stop at once.

            Nothing is printed here: the handler may interrupt another `print`.
            """
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True
            engine.finish_soon()

        with handled_by(interrupt), relaxed_gc():
            for pairings in self.ledger.manifest.schedule().play(lambda: self.ledger.scores):
                self._encounters = self._tournament.encounters(pairings.matches)
                self._play_round(engine)
                if self.interrupted or self.voids:
                    break  # the next pairings depend on the missing games
            self.progress.show(self.ledger, engine.running, last=True)

    def _play_round(self, engine: Engine) -> None:
        for event in engine.play(self._next_task):
            if isinstance(event, GamesStarted):
                self.progress.started(event.fixtures)
            elif isinstance(event, GameBatch):
                self._store_batch(event)
                for void in event.voids:
                    self._retry(void)
            else:
                self._store.sync_if_due()
                self.progress.show(self.ledger, engine.running)
            self._announce_interruption()
        self._announce_interruption()
        self._store.sync()

    def _announce_interruption(self) -> None:
        if self.interrupted and not self._announced:
            self._announced = True
            print(
                "\nfinishing the games that are running; once more stops at once", file=sys.stderr
            )

    def _next_task(self) -> Task | None:
        """Return the unplayed fixtures of the next encounter, or None at the end."""
        if self._retries:
            return self._retries.popleft()
        withdrawals = self.ledger.withdrawals
        for encounter in self._encounters:
            unplayed = self._unplayed_fixtures(encounter)
            if unplayed and not withdrawals.cancels(unplayed[0]):
                withdrawals.begin(unplayed)
                return unplayed
        return None

    def _unplayed_fixtures(self, encounter: Encounter) -> Task:
        """Return the fixtures without a record; a run draws every encounter once."""
        if not self._resumes:
            return encounter.fixtures
        return tuple(f for f in encounter.fixtures if f.id not in self.ledger.done)

    def _store_batch(self, batch: GameBatch) -> None:
        def count() -> None:
            for game in batch.summaries:
                self.ledger.add(game)

        if batch.summaries:
            self._store.add(batch.lines, count)
        for bot, text in batch.warnings:
            if len(self.warnings) < 100:
                self.warnings.append(f"{bot}: {text}")
        for game, dossier in batch.dossiers:
            self._store_dossier(game, dossier)

    def _store_dossier(self, game: GameSummary, dossier: str) -> None:
        keys = [(game.bots[seat - 1], reason) for seat, reason in game.faults]
        for key in keys:
            self._dossiers[key] += 1
        if min(self._dossiers[key] for key in keys) <= MAX_EQUAL_DOSSIERS:
            self._store.write_text(f"faults/{game.id}.txt", dossier)

    def _retry(self, void: GameVoid) -> None:
        """Queue a void game again, up to `MAX_TRIES` attempts."""
        self._attempts[void.fixture.id] += 1
        if self._attempts[void.fixture.id] < MAX_TRIES:
            self._retries.append((void.fixture,))
        else:
            self.voids.append(void)
