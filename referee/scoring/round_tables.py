"""Rounds of a Swiss tournament or a knockout as text and as JSON. Pure."""

from collections.abc import Iterator
from typing import Any

from referee.schedule.formats import Match, MatchResult, Round, Schedule, Scores
from referee.schedule.knockout import Knockout
from referee.scoring.overview import MIN_NAME_LENGTH, shorten
from referee.scoring.tables import number
from referee.text import wrap_words

_MAX_NAME = 32
_AROUND = len("    " + "  " + " " * 9 + "  ")
"""Characters of the line of a match without its names."""


def rounds_text(schedule: Schedule, scores: Scores, width: int | None = None) -> str:
    """Format all rounds with their scores, and the placings of a knockout.

    With a `width`, names are shortened and remarks are broken to fit it.
    """
    parts = [_round_text(schedule, index, scores, width) for index in range(len(schedule.rounds))]
    if isinstance(schedule, Knockout):
        parts.append(_places_text(schedule))
    return "\n".join(parts)


def rounds_json(schedule: Schedule, scores: Scores) -> list[dict[str, Any]]:
    """Convert all rounds to JSON objects."""
    return [
        {
            "title": played.title,
            "matches": [_match_json(match, played, scores) for match in played.matches],
            "bye": played.bye,
        }
        for played in schedule.rounds
    ]


def _round_text(schedule: Schedule, index: int, scores: Scores, line_width: int | None) -> str:
    shown = schedule.rounds[index]
    limit = _MAX_NAME if line_width is None else max(MIN_NAME_LENGTH, (line_width - _AROUND) // 2)
    width, other_width = (
        min(limit, max((len(match.pair[side]) for match in shown.matches), default=0))
        for side in (0, 1)
    )
    width = min(limit, max(width, len(shown.bye or "")))
    remarks = _remarks(schedule, index)
    lines = [shown.title, ""]
    for match in shown.matches:
        one, two = (shorten(name, limit) for name in match.pair)
        score = _score(match, scores)
        result = f"{number(score[0])} : {number(score[1])}" if score else "-"
        remark = remarks.get(match.pair, "")
        line = f"    {one:>{width}}  {result:^9}  {two:<{other_width}}"
        if line_width is None or not remark or len(line) + 2 + len(remark) <= line_width:
            lines.append(f"{line}  {remark}".rstrip())
        else:
            lines.append(line.rstrip())
            lines += [f"        {part}" for part in wrap_words(remark, line_width - 8)]
    if shown.bye is not None:
        lines.append(f"    {shorten(shown.bye, limit):>{width}}  has a bye")
    return "\n".join(lines) + "\n"


def _remarks(schedule: Schedule, index: int) -> dict[tuple[str, str], str]:
    """Explain the matches of a round that did not end by their score alone."""
    played, later = schedule.rounds[index], schedule.rounds[index + 1 : index + 2]
    remarks = {result.pair: result_text(result) for result in played.results}
    if isinstance(schedule, Knockout):
        decided = {result.pair for result in played.results}
        # Two bots meet in one match of a knockout: if it continues, it was level.
        continued = {match.pair for following in later for match in following.matches}
        remarks |= {
            match.pair: "level so far: a play-off follows"
            for match in played.matches
            if match.pair not in decided and match.pair in continued
        }
    return remarks


def result_text(result: MatchResult) -> str:
    """Explain by which rule a match was won; return "" if its encounters decided it."""
    one, two = result.score
    total = f"{number(one)} : {number(two)}"
    count = f"{result.play_offs} play-off{'s' if result.play_offs > 1 else ''}"
    if result.rule == "play-off":
        return f"{result.winner} wins {total} after {count}"
    if result.rule == "seed":
        return f"{result.winner} wins as the better seed: level at {total} after {count}"
    return ""


def _score(match: Match, scores: Scores) -> tuple[float, float] | None:
    """Add up the points of a match; return None before its first result."""
    if not any((match.pair, at) in scores for at in match.numbers):
        return None
    return match.score(scores)


def _match_json(match: Match, played: Round, scores: Scores) -> dict[str, Any]:
    score = _score(match, scores)
    found: dict[str, Any] = {
        "bots": list(match.pair),
        "encounters": list(match.numbers),
        "score": score and list(score),
    }
    for result in played.results:
        if result.pair == match.pair:
            found |= {
                "winner": result.winner,
                "decided_by": result.rule,
                "total": list(result.score),
                "play_offs": result.play_offs,
            }
    return found


def places_of(schedule: Schedule) -> Iterator[tuple[str, str]]:
    """Iterate over the names of the first places of a knockout and their bots."""
    if isinstance(schedule, Knockout):
        yield from zip(("champion", "second", "third"), schedule.places, strict=False)


def _places_text(schedule: Knockout) -> str:
    if schedule.champion is None:
        return "The champion is not known yet.\n"
    return "".join(f"{place.capitalize()}: {bot}\n" for place, bot in places_of(schedule))
