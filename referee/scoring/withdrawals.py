"""Which bots are withdrawn because of their faults. Pure.

Games end in an order that depends on the number of workers and on timing, so faults are counted in
the order of the schedule instead. A bot is withdrawn by the game that has its last allowed fault;
from there on, games with it are ignored, and so are the faults that others made in them.
"""

from bisect import insort
from collections import Counter
from collections.abc import Iterable

from referee.records.manifest import Manifest
from referee.records.summary import GameSummary
from referee.schedule.fixtures import Fixture
from referee.schedule.formats import ordered_pair

Order = tuple[int, int, int, int, int]
"""The place of a game in the schedule: encounter, board, match (two numbers), first or second."""


class Withdrawals:
    """The faults of a tournament so far, and the games that are being played."""

    def __init__(self, manifest: Manifest) -> None:
        self._most = manifest.disqualify_after
        self._schedule = manifest.schedule()
        self._boards = {board: place for place, board in enumerate(manifest.boards)}
        self._faults: list[tuple[Order, tuple[str, str], list[str]]] = []
        """For each game with faults, in order: who played, and who made one."""
        self._found: list[tuple[Order, str]] | None = []
        """The game that withdrew a bot, and the bot, in order; None if it has to be found again."""
        self._pending: dict[str, Order] = {}
        """Games that were begun and have no result yet, in order."""

    def add(self, game: GameSummary) -> None:
        """Count the faults of a game."""
        if self._most is None:
            return
        self._pending.pop(game.id, None)
        if game.faults:
            guilty = [game.bots[seat - 1] for seat, _ in game.faults]
            order = self._order(game.board, game.bots, game.encounter)
            insort(self._faults, (order, game.bots, guilty))
            self._found = None

    def begin(self, fixtures: Iterable[Fixture]) -> None:
        """Note games that are being played; they are begun in the order of the schedule."""
        if self._most is not None:
            for fixture in fixtures:
                order = self._order(fixture.board, fixture.bots, fixture.encounter)
                self._pending[fixture.id] = order

    def cancels(self, fixture: Fixture) -> bool:
        """Tell whether a bot of this game was withdrawn before it, whatever may still happen.

        Games that are being played may withdraw an opponent, and so void a fault that seems to
        count: only what comes before all of them is certain.
        """
        if self._most is None or not self.found:
            return False
        order = self._order(fixture.board, fixture.bots, fixture.encounter)
        certain = min(order, next(iter(self._pending.values()), order))
        return any(bot in fixture.bots and at < certain for at, bot in self.found)

    @property
    def found(self) -> list[tuple[Order, str]]:
        """The game that withdrew a bot, and the bot, in the order of the schedule."""
        if self._found is None:
            self._found = self._find()
        return self._found

    def _find(self) -> list[tuple[Order, str]]:
        assert self._most is not None
        found: list[tuple[Order, str]] = []
        gone: set[str] = set()
        counts: Counter[str] = Counter()
        for order, bots, guilty in self._faults:
            if gone.isdisjoint(bots):
                counts.update(guilty)
                withdrawn = [bot for bot in guilty if counts[bot] >= self._most]
                gone.update(withdrawn)
                found += [(order, bot) for bot in withdrawn]
        return found

    def _order(self, board: str, bots: tuple[str, str], encounter: int) -> Order:
        pair = ordered_pair(*bots)
        one, two = self._schedule.place_of(pair)
        return encounter, self._boards[board], one, two, int(bots != pair)
