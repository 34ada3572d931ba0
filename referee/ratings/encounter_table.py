"""Distinct games by encounter, as arrays for the fit. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.outcome import BOTH_LOST, HALF_POINTS, Score
from referee.ratings.game_columns import NO_SCORE, GameColumns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SCORES = len(HALF_POINTS)


class GameResult(NamedTuple):
    """The values of a game that ratings use."""

    first: str  # the bot in seat 1
    second: str
    variant: str  # with its size, as in `standoff-5x5`
    encounter: int
    score: Score
    moves_key: int  # equal for equal moves, see `summary.moves_key`
    opening: int | None = None  # equal for equal openings; None: the number of the encounter


@dataclass(frozen=True, slots=True, eq=False)
class EncounterTable:
    """Sums of distinct games by encounter, in an order that does not depend on that of games.

    Of two rows, the first is of games with `one` in seat 1, the second of games with `two`.
    """

    bots: tuple[str, ...]
    variants: tuple[str, ...]
    records: Ints  # (variants, bots): all games, with repeated ones
    variant: Ints  # (encounters,): index into `variants`
    one: Ints  # (encounters,): index into `bots`; of two bots the first by name
    two: Ints  # (encounters,)
    opening: Ints  # (encounters,): equal for equal openings of a variant
    games: Floats  # (2, encounters): distinct games
    points: Floats  # (2, encounters): points of seat 1 in them
    draws: Floats  # (2, encounters)


@dataclass(frozen=True, slots=True, eq=False)
class EncodedGames:
    """Games as arrays: those from `code` on have the shape (games,)."""

    bots: tuple[str, ...]
    variants: tuple[str, ...]
    records: Ints  # (variants, bots): all games, with repeated ones
    code: Ints  # variant, seat 1, seat 2 and half points of seat 1, as one number
    encounter: Ints
    moves: Ints  # equal for equal moves
    opening: Ints  # equal for equal openings of a variant


def tally_games(results: Iterable[GameResult], bots: Iterable[str] = ()) -> EncounterTable:
    """Sum up results without replays; `bots` adds names of bots without games."""
    game_columns = GameColumns()
    for result in results:
        game_columns.add(*result)
    return tally_columns(game_columns, bots)


def tally_columns(
    game_columns: GameColumns, bots: Iterable[str] = (), withdrawn: Iterable[str] = ()
) -> EncounterTable:
    """Sum up games without replays; those of withdrawn bots do not count."""
    # Nested calls, so that the arrays of each step are freed after the next.
    return sum_encounters(drop_repeats(encode_games(game_columns, bots, withdrawn)))


def encode_games(
    game_columns: GameColumns, bots: Iterable[str] = (), withdrawn: Iterable[str] = ()
) -> EncodedGames:
    """Encode games by the indexes of their bots and variants in the order of names.

    The columns have the shape (games,), and so have the arrays of the result, less the games of
    withdrawn bots; `records` has the shape (variants, bots).
    """
    gone = set(withdrawn)
    columns = _Columns(game_columns, gone)
    names = sorted({*bots, *game_columns.bots} - gone)
    played = set(np.unique(columns.variant).tolist())
    variants = sorted(name for name, number in game_columns.variants.items() if number in played)
    bot_index = _sorted_index(names, game_columns.bots)
    seat_1, seat_2 = bot_index[columns.first], bot_index[columns.second]
    variant = _sorted_index(variants, game_columns.variants)[columns.variant]
    if (seat_1 == seat_2).any():
        raise ValueError(f"{names[seat_1[seat_1 == seat_2][0]]} cannot meet itself")
    if (columns.half_points == NO_SCORE).any():
        raise ValueError("a game has a score that no game can have")
    records = np.zeros(len(variants) * len(names), dtype=np.int64)
    for seat in (seat_1, seat_2):
        records += np.bincount(variant * len(names) + seat, minlength=len(records))
    shape = _index_shape(variants, names, _SCORES)
    return EncodedGames(
        bots=tuple(names),
        variants=tuple(variants),
        records=records.reshape(len(variants), len(names)),
        code=np.ravel_multi_index((variant, seat_1, seat_2, columns.half_points), shape),
        encounter=columns.encounter,
        moves=columns.moves,
        opening=columns.opening,
    )


def drop_repeats(games: EncodedGames) -> EncodedGames:
    """Select the games that count, from (games,) to (distinct,).

    Games that both bots lost are dropped, and replays, see `_is_replay`.
    """
    # In the order of encounters, so that the order of the records does not matter.
    order = np.lexsort((games.moves, games.encounter, games.opening, games.code // _SCORES))
    code, moves, opening = games.code[order], games.moves[order], games.opening[order]
    is_kept = code % _SCORES != HALF_POINTS[BOTH_LOST]
    is_kept &= ~_is_replay(code // _SCORES, opening, code, moves)
    return replace(
        games,
        code=code[is_kept],
        encounter=games.encounter[order][is_kept],
        moves=moves[is_kept],
        opening=opening[is_kept],
    )


def _is_replay(pairing: Ints, opening: Ints, *results: Ints) -> NDArray[np.bool_]:
    """Mark the games that are no new evidence, of games sorted by pairing (with seats) and opening.

    If all games of a pairing from an opening are equal in their results (score and moves), the bots
    are deterministic there, and all but the first are replays. If one of them differs, the bots use
    random numbers or their time, and none is.
    """
    if not len(pairing):
        return np.zeros(0, dtype=bool)
    is_first = np.ones(len(pairing), dtype=bool)
    is_first[1:] = (pairing[1:] != pairing[:-1]) | (opening[1:] != opening[:-1])
    start, group = np.flatnonzero(is_first), np.cumsum(is_first) - 1
    differs = np.zeros(len(pairing), dtype=bool)
    for result in results:
        differs |= result != result[start][group]
    is_varied: NDArray[np.bool_] = np.logical_or.reduceat(differs, start)[group]
    is_replay: NDArray[np.bool_] = ~(is_first | is_varied)
    return is_replay


def sum_encounters(games: EncodedGames) -> EncounterTable:
    """Sum up games by variant, pair and encounter, from (games,) to (encounters,) and two rows.

    Encounters are sorted by variant, first bot, second bot and number.
    """
    variant, seat_1, seat_2, half_points = np.unravel_index(
        games.code, _index_shape(games.variants, games.bots, _SCORES)
    )
    numbers, number_index = np.unique(games.encounter, return_inverse=True)
    shape = _index_shape(games.variants, games.bots, len(numbers))
    pair = np.minimum(seat_1, seat_2), np.maximum(seat_1, seat_2)
    key = np.ravel_multi_index((variant, *pair, number_index), shape)
    keys, first, place = np.unique(key, return_index=True, return_inverse=True)
    place = place + (seat_1 > seat_2) * len(keys)  # the second row follows the first
    distinct, points, draws = (  # sums of halves, hence exact in any order
        sum_by_place(place, value, 2 * len(keys)).reshape(2, -1)
        for value in (np.ones(len(half_points)), half_points / 2, half_points == 1)
    )
    of_variant, one, two, _ = np.unravel_index(keys, shape)
    return EncounterTable(
        bots=games.bots,
        variants=games.variants,
        records=games.records,
        variant=of_variant,
        one=one,
        two=two,
        opening=games.opening[first],
        games=distinct,
        points=points,
        draws=draws,
    )


def count_repeated(
    game_columns: GameColumns, withdrawn: Iterable[str] = (), variant: str | None = None
) -> int:
    """Count games of one variant, or of all, that are replays and do not count."""
    columns = _Columns(game_columns, set(withdrawn), variant)
    if not len(columns.moves):
        return 0
    shape = (len(game_columns.variants), len(game_columns.bots), len(game_columns.bots))
    pairing = np.ravel_multi_index((columns.variant, columns.first, columns.second), shape)
    order = np.lexsort((columns.opening, pairing))
    results = columns.half_points[order], columns.moves[order]
    return int(_is_replay(pairing[order], columns.opening[order], *results).sum())


def sum_by_place(place: Ints, values: Floats | Ints, size: int) -> Floats:
    """Sum up values by index, to the shape (size,)."""
    return np.asarray(np.bincount(place, values, size), dtype=np.float64)


class _Columns:
    """Columns of the games that count, of the shape (games,)."""

    def __init__(
        self, game_columns: GameColumns, gone: set[str], variant: str | None = None
    ) -> None:
        first, second, of_variant = map(
            np.asarray, (game_columns.first, game_columns.second, game_columns.variant)
        )
        chosen: slice | NDArray[np.bool_] = slice(None)  # a view, no copy
        if gone or variant is not None:
            out = [game_columns.bots[bot] for bot in gone if bot in game_columns.bots]
            chosen = ~(np.isin(first, out) | np.isin(second, out))
            if variant is not None:
                chosen &= of_variant == game_columns.variants.get(variant, -1)
        self.first, self.second, self.variant = first[chosen], second[chosen], of_variant[chosen]
        self.half_points = np.asarray(game_columns.half_points)[chosen]
        self.encounter = np.asarray(game_columns.encounter)[chosen]
        self.moves = np.asarray(game_columns.moves)[chosen]
        self.opening = np.asarray(game_columns.opening)[chosen]


def _index_shape(
    variants: Sequence[str], bots: Sequence[str], last: int
) -> tuple[int, int, int, int]:
    """Return the shape of an index by variant, two bots and another one; no length is 0."""
    return max(1, len(variants)), max(1, len(bots)), max(1, len(bots)), max(1, last)


def _sorted_index(order: Sequence[str], numbers: Mapping[str, int]) -> Ints:
    """Map each number of a name to the index of the name in `order`; -1 if it is not there."""
    places = np.full(len(numbers), -1, dtype=np.int64)
    for place, name in enumerate(order):
        if name in numbers:
            places[numbers[name]] = place
    return places
