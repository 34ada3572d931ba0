"""Ratings with confidence intervals, from one fit to all games. Pure."""

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from referee.scoring.bradley_terry import DECIMALS, ELO, BradleyTerryFit, SeatAdvantage, interval
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


def rate(tally: EncounterTable, variant: str | None = None) -> Ratings:
    """Compute ratings from the games of one variant, or of all."""
    if variant is not None and variant not in tally.variants:
        raise ValueError(f"no games of {variant}: there are {', '.join(tally.variants) or 'none'}")
    chosen = [row for row, name in enumerate(tally.variants) if variant in (None, name)]
    fit, records, bots = (
        BradleyTerryFit(tally, chosen),
        tally.records[chosen].sum(axis=0),
        tally.bots,
    )
    elo = np.round(ELO * fit.strengths, DECIMALS)
    order = sorted(range(len(bots)), key=lambda bot: (-elo[bot], bots[bot]))
    rows, superiority = [], []
    for bot in order:
        numbers = interval(fit.strengths[bot], fit.variance(bot))
        distinct = int(fit.distinct[bot])
        rows.append(RatingRow(bots[bot], *numbers, int(records[bot]), distinct, fit.note(bot)))
    for better, worse in pairwise(order):
        lead = fit.strengths[better] - fit.strengths[worse]
        chance = NormalDist().cdf(lead / math.sqrt(fit.variance_of_lead(better, worse)))
        percent = min(max(round(100 * chance, DECIMALS), 50.0), 99.9)
        superiority.append(Superiority(bots[better], bots[worse], percent))
    seats = [fit.seat(place, tally.variants[row]) for place, row in enumerate(chosen)]
    return Ratings(variant, tuple(rows), tuple(seats), tuple(superiority))
