"""Ratings with confidence intervals: of each variant, and their mean over all variants. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from referee.ratings.bradley_terry import PRIOR_SD, Fit, fit
from referee.ratings.covariance import covariance
from referee.ratings.design import Design, count_by_bot, make_design
from referee.ratings.elo_scale import DECIMALS, ELO, Z95, rounded, to_elo
from referee.ratings.encounter_table import EncounterTable
from referee.ratings.expected_scores import ExpectedScore, expected_scores
from referee.ratings.maximum_likelihood import maximum_likelihood
from referee.ratings.prior import weighted_fits
from referee.ratings.rating_notes import bot_note, disagreement_note, scale_note
from referee.ratings.seat_advantages import SeatAdvantage, seat_advantage
from referee.ratings.strengths import (
    UNKNOWN,
    Strengths,
    from_bot,
    from_mean,
    mean_strengths,
    mixed_strengths,
    strengths_of,
)


@dataclass(frozen=True, slots=True)
class RatingScale:
    """Settings that make ratings comparable with others: the zero of their scale."""

    anchor: str | None = None  # a bot whose rating is fixed; without one, the mean of bots is 0
    rating: float = 0.0  # the rating of the anchor
    pairings_depend_on_results: bool = False  # in Swiss tournaments and knockouts


PLAIN = RatingScale()
MAX_EXPECTED = 60
"""Number of bots, the best ones, between which expected scores are computed."""


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A bot's rating in Elo and its 95 % interval.

    A bot that won every game has no `elo` and no `high`: it is at least `low`. One that lost every
    game has only `high`. All three are None if nothing is known.
    """

    bot: str
    elo: float | None
    low: float | None
    high: float | None
    ranks: tuple[int, int] | None  # the highest and the lowest rank that the games allow
    superiority: float | None  # likelihood to be better than the next, 50 to 99.9 percent
    maximum_likelihood: float | None  # without prior and seat advantages; None if infinite
    games: int  # all games, with replays and those that both bots lost
    distinct: int  # games that count: without replays and those that both lost
    note: str | None  # why the numbers may be unreliable


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of one variant, or of all variants."""

    variant: str | None
    rows: tuple[RatingRow, ...]  # strongest first, equals by name
    seats: tuple[SeatAdvantage, ...]
    expected: tuple[ExpectedScore, ...]  # one for each two bots that met
    notes: tuple[str, ...] = ()  # about the whole table


@dataclass(frozen=True, slots=True, eq=False)
class VariantFit:
    """The fit of one variant."""

    variant: str
    design: Design
    fitted: Fit
    strengths: Strengths
    seat: SeatAdvantage

    @property
    def is_informative(self) -> bool:
        """Whether strengths matter: not if every game was won from the same seat."""
        points, games = self.design.points.sum(), self.design.games.sum()
        return bool(0 < points < games)


def rate(table: EncounterTable, variant: str | None = None, scale: RatingScale = PLAIN) -> Ratings:
    """Compute ratings from the games of one variant, or their mean over all of them."""
    if variant is not None and variant not in table.variants:
        raise ValueError(f"no games of {variant}: there are {', '.join(table.variants) or 'none'}")
    fits = [fit_variant(table, name, scale) for name in table.variants if variant in (None, name)]
    return combine(table, variant, fits, scale)


def fit_variant(table: EncounterTable, variant: str, scale: RatingScale = PLAIN) -> VariantFit:
    """Fit the games of one variant."""
    design = make_design(table, [table.variants.index(variant)])
    if scale.pairings_depend_on_results:
        fits = weighted_fits(design)
    else:
        fits = [(1.0, fit(design, PRIOR_SD))]
    covariances = [covariance(design, fitted) for _, fitted in fits]
    parts = [
        (
            weight,
            strengths_of(design, fitted, total, bounded_by_prior=scale.pairings_depend_on_results),
        )
        for (weight, fitted), total in zip(fits, covariances, strict=True)
    ]
    likeliest = max(range(len(fits)), key=lambda at: fits[at][0])
    fitted, total = fits[likeliest][1], covariances[likeliest]
    return VariantFit(
        variant=variant,
        design=design,
        fitted=fitted,
        strengths=mixed_strengths(parts),
        seat=seat_advantage(design, fitted, total, 0, variant),
    )


def combine(
    table: EncounterTable, variant: str | None, fits: Sequence[VariantFit], scale: RatingScale
) -> Ratings:
    """Make the ratings of one fit, or the mean of several."""
    indexes = [table.variants.index(each.variant) for each in fits]
    whole = make_design(table, indexes)
    played = [each for each in fits if each.strengths.played.any()]
    averaged = [each for each in played if each.is_informative] or played
    strengths = from_mean(mean_strengths([each.strengths for each in averaged], whole.bots))
    notes = []
    if len(averaged) < len(played):
        left_out = [each.variant for each in played if each not in averaged]
        notes.append(
            f"all games of {', '.join(left_out)} were won from the same seat: they are no"
            " evidence of strength"
        )
    likely, shift = ELO * maximum_likelihood(whole), 0.0
    if scale.anchor in table.bots:
        anchor = table.bots.index(scale.anchor)
        if note := scale_note(strengths, anchor, scale.anchor):
            notes.append(note)
        else:
            strengths, shift = from_bot(strengths, anchor), scale.rating
            likely = likely - likely[anchor] + shift
    centred = [(each.variant, from_mean(each.strengths)) for each in averaged if len(averaged) > 1]
    order = _order(strengths, table.bots)
    ranks, superiority = _compare(strengths, order)
    counts, records = count_by_bot(whole), table.records[indexes].sum(axis=0)
    rows = [
        RatingRow(
            table.bots[bot],
            *_numbers(strengths, bot, shift),
            ranks=ranks.get(bot),
            superiority=superiority.get(bot),
            maximum_likelihood=rounded(likely[bot]) if math.isfinite(likely[bot]) else None,
            games=int(records[bot]),
            distinct=int(counts.distinct[bot]),
            note=bot_note(counts, strengths, bot) or disagreement_note(centred, bot),
        )
        for bot in order
    ]
    expected = expected_scores(
        table.bots, [(each.design, each.fitted) for each in fits], order[:MAX_EXPECTED]
    )
    seats = tuple(each.seat for each in fits)
    return Ratings(variant, tuple(rows), seats, expected, tuple(notes))


def _order(strengths: Strengths, names: Sequence[str]) -> list[int]:
    """Sort bots by strength, as it is shown; equals by name, and those without games last."""
    return sorted(
        range(len(names)),
        key=lambda bot: (
            not strengths.played[bot],
            -to_elo(float(strengths.values[bot])),
            names[bot],
        ),
    )


def _numbers(
    strengths: Strengths, bot: int, shift: float
) -> tuple[float | None, float | None, float | None]:
    """Return a rating and the ends of its interval, as far as they are known."""
    if not strengths.played[bot] or strengths.side[bot] == UNKNOWN:
        return None, None, None
    value, error = strengths.values[bot], math.sqrt(strengths.variances[bot])
    side = strengths.side[bot]
    if side:
        bound = rounded(to_elo(value - side * Z95 * error) + shift)
        return (None, bound, None) if side > 0 else (None, None, bound)
    elo, low, high = (rounded(to_elo(value + sign * Z95 * error) + shift) for sign in (0, -1, 1))
    return elo, low, high


def _compare(
    strengths: Strengths, order: Sequence[int]
) -> tuple[dict[int, tuple[int, int]], dict[int, float]]:
    """Find the ranks that the games allow, and the likelihoods to be better than the next bot.

    Two bots are separated if the 95 % interval of their difference does not contain 0.
    """
    known = [bot for bot in order if strengths.played[bot] and strengths.side[bot] != UNKNOWN]
    values = strengths.values[known]
    difference = values[:, None] - values
    errors = np.sqrt(strengths.difference_variances[np.ix_(known, known)])
    is_better = difference > Z95 * errors
    lowest = len(known) - is_better.sum(axis=1)
    highest = 1 + is_better.sum(axis=0)
    ranks = {bot: (int(highest[at]), int(lowest[at])) for at, bot in enumerate(known)}
    superiority = {
        known[one]: _percent(float(difference[one, two]), float(errors[one, two]))
        for one, two in pairwise(range(len(known)))
    }
    return ranks, superiority


def _percent(difference: float, error: float) -> float:
    """Compute the likelihood that a difference is above 0, between 50 and 99.9 percent."""
    likelihood = NormalDist().cdf(difference / error) if error else 0.5
    return min(max(round(100 * likelihood, DECIMALS), 50.0), 99.9)
