"""One function per tie-break. Pure."""

from collections.abc import Callable, Sequence

from referee.scoring.totals import BotTotals

Measure = Callable[[BotTotals, Sequence[str]], dict[str, float]]
"""A tie-break: a number for each bot of a group that is equal so far; more is better."""


def head_to_head(counts: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Points from the games among the bots that are equal."""
    meetings = counts.meetings
    return {
        bot: sum(met.points for other in group if (met := meetings.get((bot, other))) is not None)
        for bot in group
    }


def sonneborn_berger(counts: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Points weighted by the opponents' points: who scored against the strong ones."""
    return {bot: counts.sonneborn_berger[bot] for bot in group}


def fewest_faults(counts: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Minus the number of faults."""
    return {bot: -float(counts.faults[bot].total()) for bot in group}


def wins_from_seat_2(counts: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Games won when moving second."""
    return {bot: counts.wins_from(bot, 2) for bot in group}


TIE_BREAKS: dict[str, Measure] = {
    "head-to-head": head_to_head,
    "sonneborn-berger": sonneborn_berger,
    "fewest-faults": fewest_faults,
    "wins-from-seat-2": wins_from_seat_2,
}
