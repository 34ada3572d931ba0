"""The solution of one position, as text and as JSON."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.commands.solver_options import SolverBudget
from referee.outcome import Seat, other
from referee.rules import Rules

if TYPE_CHECKING:
    from referee.analysis.verdict import Verdict

MAX_LINE = 500
"""Moves of the line of best play."""


@dataclass(frozen=True)
class Solution:
    """A verdict, and a line of best play."""

    seat: Seat
    """The seat to move."""
    verdict: "Verdict"
    line: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return the keys that are added to a position."""
        verdict = self.verdict
        return {
            "value": str(verdict.value),
            "winning": verdict.winning,
            "keeping": verdict.keeping,
            "unproved": verdict.unproved,
            "within": verdict.proof.plies,
            "line": self.line,
            "nodes": verdict.nodes,
        }

    def text(self, first: str, second: str) -> str:
        """Describe the solution, with names for seat 1 and seat 2."""
        from referee.analysis.verdict import Value

        verdict, players = self.verdict, (first, second)
        mover, opponent = players[self.seat - 1], players[other(self.seat) - 1]
        legal = len(verdict.moves)
        if verdict.value is Value.UNPROVED:
            lines = [f"Nothing is proven within {verdict.nodes:,} nodes."]
            if lost := [move for move, proof in verdict.moves.items() if proof.value is Value.LOST]:
                lines.append(f"{len(lost)} of {legal} moves lose: {' '.join(lost)}")
            return "\n".join(lines)
        within = f" within {verdict.proof.plies} plies" if verdict.proof.plies else ""
        if verdict.value is Value.LOST:
            lines = [f"Proven: {opponent} wins{within}, whatever {mover} plays."]
        else:
            what = f"{mover} wins{within}" if verdict.value is Value.WON else "a draw"
            kept = verdict.keeping
            verb = "keeps" if len(kept) == 1 else "keep"
            lines = [f"Proven: {what}. {len(kept)} of {legal} moves {verb} that:", " ".join(kept)]
            if verdict.unproved:
                lines.append(f"Not proven: {' '.join(verdict.unproved)}")
        return "\n".join([*lines, f"Best play: {' '.join(self.line)}"])


def solve_position(rules: Rules[Any], state: Any, budget: SolverBudget) -> Solution:
    """Solve a position that is not over; the time limit includes the line of best play."""
    from referee.analysis.solver import Solver
    from referee.system.deadline import make_deadline

    solver = Solver(rules, budget.nodes)
    expired = make_deadline(budget.budget_ms)
    verdict = solver.solve(state, expired)
    return Solution(rules.to_move(state), verdict, solver.best_line(state, MAX_LINE, expired))
