"""Any game, through the methods of `Rules`: depth-first search within d plies, d growing.

A state contains everything that decides how the game goes on, so a result that does not depend on
the depth holds for that state however it was reached.
"""

from typing import Any

from referee.analysis.budget import Budget
from referee.analysis.verdict import UNPROVED, Proof, Value
from referee.outcome import Outcome, Seat
from referee.rules import Rules

NODE_COST = 25
"""Nodes of a budget that a state counts as, because methods of `Rules` are slow."""
MAX_DEPTH = 300
MAX_KEPT = 100_000
"""States whose results are kept."""
_Bounds = tuple[int, int]
"""The least and the greatest value that seat 1 may have: 1 won, 0 drawn, -1 lost."""
_VALUES = {1: Value.WON, 0: Value.DRAWN, -1: Value.LOST}


class Negamax:
    """Proofs for one game."""

    def __init__(self, rules: Rules[Any]) -> None:
        self._rules = rules
        self._known: dict[Any, tuple[int, _Bounds]] = {}
        """For each state, the depth of the search, and the bounds that it gave."""

    def prove(self, state: Any, budget: Budget) -> Proof:
        """Return the value of a state that is not over, for the player to move."""
        sign = _sign(self._rules.to_move(state))
        for depth in range(1, MAX_DEPTH + 1):
            low, high = self._bounds(state, depth, budget)
            if low == high:
                return Proof(_VALUES[sign * low], depth if low else None)
        return UNPROVED

    def _bounds(self, state: Any, depth: int, budget: Budget) -> _Bounds:
        """Return what `depth` further plies prove about a state."""
        known_depth, bounds = self._known.get(state, (-1, (-1, 1)))
        if known_depth >= depth or bounds[0] == bounds[1]:
            return bounds
        budget.spend(NODE_COST)
        outcome = self._rules.outcome(state)
        if outcome is not None:
            bounds = _value_for_seat_1(outcome)
        elif depth > 0:
            bounds = self._search(state, depth, budget)
        if len(self._known) >= MAX_KEPT:
            self._known.clear()
        self._known[state] = depth, bounds
        return bounds

    def _search(self, state: Any, depth: int, budget: Budget) -> _Bounds:
        rules = self._rules
        sign = _sign(rules.to_move(state))
        low = high = -1  # for the player to move, who takes the greatest
        for move in rules.legal_moves(state):
            bounds = self._bounds(rules.apply(state, move), depth - 1, budget)
            low = max(low, min(sign * bounds[0], sign * bounds[1]))
            high = max(high, max(sign * bounds[0], sign * bounds[1]))
            if low == 1:
                break
        return (low, high) if sign == 1 else (-high, -low)


def _sign(seat: Seat) -> int:
    return 1 if seat == 1 else -1


def _value_for_seat_1(outcome: Outcome) -> _Bounds:
    """Return the value of a game that is over; none if both lost, which is no result of play."""
    one, two = outcome.score
    if one == two == 0:
        return -1, 1
    value = (one > two) - (one < two)
    return value, value
