"""Simulated tournaments between bots of known strength, and how often intervals hold the truth.

Each game alone follows the model of the ratings exactly; games may share luck. Used by
`benchmarks/ratings.py --coverage` and, with few tournaments, by the tests.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import NormalDist

import numpy as np

from referee.ratings.encounter_table import GameResult, tally_games
from referee.ratings.ratings import Ratings, RatingScale, rate
from referee.schedule.swiss import Swiss

Truth = list[float]


@dataclass(frozen=True)
class Field:
    """Round robins with known strengths.

    Who wins is decided by a normal variable in which games may share parts: the two of an encounter
    (`pair`, its sign says whether they go the same way), all games of an opening (`opening`, in
    favour of a seat) and all games of a bot in an opening (`knowledge`).
    """

    bots: int = 6
    encounters: int = 5
    seats: tuple[float, ...] = (100.0,)
    """The advantage of seat 1 in each variant, in Elo."""
    spread: float = 300.0
    """The standard deviation of strengths, in Elo."""
    lead: float | None = None
    """The strength of the first bot, if it is fixed."""
    pair: float = 0.0
    opening: float = 0.0
    knowledge: float = 0.0
    draws: float = 0.0
    repeats: int = 1
    """How often each game is played: deterministic bots replay it."""
    by_variant: float = 0.0
    """The standard deviation of the difference of strengths between variants, in Elo."""
    spread_openings: bool = True
    """Whether each pairing has openings of its own."""
    plays: Callable[[int, int, int], bool] = lambda one, two, number: True
    scale: RatingScale = field(default=RatingScale())

    def play(self, rng: np.random.Generator) -> tuple[Truth, list[GameResult]]:
        """Return strengths and the results of a round robin."""
        strengths = rng.normal(0, self.spread, self.bots)
        if self.lead is not None:
            strengths[0] = self.lead
        differences = rng.normal(0, self.by_variant, (len(self.seats), self.bots))
        results: list[GameResult] = []
        for variant in range(len(self.seats)):
            luck = Luck(self, rng)
            own = strengths + differences[variant]
            for place, (one, two) in enumerate(combinations(range(self.bots), 2)):
                pairing = luck.of_pairing(one, two, place)
                for number in range(self.encounters):
                    if self.plays(one, two, number):
                        lead = own[one] - own[two]
                        games = pairing.encounter(variant, number, lead)
                        results += _repeated(games, self.repeats, self.encounters)
        return list(strengths + differences.mean(axis=0)), results


class Luck:
    """The shared luck of all games of one variant of a tournament."""

    def __init__(self, rules: "Field", rng: np.random.Generator) -> None:
        self.rules, self.rng = rules, rng
        openings = rules.encounters
        if rules.spread_openings:
            openings *= rules.bots * (rules.bots - 1) // 2
        self.known = rules.knowledge * rng.normal(size=(rules.bots, openings))
        self.leaning = rules.opening * rng.normal(size=openings)

    def of_pairing(self, one: int, two: int, place: int) -> "PairingLuck":
        """Return the luck of a pairing."""
        return PairingLuck(self, one, two, place)


class PairingLuck:
    """The luck of one pairing."""

    def __init__(self, luck: Luck, one: int, two: int, place: int) -> None:
        self._luck, self._one, self._two, self._place = luck, one, two, place
        rules = luck.rules
        self._shared = abs(rules.pair) * luck.rng.normal(size=rules.encounters)
        rest = math.sqrt(1 - 2 * rules.knowledge**2 - rules.opening**2 - rules.pair**2)
        self._own = rest * luck.rng.normal(size=(2, rules.encounters))

    def encounter(self, variant: int, number: int, lead: float) -> list[GameResult]:
        """Play both games of an encounter."""
        luck, rules = self._luck, self._luck.rules
        opening = number + (self._place * rules.encounters if rules.spread_openings else 0)
        games = []
        for seat, sign in enumerate((1, -1)):
            same = 1.0 if seat == 0 else math.copysign(1, rules.pair)
            value = luck.known[self._one, opening] - luck.known[self._two, opening]
            value += sign * luck.leaning[opening] + same * self._shared[number]
            value += self._own[seat, number]
            chance = expected_score(lead + sign * rules.seats[variant])
            points = _points(value, chance, rules.draws * min(chance, 1 - chance))
            bots = (f"bot{self._one}", f"bot{self._two}")[::sign]
            score = (points, 1 - points)[::sign]
            games.append(GameResult(*bots, f"game{variant}", number, score, opening, opening))
        return games


def expected_score(elo: float) -> float:
    """Convert an Elo difference to the expected fraction of points."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def _points(value: float, chance: float, drawn: float) -> float:
    """Convert luck to the points of the first bot."""
    quantile = NormalDist().inv_cdf
    low, high = (
        min(max(end, 1e-12), 1 - 1e-12) for end in (chance - drawn / 2, chance + drawn / 2)
    )
    return 0.5 * (value < quantile(low)) + 0.5 * (value < quantile(high))


