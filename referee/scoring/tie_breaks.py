"""One function per tie-break. Pure."""

from collections.abc import Callable, Sequence

from referee.scoring.meetings import NOT_MET
from referee.scoring.totals import BotTotals

TieBreak = Callable[[BotTotals, Sequence[str]], dict[str, float]]
"""A tie-break: a value for each bot of a group of equal bots; higher is better."""


def head_to_head(totals: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Add up points from the games among the bots of the group.

    All are 0 unless each two of them met equally often: otherwise bots with more games would have
    more points.
    """
    points = dict.fromkeys(group, 0.0)
    expected: int | None = None
    for bot in group:
        met = totals.meetings.of(bot)
        for other in group:
            if other == bot:
                continue
            meeting = met.get(other, NOT_MET)
            expected = meeting.games if expected is None else expected
            if meeting.games != expected:
                return dict.fromkeys(group, 0.0)
            points[bot] += meeting.points
    return points


def sonneborn_berger(totals: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Add up points, each multiplied by the points of the opponent."""
    return {bot: totals.sonneborn_berger[bot] for bot in group}


def buchholz(totals: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Add up the points of the opponents, each once per match."""
    return {bot: _sum_of(totals.opponents(bot)) for bot in group}


def buchholz_cut_1(totals: BotTotals, group: Sequence[str]) -> dict[str, float]:
    """Add up the points of the opponents without the opponent that has the fewest."""
    found = {}
    for bot in group:
        opponents = totals.opponents(bot)
        points, matches = min(opponents, default=(0.0, 0.0))
        found[bot] = _sum_of(opponents) - points * min(1.0, matches)
    return found


def _sum_of(opponents: Sequence[tuple[float, float]]) -> float:
    """Add up the points of opponents, each multiplied by the number of matches."""
    return sum(points * matches for points, matches in opponents)


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
    "buchholz": buchholz,
    "buchholz-cut-1": buchholz_cut_1,
}
