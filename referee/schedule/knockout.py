"""Knockouts: bracket, play-offs and placings. Pure."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from referee.schedule.formats import Match, MatchResult, Pair, Round, Schedule, Scores, ordered_pair


class Bracket:
    """The bots of the current round of a knockout, from top to bottom.

    The best seeds have byes in the first round, and the best two can only meet in the final. The
    losers of the semi-finals play for the third place in the round of the final.
    """

    def __init__(self, seeds: Sequence[str]) -> None:
        size = 1
        while size < len(seeds):
            size *= 2
        padded: list[str | None] = [*seeds, *[None] * (size - len(seeds))]
        self._slots = [padded[number] for number in _seed_order(size)]
        """One slot per bot; an opponent of None is a bye."""
        self._semi_final_losers: list[str] = []
        self._placings: list[str] = []

    @property
    def title(self) -> str:
        """The name of the current round."""
        return round_title(len(self._slots)) + (" and third place" if self._has_third() else "")

    @property
    def champion(self) -> str | None:
        """The last bot that is not eliminated; None while there are several."""
        return self._slots[0] if len(self._slots) == 1 else None

    def matches(self) -> list[Pair]:
        """List the pairs of the current round, that for the third place last; none at the end."""
        pairs = [
            ordered_pair(one, two)
            for one, two in self.neighbours()
            if one is not None and two is not None
        ]
        if self._has_third():
            one, two = self._semi_final_losers
            pairs.append(ordered_pair(one, two))
        return pairs

    def advance(self, winners: Mapping[Pair, str]) -> None:
        """Go on to the next round with the winner of each match of this one."""
        matches = self.matches()
        losers = [one if winners[one, two] == two else two for one, two in matches]
        if len(self._slots) == 4:
            self._semi_final_losers = losers
        elif len(self._slots) == 2:
            final, *third = matches
            self._placings = [winners[final], losers[0], *(winners[pair] for pair in third)]
        self._slots = [
            one or two if one is None or two is None else winners[ordered_pair(one, two)]
            for one, two in self.neighbours()
        ]

    def placings(self) -> list[str]:
        """List champion, runner-up and third (if it was played for); empty before the end."""
        return self._placings

    def neighbours(self) -> list[tuple[str | None, str | None]]:
        """List the slots of each match, from top to bottom; None is a bye."""
        return list(zip(self._slots[::2], self._slots[1::2], strict=False))

    def _has_third(self) -> bool:
        """Check for a match for the third place; among three bots there is none."""
        return len(self._slots) == 2 and len(self._semi_final_losers) == 2


def _seed_order(size: int) -> list[int]:
    """List seed numbers from top to bottom, such that the best two can only meet in the final."""
    order = [0]
    while len(order) < size:
        last = 2 * len(order) - 1
        order = [seed for number in order for seed in (number, last - number)]
    return order


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
        bracket = Bracket(self.bots)
        pairing = 0
        while pairs := bracket.matches():
            winners = yield from self._decide(bracket.title, pairs, pairing, scores)
            bracket.advance(winners)
            pairing += len(pairs)
        self.champion = bracket.champion
        self.places = bracket.placings()

    def _decide(
        self, title: str, pairs: list[Pair], first_pairing: int, scores: Callable[[], Scores]
    ) -> Generator[Round, None, dict[Pair, str]]:
        """Play a round and the play-offs of its level matches; return the winners.

        `first_pairing` is the number of the first pair, see `Match`.
        """
        decided: dict[Pair, MatchResult] = {}
        before = self.ranking
        first = self._first_matches(pairs, first_pairing)
        current = Round(title, first)
        for play_offs in range(self.encounters + 1):
            if play_offs:
                level = [match for match in first if match.pair not in decided]
                if not level:
                    break
                number = self.encounters + play_offs
                matches = [replace(match, numbers=range(number, number + 1)) for match in level]
                current = Round(f"{title}, play-off {play_offs}", matches)
            yield current
            for match in current.matches:
                result = self._result_of(match.pair, play_offs, scores())
                if result is not None:
                    current.results.append(result)
                    decided[match.pair] = result
            losers = {result.loser for result in decided.values()}
            self.ranking = _ranked_below(before, losers)
        return {pair: result.winner for pair, result in decided.items()}

    def _result_of(self, pair: Pair, play_offs: int, scores: Scores) -> MatchResult | None:
        """Decide a match after this number of play-offs; return None if another one follows."""
        # Scores may contain later encounters already, on resume: they do not count yet.
        one, two = score = Match(pair, range(1, self.encounters + play_offs + 1)).score(scores)
        if one != two:
            winner = pair[0] if one > two else pair[1]
            return MatchResult(pair, winner, "play-off" if play_offs else "score", score, play_offs)
        if play_offs == self.encounters:
            winner = min(pair, key=list(self.bots).index)
            return MatchResult(pair, winner, "seed", score, play_offs)
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


def round_title(players: int) -> str:
    """Name the round of a knockout with this number of players."""
    return {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}.get(players, f"Round of {players}")
