"""Swiss tournaments: pair bots of equal score that have not met. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from referee.schedule.formats import Match, Pair, Round, Schedule, Scores, ordered_pair
from referee.schedule.matching import pair_by_preference


@dataclass
class Swiss(Schedule):
    """Swiss format: each round pairs bots of equal score, upper half against lower half.

    Two bots meet again only if no other pairing exists, and rematches are spread evenly.
    """

    round_count: int = 1
    win: float = 1.0
    """Points of a won match, and of a bye."""

    @property
    def match_count(self) -> int:
        """Number of matches of all rounds."""
        return self.round_count * (len(self.bots) // 2)

    @property
    def planned_encounters(self) -> int:
        """Encounters of a pairing, if rematches are spread evenly."""
        return self.encounters * ceil(self.round_count / max(1, len(self.bots) - 1))

    @property
    def most_encounters(self) -> int:
        """The highest possible number of an encounter of a pairing."""
        # When almost all have met equally often, the rest may have no perfect matching: then a few
        # pairings are one match ahead of the others.
        ahead = self.encounters if len(self.bots) > 2 else 0
        return min(self.planned_encounters + ahead, self.round_count * self.encounters)

    def _make_rounds(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        met: dict[Pair, int] = {}
        pairings: dict[Pair, int] = {}
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
                pairing = pairings.setdefault(pair, len(pairings))
                matches.append(Match(pair, range(start, start + self.encounters), pairing))
                met[pair] = before + 1
            yield Round(f"Round {number}", matches, bye)

    def _points(self, scores: Scores) -> dict[str, float]:
        points = {bot: self.win * self.byes.get(bot, 0) for bot in self.bots}
        for played in self.rounds:
            for match in played.matches:
                for bot, score in zip(match.pair, match.score(scores), strict=True):
                    points[bot] += score
        return points

    def _choose_bye(self, ranked: Sequence[str], met: Mapping[Pair, int]) -> str:
        """Choose a bot with the fewest byes so that the others have the fewest rematches.

        Of several such bots, choose the lowest in rank.
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
                break  # There is no better choice.
        assert best is not None
        return best[1]


def _pair_swiss(
    ranked: Sequence[str], points: Mapping[str, float], met: Mapping[Pair, int]
) -> list[Pair]:
    """Pair the upper with the lower half of each score group; unpaired bots move down a group."""

    def prefer(one: int, others: Sequence[int]) -> list[int]:
        own = points[ranked[one]]
        group = [other for other in others if points[ranked[other]] == own]
        # `one` is the first of the upper half, which is not in `others`.
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
