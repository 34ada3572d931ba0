"""Notes about ratings: what a number cannot show. Pure."""

import math
from collections.abc import Sequence

from referee.ratings.design import MIN_DISTINCT_GAMES, BotCounts
from referee.ratings.elo_scale import Z95, to_elo
from referee.ratings.strengths import UNKNOWN, Strengths
from referee.text import signed


def bot_note(counts: BotCounts, strengths: Strengths, bot: int) -> str | None:
    """Explain why the rating of a bot may be unreliable; return None if it is not."""
    distinct = int(counts.distinct[bot])
    if not distinct:
        return "no games that count"
    if distinct < MIN_DISTINCT_GAMES:
        return f"too few games: {distinct} different"
    if counts.side[bot]:
        return "won every game" if counts.side[bot] > 0 else "lost every game"
    if strengths.side[bot] == UNKNOWN:
        return "won every game on one board, lost every game on another"
    if strengths.side[bot]:
        won = "won" if strengths.side[bot] > 0 else "lost"
        return f"{won} every game on one of the boards"
    apart = (counts.distinct > 0) & (counts.component != counts.component[bot])
    return "no games link it to some of the others" if apart.any() else None


def disagreement_note(variants: Sequence[tuple[str, Strengths]], bot: int) -> str | None:
    """Name the variants in which a bot has ratings whose intervals do not overlap.

    The strengths of each variant are measured from its mean.
    """
    found = []
    for name, strengths in variants:
        if strengths.is_bounded[bot]:
            reach = Z95 * math.sqrt(strengths.variances[bot])
            found.append((float(strengths.values[bot]), reach, name))
    if not found:
        return None
    best, worst = (
        max(found, key=lambda one: one[0] - one[1]),
        min(found, key=lambda one: one[0] + one[1]),
    )
    if best[0] - best[1] > worst[0] + worst[1]:
        return (
            f"differs by board: {signed(to_elo(best[0]))} in {best[2]},"
            f" {signed(to_elo(worst[0]))} in {worst[2]}"
        )
    return None


def scale_note(strengths: Strengths, anchor: int, name: str) -> str | None:
    """Explain why ratings cannot be measured from this bot; return None if they can."""
    if strengths.is_bounded[anchor]:
        return None
    return f"the rating of the anchor {name} is not known from both sides: the mean is 0 instead"
