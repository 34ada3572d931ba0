"""Ratings with confidence intervals, from one fit to all games. Pure."""

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from referee.scoring.bradley_terry import (
    DECIMALS,
    ELO,
    SeatAdvantage,
    Strengths,
    bot_note,
    centre_strengths,
    count_by_bot,
    covariance,
    fit,
    interval,
    make_design,
    seat_advantage,
)
from referee.scoring.encounter_table import EncounterTable


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A bot's rating and its 95 % interval; the mean of all bots is 0."""

    bot: str
    elo: float
    low: float
    high: float
    games: int  # all games, with repeated ones and those that both bots lost
    distinct: int  # games that count: without repeated ones and those that both lost
    note: str | None  # why the numbers may be unreliable


@dataclass(frozen=True, slots=True)
class Superiority:
    """The likelihood that a bot is better than the next one in the table."""

    better: str
    worse: str
    percent: float  # 50 to 99.9

    def __str__(self) -> str:
        shown = "over 99 %" if self.percent > 99 else f"{self.percent:.0f} %"
        return f"{self.better} is better than {self.worse}: {shown}"


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of one variant, or of all variants."""

    variant: str | None
    rows: tuple[RatingRow, ...]  # strongest first, equals by name
    seats: tuple[SeatAdvantage, ...]
    superiority: tuple[Superiority, ...]  # one for each two neighbouring rows


def rate(table: EncounterTable, variant: str | None = None) -> Ratings:
    """Compute ratings from the games of one variant, or of all."""
    if variant is not None and variant not in table.variants:
        raise ValueError(f"no games of {variant}: there are {', '.join(table.variants) or 'none'}")
    chosen = [row for row, name in enumerate(table.variants) if variant in (None, name)]
    design = make_design(table, chosen)
    fitted = fit(design)
    total = covariance(design, fitted)
    strengths = centre_strengths(design, fitted, total)
    elo = np.round(ELO * strengths.values, DECIMALS)
    order = sorted(range(design.bots), key=lambda bot: (-elo[bot], table.bots[bot]))
    records, counts = table.records[chosen].sum(axis=0), count_by_bot(design)
    rows = [
        RatingRow(
            table.bots[bot],
            *interval(strengths.values[bot], strengths.variance(bot)),
            games=int(records[bot]),
            distinct=int(counts.distinct[bot]),
            note=bot_note(counts, bot),
        )
        for bot in order
    ]
    superiority = [
        Superiority(table.bots[better], table.bots[worse], _percent(strengths, better, worse))
        for better, worse in pairwise(order)
    ]
    seats = [
        seat_advantage(design, fitted, total, index, table.variants[row])
        for index, row in enumerate(chosen)
    ]
    return Ratings(variant, tuple(rows), tuple(seats), tuple(superiority))


def _percent(strengths: Strengths, better: int, worse: int) -> float:
    """Compute the likelihood that one of two bots is better, between 50 and 99.9 percent."""
    difference = strengths.values[better] - strengths.values[worse]
    error = math.sqrt(strengths.difference_variance(better, worse))
    likelihood = NormalDist().cdf(difference / error)
    return min(max(round(100 * likelihood, DECIMALS), 50.0), 99.9)
