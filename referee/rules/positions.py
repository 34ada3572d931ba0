"""Positions after given moves, and counts of positions. Pure."""

from collections.abc import Iterable
from functools import lru_cache, reduce

from referee.errors import IllegalMove
from referee.rules.base import Rules, State


def play_moves(rules: Rules[State], moves: Iterable[str]) -> State:
    """Return the state after these moves.

    Raises IllegalMove, which names the first illegal move and the reason.
    """
    state = rules.start()
    for ply, move in enumerate(moves, start=1):
        if outcome := rules.outcome(state):
            raise IllegalMove(
                f"move {ply} ({move}) comes after the end of the game ({outcome.reason})"
            )
        legal = rules.legal_moves(state)
        if move not in legal:
            raise IllegalMove(
                f"move {ply} is not legal: {rules.why_illegal(state, move)}."
                f" Legal here: {' '.join(legal)}"
            )
        state = rules.apply(state, move)
    return state


@lru_cache(maxsize=64)
def after_opening(rules: Rules[State], opening: tuple[str, ...]) -> State:
    """Return the state after the moves of an opening, which the caller has validated.

    Cached: each opening is played from both seats, and often by several pairs of bots.
    """
    return reduce(rules.apply, opening, rules.start())


def perft(rules: Rules[State], state: State, depth: int) -> int:
    """Count the sequences of exactly `depth` moves from a state; the last moves are applied too."""
    if rules.outcome(state):
        return 0
    apply = rules.apply
    after = [apply(state, move) for move in rules.legal_moves(state)]
    if depth == 1:
        return len(after)
    return sum(perft(rules, child, depth - 1) for child in after)
