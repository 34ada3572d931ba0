"""Swiss tournaments: pair bots of equal score that have not met. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from referee.schedule.formats import Match, Pair, Round, Schedule, Scores, ordered_pair
from referee.schedule.matching import pair_by_preference


@dataclass
class Swiss(Schedule):
    """Each round pairs bots of equal score, upper half against lower half. Two bots meet again only
    where that cannot be avoided, and rematches are spread evenly.
    """

    round_count: int = 1
    win: float = 1.0
    """The points of a won match, which a bye is worth."""

    @property
    def match_count(self) -> int:
        return self.round_count * (len(self.bots) // 2)

    @property
    def planned_encounters(self) -> int:
        return self.encounters * ceil(self.round_count / max(1, len(self.bots) - 1))

    @property
    def most_encounters(self) -> int:
        # Towards the end of a cycle, those who have not met yet may not be pairable: then a few
        # pairings are one meeting ahead of the others.
        ahead = self.encounters if len(self.bots) > 2 else 0
        return min(self.planned_encounters + ahead, self.round_count * self.encounters)

    def _make(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        met: dict[Pair, int] = {}
        for number in range(1, self.round_count + 1):
            points = self._points(scores())
            ranked = sorted(self.bots, key=lambda bot: -points[bot])  # seeds decide equal scores
            bye = self._choose_bye(ranked, met) if len(ranked) % 2 else None
            playing = [bot for bot in ranked if bot != bye]
            pairs = _pair_swiss(playing, points, met)
            matches = []
            for pair in pairs:
                before = met.get(pair, 0)
                start = before * self.encounters + 1
                matches.append(Match(pair, range(start, start + self.encounters)))
                met[pair] = before + 1
            yield Round(f"Round {number}", matches, bye)

    def _points(self, scores: Scores) -> dict[str, float]:
        points = {bot: self.win * self.byes.get(bot, 0) for bot in self.bots}
        for round in self.rounds:
            for match in round.matches:
                for bot, gained in zip(match.pair, match.score(scores), strict=True):
                    points[bot] += gained
        return points

    def _choose_bye(self, ranked: Sequence[str], met: Mapping[Pair, int]) -> str:
        """Of those with the fewest byes, the one without whom the others have the fewest
        rematches; the lowest of several such.
        """
        fewest = min(self.byes.get(bot, 0) for bot in ranked)
        best: tuple[tuple[int, int], str] | None = None
        for bye in reversed(ranked):
            if self.byes.get(bye, 0) > fewest:
                continue
            others = [bot for bot in ranked if bot != bye]
            pairs = _pair_swiss(others, dict.fromkeys(others, 0.0), met)
            before = [met.get(pair, 0) for pair in pairs]
            rematches = sum(count > 0 for count in before), sum(before)
            if best is None or rematches < best[0]:
                best = rematches, bye
            if not rematches[0]:
                break  # no other can be better
        assert best is not None
        return best[1]


def _pair_swiss(
    ranked: Sequence[str], points: Mapping[str, float], met: Mapping[Pair, int]
) -> list[Pair]:
    """Upper half against lower half within each score group; those left over move down."""

    def prefer(one: int, others: Sequence[int]) -> list[int]:
        own = points[ranked[one]]
        group = [other for other in others if points[ranked[other]] == own]
        # With the one who chooses, the group has an upper and a lower half.
        half = (len(group) + 1) // 2
        ordered = group[half - 1 if half else 0 :] + group[: half - 1 if half else 0]
        return ordered + [other for other in others if points[ranked[other]] != own]

    places = {bot: place for place, bot in enumerate(ranked)}
    meetings: dict[tuple[int, int], int] = {}
    for (first, second), count in met.items():
        if first in places and second in places:
            one, two = places[first], places[second]
            meetings[one, two] = meetings[two, one] = count
    pairs = pair_by_preference(len(ranked), prefer, meetings)
    return [ordered_pair(ranked[one], ranked[two]) for one, two in pairs]
