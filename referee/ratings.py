"""How strong each bot is, judged from all games at once: a Bradley-Terry fit with error bars.

One idea: a game compares two strengths, tilted by a seat advantage; the rest is about how sure one
may be. Results come in as values, ratings go out as values; files, processes and the clock are
unknown here. docs/statistics.md explains each number and names its source.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.evidence import BOTH_LOST, HALF_POINTS, NO_SCORE, Evidence, Score

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ELO = 400 / math.log(10)  # Elo points per natural logit
PRIOR_SD = 600 / ELO  # of strengths and of seat advantages, in logits
CAUTION = 4.0  # encounters that the careful assumption weighs against what few of them show
LEAST_SHARE = 0.1  # of the variance that independent games would have: no interval is narrower
TOO_FEW = 10  # distinct games: a bot with fewer gets a note
DECIMALS = 1  # of Elo and percentages; what lies beyond is noise and differs between machines
Z95 = NormalDist().inv_cdf(0.975)


class GameResult(NamedTuple):
    """What a record says about strength."""

    first: str  # the bot in seat 1
    second: str
    variant: str  # with its size, as in `standoff-5x5`: other sizes are other games
    encounter: int  # games of a variant with the same number have the same opening
    score: Score
    moves_key: int  # equal for equal moves, see `evidence.moves_key`


@dataclass(frozen=True, slots=True)
class Row:
    """A bot's rating and its 95 % interval; the mean of all bots is 0."""

    bot: str
    elo: float
    low: float
    high: float
    games: int  # all that it played, repeated ones and those that both lost included
    distinct: int  # the games that count: each different one once
    note: str | None  # what to know before trusting the numbers, in words


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """What moving first is worth in a variant; below 0, seat 2 is the better one."""

    variant: str
    elo: float
    low: float
    high: float
    distinct: int
    note: str | None


@dataclass(frozen=True, slots=True)
class Superiority:
    """How likely it is that a bot is really better than the next one in the table."""

    better: str
    worse: str
    percent: float  # 50 to 99.9: nothing is certain

    def __str__(self) -> str:
        shown = "over 99 %" if self.percent > 99 else f"{self.percent:.0f} %"
        return f"{self.better} is better than {self.worse}: {shown}"


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of one variant, or of all together."""

    variant: str | None
    rows: tuple[Row, ...]  # strongest first, equals by name
    seats: tuple[SeatAdvantage, ...]
    superiority: tuple[Superiority, ...]  # one for each two neighbouring rows


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
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


def tally_games(results: Iterable[GameResult], bots: Iterable[str] = ()) -> Tally:
    """Count results, each different game once; `bots` names those who may not have played yet."""
    evidence = Evidence()
    for result in results:
        evidence.add(*result)
    return tally_evidence(evidence, bots)


def tally_evidence(
    evidence: Evidence, bots: Iterable[str] = (), withdrawn: Iterable[str] = ()
) -> Tally:
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
        _sums(place, value, 2 * len(cells)).reshape(2, -1)
        for value in (np.ones(len(half)), half / 2, half == 1)
    )
    found = np.unravel_index(cells, shape)
    return Tally(
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
    evidence: Evidence, withdrawn: Iterable[str] = (), variant: str | None = None
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


class _Columns:
    """The columns of the games that count."""

    def __init__(self, evidence: Evidence, gone: set[str], variant: str | None = None) -> None:
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


def rate(tally: Tally, variant: str | None = None) -> Ratings:
    """Ratings from one variant's games, or from all games of all variants."""
    if variant is not None and variant not in tally.variants:
        raise ValueError(f"no games of {variant}: there are {', '.join(tally.variants) or 'none'}")
    chosen = [row for row, name in enumerate(tally.variants) if variant in (None, name)]
    fit, records, bots = _Fit(tally, chosen), tally.records[chosen].sum(axis=0), tally.bots
    elo = np.round(ELO * fit.strengths, DECIMALS)
    order = sorted(range(len(bots)), key=lambda bot: (-elo[bot], bots[bot]))
    rows, superiority = [], []
    for bot in order:
        numbers = _interval(fit.strengths[bot], fit.variance(bot))
        distinct = int(fit.distinct[bot])
        rows.append(Row(bots[bot], *numbers, int(records[bot]), distinct, fit.note(bot)))
    for better, worse in pairwise(order):
        lead = fit.strengths[better] - fit.strengths[worse]
        chance = NormalDist().cdf(lead / math.sqrt(fit.variance_of_lead(better, worse)))
        percent = min(max(round(100 * chance, DECIMALS), 50.0), 99.9)
        superiority.append(Superiority(bots[better], bots[worse], percent))
    seats = [fit.seat(place, tally.variants[row]) for place, row in enumerate(chosen)]
    return Ratings(variant, tuple(rows), tuple(seats), tuple(superiority))


