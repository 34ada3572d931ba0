"""Knockouts: bracket, play-offs and placings. Pure."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field

from referee.schedule.formats import Decision, Match, Pair, Round, Schedule, Scores, ordered_pair


@dataclass
class Knockout(Schedule):
    """Knockout format: the loser of a match is eliminated.

    Byes go to the best seeds, and the losers of the semi-finals play for the third place. A match
    that is level after its encounters gets play-offs of one encounter, at most as many as it had
    encounters; if it is still level, the better seed wins.
    """

    champion: str | None = None
    places: list[str] = field(default_factory=list)
    """Champion, runner-up, and third if there was a match for it."""
    ranking: list[list[str]] = field(default_factory=list)
    """All bots in groups of equal rank, best first: bots not eliminated, then the others, latest
    elimination first."""

    @property
    def match_count(self) -> int:
        """One match per elimination, and one for the third place."""
        return len(self.bots) - 1 + (len(self.bots) >= 4)

    @property
    def most_encounters(self) -> int:
        """Encounters of a match with all play-offs."""
        return 2 * self.encounters

    def _make_rounds(self, scores: Callable[[], Scores]) -> Iterator[Round]:
        self.ranking = [list(self.bots)]
        size = 1
        while size < len(self.bots):
            size *= 2
        seeds: list[str | None] = [*self.bots, *[None] * (size - len(self.bots))]
        field = [seeds[number] for number in _bracket(size)]
        semi_final_losers: list[str] = []
        while len(field) > 1:
            matches = list(zip(field[::2], field[1::2], strict=True))
            pairs = [(one, two) for one, two in matches if one is not None and two is not None]
            third = len(field) == 2 and len(semi_final_losers) == 2
            if third:
                pairs.append((semi_final_losers[0], semi_final_losers[1]))
            title = _round_title(len(field)) + (" and third place" if third else "")
            decided = yield from self._decide(
                title, [ordered_pair(*pair) for pair in pairs], scores
            )
            winners = {pair: decided[ordered_pair(*pair)].winner for pair in pairs}
            if len(field) == 4:
                semi_final_losers = [decided[ordered_pair(*pair)].loser for pair in pairs]
            if len(field) == 2:
                self.champion = winners[pairs[0]]
                loser = decided[ordered_pair(*pairs[0])].loser
                self.places = [self.champion, loser, *([winners[pairs[1]]] if third else [])]
                return
            field = [
                winners[one, two] if one is not None and two is not None else one or two
                for one, two in matches
            ]
        self.champion = field[0]

    def _decide(
        self, title: str, pairs: list[Pair], scores: Callable[[], Scores]
    ) -> Generator[Round, None, dict[Pair, Decision]]:
        """Play a round and the play-offs of its level matches; return the decisions."""
        decided: dict[Pair, Decision] = {}
        before = self.ranking
        current = Round(title, self._first_matches(pairs))
        for play_offs in range(self.encounters + 1):
            if play_offs:
                level = [pair for pair in pairs if pair not in decided]
                if not level:
                    break
                number = self.encounters + play_offs
                matches = [Match(pair, range(number, number + 1)) for pair in level]
                current = Round(f"{title}, play-off {play_offs}", matches)
            yield current
            for match in current.matches:
                decision = self._decision(match.pair, play_offs, scores())
                if decision is not None:
                    current.decisions.append(decision)
                    decided[match.pair] = decision
            losers = {decision.loser for decision in decided.values()}
            self.ranking = _ranked_below(before, losers)
        return decided

    def _decision(self, pair: Pair, play_offs: int, scores: Scores) -> Decision | None:
        """Decide a match after this number of play-offs; return None if another one follows."""
        # Scores may contain later encounters already, on resume: they do not count yet.
        one, two = score = Match(pair, range(1, self.encounters + play_offs + 1)).score(scores)
        if one != two:
            winner = pair[0] if one > two else pair[1]
            return Decision(pair, winner, "play-off" if play_offs else "score", score, play_offs)
        if play_offs == self.encounters:
            winner = min(pair, key=list(self.bots).index)
            return Decision(pair, winner, "seed", score, play_offs)
        return None


def _ranked_below(ranking: list[list[str]], losers: set[str]) -> list[list[str]]:
    """Split each group: losers into a group of their own after the others."""
    split = (
        part
        for group in ranking
        for part in (
            [bot for bot in group if bot not in losers],
            [bot for bot in group if bot in losers],
        )
    )
    return [part for part in split if part]


def _bracket(size: int) -> list[int]:
    """List seed numbers from top to bottom, such that the best two can only meet in the final."""
    order = [0]
    while len(order) < size:
        last = 2 * len(order) - 1
        order = [seed for number in order for seed in (number, last - number)]
    return order


def _round_title(players: int) -> str:
    return {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}.get(players, f"Round of {players}")
