"""Ratings agree with published numbers, and their error bars hold in simulated tournaments.

`python -m tests.scoring.test_ratings 1000` prints how often, in so many tournaments of each kind.
"""

import math
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.records.summary import moves_key
from referee.scoring import bradley_terry, ratings
from referee.scoring.bradley_terry import ELO
from referee.scoring.encounter_table import GameResult, tally_games
from referee.scoring.ratings import Ratings, rate

# Home wins and away wins in the American League's Eastern Division, 1987: Agresti, Categorical
# Data Analysis (2nd edition, 2002), table 10.10.
BASEBALL = {
    "Milwaukee": {"Detroit": (4, 3), "Toronto": (4, 2), "New York": (4, 3)}
    | {"Boston": (6, 1), "Cleveland": (4, 2), "Baltimore": (6, 0)},
    "Detroit": {"Milwaukee": (3, 3), "Toronto": (4, 2), "New York": (4, 3)}
    | {"Boston": (6, 0), "Cleveland": (6, 1), "Baltimore": (4, 3)},
    "Toronto": {"Milwaukee": (2, 5), "Detroit": (4, 3), "New York": (2, 4)}
    | {"Boston": (4, 3), "Cleveland": (4, 2), "Baltimore": (6, 0)},
    "New York": {"Milwaukee": (3, 3), "Detroit": (5, 1), "Toronto": (2, 5)}
    | {"Boston": (4, 3), "Cleveland": (4, 2), "Baltimore": (6, 1)},
    "Boston": {"Milwaukee": (5, 1), "Detroit": (2, 5), "Toronto": (3, 3)}
    | {"New York": (4, 2), "Cleveland": (5, 2), "Baltimore": (6, 0)},
    "Cleveland": {"Milwaukee": (2, 5), "Detroit": (3, 3), "Toronto": (3, 4)}
    | {"New York": (4, 3), "Boston": (4, 2), "Baltimore": (2, 4)},
    "Baltimore": {"Milwaukee": (2, 5), "Detroit": (1, 5), "Toronto": (1, 6)}
    | {"New York": (2, 4), "Boston": (1, 6), "Cleveland": (3, 4)},
}
WIN, DRAW, LOSS, BOTH_LOST = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (0.0, 0.0)


def by_name(found: Ratings) -> dict[str, ratings.RatingRow]:
    return {row.bot: row for row in found.rows}