def _interval(logit: float, variance: float, quantile: float = Z95) -> tuple[float, float, float]:
    """A number and the ends of its 95 % interval, in Elo; adding 0 turns -0.0 into 0.0."""
    reach = quantile * math.sqrt(variance)
    middle, low, high = (
        round(ELO * float(end), DECIMALS) + 0.0 for end in (logit, logit - reach, logit + reach)
    )
    return middle, low, high


class _Fit:
    """Strengths, then one seat advantage per variant, in logits, and the errors of both.

    A cell is a pairing in a variant: all that the fit itself needs to know. How sure it may be
    depends on the encounters, too; their arrays begin with `e_`.
    """

    def __init__(self, tally: Tally, chosen: list[int]) -> None:
        self.bots, self.size = len(tally.bots), len(tally.bots) + len(chosen)
        used: slice | NDArray[np.bool_] = slice(None)  # no copy of what is taken whole
        if len(chosen) < len(tally.variants):
            used = np.isin(tally.variant, chosen)
        e_variant = np.searchsorted(chosen, tally.variant[used])
        shape = [max(1, side) for side in (len(chosen), self.bots, self.bots)]
        place = np.ravel_multi_index((e_variant, tally.one[used], tally.two[used]), shape)
        cells, self.cell = np.unique(place, return_inverse=True)
        self.variant, self.one, self.two = np.unravel_index(cells, shape)
        self.e_games, self.e_points = tally.games[:, used], tally.points[:, used]
        self.e_opening = tally.encounter[used]
        self.games, self.points = self._per_cell(self.e_games), self._per_cell(self.e_points)
        self.draws = self._per_cell(tally.draws[:, used]).sum(axis=0)
        self.distinct = self._per_bot(self.games.sum(axis=0), self.games.sum(axis=0))
        lost = self.games - self.points
        self.scored = self._per_bot(self.points[0] + lost[1], lost[0] + self.points[1])
        self.group = self._groups()

        self.prior = np.full(self.size, 1 / PRIOR_SD**2)  # the diagonal of a matrix
        self._climb()
        self.strengths = self.beta[: self.bots] - self.beta[: self.bots].sum() / max(1, self.bots)
        self.e_left = self.e_points - self.e_games * self.chance[:, self.cell]
        self.e_weight = (self.e_games * self.spread[:, self.cell]).sum(axis=0)
        self.covariance = self._covariance()
        for variant in range(len(chosen)):
            self.covariance += self._between_openings(variant)
        self.centred = self._centre(self.covariance)
        self.least = LEAST_SHARE * self._centre(self.inverse)

    def _groups(self) -> Ints:
        """A number for each bot, the same for all that are linked by games."""
        met = np.eye(self.bots, dtype=bool)
        met[self.one, self.two] = met[self.two, self.one] = True
        group = np.full(self.bots, -1)
        for bot in range(self.bots):
            if group[bot] < 0:
                reached, new = met[bot], 1
                while new:
                    further = met[reached].any(axis=0)
                    reached, new = further, int(further.sum() - reached.sum())
                group[reached] = bot
        return group

    def _centre(self, matrix: NDArray[np.floating[Any]]) -> Floats:
        """What a covariance is for strengths that are measured from the mean of the field."""
        block = np.asarray(matrix[: self.bots, : self.bots], dtype=np.float64)
        if self.bots:
            block = block - block.mean(axis=0) - block.mean(axis=1)[:, None] + block.mean()
        return block

    def _per_cell(self, values: Floats) -> Floats:
        return np.stack([_sums(self.cell, row, len(self.one)) for row in values])

    def _per_bot(self, of_one: Floats, of_two: Floats) -> Floats:
        return _sums(self.one, of_one, self.bots) + _sums(self.two, of_two, self.bots)

    def _per_variant(self, values: Floats) -> Floats:
        return _sums(self.variant, values, self.size - self.bots)

    def _matrix(self, strength: Floats, mixed: Floats, seat: Floats) -> Floats:
        """Sum, over cells, what concerns its bots' difference, its seat advantage and both."""
        one, two, at = self.one, self.two, self.bots + self.variant
        flat = np.zeros(self.size**2)
        for row, column, value in (
            (one, one, strength / 2),
            (two, two, strength / 2),
            (one, two, -strength),
            (one, at, mixed),
            (two, at, -mixed),
            (at, at, seat / 2),
        ):
            flat += _sums(row * self.size + column, value, self.size**2)
        half = flat.reshape(self.size, self.size)
        return half + half.T

    def _with_prior(self, matrix: Floats) -> Floats:
        matrix[np.diag_indices(self.size)] += self.prior
        return matrix

    def _climb(self) -> None:
        """Newton's method; the prior makes the target strictly concave, so there is one top."""
        self.beta = np.zeros(self.size)
        for _ in range(100):
            lead = self.beta[self.one] - self.beta[self.two]
            tilt = self.beta[self.bots + self.variant]
            self.chance = 1 / (1 + np.exp(-np.stack([tilt + lead, tilt - lead])))
            self.spread = self.chance * (1 - self.chance)  # the variance of one game's score
            direct, swapped = self.games * self.spread
            information = self._matrix(direct + swapped, direct - swapped, direct + swapped)
            self.inverse = np.linalg.inv(self._with_prior(information))
            direct, swapped = self.points - self.games * self.chance
            bots = self._per_bot(direct - swapped, swapped - direct)
            gradient = np.concatenate([bots, self._per_variant(direct + swapped)])
            step = self.inverse @ (gradient - self.prior * self.beta)
            longest = float(np.abs(step).max(initial=0.0))
            if longest < 1e-9:
                break
            self.beta += step * min(1.0, 2 / longest)
        doubt = np.diag(self.inverse)  # without what games have in common: a first idea
        self.doubt = doubt[self.one] + doubt[self.two] - 2 * self.inverse[self.one, self.two]
        self.seat_doubt = doubt[self.bots :]

    def _covariance(self) -> Floats:
        """How far the estimates may be off because of games, encounters and the prior."""
        # Draws make scores calmer than wins and losses with the same mean would be.
        noise = self.games * self.spread
        calm = self._per_variant(self.draws / 4)
        calm /= self._per_variant(noise.sum(axis=0)) + CAUTION / 4
        direct, swapped = noise * (1 - calm.clip(0, 0.95))[self.variant]
        # What the two games of an encounter have in common; the fit itself hides some of it.
        products = np.stack([self.e_left.prod(axis=0), self.e_games.prod(axis=0)])
        common, pairs = self._per_cell(products)
        both = self.spread.prod(axis=0)
        common += pairs * both * (self.seat_doubt[self.variant] - self.doubt)
        scale = pairs * np.sqrt(both)
        usual = self._per_variant(common) / (self._per_variant(scale) + CAUTION / 4)
        usual = usual.clip(-1, 1)[self.variant] * scale
        encounters = _sums(self.cell, np.ones(len(self.cell)), len(self.one))
        played = self._per_bot(encounters, encounters)
        fewer = np.minimum(played[self.one], played[self.two])
        common = (fewer * common + CAUTION * usual) / (fewer + CAUTION)
        total = direct + swapped
        meat = self._matrix(total - 2 * common, direct - swapped, total + 2 * common)
        return self.inverse @ self._with_prior(meat) @ self.inverse

    def _between_openings(self, variant: int) -> Floats:
        """What is added if bots are stronger in some openings than in others."""
        mine = self.variant[self.cell] == variant
        cell, weight = self.cell[mine], np.tile(self.e_weight[mine], 2)
        known, opening = np.unique(self.e_opening[mine], return_inverse=True)
        bot = np.concatenate([self.one[cell], self.two[cell]])
        groups, place = np.unique(np.tile(opening, 2) * self.bots + bot, return_inverse=True)
        left = self.e_left[0, mine] - self.e_left[1, mine]
        both, doubt = np.concatenate([left, -left]), np.tile(self.doubt[cell], 2)
        excess = _excess(place, both, weight, doubt, len(known))
        if excess == 0.0:
            return np.zeros_like(self.inverse)
        sums = _sums(place, weight, len(groups))
        played = _sums(groups % self.bots, sums, self.bots) ** 2
        share = _sums(groups % self.bots, sums**2, self.bots) / np.where(played > 0, played, 1)
        own = (self.games * self.spread).sum(axis=0) * (self.variant == variant)
        reaction = self.inverse @ self._matrix(own, 0 * own, 0 * own)[:, : self.bots]
        return excess * (reaction * share) @ reaction.T

    def variance(self, bot: int) -> float:
        """Of a strength, measured from the mean of the field."""
        return float(max(self.centred[bot, bot], self.least[bot, bot]))

    def variance_of_lead(self, one: int, two: int) -> float:
        """Of the difference between two strengths."""
        variance, least = (
            matrix[one, one] + matrix[two, two] - matrix[one, two] - matrix[two, one]
            for matrix in (self.centred, self.least)
        )
        return float(max(variance, least))

    def seat(self, variant: int, name: str) -> SeatAdvantage:
        """The seat advantage; all pairings share the openings, so it varies with these."""
        mine, at = self.variant[self.cell] == variant, self.bots + variant
        known, opening = np.unique(self.e_opening[mine], return_inverse=True)
        left, weight = self.e_left[:, mine].sum(axis=0), self.e_weight[mine]
        doubt = self.seat_doubt[variant]
        own = max(self.covariance[at, at], LEAST_SHARE * doubt)
        excess = _excess(opening, left, weight, np.full(len(left), doubt), len(known))
        extra = excess * float((_sums(opening, weight, len(known)) ** 2).sum()) * doubt**2
        quantile = Z95
        if extra > 0:  # Satterthwaite: only the second part rests on few openings.
            quantile = _student(max(2.0, (len(known) - 1) * ((own + extra) / extra) ** 2))
        distinct, note = int(self.e_games[:, mine].sum()), None
        if distinct < TOO_FEW:
            note = f"too few games: {distinct} different"
        elif len(known) == 1:
            note = "one opening only: others may differ"
        return SeatAdvantage(name, *_interval(self.beta[at], own + extra, quantile), distinct, note)

    def note(self, bot: int) -> str | None:
        """What the numbers of a bot do not show."""
        distinct = int(self.distinct[bot])
        if distinct < TOO_FEW:
            return f"too few games: {distinct} different" if distinct else "no games that count"
        if self.scored[bot] in (0, distinct):
            return f"{'won' if self.scored[bot] else 'lost'} every game: by how much is a guess"
        apart = (self.distinct > 0) & (self.group != self.group[bot])
        return "no games link it to some of the others" if apart.any() else None


