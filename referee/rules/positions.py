"""Play moves from the start, and count positions. Pure."""

from collections.abc import Iterable
from functools import lru_cache, reduce

from referee.errors import IllegalMove
from referee.rules.base import Rules, State
from referee.rules.grid import Size as Size  # for variants of your own


def play_moves(rules: Rules[State], moves: Iterable[str]) -> State:
    """The position after these moves; IllegalMove says which of them is wrong, and why."""
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
    """The position after an opening, which was found or checked when the game was set up.

    It is played by pair after pair, from both seats.
    """
    return reduce(rules.apply, opening, rules.start())


def perft(rules: Rules[State], state: State, depth: int) -> int:
    """How many sequences of exactly `depth` moves there are; each last move is applied too."""
    if rules.outcome(state):
        return 0
    apply = rules.apply
    after = [apply(state, move) for move in rules.legal_moves(state)]
    if depth == 1:
        return len(after)
    return sum(perft(rules, child, depth - 1) for child in after)
