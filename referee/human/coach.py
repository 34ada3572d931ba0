"""A coach for people: comments on moves that give the win away, and hints at moves that keep it.

It uses proofs within a small budget, so that a comment appears at once, also if nothing is proven.
"""

from time import process_time
from typing import Any

from referee.analysis.solver import Solver
from referee.analysis.verdict import Value, Verdict
from referee.rules import Rules

NODES = 200_000
CPU_SECONDS = 1.0
"""Limits of the proof of one position: nodes, and time of this process, so that the answer does
not depend on what else the machine does."""


class Coach:
    """Proofs for one game; the verdict on the current position is kept."""

    def __init__(self, rules: Rules[Any]) -> None:
        self._rules = rules
        self._solver = Solver(rules, NODES)
        self._state: Any = None
        self._verdict: Verdict | None = None

    def _solve(self, state: Any) -> Verdict:
        """Prove what can be proven about a state."""
        if self._verdict is None or state != self._state:
            self._state = state
            end = process_time() + CPU_SECONDS
            self._verdict = self._solver.solve(state, lambda: process_time() >= end)
        return self._verdict

    def hint(self, state: Any, begin: str = "") -> str:
        """Return a sentence with a move that keeps the value; `begin` is a step that was chosen."""
        verdict = self._solve(state)
        if verdict.value is Value.UNPROVED:
            return f"Coach: who wins is not proven here (within {NODES:,} nodes or a second)."
        if verdict.value is Value.LOST:
            return (
                "Coach: this position is lost against perfect play. The longest defence is"
                f" {verdict.best_move()}."
                if verdict.proof.plies
                else "Coach: this position is lost against perfect play, whatever you play."
            )
        what = "the win" if verdict.value is Value.WON else "the draw"
        moves = [move for move in verdict.keeping if _begins_with(move, begin)]
        if not moves:
            return f"Coach: nothing after {begin} keeps {what}: undo goes back."
        best = verdict.best_move() if verdict.best_move() in moves else moves[0]
        return f"Coach: {best} keeps {what}."

    def comment(self, state: Any, move: str) -> str:
        """Return a sentence if a move gives the win away, or if nothing is proven; else nothing."""
        verdict = self._solve(state)
        if self.gives_win_away(state, move):
            count = len(verdict.winning)
            verb = "keeps" if count == 1 else "keep"
            return (
                f"Coach: {move} gives the win away. {count} of {len(verdict.moves)} moves"
                f" {verb} it."
            )
        if verdict.value is Value.UNPROVED or verdict.moves[move].value is Value.UNPROVED:
            return f"Coach: whether {move} is right is not proven."
        return ""

    def gives_win_away(self, state: Any, move: str) -> bool:
        """Return whether a move is proven to give a win away."""
        verdict = self._solve(state)
        given = verdict.moves[move].value in (Value.LOST, Value.DRAWN)
        return verdict.value is Value.WON and given


def _begins_with(move: str, begin: str) -> bool:
    return not begin or move == begin or move.startswith(f"{begin}x")