def _sums(place: Ints, values: Floats | Ints, size: int) -> Floats:
    """Add up the values that have the same place."""
    return np.asarray(np.bincount(place, values, size), dtype=np.float64)


def _excess(place: Ints, left: Floats, weight: Floats, doubt: Floats, openings: int) -> float:
    """How much what a fit leaves over varies between groups of games, clearly beyond chance."""
    groups = int(place.max(initial=-1)) + 1
    sums, weights = _sums(place, left, groups), _sums(place, weight, groups)
    cross = float((weights**2).sum() - (weight**2).sum())
    if openings < 2 or cross <= 1e-9 * float((weights**2).sum()):
        return 0.0
    free = (openings - 1) / openings  # The fit makes the sums of the openings cancel.
    chance = (left**2 / (1 - np.minimum(weight * doubt, 0.9))).sum()
    chance *= 1 + math.sqrt(2 / (groups * free))  # one standard error is given away
    return max(0.0, float((sums**2).sum() / free - chance) / cross)


def _student(freedom: float) -> float:
    """The 97.5 % quantile of Student's t (Abramowitz and Stegun 26.7.5)."""
    first = (Z95**3 + Z95) / 4
    second = (5 * Z95**5 + 16 * Z95**3 + 3 * Z95) / 96
    third = (3 * Z95**7 + 19 * Z95**5 + 17 * Z95**3 - 15 * Z95) / 384
    return Z95 + first / freedom + second / freedom**2 + third / freedom**3