def encounters(first: str, second: str, *scores: tuple[float, float]) -> list[GameResult]:
    """Two games per encounter, all different; scores are those of `first`, seat by seat."""
    games = []
    for number, (own, other) in enumerate(scores):
        seats = (first, second) if number % 2 == 0 else (second, first)
        score = (own, other) if number % 2 == 0 else (other, own)
        games.append(GameResult(*seats, "game", number // 2, score, number))
    return games


def baseball() -> Iterator[GameResult]:
    """Every game in an encounter of its own: nothing is known about what they have in common."""
    number = 0
    for home, rivals in BASEBALL.items():
        for away, (won, lost) in rivals.items():
            for score in [WIN] * won + [LOSS] * lost:
                yield GameResult(home, away, "baseball", number, score, number)
                number += 1


def test_baseball_comes_out_as_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the prior, strengths and home advantage are those of Agresti's table 10.11."""
    monkeypatch.setattr(bradley_terry, "PRIOR_SD", 1000.0)
    found = rate(tally_games(baseball()))
    strengths = [math.exp(row.elo / ELO) for row in found.rows]
    shares = [round(strength / sum(strengths), 3) for strength in strengths]
    assert shares == [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044]
    assert found.seats[0].elo / ELO == pytest.approx(0.302, abs=0.001)


@pytest.mark.parametrize(("won", "lost"), [(30, 10), (44, 36), (25, 25)])
def test_two_bots_have_the_closed_form(
    won: int, lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal results from both seats: Elo's formula, and the binomial's standard error."""
    monkeypatch.setattr(bradley_terry, "PRIOR_SD", 1000.0)
    monkeypatch.setattr(bradley_terry, "CAUTION", 1e9)  # the two games of an encounter: independent
    results = [score for score in [WIN] * won + [LOSS] * lost for _ in "ab"]
    row = by_name(rate(tally_games(encounters("new", "old", *results))))["new"]
    games, share = 2 * (won + lost), won / (won + lost)
    assert 2 * row.elo == pytest.approx(400 * math.log10(won / lost), abs=0.2)
    error = ELO / math.sqrt(games * share * (1 - share))
    assert row.high - row.low == pytest.approx(1.96 * error, abs=0.2)


def test_the_prior_is_weak() -> None:
    """With a few dozen games per bot it moves nobody by more than a tenth of the interval."""
    games = list(baseball())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bradley_terry, "PRIOR_SD", 1000.0)
        free = by_name(rate(tally_games(games)))
    for bot, row in by_name(rate(tally_games(games))).items():
        assert abs(row.elo - free[bot].elo) < (row.high - row.low) / 10


class Field:
    """Tournaments with known strengths; each game alone follows the model exactly.

    Who wins is decided by a normal variable in which games may share parts: the two of an encounter
    (`pair`, its sign says whether they go the same way), all games of an opening (`opening`, in
    favour of a seat) and all games of a bot in an opening (`knowledge`).
    """

    def __init__(
        self,
        bots: int = 6,
        encounters: int = 5,
        seats: tuple[float, ...] = (100.0,),
        spread: float = 300.0,
        pair: float = 0.0,
        opening: float = 0.0,
        knowledge: float = 0.0,
        draws: float = 0.0,
        repeats: int = 1,
        plays: Callable[[int, int, int], bool] = lambda one, two, number: True,
    ) -> None:
        self.bots, self.encounters, self.seats, self.spread = bots, encounters, seats, spread
        self.parts = (knowledge, opening, pair)
        self.rest = math.sqrt(1 - 2 * knowledge**2 - opening**2 - pair**2)
        self.draws, self.repeats, self.plays = draws, repeats, plays

    def play(self, rng: np.random.Generator) -> tuple[list[float], list[GameResult]]:
        """Strengths, measured from their mean, and the results of a round robin."""
        strengths = rng.normal(0, self.spread, self.bots)
        knowledge, opening, pair = self.parts
        quantile = NormalDist().inv_cdf
        results = []
        for variant, advantage in enumerate(self.seats):
            known = knowledge * rng.normal(size=(self.bots, self.encounters))
            leaning = opening * rng.normal(size=self.encounters)
            for one, two in combinations(range(self.bots), 2):
                shared = abs(pair) * rng.normal(size=self.encounters)
                luck = self.rest * rng.normal(size=(2, self.encounters))
                lead = strengths[one] - strengths[two]
                for seat, sign in enumerate((1, -1)):
                    same = 1.0 if seat == 0 else math.copysign(1, pair)
                    value = known[one] - known[two] + sign * leaning + same * shared + luck[seat]
                    chance = 1 / (1 + 10 ** (-(lead + sign * advantage) / 400))
                    drawn = self.draws * min(chance, 1 - chance)
                    points = (value < quantile(chance - drawn / 2)) * 0.5
                    points += (value < quantile(chance + drawn / 2)) * 0.5
                    pairing = (f"bot{one}", f"bot{two}")[::sign]
                    for number in range(self.encounters):
                        if self.plays(one, two, number):
                            score = (float(points[number]), 1 - float(points[number]))[::sign]
                            game = GameResult(*pairing, f"game{variant}", number, score, number)
                            results += [
                                game._replace(encounter=number + again * self.encounters)
                                for again in range(self.repeats)
                            ]
        return list(strengths - strengths.mean()), results


def coverage(field: Field, tournaments: int, bots: int | None = None) -> tuple[float, float]:
    """How often, in percent, the 95 % intervals hold the truth: of strengths and of seats."""
    rng = np.random.default_rng(2026)
    strengths, seats = [], []
    for _ in range(tournaments):
        truth, results = field.play(rng)
        found = rate(tally_games(results))
        rows = by_name(found)
        for bot, strength in enumerate(truth[:bots]):
            strengths.append(rows[f"bot{bot}"].low <= strength <= rows[f"bot{bot}"].high)
        for seat, advantage in zip(found.seats, field.seats, strict=True):
            seats.append(seat.low <= advantage <= seat.high)
    return 100 * sum(strengths) / len(strengths), 100 * sum(seats) / len(seats)


def newcomer(one: int, two: int, number: int) -> bool:
    """The first bot has played three encounters, each with another bot; the rest all of them."""
    return one > 0 or (two <= 3 and number == two - 1)


FIELDS = {
    "independent games": (Field(), 200),
    "both games go the same way": (Field(pair=0.8), 200),
    "the opening decides, differently in each pairing": (Field(pair=-0.8), 200),
    "openings favour a seat": (Field(opening=0.6), 200),
    "bots know some openings better": (Field(knowledge=0.4), 200),
    "two variants, both with strong seats": (Field(seats=(400.0, -400.0), spread=400.0), 180),
    "a wide field": (Field(bots=8, spread=500.0, pair=0.5), 180),
    "many draws": (Field(draws=0.8, pair=-0.5), 200),
    "twenty encounters": (Field(bots=4, encounters=20, pair=0.6), 250),
    "three encounters, repeated": (
        Field(bots=4, encounters=3, spread=450.0, repeats=4),
        450,
    ),
    "three encounters, repeated, decided by the opening": (
        Field(bots=4, encounters=3, spread=450.0, repeats=4, pair=-0.8),
        450,
    ),
    "two bots, five encounters": (Field(bots=2, encounters=5, spread=450.0, pair=0.5), 800),
}


EXTREMES = {  # where the intervals are too wide or too narrow, for the documentation
    "a narrow field": Field(spread=150.0),
    "two bots, five encounters, not far apart": Field(bots=2, encounters=5, spread=250.0),
    "three encounters, repeated, not far apart": Field(bots=4, encounters=3, spread=250.0),
    "a very wide field": Field(bots=8, spread=700.0),
}


@pytest.mark.parametrize("name", FIELDS)
def test_intervals_hold_what_they_promise(name: str) -> None:
    """The 95 % intervals of strengths hold the truth in 93 to 97 % of cases."""
    field, tournaments = FIELDS[name]
    assert 93 <= coverage(field, tournaments)[0] <= 97


def test_intervals_of_a_newcomer_hold() -> None:
    """A bot with six games among bots with many has an honest, wide interval."""
    field = Field(spread=450.0, plays=newcomer)
    assert 93 <= coverage(field, 500, bots=1)[0] <= 97
    results = field.play(np.random.default_rng(1))[1]
    rows = by_name(rate(tally_games(results)))
    assert rows["bot0"].distinct == 6
    assert rows["bot0"].high - rows["bot0"].low > 1.5 * (rows["bot1"].high - rows["bot1"].low)


@pytest.mark.parametrize("opening", [0.0, 0.3, 0.6])
def test_intervals_of_the_seat_advantage_hold(opening: float) -> None:
    """All pairings share the openings: with few of them less is known than games suggest."""
    found = coverage(Field(encounters=10, opening=opening, seats=(150.0,)), 250)[1]
    assert 93 <= found <= 98


def test_superiority_is_right_as_often_as_it_says() -> None:
    """Among neighbours called better with 80 to 90 %, about that share is better."""
    rng = np.random.default_rng(7)
    claims: dict[int, list[tuple[float, bool]]] = {}
    for _ in range(300):
        truth, results = Field(pair=0.5, spread=200.0).play(rng)
        for claim in rate(tally_games(results)).superiority:
            right = truth[int(claim.better[3:])] > truth[int(claim.worse[3:])]
            claims.setdefault(int(claim.percent // 10), []).append((claim.percent, right))
    for group in claims.values():
        said = sum(percent for percent, _ in group) / len(group)
        true = 100 * sum(right for _, right in group) / len(group)
        assert true == pytest.approx(said, abs=6), len(group)


def test_known_strengths_are_recovered() -> None:
    """A long tournament finds strengths and seat advantages to within a few Elo."""
    field = Field(bots=12, encounters=150, seats=(200.0, -350.0), spread=200.0)
    truth, results = field.play(np.random.default_rng(4))
    found = rate(tally_games(results))
    errors = [by_name(found)[f"bot{bot}"].elo - strength for bot, strength in enumerate(truth)]
    assert math.sqrt(sum(error**2 for error in errors) / len(errors)) < 10
    assert [seat.elo for seat in found.seats] == pytest.approx([200, -350], abs=15)
    best = max(range(12), key=lambda bot: truth[bot])
    assert found.rows[0].bot == f"bot{best}"


def test_each_variant_has_its_own_ratings() -> None:
    """A bot may be good at one game and bad at another; together they level out."""
    good = encounters("alpha", "beta", *[WIN] * 12, *[LOSS] * 4)
    bad = [game._replace(variant="other", score=game.score[::-1]) for game in good]
    tally = tally_games(good + bad)
    assert by_name(rate(tally, "game"))["alpha"].elo > 50
    assert by_name(rate(tally, "other"))["alpha"].elo < -50
    assert [row.elo for row in rate(tally).rows] == [0, 0]
    assert [seat.variant for seat in rate(tally).seats] == ["game", "other"]
    assert rate(tally, "game") == replace(rate(tally_games(good)), variant="game")


def test_a_repeated_game_counts_once() -> None:
    """Deterministic bots who replay a game learn nothing new; the games stay visible."""
    games = encounters("alpha", "beta", *[WIN, WIN, LOSS] * 4)
    again = [game._replace(encounter=game.encounter + 6) for game in games]
    once, twice = rate(tally_games(games)), rate(tally_games(again + games))
    assert [row.games for row in twice.rows] == [24, 24]
    assert [replace(row, games=12) for row in twice.rows] == list(once.rows)
    assert (twice.seats, twice.superiority) == (once.seats, once.superiority)


def test_equal_moves_with_another_score_are_another_game() -> None:
    """A bot that crashes where it once played on has played two games."""
    games = encounters("alpha", "beta", WIN, WIN)
    crashed = games[0]._replace(encounter=5, score=LOSS)
    assert rate(tally_games([*games, crashed])).rows[0].distinct == 3


def test_games_that_both_lost_say_nothing_about_strength() -> None:
    """They are counted among the games and left out of the fit."""
    games = encounters("alpha", "beta", *[WIN, LOSS, WIN] * 4)
    lost = [GameResult("alpha", "beta", "game", 20 + n, BOTH_LOST, 90 + n) for n in range(5)]
    with_them, without = rate(tally_games(games + lost)), rate(tally_games(games))
    assert [replace(row, games=12) for row in with_them.rows] == list(without.rows)
    assert [row.games for row in with_them.rows] == [17, 17]
    only = rate(tally_games(lost)).rows[0]
    assert (only.games, only.distinct, only.note) == (5, 0, "no games that count")


def test_a_game_that_seat_2_always_wins_stays_finite() -> None:
    """On the 4x4 lockdown board strengths cannot be told apart, and the intervals say so."""
    games = [
        GameResult(*pair[::way], "lockdown-4x4", number, LOSS, number)
        for pair in combinations("abcd", 2)
        for way in (1, -1)
        for number in range(50)
    ]
    found = rate(tally_games(games))
    assert [(row.bot, row.elo) for row in found.rows] == [(bot, 0.0) for bot in "abcd"]
    assert all(row.high > 100 for row in found.rows)
    assert -2000 < found.seats[0].low < found.seats[0].elo < found.seats[0].high < -500
    assert [claim.percent for claim in found.superiority] == [50.0] * 3


NOTES = [
    ([], "alpha", "no games that count"),
    (encounters("alpha", "beta", WIN, LOSS, WIN), "alpha", "too few games: 3 different"),
    (encounters("alpha", "beta", *[WIN] * 10), "alpha", "won every game: by how much is a guess"),
    (encounters("beta", "alpha", *[WIN] * 10), "alpha", "lost every game: by how much is a guess"),
    (
        encounters("alpha", "beta", *[WIN, LOSS] * 5) + encounters("gamma", "delta", *[WIN] * 10),
        "alpha",
        "no games link it to some of the others",
    ),
    (
        encounters("alpha", "beta", *[WIN, LOSS] * 5) + encounters("beta", "gamma", *[WIN] * 10),
        "alpha",
        None,
    ),
]


@pytest.mark.parametrize(("games", "bot", "note"), NOTES)
def test_what_numbers_do_not_show_is_said_in_words(
    games: list[GameResult], bot: str, note: str | None
) -> None:
    """Too few games, one-sided ones or none are named as such."""
    assert by_name(rate(tally_games(games, ["alpha"])))[bot].note == note


def test_seat_advantage_has_notes_too() -> None:
    """Few games, or a single opening, are named as such."""
    few = encounters("alpha", "beta", WIN, LOSS)
    assert rate(tally_games(few)).seats[0].note == "too few games: 2 different"
    one = [
        game._replace(encounter=1, moves_key=number)
        for number, game in enumerate(encounters("alpha", "beta", *[WIN, LOSS, LOSS] * 5))
    ]
    assert rate(tally_games(one)).seats[0].note == "one opening only: others may differ"
    many = encounters("alpha", "beta", *[WIN, LOSS, LOSS] * 5)
    assert rate(tally_games(many)).seats[0].note is None


def test_superiority_is_a_sentence() -> None:
    """It reads like one, and is never certain."""
    assert str(ratings.Superiority("alpha", "beta", 97.2)) == "alpha is better than beta: 97 %"
    assert str(ratings.Superiority("alpha", "beta", 99.9)) == "alpha is better than beta: over 99 %"
    clear = rate(tally_games(encounters("alpha", "beta", *[WIN] * 300, *[LOSS] * 30)))
    assert clear.superiority == (ratings.Superiority("alpha", "beta", 99.9),)


def test_mistakes_of_the_caller_are_refused() -> None:
    """A bot against itself, a variant that nobody played and an impossible score are errors."""
    with pytest.raises(ValueError, match="alpha cannot meet itself"):
        tally_games([GameResult("alpha", "alpha", "game", 1, WIN, 1)])
    with pytest.raises(ValueError, match="no games of chess: there are game"):
        rate(tally_games(encounters("alpha", "beta", WIN)), "chess")
    with pytest.raises(ValueError, match="a score that no game can have"):
        tally_games([GameResult("alpha", "beta", "game", 1, (1.0, 1.0), 1)])


def test_keys_of_moves() -> None:
    """Equal moves have equal keys that fit into 64 bits, other moves others."""
    keys = {moves_key(said) for said in ("3,3;1,1", "3,3;1,1", "1,1;3,3", "3,3", "")}
    assert len(keys) == 4
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_keys_of_moves_are_the_same_in_every_process() -> None:
    """The games of a cluster are played by processes that have nothing in common."""
    program = "from referee.records.summary import moves_key; print(moves_key('3,3;1,1'))"
    keys = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert keys == {f"{moves_key('3,3;1,1')}\n".encode()}


PAIRS = [pair for bots in combinations("abcde", 2) for pair in (bots, bots[::-1])]
RESULTS = st.lists(
    st.builds(
        lambda pair, *rest: GameResult(*pair, *rest),
        st.sampled_from(PAIRS),
        st.sampled_from(["big", "small"]),
        st.integers(0, 4),
        st.sampled_from([WIN, WIN, LOSS, LOSS, DRAW, BOTH_LOST]),
        st.integers(0, 3),
    ),
    max_size=60,
)


@given(RESULTS)
def test_every_number_is_finite_and_in_order(results: list[GameResult]) -> None:
    """Whatever was played: no nan, no inf, no interval that leaves its middle out."""
    found = rate(tally_games(results, "abcde"))
    for line in (*found.rows, *found.seats):
        assert line.low < line.elo < line.high
        numbers = [value for value in asdict(line).values() if isinstance(value, float)]
        assert all(math.isfinite(number) for number in numbers)
    assert [row.elo for row in found.rows] == sorted((r.elo for r in found.rows), reverse=True)
    assert abs(sum(row.elo for row in found.rows)) < 0.5
    assert all(50 <= claim.percent <= 99.9 for claim in found.superiority)
    assert sum(row.games for row in found.rows) == 2 * len(results)


@given(RESULTS, st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(
    results: list[GameResult], dice: random.Random
) -> None:
    """Shuffled records give the same ratings, to the last digit."""
    shuffled = dice.sample(results, len(results))
    assert rate(tally_games(shuffled)) == rate(tally_games(results))


@given(RESULTS, st.permutations("abcde"))
def test_names_change_nothing(results: list[GameResult], names: list[str]) -> None:
    """Relabelled bots keep their numbers, though equals are listed by their new names."""
    new = dict(zip("abcde", names, strict=True))
    renamed = [game._replace(first=new[game.first], second=new[game.second]) for game in results]
    before, after = rate(tally_games(results)), by_name(rate(tally_games(renamed)))
    for row in before.rows:
        same = after[new[row.bot]]
        assert (same.elo, same.low, same.high) == pytest.approx((row.elo, row.low, row.high))
        assert (same.games, same.distinct, same.note) == (row.games, row.distinct, row.note)


@given(RESULTS)
def test_swapping_all_seats_turns_the_advantage_around(results: list[GameResult]) -> None:
    """Strengths stay, and what seat 1 was worth seat 2 is worth."""
    swapped = [
        game._replace(first=game.second, second=game.first, score=game.score[::-1])
        for game in results
    ]
    before, after = rate(tally_games(results)), rate(tally_games(swapped))
    assert by_name(after) == by_name(before)
    for old, new in zip(before.seats, after.seats, strict=True):
        assert (new.elo, new.low, new.high) == (-old.elo, -old.high, -old.low)


if __name__ == "__main__":
    fields = {name: field for name, (field, _) in FIELDS.items()} | EXTREMES
    for name, field in fields.items():
        found = coverage(field, int(sys.argv[1]))
        print(f"{name:55} strengths {found[0]:.1f} %, seats {found[1]:.1f} %", flush=True)
    found = coverage(Field(spread=450.0, plays=newcomer), int(sys.argv[1]), bots=1)
    print(f"{'a newcomer with three encounters':55} strength {found[0]:.1f} %")
