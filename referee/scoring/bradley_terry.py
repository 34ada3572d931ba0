"""The Bradley-Terry fit and its covariance. Pure."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.scoring.encounter_table import EncounterTable, Floats, Ints, sum_by_place

MIN_DISTINCT_GAMES = 10  # distinct games: a bot with fewer gets a note


Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """What moving first is worth in a variant; below 0, seat 2 is the better one."""

    variant: str
    elo: float
    low: float
    high: float
    distinct: int
    note: str | None


def interval(logit: float, variance: float, quantile: float = Z95) -> tuple[float, float, float]:
    """A number and the ends of its 95 % interval, in Elo; adding 0 turns -0.0 into 0.0."""
    reach = quantile * math.sqrt(variance)
    middle, low, high = (
        round(ELO * float(end), DECIMALS) + 0.0 for end in (logit, logit - reach, logit + reach)
    )
    return middle, low, high


ELO = 400 / math.log(10)  # Elo points per natural logit
PRIOR_SD = 600 / ELO  # of strengths and of seat advantages, in logits
CAUTION = 4.0  # encounters that the careful assumption weighs against what few of them show
MIN_VARIANCE_SHARE = (
    0.1  # of the variance that independent games would have: no interval is narrower
)
DECIMALS = 1  # of Elo and percentages; what lies beyond is noise and differs between machines


class BradleyTerryFit:
    """Strengths, then one seat advantage per variant, in logits, and the errors of both.

    A cell is a pairing in a variant: all that the fit itself needs to know. How sure it may be
    depends on the encounters, too; their arrays begin with `e_`.
    """

    def __init__(self, tally: EncounterTable, chosen: list[int]) -> None:
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
        self.least = MIN_VARIANCE_SHARE * self._centre(self.inverse)

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
        return np.stack([sum_by_place(self.cell, row, len(self.one)) for row in values])

    def _per_bot(self, of_one: Floats, of_two: Floats) -> Floats:
        return sum_by_place(self.one, of_one, self.bots) + sum_by_place(self.two, of_two, self.bots)

    def _per_variant(self, values: Floats) -> Floats:
        return sum_by_place(self.variant, values, self.size - self.bots)

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
            flat += sum_by_place(row * self.size + column, value, self.size**2)
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
        encounters = sum_by_place(self.cell, np.ones(len(self.cell)), len(self.one))
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
        sums = sum_by_place(place, weight, len(groups))
        played = sum_by_place(groups % self.bots, sums, self.bots) ** 2
        share = sum_by_place(groups % self.bots, sums**2, self.bots) / np.where(
            played > 0, played, 1
        )
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
        own = max(self.covariance[at, at], MIN_VARIANCE_SHARE * doubt)
        excess = _excess(opening, left, weight, np.full(len(left), doubt), len(known))
        extra = excess * float((sum_by_place(opening, weight, len(known)) ** 2).sum()) * doubt**2
        quantile = Z95
        if extra > 0:  # Satterthwaite: only the second part rests on few openings.
            quantile = _student(max(2.0, (len(known) - 1) * ((own + extra) / extra) ** 2))
        distinct, note = int(self.e_games[:, mine].sum()), None
        if distinct < MIN_DISTINCT_GAMES:
            note = f"too few games: {distinct} different"
        elif len(known) == 1:
            note = "one opening only: others may differ"
        return SeatAdvantage(name, *interval(self.beta[at], own + extra, quantile), distinct, note)

    def note(self, bot: int) -> str | None:
        """What the numbers of a bot do not show."""
        distinct = int(self.distinct[bot])
        if distinct < MIN_DISTINCT_GAMES:
            return f"too few games: {distinct} different" if distinct else "no games that count"
        if self.scored[bot] in (0, distinct):
            return f"{'won' if self.scored[bot] else 'lost'} every game: by how much is a guess"
        apart = (self.distinct > 0) & (self.group != self.group[bot])
        return "no games link it to some of the others" if apart.any() else None


def _excess(place: Ints, left: Floats, weight: Floats, doubt: Floats, openings: int) -> float:
    """How much what a fit leaves over varies between groups of games, clearly beyond chance."""
    groups = int(place.max(initial=-1)) + 1
    sums, weights = sum_by_place(place, left, groups), sum_by_place(place, weight, groups)
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
