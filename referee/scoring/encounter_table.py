"""Games grouped by encounter, as arrays for the fit. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.outcome import BOTH_LOST, HALF_POINTS, Score
from referee.scoring.game_columns import NO_SCORE, GameColumns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class GameResult(NamedTuple):
    """What a record says about strength."""

    first: str  # the bot in seat 1
    second: str
    variant: str  # with its size, as in `standoff-5x5`: other sizes are other games
    encounter: int  # games of a variant with the same number have the same opening
    score: Score
    moves_key: int  # equal for equal moves, see `evidence.moves_key`


@dataclass(frozen=True, slots=True, eq=False)
class EncounterTable:
    """Results in the form that the fit needs: one column per encounter, in a fixed order.

    Of two rows, the first is for the game with `one` in seat 1, the second for the other game.
    """

    bots: tuple[str, ...]
    variants: tuple[str, ...]
    records: Ints  # games played, by variant and bot
    variant: Ints
    one: Ints  # of two bots the first by name
    two: Ints
    encounter: Ints
    games: Floats  # two rows: distinct games,
    points: Floats  # what seat 1 scored in them,
    draws: Floats  # and how many were drawn


def tally_games(results: Iterable[GameResult], bots: Iterable[str] = ()) -> EncounterTable:
    """Count results, each different game once; `bots` names those who may not have played yet."""
    evidence = GameColumns()
    for result in results:
        evidence.add(*result)
    return tally_evidence(evidence, bots)


def tally_evidence(
    evidence: GameColumns, bots: Iterable[str] = (), withdrawn: Iterable[str] = ()
) -> EncounterTable:
    """The same from what was kept of the games; those of withdrawn bots do not count."""
    gone = set(withdrawn)
    columns = _Columns(evidence, gone)
    names = sorted({*bots, *evidence.bots} - gone)
    played = set(np.unique(columns.variant).tolist())
    variants = sorted(name for name, number in evidence.variants.items() if number in played)
    bot = _places(names, evidence.bots)
    seat_1, seat_2 = bot[columns.first], bot[columns.second]
    of_variant = _places(variants, evidence.variants)[columns.variant]
    half = columns.half_points
    if (seat_1 == seat_2).any():
        raise ValueError(f"{names[seat_1[seat_1 == seat_2][0]]} cannot meet itself")
    if (half == NO_SCORE).any():
        raise ValueError("a game has a score that no game can have")
    records = np.zeros(len(variants) * len(names), dtype=np.int64)
    for seat in (seat_1, seat_2):
        records += np.bincount(of_variant * len(names) + seat, minlength=len(records))

    shape = [max(1, side) for side in (len(variants), len(names), len(names), 4)]
    kind = np.ravel_multi_index((of_variant, seat_1, seat_2, half), shape)
    # A million games need a lot of room until they are sorted.
    del seat_1, seat_2, of_variant, half
    kind, encounter = _different(kind, columns.encounter, columns.moves)
    of_variant, seat_1, seat_2, half = np.unravel_index(kind, shape)
    known, rank = np.unique(encounter, return_inverse=True)
    shape[-1] = max(1, len(known))
    pair = np.minimum(seat_1, seat_2), np.maximum(seat_1, seat_2)
    cell = np.ravel_multi_index((of_variant, *pair, rank), shape)
    cells, place = np.unique(cell, return_inverse=True)
    place = place + (seat_1 > seat_2) * len(cells)
    games, points, draws = (  # sums of halves, hence exact in any order
        sum_by_place(place, value, 2 * len(cells)).reshape(2, -1)
        for value in (np.ones(len(half)), half / 2, half == 1)
    )
    found = np.unravel_index(cells, shape)
    return EncounterTable(
        bots=tuple(names),
        variants=tuple(variants),
        records=records.reshape(len(variants), len(names)),
        variant=found[0],
        one=found[1],
        two=found[2],
        encounter=known[found[3]],
        games=games,
        points=points,
        draws=draws,
    )


def count_repeated(
    evidence: GameColumns, withdrawn: Iterable[str] = (), variant: str | None = None
) -> int:
    """Games of one variant, or of all, with the same seats and moves as an earlier one."""
    columns = _Columns(evidence, set(withdrawn), variant)
    if not len(columns.moves):
        return 0
    shape = (len(evidence.variants), len(evidence.bots), len(evidence.bots))
    pairing = np.ravel_multi_index((columns.variant, columns.first, columns.second), shape)
    order = np.lexsort((columns.moves, pairing))
    pairing, moves = pairing[order], columns.moves[order]
    return int(((pairing[1:] == pairing[:-1]) & (moves[1:] == moves[:-1])).sum())


def sum_by_place(place: Ints, values: Floats | Ints, size: int) -> Floats:
    """Add up the values that have the same place."""
    return np.asarray(np.bincount(place, values, size), dtype=np.float64)


class _Columns:
    """The columns of the games that count."""

    def __init__(self, evidence: GameColumns, gone: set[str], variant: str | None = None) -> None:
        first, second, of_variant = map(
            np.asarray, (evidence.first, evidence.second, evidence.variant)
        )
        chosen: slice | NDArray[np.bool_] = slice(None)  # no copy of what is taken whole
        if gone or variant is not None:
            out = [evidence.bots[bot] for bot in gone if bot in evidence.bots]
            chosen = ~(np.isin(first, out) | np.isin(second, out))
            if variant is not None:
                chosen &= of_variant == evidence.variants.get(variant, -1)
        self.first, self.second, self.variant = first[chosen], second[chosen], of_variant[chosen]
        self.half_points = np.asarray(evidence.half_points)[chosen]
        self.encounter = np.asarray(evidence.encounter)[chosen]
        self.moves = np.asarray(evidence.moves)[chosen]


def _places(order: Sequence[str], numbers: Mapping[str, int]) -> Ints:
    """For each number its name's place in the order; -1 if it has none."""
    places = np.full(len(numbers), -1, dtype=np.int64)
    for place, name in enumerate(order):
        if name in numbers:
            places[numbers[name]] = place
    return places


def _different(kind: Ints, number: Ints, moves: Ints) -> tuple[Ints, Ints]:
    """Kind and encounter of each different game that somebody won or that was drawn."""
    order = np.lexsort((number, moves, kind))
    kind, moves = kind[order], moves[order]
    new = kind % 4 != HALF_POINTS[BOTH_LOST]
    # Of equal games the lowest encounter counts, whatever the order of the records.
    new[1:] &= (kind[1:] != kind[:-1]) | (moves[1:] != moves[:-1])
    return kind[new], number[order][new]
