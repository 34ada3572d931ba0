"""Proofs of runner hold under all its rules: repetition, shut-out, move limit, and the history.

A proof is checked by playing on with the real rules: the winner plays the moves of the solver, the
loser plays every legal move, until the game is over.
"""

import random
from typing import Any

import pytest

from referee.analysis.methods import _forbidden
from referee.analysis.solver import Solver
from referee.analysis.verdict import Value
from referee.outcome import Seat
from referee.rules import Size, find_variant
from referee.variants.runner import MOVE_LIMIT, Runner


def rules_on(rows: int, cols: int) -> Runner:
    rules = find_variant("runner").on(Size(rows, cols))
    assert isinstance(rules, Runner)
    return rules


def check_win(rules: Runner, state: Any, winner: Seat, solver: Solver, plies: int) -> int:
    """Play on against every defence; return the number of games that ended."""
    outcome = rules.outcome(state)
    if outcome:
        assert outcome.winner == winner, rules.board(state)
        return 1
    assert plies > 0, f"it takes longer than was proven: {rules.board(state)}"
    moves = rules.legal_moves(state)
    if rules.to_move(state) == winner:
        verdict = solver.solve(state)
        assert verdict.value is Value.WON, rules.board(state)
        moves = [verdict.best_move()]
    return sum(
        check_win(rules, rules.apply(state, move), winner, solver, plies - 1) for move in moves
    )


def check_verdict(rules: Runner, state: Any) -> bool:
    """Check the proof of a position, if there is one."""
    solver = Solver(rules, 200_000)
    verdict = solver.solve(state)
    if verdict.proof.plies is None or verdict.proof.plies > 7:
        return False
    seat = rules.to_move(state)
    winner = seat if verdict.value is Value.WON else 3 - seat
    return check_win(rules, state, winner, solver, verdict.proof.plies) > 0


def shuffled(rules: Runner, dice: random.Random, plies: int) -> Any:
    """A position after mostly steps to and fro, so that positions have occurred twice."""
    state = rules.start()
    last: dict[Seat, str] = {}
    for _ in range(plies):
        seat = rules.to_move(state)
        here = rules.grid.names[state[seat - 1]]
        moves = rules.legal_moves(state)
        back = [move for move in moves if move == last.get(seat)]
        move = dice.choice(back if back and dice.random() < 0.8 else moves)
        after = rules.apply(state, move)
        if rules.outcome(after):
            continue
        state, last[seat] = after, here
    return state


@pytest.mark.parametrize("size", [(3, 3), (3, 4), (4, 4)], ids=str)
def test_a_proof_wins_against_every_defence_after_any_history(
    size: tuple[int, int],
) -> None:
    """Also where moves are forbidden because their positions have occurred twice."""
    rules = rules_on(*size)
    checked = with_forbidden = 0
    for seed in range(20):
        dice = random.Random(seed)
        state = shuffled(rules, dice, dice.randrange(4, 24))
        if check_verdict(rules, state):
            checked += 1
            with_forbidden += bool(_forbidden(state[4]))
    assert checked >= 10
    assert with_forbidden >= 2


def test_a_step_that_would_repeat_a_position_for_the_third_time_does_not_win() -> None:
    """A win that needs it is none; without that history it is one."""
    rules = rules_on(4, 4)
    found = 0
    for seed in range(100):
        state = shuffled(rules, random.Random(seed), 20)
        fresh = (*state[:4], state[4][-1:], state[5])
        verdict, without_history = (Solver(rules, 50_000).solve(one) for one in (state, fresh))
        for move, proof in verdict.moves.items():
            outcome = rules.outcome(rules.apply(state, move))
            if outcome and outcome.reason == "repetition":
                assert proof.value is Value.LOST
                found += without_history.moves[move].value is Value.WON
    assert found >= 1


def at_ply(state: Any, ply: int) -> Any:
    """The same position later in a game; the parity of the ply is that of the player to move."""
    first, second, blocks, before, positions, bits = state
    assert (ply - before) % 2 == 0
    return first, second, blocks, ply, positions, bits


def test_seat_1_must_win_before_the_move_limit() -> None:
    """With as many plies as the win takes it is proven, with fewer it is not."""
    rules = rules_on(4, 4)
    start = rules.start()
    assert Solver(rules).solve(start).proof == (Value.WON, 5)
    in_time = at_ply(start, MOVE_LIMIT - 6)
    assert Solver(rules).solve(in_time).value is Value.WON
    assert check_verdict(rules, in_time)
    too_late = at_ply(start, MOVE_LIMIT - 4)
    assert Solver(rules, 100_000).solve(too_late).value is not Value.WON


def test_the_move_limit_is_a_win_of_seat_2() -> None:
    """A proof of seat 2 holds as late as that, and the last move is judged by the rules."""
    rules = rules_on(4, 4)
    state = rules.apply(rules.start(), "x4,4")
    assert Solver(rules).solve(state).value is Value.WON
    late = at_ply(state, MOVE_LIMIT - 3)
    verdict = Solver(rules, 100_000).solve(late)
    assert verdict.value in (Value.WON, Value.UNPROVED)
    if verdict.value is Value.WON:
        assert check_verdict(rules, late)
    last = at_ply(state, MOVE_LIMIT - 1)
    assert Solver(rules).solve(last).value is Value.WON
    assert all(proof.plies == 1 for proof in Solver(rules).solve(last).moves.values())


def test_a_block_that_shuts_both_out_loses() -> None:
    """It is the last gap of a wall."""
    rules = rules_on(5, 3)
    state = rules.start()
    for move in ("x3,1", "x3,3"):
        state = rules.apply(state, move)
    verdict = Solver(rules).solve(state)
    assert verdict.moves["x3,2"].value is Value.LOST
    assert verdict.moves["x3,2"].plies == 1
