"""The solver: a position in, a verdict out. No clock, no file: the caller gives the budget."""

from collections.abc import Callable
from typing import Any

from referee.analysis.budget import DEFAULT_NODES, Budget, BudgetExhausted, never
from referee.analysis.methods import find_method
from referee.analysis.verdict import UNPROVED, Proof, Value, Verdict, combine
from referee.outcome import Outcome, Seat
from referee.rules import Rules

VERSION = 1
"""To be increased with every change that may change an answer within a budget."""
FIRST_SHARE = 500
"""Nodes that each move gets at first; those that are left get four times as many, and so on."""


class Solver:
    """Proofs for one game. Tables are kept, so that related positions cost less."""

    def __init__(self, rules: Rules[Any], nodes: int = DEFAULT_NODES) -> None:
        """Create a solver that visits up to `nodes` nodes per position."""
        self._rules = rules
        self._nodes = nodes
        self._method = find_method(rules, nodes)

    def solve(self, state: Any, expired: Callable[[], bool] = never) -> Verdict:
        """Return the verdict on a state that is not over.

        `expired` is called every few milliseconds: the proof ends when it returns True, and if it
        raises an exception.
        """
        rules = self._rules
        seat = rules.to_move(state)
        budget = Budget(self._nodes, expired)
        proofs: dict[str, Proof] = {}
        open_states: dict[str, Any] = {}
        for move in rules.legal_moves(state):
            after = rules.apply(state, move)
            outcome = rules.outcome(after)
            proofs[move] = UNPROVED if outcome is None else _proof_of_outcome(outcome, seat)
            if outcome is None:
                open_states[move] = after
        share = FIRST_SHARE
        while open_states and budget.used < self._nodes and not expired():
            for move, after in list(open_states.items()):
                if expired():
                    break
                budget.set_limit(min(self._nodes, budget.used + share))
                try:
                    proof = self._method.prove(after, budget)
                except BudgetExhausted:
                    continue
                del open_states[move]
                proofs[move] = _for_seat(seat, rules.to_move(after), proof)
            share *= 4
        return Verdict(combine(proofs), proofs, budget.used)

    def best_line(self, state: Any, length: int, expired: Callable[[], bool] = never) -> list[str]:
        """Return up to `length` moves of best play, as far as it is proven."""
        line: list[str] = []
        while len(line) < length and self._rules.outcome(state) is None:
            verdict = self.solve(state, expired)
            if verdict.value is Value.UNPROVED:
                break
            line.append(verdict.best_move())
            state = self._rules.apply(state, line[-1])
        return line


def _proof_of_outcome(outcome: Outcome, seat: Seat) -> Proof:
    """Return what a game that ended with the move of this seat is worth to it."""
    own, other = outcome.score if seat == 1 else outcome.score[::-1]
    if own == other:
        return Proof(Value.DRAWN) if own else UNPROVED
    return Proof(Value.WON if own > other else Value.LOST, 1)


def _for_seat(seat: Seat, mover: Seat, proof: Proof) -> Proof:
    """Return a proof about the position after a move, as that of the move."""
    value = proof.value if mover == seat else proof.value.reversed
    return Proof(value, proof.plies and proof.plies + 1)
