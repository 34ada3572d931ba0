"""One function per tie-break. Pure."""

from collections.abc import Callable, Sequence

from referee.scoring.totals import BotTotals

TieBreak = Callable[[BotTotals, Sequence[str]], dict[str, float]]
"""A tie-break: a value for each bot of a group of equal bots; higher is better."""


def head_to_head(totals: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Add up points from the games among the bots of the group."""
    meetings = totals.meetings
    return {
        bot: sum(met.points for other in group if (met := meetings.get((bot, other))) is not None)
        for bot in group
    }


def sonneborn_berger(totals: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Add up points, each multiplied by the points of the opponent."""
    return {bot: totals.sonneborn_berger[bot] for bot in group}


def fewest_faults(totals: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Negate the number of faults."""
    return {bot: -float(totals.faults[bot].total()) for bot in group}


def wins_from_seat_2(totals: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Count the games won from seat 2."""
    return {bot: totals.wins_from(bot, 2) for bot in group}


TIE_BREAKS: dict[str, TieBreak] = {
    "head-to-head": head_to_head,
    "sonneborn-berger": sonneborn_berger,
    "fewest-faults": fewest_faults,
    "wins-from-seat-2": wins_from_seat_2,
}
