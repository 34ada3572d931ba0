"""Analysis of the recorded games of a tournament that have no analysis yet."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from referee.records.analysis_file import AnalysisStore, StoredAnalysis
from referee.records.games_file import GamesFile
from referee.records.manifest import Manifest
from referee.records.record import Record
from referee.rules import Size
from referee.run.analysis_task import AnalysisTask, VariantSource
from referee.run.count_progress import CountProgress


class Analyser(Protocol):
    """Processes that analyse games, here or on a cluster."""

    def analyse(self, tasks: Iterable[AnalysisTask]) -> Iterator[list[StoredAnalysis]]:
        """Yield new analyses several times a second; the list is empty if there are none.

        Raises the error of a task after the results that came before it.
        """

    def close(self) -> None:
        """End the processes."""


@dataclass(frozen=True)
class RecordSelection:
    """Records of a tournament, in the order of the file."""

    manifest: Manifest
    games: GamesFile
    ids: frozenset[str]
    """The ids of the games; all if it is empty."""

    def __iter__(self) -> Iterator[Record]:
        for record, _ in self.games.games(self.manifest):
            if not self.ids or record["id"] in self.ids:
                yield record


@dataclass(frozen=True)
class PendingAnalysis:
    """The games that need an analysis with a budget."""

    records: Iterable[Record]
    sources: Mapping[str, VariantSource]
    """Where the rules are, by variant; games of other variants are left out."""
    store: AnalysisStore
    nodes: int
    budget_ms: int | None

    def count(self) -> tuple[int, int]:
        """Return the number of analysed games and of all games."""
        done = total = 0
        for record in self.records:
            if record["variant"] in self.sources:
                total += 1
                done += self._is_analysed(record)
        return done, total

    def _is_analysed(self, record: Record) -> bool:
        return self.store.has(record["id"], record["moves"], self.nodes, self.budget_ms)

    def _tasks(self) -> Iterator[AnalysisTask]:
        for record in self.records:
            if record["variant"] in self.sources and not self._is_analysed(record):
                yield AnalysisTask(
                    id=record["id"],
                    source=self.sources[record["variant"]],
                    size=Size(record["rows"], record["cols"]),
                    moves=tuple(record["moves"]),
                    opening=record["opening"],
                    nodes=self.nodes,
                    budget_ms=self.budget_ms,
                )

    def run(
        self,
        open_analyser: Callable[[int], Analyser],
        make_progress: Callable[[int, int], CountProgress],
    ) -> None:
        """Analyse the games, and store each result when it is there.

        `open_analyser` gets the number of games to analyse, `make_progress` that of analysed games
        and of all games.
        """
        done, total = self.count()
        if done == total:
            return
        with (
            closing(open_analyser(total - done)) as analyser,
            closing(make_progress(done, total)) as progress,
        ):
            for analyses in analyser.analyse(self._tasks()):
                if analyses:
                    self.store.add(analyses)
                    done += len(analyses)
                progress.show(done)
            progress.show(done, last=True)