def _repeated(games: list[GameResult], times: int, encounters: int) -> Iterator[GameResult]:
    for game in games:
        for again in range(times):
            yield game._replace(encounter=game.encounter + again * encounters)


@dataclass(frozen=True)
class SwissField:
    """Swiss tournaments with known strengths."""

    bots: int = 16
    rounds: int = 5
    encounters: int = 2
    spread: float = 200.0
    seat: float = 100.0
    seats: tuple[float, ...] = ()
    scale: RatingScale = field(default=RatingScale(pairings_depend_on_results=True))

    def play(self, rng: np.random.Generator) -> tuple[Truth, list[GameResult]]:
        """Return strengths and the results of all rounds."""
        strengths = rng.normal(0, self.spread, self.bots)
        names = [f"bot{number}" for number in range(self.bots)]
        schedule = Swiss(names, self.encounters, round_count=self.rounds, win=2.0 * self.encounters)
        scores: dict[tuple[tuple[str, str], int], tuple[float, float]] = {}
        results: list[GameResult] = []
        for played in schedule.play(lambda: scores):
            for match in played.matches:
                one, two = (int(name[3:]) for name in match.pair)
                lead = strengths[one] - strengths[two]
                for number in match.numbers:
                    points = 0.0
                    for sign in (1, -1):
                        won = rng.random() < expected_score(lead + sign * self.seat)
                        points += won
                        score = (float(won), 1 - float(won))[::sign]
                        key = len(results)
                        results.append(
                            GameResult(*match.pair[::sign], "game0", number, score, key, key // 2)
                        )
                    scores[match.pair, number] = (points, 2 - points)
        return list(strengths), results


@dataclass
class Coverage:
    """How often statements about strengths were true, and how wide intervals were."""

    held: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    bounds_held: list[bool] = field(default_factory=list)
    first_held: list[bool] = field(default_factory=list)
    """Of the first row of each table that has an interval."""
    seats_held: list[bool] = field(default_factory=list)

    def add(self, found: Ratings, truth: Truth, bots: Sequence[int]) -> None:
        """Compare one table with the truth; only these bots count."""
        rows = {int(row.bot[3:]): row for row in found.rows}
        reference = [bot for bot, row in rows.items() if row.elo is not None] or list(rows)
        zero = sum(truth[bot] for bot in reference) / len(reference)
        first = True
        for bot, row in rows.items():
            if bot not in bots:
                continue
            strength = truth[bot] - zero
            if row.low is not None and row.high is not None:
                self.held.append(row.low <= strength <= row.high)
                self.widths.append(row.high - row.low)
                if first:
                    self.first_held.append(self.held[-1])
                    first = False
            elif row.low is not None:
                self.bounds_held.append(row.low <= strength)
            elif row.high is not None:
                self.bounds_held.append(strength <= row.high)


def percent(held: Sequence[bool]) -> float:
    """Return the share of true statements in percent; nan without any."""
    return 100 * sum(held) / len(held) if held else math.nan


def measure_coverage(
    rules: Field | SwissField, tournaments: int, bots: int | None = None, seed: int = 2026
) -> Coverage:
    """Play tournaments and compare their ratings with the truth, for all or the first bots."""
    rng = np.random.default_rng(seed)
    coverage = Coverage()
    for _ in range(tournaments):
        truth, results = rules.play(rng)
        found = rate(tally_games(results), scale=rules.scale)
        coverage.add(found, truth, range(bots or rules.bots))
        for seat, advantage in zip(found.seats, rules.seats, strict=False):
            coverage.seats_held.append(seat.low <= advantage <= seat.high)
    return coverage


def newcomer(one: int, two: int, number: int) -> bool:
    """Let the first bot play three encounters, each with another bot, and the rest all of them."""
    return one > 0 or (two <= 3 and number == two - 1)


KINDS: dict[str, Field | SwissField] = {
    "independent games": Field(),
    "both games of an encounter go the same way (correlation of the luck: 0.64)": Field(pair=0.8),
    "the opening decides, differently in each pairing (-0.64)": Field(pair=-0.8),
    "openings favour a seat": Field(opening=0.6),
    "the same with shared openings": Field(opening=0.6, spread_openings=False),
    "bots know some openings better": Field(knowledge=0.4),
    "the same with shared openings ": Field(knowledge=0.4, spread_openings=False),
    "two variants, seats worth +400 and -400": Field(seats=(400.0, -400.0), spread=400.0),
    "three variants, in which strengths differ by 150": Field(
        seats=(100.0, 0.0, -100.0), by_variant=150.0
    ),
    "many draws": Field(draws=0.8, pair=-0.5),
    "four bots, twenty encounters": Field(bots=4, encounters=20, pair=0.6),
    "four deterministic bots, three encounters, each repeated four times": Field(
        bots=4, encounters=3, spread=450.0, repeats=4
    ),
    "the same, and the opening decides": Field(
        bots=4, encounters=3, spread=450.0, repeats=4, pair=-0.8
    ),
    "two bots, five encounters, spread 450": Field(bots=2, spread=450.0, pair=0.5),
    "two bots, five encounters, spread 250": Field(bots=2, spread=250.0),
    "four bots, three encounters, spread 250": Field(bots=4, encounters=3, spread=250.0),
    "a narrow field, spread 150": Field(spread=150.0),
    "eight bots, spread 500": Field(bots=8, spread=500.0, pair=0.5),
    "eight bots, spread 700": Field(bots=8, spread=700.0),
    "eight bots, spread 1,000": Field(bots=8, spread=1000.0),
    "the same, twenty encounters": Field(bots=8, encounters=20, spread=1000.0),
    "one bot 800 ahead": Field(lead=800.0),
    "the same, twenty encounters ": Field(lead=800.0, encounters=20),
    "one bot 1,500 ahead": Field(lead=1500.0),
}
SWISS_KINDS: dict[str, Field | SwissField] = {
    "16 bots, 5 rounds of 1 encounter, spread 200": SwissField(encounters=1),
    "16 bots, 5 rounds of 2 encounters, spread 200": SwissField(),
    "16 bots, 5 rounds of 2 encounters, spread 60": SwissField(spread=60.0),
    "16 bots, 5 rounds of 5 encounters, spread 200": SwissField(encounters=5),
    "32 bots, 6 rounds of 1 encounter, spread 300": SwissField(
        bots=32, rounds=6, encounters=1, spread=300.0
    ),
    "8 bots, 4 rounds of 2 encounters, spread 200": SwissField(bots=8, rounds=4),
}


def measure_error(rules: Field, tournaments: int, seed: int = 2026) -> float:
    """Return the root mean square of the errors of ratings in Elo, without bots with a bound."""
    rng = np.random.default_rng(seed)
    squares = []
    for _ in range(tournaments):
        truth, results = rules.play(rng)
        rows = [row for row in rate(tally_games(results)).rows if row.elo is not None]
        strengths = [truth[int(row.bot[3:])] for row in rows]
        zero = sum(strengths) / max(1, len(strengths))
        for row, strength in zip(rows, strengths, strict=True):
            squares.append((float(row.elo or 0.0) - strength + zero) ** 2)
    return math.sqrt(sum(squares) / len(squares))
