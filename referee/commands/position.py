"""Play moves and show the position: board, seat to move, legal moves, outcome.

--perft counts the move sequences of length 1 to N from there (a game that ends earlier is not
counted). Compare the counts with those of your own move generator.

--solve proves who wins with perfect play, which moves keep that, and a line of best play. Within
the budget, that is: what is not proven is `unproved`. --nodes gives the same answer on every
machine; --budget limits the time as well.

examples:
  referee position standoff
  referee position barricade 0,1x1,0 3,4x3,3
  referee position lockdown --rows 6 --cols 7 2,2 --json
  referee position runner --perft 4
  referee position standoff 3,3 1,1 --solve
  referee position crossfire --rows 8 --cols 8 0,0 --solve --budget 2s
"""

import argparse
import json
import sys
from dataclasses import dataclass
from typing import Any

from referee.commands.size_options import add_size_arguments, read_size
from referee.commands.solution import Solution, solve_position
from referee.commands.solver_options import SolverBudget, add_budget_arguments, read_budget
from referee.errors import InputError
from referee.outcome import Outcome, Seat
from referee.rules import Rules, Size, find_variant, perft, play_moves


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("variant", help="a game (see `referee variants`) or a path/to/file.py")
    parser.add_argument(
        "moves",
        nargs="*",
        default=[],
        metavar="MOVE",
        help="the moves so far, also joined by ';'",
    )
    add_size_arguments(parser)
    parser.add_argument("--perft", type=int, metavar="N", help="count sequences of up to N moves")
    parser.add_argument("--solve", action="store_true", help="prove who wins with perfect play")
    add_budget_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


@dataclass(frozen=True)
class _GivenPosition:
    """A position, and the moves that lead to it."""

    variant: str
    size: Size
    rules: Rules[Any]
    moves: list[str]
    state: Any
    depths: range
    """Depths of the perft counts."""
    budget: SolverBudget | None
    """The budget of the solver; None if it was not asked who wins."""

    @property
    def outcome(self) -> Outcome | None:
        return self.rules.outcome(self.state)

    @property
    def seat(self) -> Seat | None:
        """The seat to move; None if the game is over."""
        return None if self.outcome else self.rules.to_move(self.state)

    @property
    def legal_moves(self) -> list[str]:
        """The legal moves; none if the game is over."""
        return [] if self.outcome else list(self.rules.legal_moves(self.state))

    def solve(self) -> Solution | None:
        """Prove who wins; None if that was not asked, or the game is over."""
        if self.budget is None or self.outcome:
            return None
        return solve_position(self.rules, self.state, self.budget)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    position = _read_position(arguments)
    if arguments.json:
        print(json.dumps(_to_json(position)))
    else:
        _print_text(position)
    return 0


def _read_position(arguments: argparse.Namespace) -> _GivenPosition:
    if arguments.perft is not None and arguments.perft < 1:
        raise InputError(f"--perft {arguments.perft}: the depth is 1 or more")
    variant = find_variant(arguments.variant)
    size = read_size(arguments) or variant.size
    rules = variant.on(size)
    moves = [move for word in arguments.moves for move in word.split(";")]
    depths = range(1, (arguments.perft or 0) + 1)
    if not arguments.solve and (arguments.budget or arguments.nodes) is not None:
        raise InputError("--budget and --nodes are for --solve")
    budget = read_budget(arguments) if arguments.solve else None
    state = play_moves(rules, moves)
    return _GivenPosition(variant.name, size, rules, moves, state, depths, budget)


def _to_json(position: _GivenPosition) -> dict[str, Any]:
    outcome, rules = position.outcome, position.rules
    content: dict[str, Any] = {
        "variant": position.variant,
        "rows": position.size.rows,
        "cols": position.size.cols,
        "ply": len(position.moves),
        "moves": position.moves,
        "to_move": position.seat,
        "board": rules.board(position.state),
        "legal": position.legal_moves,
        "outcome": outcome and {"score": list(outcome.score), "reason": outcome.reason},
    }
    if position.depths:
        content["perft"] = [perft(rules, position.state, depth) for depth in position.depths]
    if position.budget is not None:
        solution = position.solve()
        content |= solution.to_json() if solution else {"value": None, "winning": []}
    return content


def _print_text(position: _GivenPosition) -> None:
    rules, plies = position.rules, len(position.moves)
    first, second = (f"Seat {number} ({mark})" for number, mark in enumerate(rules.marks, start=1))
    print(
        f"{position.variant} {position.size}, {plies} {'ply' if plies == 1 else 'plies'} played\n"
    )
    print(rules.draw(position.state))
    print()
    if outcome := position.outcome:
        score = "-".join(f"{points:g}" for points in outcome.score)
        print(f"{outcome.sentence((first, second))}.\nScore {score}, reason {outcome.reason}.")
    else:
        legal = position.legal_moves
        count = f"{len(legal)} legal move{'' if len(legal) == 1 else 's'}"
        print(f"{first if position.seat == 1 else second} to move, {count}:\n{' '.join(legal)}")
    for depth in position.depths:
        print(f"perft {depth}: {perft(rules, position.state, depth):,}", flush=True)
    sys.stdout.flush()  # a proof may take long
    if solution := position.solve():
        print(f"\n{solution.text(first, second)}")
