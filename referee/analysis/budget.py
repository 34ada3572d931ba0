"""The budget of a proof: a number of nodes, and a condition that is checked at intervals.

With nodes alone, a proof has the same result on every machine. The condition comes from the caller,
for example a deadline; no clock is read here.
"""

from collections.abc import Callable

from referee.rules.mypyc_compat import i64

DEFAULT_NODES = 4_000_000
"""The default budget of a position."""
CHECK_INTERVAL = 64
"""Nodes between two calls of the condition."""


class BudgetExhausted(Exception):
    """The budget ended before the proof."""


def never() -> bool:
    """Return False: the condition of a budget of nodes alone."""
    return False


class Budget:
    """Nodes that may be visited. Compiled code handles signals only when it calls `expired`."""

    def __init__(self, nodes: i64, expired: Callable[[], bool] = never) -> None:
        self.used: i64 = 0
        """Nodes visited."""
        self._limit: i64 = nodes
        self._expired = expired
        self._next_call: i64 = CHECK_INTERVAL
        self._next_check: i64 = 0
        self.set_limit(nodes)

    def set_limit(self, limit: i64) -> None:
        """Set the number of visited nodes at which a proof ends."""
        self._limit = limit
        self._next_check = min(limit, self._next_call)

    def spend(self, nodes: i64 = 1) -> None:
        """Count visited nodes; raise BudgetExhausted if there are too many."""
        self.used += nodes
        if self.used >= self._next_check:
            self._check()

    def _check(self) -> None:
        if self.used >= self._next_call:
            self._next_call = self.used + CHECK_INTERVAL
            if self._expired():
                raise BudgetExhausted
        if self.used >= self._limit:
            raise BudgetExhausted
        self._next_check = min(self._limit, self._next_call)
