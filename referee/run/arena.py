"""Play the fixtures that have no record, and store each game as it ends."""

import sys
from collections import Counter, deque
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

from referee.records.store import Store
from referee.records.summary import GameSummary
from referee.run.engine import Engine, Task
from referee.run.events import GameBatch, GamesStarted, GameVoid
from referee.run.progress import NoProgress, Progress
from referee.schedule.fixtures import Encounter
from referee.system.garbage_collection import relaxed_gc
from referee.system.signals import handled_by

if TYPE_CHECKING:
    # The tables of a tournament need nothing of what reads its file.
    from referee.config.tournament import Tournament

from referee.scoring.ledger import SAME_FAULTS, Ledger

TRIES = 3
"""How often a game is begun before a failure of the referee is given up on."""


class Arena:
    """One run of a tournament."""

    def __init__(self, tournament: "Tournament", store: Store, ledger: Ledger) -> None:
        self.ledger = ledger
        self.progress: Progress = NoProgress()
        self.voids: list[GameVoid] = []
        """Games given up on."""
        self.interrupted = False
        self._announced = False
        """Whether the interruption was announced."""
        self.warnings: list[str] = []
        self._tournament = tournament
        self._encounters: Iterator[Encounter] = iter(())
        self._store = store
        self._resumes = len(ledger.done) > 0
        """Whether there are games that need not be played again."""
        self._again: deque[Task] = deque()
        self._tries: Counter[str] = Counter()
        self._dossiers: Counter[tuple[str, str]] = Counter()

    def play(self, engine: Engine) -> None:
        """Play until all is played, or somebody wants it to stop."""

        def interrupt(number: int, frame: FrameType | None) -> None:
            """Let running games end; the second time, end everything at once.

            Nothing is printed here: the signal may have come while something else was.
            """
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True
            engine.finish_soon()

        with handled_by(interrupt), relaxed_gc():
            for round in self.ledger.manifest.schedule().play(lambda: self.ledger.scores):
                self._encounters = self._tournament.encounters(round.matches)
                self._play_round(engine)
                if self.interrupted or self.voids:
                    break  # who meets whom next depends on games that are missing
            self.progress.show(len(self.ledger.done), self.ledger.standings, last=True)

    def _play_round(self, engine: Engine) -> None:
        for event in engine.play(self._take):
            if isinstance(event, GamesStarted):
                self.progress.begun(event.fixtures)
            elif isinstance(event, GameBatch):
                self._keep(event)
                for void in event.voids:
                    self._try_again(void)
            else:
                self._store.sync_if_due()
                self.progress.show(len(self.ledger.done), self.ledger.standings)
            self._announce_interruption()
        self._announce_interruption()
        self._store.sync()

    def _announce_interruption(self) -> None:
        if self.interrupted and not self._announced:
            self._announced = True
            print(
                "\nfinishing the games that are running; once more stops at once", file=sys.stderr
            )

    def _take(self) -> Task | None:
        """The next encounter, or what is left to play of it."""
        if self._again:
            return self._again.popleft()
        withdrawals = self.ledger.withdrawals
        for encounter in self._encounters:
            missing = self._missing(encounter)
            if missing and not withdrawals.cancels(missing[0]):
                withdrawals.begin(missing)
                return missing
        return None

    def _missing(self, encounter: Encounter) -> Task:
        """What was not played before; within a run every encounter comes once."""
        if not self._resumes:
            return encounter.fixtures
        return tuple(f for f in encounter.fixtures if f.id not in self.ledger.done)

    def _keep(self, ended: GameBatch) -> None:
        def count() -> None:
            for game in ended.gists:
                self.ledger.add(game)
            self.progress.finished(ended.gists)

        if ended.gists:
            self._store.add(ended.lines, count)
        for bot, text in ended.warnings:
            if len(self.warnings) < 100:
                self.warnings.append(f"{bot}: {text}")
        for game, dossier in ended.dossiers:
            self._keep_dossier(game, dossier)

    def _keep_dossier(self, game: GameSummary, dossier: str) -> None:
        keys = [(game.bots[seat - 1], reason) for seat, reason in game.faults]
        for key in keys:
            self._dossiers[key] += 1
        if min(self._dossiers[key] for key in keys) <= SAME_FAULTS:
            self._store.write_text(f"faults/{game.id}.txt", dossier)

    def _try_again(self, void: GameVoid) -> None:
        """A failure of ours: the game is played again, but not for ever."""
        self.progress.finished([void.fixture])
        self._tries[void.fixture.id] += 1
        if self._tries[void.fixture.id] < TRIES:
            self._again.append((void.fixture,))
        else:
            self.voids.append(void)
