"""Rounds and brackets as text: how a Swiss tournament or a knockout went. Pure."""

from referee.formats import Knockout, Round, Schedule, Scores
from referee.tables import number


def rounds_text(schedule: Schedule, scores: Scores) -> str:
    """Round after round, with the scores there are; a knockout ends with its champion."""
    parts = [_round_text(round, scores) for round in schedule.rounds]
    if isinstance(schedule, Knockout):
        parts.append(_places(schedule))
    return "\n".join(parts)


def _round_text(round: Round, scores: Scores) -> str:
    width = max((len(bot) for match in round.matches for bot in match.pair), default=0)
    lines = [round.title, ""]
    for match in round.matches:
        one, two = match.pair
        result = "-"
        if any((match.pair, at) in scores for at in match.numbers):
            first, second = match.score(scores)
            result = f"{number(first)} : {number(second)}"
        lines.append(f"    {one:>{width}}  {result:^9}  {two}")
    if round.bye is not None:
        lines.append(f"    {round.bye:>{width}}  has a bye")
    return "\n".join(lines) + "\n"


def _places(schedule: Knockout) -> str:
    if schedule.champion is None:
        return "The champion is not known yet.\n"
    ranks = ("Champion", "Second", "Third")
    return "".join(f"{rank}: {bot}\n" for rank, bot in zip(ranks, schedule.places, strict=False))
