"""Random openings: the same for all pairings, each with another position, none ends the game.

Opening i depends on the seed, the variant, the size and i alone, so a tournament that is extended
keeps the openings that were played already.
"""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from referee.rules import Rules

MAX_LISTED = 20_000
"""Up to this number of positions after an opening, all are listed; otherwise they are drawn."""
_MAX_REPEATED_DRAWS = 2_000
"""Consecutive draws without a new position after which drawing ends."""

Opening = tuple[str, ...]


def find_openings(rules: Rules[Any], plies: int, count: int, seed: str) -> list[Opening]:
    """Return the first `count` openings of a seed; fewer if there are no more."""
    listed = _list_all(rules, plies)
    if listed is not None:
        openings = list(listed.values())
        random.Random(seed).shuffle(openings)
        return openings[:count]
    return list(islice(_draw(rules, plies, seed), count))


def _list_all(rules: Rules[Any], plies: int) -> dict[tuple[str, int], Opening] | None:
    """Find an opening for each position after `plies`; None if there are over MAX_LISTED."""
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
    """Draw random openings, each of a new position, up to _MAX_REPEATED_DRAWS failures."""
    seen: set[tuple[str, int]] = set()
    number, repeated = 0, 0
    while repeated < _MAX_REPEATED_DRAWS:
        rng = random.Random(f"{seed} {number}")
        number += 1
        state = rules.start()
        moves: list[str] = []
        while len(moves) < plies and rules.outcome(state) is None:
            moves.append(rng.choice(rules.legal_moves(state)))
            state = rules.apply(state, moves[-1])
        if rules.outcome(state) is None and _position(rules, state) not in seen:
            repeated = 0
            seen.add(_position(rules, state))
            yield tuple(moves)
        else:
            repeated += 1


def _position(rules: Rules[Any], state: Any) -> tuple[str, int]:
    return rules.board(state), rules.to_move(state)
