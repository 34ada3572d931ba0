"""Proofs against brute force: every reachable position of small boards, without the solver."""

import pytest

from referee.analysis.budget import Budget
from referee.analysis.methods import find_method
from referee.analysis.solver import Solver
from referee.analysis.verdict import Value
from referee.rules import BUILT_IN, Size, find_variant
from tests.support.brute_force import GameGraph, explore, key_of

NODES = 10_000_000
BOARDS = [(name, size) for name in BUILT_IN for size in (Size(3, 3), Size(3, 4), Size(4, 3))]
BOARDS += [("lockdown", Size(4, 4)), ("crossfire", Size(4, 4)), ("standoff", Size(4, 4))]
SAMPLE = 7
"""On larger boards, each seventh position of the games with many is compared."""


def expected(graph: GameGraph, key: object) -> Value:
    """The value of a position for the player to move."""
    if key not in graph.winner:
        return Value.UNPROVED  # neither player can force a win: the repetition decides
    seat, _ = graph.winner[key]
    return Value.WON if seat == key[0] else Value.LOST  # type: ignore[index]


@pytest.mark.parametrize(("name", "size"), BOARDS, ids=lambda value: str(value))
def test_every_reachable_position_has_the_value_of_brute_force(name: str, size: Size) -> None:
    """The winner by exhaustive search is that of the proof; the length is never too short."""
    rules = find_variant(name).on(size)
    graph = explore(rules)
    method = find_method(rules, NODES)
    step = SAMPLE if len(graph.states) > 40_000 else 1
    for key, state in list(graph.states.items())[::step]:
        proof = method.prove(state, Budget(NODES))
        assert proof.value is expected(graph, key), rules.board(state)
        if proof.plies is not None:
            assert proof.plies >= graph.winner[key][1]


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_value_of_every_move_is_that_of_the_position_after_it(name: str) -> None:
    """Winning and losing moves are distinguished exactly."""
    rules = find_variant(name).on(Size(3, 4))
    graph = explore(rules)
    solver = Solver(rules)
    states = list(graph.states.values())
    for state in states[:: max(1, len(states) // 300)]:
        verdict = solver.solve(state)
        seat = rules.to_move(state)
        for move, proof in verdict.moves.items():
            after = rules.apply(state, move)
            outcome = rules.outcome(after)
            if outcome:
                assert proof.value is (Value.WON if outcome.winner == seat else Value.LOST)
                assert proof.plies == 1
            else:
                assert proof.value is expected(graph, key_of(rules, after)).reversed
        if Value.WON in [proof.value for proof in verdict.moves.values()]:
            assert verdict.value is Value.WON
            assert verdict.keeping == verdict.winning != []
