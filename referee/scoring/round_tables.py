"""Rounds and brackets as text and as JSON: how a Swiss tournament or a knockout went. Pure."""

from collections.abc import Iterator
from typing import Any

from referee.schedule.formats import Decision, Match, Round, Schedule, Scores
from referee.schedule.knockout import Knockout
from referee.scoring.tables import number


def rounds_text(schedule: Schedule, scores: Scores) -> str:
    """Show round after round, with the scores there are; a knockout ends with its champion."""
    parts = [_round_text(schedule, place, scores) for place in range(len(schedule.rounds))]
    if isinstance(schedule, Knockout):
        parts.append(_places(schedule))
    return "\n".join(parts)


def rounds_json(schedule: Schedule, scores: Scores) -> list[dict[str, Any]]:
    """List the same for programs."""
    return [
        {
            "title": round.title,
            "matches": [_match_json(match, round, scores) for match in round.matches],
            "bye": round.bye,
        }
        for round in schedule.rounds
    ]


def _round_text(schedule: Schedule, place: int, scores: Scores) -> str:
    round = schedule.rounds[place]
    width, other_width = (
        max((len(match.pair[side]) for match in round.matches), default=0) for side in (0, 1)
    )
    width = max(width, len(round.bye or ""))
    remarks = _remarks(schedule, place)
    lines = [round.title, ""]
    for match in round.matches:
        one, two = match.pair
        score = _score(match, scores)
        result = f"{number(score[0])} : {number(score[1])}" if score else "-"
        remark = remarks.get(match.pair, "")
        line = f"    {one:>{width}}  {result:^9}  {two:<{other_width}}  {remark}"
        lines.append(line.rstrip())
    if round.bye is not None:
        lines.append(f"    {round.bye:>{width}}  has a bye")
    return "\n".join(lines) + "\n"


def _remarks(schedule: Schedule, place: int) -> dict[tuple[str, str], str]:
    """Explain the matches of a round that did not end by their score alone."""
    round, later = schedule.rounds[place], schedule.rounds[place + 1 : place + 2]
    remarks = {decision.pair: decision_text(decision) for decision in round.decisions}
    if isinstance(schedule, Knockout):
        decided = {decision.pair for decision in round.decisions}
        # Two bots meet in one match of a knockout: if they go on, it was level.
        going_on = {match.pair for following in later for match in following.matches}
        remarks |= {
            match.pair: "level so far: a play-off follows"
            for match in round.matches
            if match.pair not in decided and match.pair in going_on
        }
    return remarks


def decision_text(decision: Decision) -> str:
    """Say by which rule a match was won; nothing if its encounters decided it."""
    one, two = decision.score
    total = f"{number(one)} : {number(two)}"
    count = f"{decision.play_offs} play-off{'s' if decision.play_offs > 1 else ''}"
    if decision.rule == "play-off":
        return f"{decision.winner} wins {total} after {count}"
    if decision.rule == "seed":
        return f"{decision.winner} wins as the better seed: level at {total} after {count}"
    return ""


def _score(match: Match, scores: Scores) -> tuple[float, float] | None:
    """Add up what was played of a match; None if that is nothing."""
    if not any((match.pair, at) in scores for at in match.numbers):
        return None
    return match.score(scores)


def _match_json(match: Match, round: Round, scores: Scores) -> dict[str, Any]:
    score = _score(match, scores)
    found: dict[str, Any] = {
        "bots": list(match.pair),
        "encounters": list(match.numbers),
        "score": score and list(score),
    }
    for decision in round.decisions:
        if decision.pair == match.pair:
            found |= {
                "winner": decision.winner,
                "decided_by": decision.rule,
                "total": list(decision.score),
                "play_offs": decision.play_offs,
            }
    return found


def places_of(schedule: Schedule) -> Iterator[tuple[str, str]]:
    """List the first places of a knockout by their names."""
    if isinstance(schedule, Knockout):
        yield from zip(("champion", "second", "third"), schedule.places, strict=False)


def _places(schedule: Knockout) -> str:
    if schedule.champion is None:
        return "The champion is not known yet.\n"
    return "".join(f"{place.capitalize()}: {bot}\n" for place, bot in places_of(schedule))
