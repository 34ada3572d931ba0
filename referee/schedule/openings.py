"""Random openings: the same for every pairing, distinct by position, and never the end of a game.

Opening i depends on the seed, the variant, the size and i alone, so that a tournament can be
extended without changing what was played already.
"""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from referee.rules import Rules

MAX_LISTED = 20_000
"""Positions after an opening that are listed all; where there are more, openings are drawn."""
_DRAWS_IN_VAIN = 2_000

Opening = tuple[str, ...]


def find_openings(rules: Rules[Any], plies: int, count: int, seed: str) -> list[Opening]:
    """The first openings of a seed, at most `count`; fewer where there are no more."""
    listed = _list_all(rules, plies)
    if listed is not None:
        openings = list(listed.values())
        random.Random(seed).shuffle(openings)
        return openings[:count]
    return list(islice(_draw(rules, plies, seed), count))


def _list_all(rules: Rules[Any], plies: int) -> dict[tuple[str, int], Opening] | None:
    """One opening for each position there is after so many plies; None if there are too many."""
    start = rules.start()
    layer: dict[tuple[str, int], tuple[Any, Opening]] = {_position(rules, start): (start, ())}
    for _ in range(plies):
        after: dict[tuple[str, int], tuple[Any, Opening]] = {}
        for state, moves in layer.values():
            for move in rules.legal_moves(state):
                next_state = rules.apply(state, move)
                if rules.outcome(next_state) is None:
                    after.setdefault(_position(rules, next_state), (next_state, (*moves, move)))
            if len(after) > MAX_LISTED:
                return None
        layer = after
    return {position: moves for position, (_, moves) in layer.items()}


def _draw(rules: Rules[Any], plies: int, seed: str) -> Iterator[Opening]:
    """Random openings, each of another position, until no new one turns up for long."""
    seen: set[tuple[str, int]] = set()
    number, in_vain = 0, 0
    while in_vain < _DRAWS_IN_VAIN:
        dice = random.Random(f"{seed} {number}")
        number += 1
        state = rules.start()
        moves: list[str] = []
        while len(moves) < plies and rules.outcome(state) is None:
            moves.append(dice.choice(rules.legal_moves(state)))
            state = rules.apply(state, moves[-1])
        if rules.outcome(state) is None and _position(rules, state) not in seen:
            in_vain = 0
            seen.add(_position(rules, state))
            yield tuple(moves)
        else:
            in_vain += 1


def _position(rules: Rules[Any], state: Any) -> tuple[str, int]:
    return rules.board(state), rules.to_move(state)
