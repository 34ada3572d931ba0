"""Random openings: a list per board, each with another position, none ends the game. Pure.

Opening i depends on the seed, the variant, the size and i alone, so a tournament that is extended
keeps the openings that were played already. Openings that are symmetric to an earlier one are at
the end of the list.
"""

import random
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from math import gcd
from typing import Any, NamedTuple

from referee.rules import Rules, canonical_board

MAX_LISTED = 20_000
"""Up to this number of positions after an opening, all are listed; otherwise they are drawn."""
_MAX_REPEATED_DRAWS = 2_000
"""Consecutive draws without a new position after which drawing ends."""

Opening = tuple[str, ...]
PositionKey = tuple[str, int]
"""The board text and the seat to move."""


class OpeningSequence(NamedTuple):
    """The openings of a pairing: its start in the list, and the length of its steps."""

    start: int
    pairings: int
    """Number of all pairings; each has another start."""

    def opening_index(self, number: int, openings: int) -> int:
        """Return the index of encounter `number` (from 1 on) in a list of this length.

        The first encounters of all pairings come first, then the second ones, so that no opening
        is played twice before all of them were. A pairing, too, plays all of them before one again:
        where its steps would return to its start, it goes on from the next opening instead.
        """
        step = number - 1
        common = gcd(self.pairings, openings)
        shift = step // (openings // common) % common
        return (self.start + step * self.pairings + shift) % openings


SHARED_SEQUENCE = OpeningSequence(0, 1)
"""The sequence of all pairings if they play the same openings."""


def find_openings(
    rules: Rules[Any], plies: int, count: int, seed: str, *, symmetric_last: bool = True
) -> list[Opening]:
    """Return the first `count` openings of a seed; fewer if there are no more.

    Without `symmetric_last`, the order is that of tournaments that had no setting `openings`.
    """
    listed = _list_all(rules, plies)
    if listed is None:
        found: Iterable[tuple[PositionKey, Opening]] = _draw(rules, plies, seed)
    else:
        found = list(listed.items())
        random.Random(seed).shuffle(found)
    if not symmetric_last:
        return [opening for _, opening in islice(found, count)]
    return list(islice(_symmetric_last(rules, found), count))


def _symmetric_last(
    rules: Rules[Any], found: Iterable[tuple[PositionKey, Opening]]
) -> Iterator[Opening]:
    """Move openings to the end whose position is symmetric to an earlier one."""
    symmetries = rules.symmetries()
    seen: set[PositionKey] = set()
    symmetric: list[Opening] = []

    def others() -> Iterator[Opening]:
        for (board, seat), opening in found:
            canonical = canonical_board(board, symmetries), seat
            if canonical in seen:
                symmetric.append(opening)
            else:
                seen.add(canonical)
                yield opening

    return chain(others(), symmetric)


def _list_all(rules: Rules[Any], plies: int) -> dict[PositionKey, Opening] | None:
    """Find an opening for each position after `plies`; None if there are over MAX_LISTED."""
    start = rules.start()
    layer: dict[PositionKey, tuple[Any, Opening]] = {_position(rules, start): (start, ())}
    for _ in range(plies):
        after: dict[PositionKey, tuple[Any, Opening]] = {}
        for state, moves in layer.values():
            for move in rules.legal_moves(state):
                next_state = rules.apply(state, move)
                if rules.outcome(next_state) is None:
                    after.setdefault(_position(rules, next_state), (next_state, (*moves, move)))
            if len(after) > MAX_LISTED:
                return None
        layer = after
    return {position: moves for position, (_, moves) in layer.items()}


def _draw(rules: Rules[Any], plies: int, seed: str) -> Iterator[tuple[PositionKey, Opening]]:
    """Draw random openings, each of a new position, up to _MAX_REPEATED_DRAWS failures."""
    seen: set[PositionKey] = set()
    number, repeated = 0, 0
    while repeated < _MAX_REPEATED_DRAWS:
        rng = random.Random(f"{seed} {number}")
        number += 1
        state = rules.start()
        moves: list[str] = []
        while len(moves) < plies and rules.outcome(state) is None:
            moves.append(rng.choice(rules.legal_moves(state)))
            state = rules.apply(state, moves[-1])
        if rules.outcome(state) is None and (position := _position(rules, state)) not in seen:
            repeated = 0
            seen.add(position)
            yield position, tuple(moves)
        else:
            repeated += 1


def _position(rules: Rules[Any], state: Any) -> PositionKey:
    return rules.board(state), rules.to_move(state)
