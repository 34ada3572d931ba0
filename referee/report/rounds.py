"""Rounds of a Swiss tournament and the bracket of a knockout, for the page. Pure."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from referee.schedule.formats import Match, MatchResult, Pair, Schedule, Scores, ordered_pair
from referee.schedule.knockout import Bracket, Knockout, round_title
from referee.scoring.ledger import Ledger
from referee.scoring.tables import number
from referee.text import printable

MAX_MATCHES = 10_000
"""Maximum matches of the page; the latest rounds are kept."""

JsonDict = dict[str, Any]


def make_rounds(ledger: Ledger) -> JsonDict | None:
    """Describe the rounds so far; None if pairings do not depend on results."""
    if not ledger.manifest.has_rounds:
        return None
    schedule, numbers = ledger.schedule(), _Numbers(ledger.manifest.bots)
    if isinstance(schedule, Knockout):
        return _knockout(schedule, ledger.scores, numbers)
    return _swiss(ledger, schedule, numbers)


class _Numbers:
    """The index of each bot in the page's data."""

    def __init__(self, bots: list[str]) -> None:
        self._numbers = {bot: index for index, bot in enumerate(bots)}

    def of(self, bot: str | None) -> int | None:
        return None if bot is None else self._numbers[bot]


def _match(bots: Pair, matches: list[Match], scores: Scores, numbers: _Numbers) -> JsonDict:
    """Describe a match that consists of these parts: its encounters, then play-offs."""
    pair = ordered_pair(*bots)
    order = (0, 1) if bots == pair else (1, 0)
    played = [
        match.score(scores)
        for match in matches
        if any((pair, encounter) in scores for encounter in match.numbers)
    ]
    totals = [sum(score[at] for score in played) for at in order]
    encounters = [encounter for match in matches for encounter in match.numbers]
    return {
        "bots": [numbers.of(bot) for bot in bots],
        "scores": [number(total) for total in totals] if played else None,
        "parts": [" : ".join(number(score[at]) for at in order) for score in played],
        "winner": None if not played or totals[0] == totals[1] else int(totals[0] < totals[1]),
        "encounters": f"{min(encounters)}-{max(encounters)}" if encounters else None,
    }


# Swiss.


def _swiss(ledger: Ledger, schedule: Schedule, numbers: _Numbers) -> JsonDict:
    points: defaultdict[str, float] = defaultdict(float)
    worth = float(ledger.manifest.games_per_match)
    rounds: list[JsonDict] = []
    complete = 0
    for played in schedule.rounds:
        matches = []
        for match in played.matches:
            shown = _match(match.pair, [match], ledger.scores, numbers)
            shown["before"] = [number(points[bot]) for bot in match.pair]
            matches.append(shown)
        for match in played.matches:
            for bot, score in zip(match.pair, match.score(ledger.scores), strict=True):
                points[bot] += score
        if played.bye is not None:
            points[played.bye] += worth
        rounds.append(
            {"title": played.title, "matches": matches, "bye": numbers.of(played.bye)},
        )
        complete += ledger.is_complete(played)
    planned = ledger.manifest.rounds
    return {
        "lead": _swiss_lead(ledger, complete, planned),
        "rounds": _latest(rounds),
        "left_out": len(rounds) - len(_latest(rounds)),
    }


def _swiss_lead(ledger: Ledger, complete: int, planned: int) -> str:
    """Name the bots that have the first rank in the standings."""
    best = [printable(row.bot) for row in ledger.standings().rows if row.rank == 1]
    names = " and ".join(best) if len(best) < 4 else f"{best[0]} and {len(best) - 1} others"
    if not complete or not best:
        return f"No round of {planned} is complete yet"
    if complete >= planned:
        return f"{'Winner' if len(best) == 1 else 'Winners'}: {names}"
    return (
        f"{'Leader' if len(best) == 1 else 'Leaders'} after round {complete} of {planned}: {names}"
    )


def _latest(rounds: list[JsonDict]) -> list[JsonDict]:
    """Drop the earliest rounds beyond the maximum of matches; the last is always kept."""
    room, kept = MAX_MATCHES, 0
    for played in reversed(rounds):
        room -= len(played["matches"])
        if room < 0 and kept:
            break
        kept += 1
    return rounds[len(rounds) - kept :]


# Knockout.


def _knockout(schedule: Knockout, scores: Scores, numbers: _Numbers) -> JsonDict:
    parts: defaultdict[Pair, list[Match]] = defaultdict(list)
    results: dict[Pair, MatchResult] = {}
    for played in schedule.rounds:
        # Two bots meet in one match of a knockout, so a pair identifies the match.
        for match in played.matches:
            parts[match.pair].append(match)
        results |= {result.pair: result for result in played.results}
    bracket = Bracket(schedule.bots)
    stages: list[JsonDict] = []
    third: JsonDict | None = None
    while pairs := bracket.matches():
        slots = bracket.neighbours()
        shown = [_slot(slot, parts, results, scores, numbers) for slot in slots]
        stages.append({"title": round_title(2 * len(slots)), "matches": shown})
        third_pair = pairs[-1] if len(pairs) > len(slots) else None
        if third_pair:
            third = _decided(third_pair, parts, results, scores, numbers)
        if not all(pair in results for pair in pairs):
            break
        bracket.advance({pair: results[pair].winner for pair in pairs})
    while len(stages[-1]["matches"]) > 1:  # rounds whose bots are not known yet
        later: list[JsonDict | None] = [None] * (len(stages[-1]["matches"]) // 2)
        stages.append({"title": round_title(2 * len(later)), "matches": later})
    places = [printable(bot) for bot in schedule.places]
    return {
        "lead": f"Champion: {places[0]}" if places else "The champion is not known yet",
        "places": [numbers.of(bot) for bot in schedule.places],
        "stages": stages,
        "third": third,
    }


def _slot(
    slot: tuple[str | None, str | None],
    parts: Mapping[Pair, list[Match]],
    results: Mapping[Pair, MatchResult],
    scores: Scores,
    numbers: _Numbers,
) -> JsonDict:
    """Describe a place of the bracket: a match, or a bot with a bye."""
    one, two = slot
    if one is not None and two is not None:
        return _decided((one, two), parts, results, scores, numbers)
    return {"bots": [numbers.of(one), numbers.of(two)], "bye": True, "winner": int(one is None)}


def _decided(
    bots: Pair,
    parts: Mapping[Pair, list[Match]],
    results: Mapping[Pair, MatchResult],
    scores: Scores,
    numbers: _Numbers,
) -> JsonDict:
    """Describe a match of the bracket; it has no winner before it is decided."""
    pair = ordered_pair(*bots)
    shown = _match(bots, parts.get(pair, []), scores, numbers)
    result = results.get(pair)
    shown["winner"] = None if result is None else bots.index(result.winner)
    shown["note"] = "" if result is None else _remark(result)
    return shown


def _remark(result: MatchResult) -> str:
    """Explain a match that its encounters did not decide; its scores stand beside the text."""
    count = f"{result.play_offs} play-off{'s' if result.play_offs > 1 else ''}"
    if result.rule == "seed":
        return f"level after {count}: the better seed wins"
    return f"after {count}" if result.rule == "play-off" else ""
