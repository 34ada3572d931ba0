"""Withdrawal of bots because of their faults. Pure.

The order in which games end depends on the number of workers and on timing, so faults are counted
in the order of the schedule. The game with the last allowed fault of a bot withdraws it: later
games of the bot are ignored, with the faults of its opponents in them.
"""

from bisect import insort
from collections import Counter
from collections.abc import Iterable

from referee.records.manifest import Manifest
from referee.records.summary import GameSummary
from referee.schedule.fixtures import Fixture
from referee.schedule.formats import ordered_pair

Order = tuple[int, int, int, int, int]
"""Sort key of a game in the schedule: encounter, board, match (two numbers), first or second."""


class Withdrawals:
    """The faults of a tournament, and the games that are being played."""

    def __init__(self, manifest: Manifest) -> None:
        self._max_faults = manifest.disqualify_after
        self._schedule = manifest.schedule()
        self._boards = {board: place for place, board in enumerate(manifest.boards)}
        self._faults: list[tuple[Order, tuple[str, str], list[str]]] = []
        """Games with faults, in order: key, bots, and bots at fault."""
        self._found: list[tuple[Order, str]] | None = []
        """Cache of `found`; None after another fault was added."""
        self._pending: dict[str, Order] = {}
        """Games that were started and have no result yet, in order."""

    def add(self, game: GameSummary) -> None:
        """Add the faults of a game."""
        if self._max_faults is None:
            return
        self._pending.pop(game.id, None)
        if game.faults:
            at_fault = [game.bots[seat - 1] for seat, _ in game.faults]
            order = self._order(game.board, game.bots, game.encounter)
            insort(self._faults, (order, game.bots, at_fault))
            self._found = None

    def begin(self, fixtures: Iterable[Fixture]) -> None:
        """Add games that are being played; they start in the order of the schedule."""
        if self._max_faults is not None:
            for fixture in fixtures:
                order = self._order(fixture.board, fixture.bots, fixture.encounter)
                self._pending[fixture.id] = order

    def cancels(self, fixture: Fixture) -> bool:
        """Check whether a bot of this game is withdrawn before it for certain.

        A game that is being played may withdraw an opponent, after which an earlier fault does not
        count any more: only withdrawals before all such games are certain.
        """
        if self._max_faults is None or not self.found:
            return False
        order = self._order(fixture.board, fixture.bots, fixture.encounter)
        certain = min(order, next(iter(self._pending.values()), order))
        return any(bot in fixture.bots and at < certain for at, bot in self.found)

    @property
    def found(self) -> list[tuple[Order, str]]:
        """Withdrawn bots with the key of the game that withdrew them, in the order of games."""
        if self._found is None:
            self._found = self._find()
        return self._found

    def _find(self) -> list[tuple[Order, str]]:
        assert self._max_faults is not None
        found: list[tuple[Order, str]] = []
        gone: set[str] = set()
        counts: Counter[str] = Counter()
        for order, bots, at_fault in self._faults:
            if gone.isdisjoint(bots):
                counts.update(at_fault)
                withdrawn = [bot for bot in at_fault if counts[bot] >= self._max_faults]
                gone.update(withdrawn)
                found += [(order, bot) for bot in withdrawn]
        return found

    def _order(self, board: str, bots: tuple[str, str], encounter: int) -> Order:
        pair = ordered_pair(*bots)
        one, two = self._schedule.sort_key(pair)
        return encounter, self._boards[board], one, two, int(bots != pair)
