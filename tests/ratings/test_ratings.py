"""Ratings, compared with published numbers and with simulated tournaments.

`python benchmarks/ratings.py --coverage 1000` prints how often, in 1000 tournaments of each kind.
"""

import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.simulation import (
    KINDS,
    SWISS_KINDS,
    Field,
    measure_coverage,
    measure_error,
    newcomer,
    percent,
)
from referee.ratings import bradley_terry, covariance, ratings
from referee.ratings.elo_scale import ELO
from referee.ratings.encounter_table import GameResult, count_repeated, tally_games
from referee.ratings.game_columns import GameColumns
from referee.ratings.ratings import Ratings, RatingScale, rate
from referee.records.summary import moves_key

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


def elo(found: Ratings, bot: str) -> float:
    """The rating of a bot that has one."""
    value = by_name(found)[bot].elo
    assert value is not None
    return value


def width(row: ratings.RatingRow) -> float:
    """The width of an interval with two ends."""
    assert row.low is not None
    assert row.high is not None
    return row.high - row.low


def encounters(first: str, second: str, *scores: tuple[float, float]) -> list[GameResult]:
    """Return two games per encounter, all different; scores are those of `first`, seat by seat."""
    games = []
    for number, (own, other) in enumerate(scores):
        seats = (first, second) if number % 2 == 0 else (second, first)
        score = (own, other) if number % 2 == 0 else (other, own)
        games.append(GameResult(*seats, "game", number // 2, score, number))
    return games


def baseball() -> Iterator[GameResult]:
    """Return every game in an encounter of its own, without dependence between games."""
    number = 0
    for home, rivals in BASEBALL.items():
        for away, (won, lost) in rivals.items():
            for score in [WIN] * won + [LOSS] * lost:
                yield GameResult(home, away, "baseball", number, score, number)
                number += 1


def test_ratings_of_baseball_are_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the prior, strengths and home advantage are those of Agresti's table 10.11."""
    monkeypatch.setattr(ratings, "PRIOR_SD", 100.0)
    monkeypatch.setattr(bradley_terry, "SEAT_PRIOR_SD", 1000.0)
    found = rate(tally_games(baseball()))
    strengths = [math.exp((row.elo or 0.0) / ELO) for row in found.rows]
    shares = [round(strength / sum(strengths), 3) for strength in strengths]
    assert shares == [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044]
    assert found.seats[0].elo / ELO == pytest.approx(0.302, abs=0.001)


@pytest.mark.parametrize(("won", "lost"), [(30, 10), (44, 36), (25, 25)])
def test_ratings_of_two_bots_have_the_closed_form(
    won: int, lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal results from both seats: Elo's formula, and the binomial's standard error."""
    monkeypatch.setattr(ratings, "PRIOR_SD", 100.0)
    monkeypatch.setattr(bradley_terry, "SEAT_PRIOR_SD", 1000.0)
    monkeypatch.setattr(covariance, "CAUTION", 1e9)  # the two games of an encounter: independent
    results = [score for score in [WIN] * won + [LOSS] * lost for _ in "ab"]
    row = by_name(rate(tally_games(encounters("new", "old", *results))))["new"]
    assert row.elo is not None
    games, share = 2 * (won + lost), won / (won + lost)
    assert 2 * row.elo == pytest.approx(400 * math.log10(won / lost), abs=0.2)
    error = ELO / math.sqrt(games * share * (1 - share))
    assert width(row) == pytest.approx(1.96 * error, abs=0.2)


def test_prior_changes_ratings_by_less_than_a_tenth_of_the_interval() -> None:
    """With a few dozen games per bot."""
    games = list(baseball())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "PRIOR_SD", 100.0)
        free = rate(tally_games(games))
    weak = rate(tally_games(games))
    for bot, row in by_name(weak).items():
        assert abs(elo(weak, bot) - elo(free, bot)) < width(row) / 10


TOURNAMENTS = {  # enough to tell 93 % from 95 %, and no more
    "two bots, five encounters, spread 450": 800,
    "two bots, five encounters, spread 250": 800,
    "four deterministic bots, three encounters, each repeated four times": 350,
    "the same, and the opening decides": 350,
    "four bots, three encounters, spread 250": 350,
    "four bots, twenty encounters": 150,
    "the same, twenty encounters": 60,
    "the same, twenty encounters ": 100,
}


@pytest.mark.parametrize("name", KINDS)
def test_intervals_of_strengths_have_their_coverage(name: str) -> None:
    """The 95 % intervals of strengths hold the truth in 93 to 97 % of cases, nearly.

    The limits leave room for the luck of few tournaments; docs/statistics.md has many.
    """
    found = measure_coverage(KINDS[name], TOURNAMENTS.get(name, 100))
    assert 91.8 <= percent(found.held) <= 98.2
    assert len(found.bounds_held) < 30 or percent(found.bounds_held) >= 88


@pytest.mark.parametrize("name", list(SWISS_KINDS)[:2])
def test_intervals_hold_where_pairings_depend_on_results(name: str) -> None:
    """The first row of the table, too, although it is there by luck."""
    found = measure_coverage(SWISS_KINDS[name], 60)
    assert 91 <= percent(found.held) <= 98
    assert percent(found.first_held) >= 86
    plain = measure_coverage(replace(SWISS_KINDS[name], scale=RatingScale()), 60)
    assert percent(plain.held) < percent(found.held)
    assert percent(plain.first_held) < 80


def test_interval_of_a_newcomer_has_its_coverage() -> None:
    """A bot with six games among bots with many has a wide interval."""
    field = Field(spread=450.0, plays=newcomer)
    assert 92 <= percent(measure_coverage(field, 350, bots=1).held) <= 98
    results = field.play(np.random.default_rng(1))[1]
    rows = by_name(rate(tally_games(results)))
    assert rows["bot0"].distinct == 6
    assert width(rows["bot0"]) > 1.5 * width(rows["bot1"])


@pytest.mark.parametrize("opening", [0.0, 0.3, 0.6])
def test_intervals_of_the_seat_advantage_hold(opening: float) -> None:
    """If all pairings share the openings, less is known with few of them than games suggest."""
    field = Field(encounters=10, opening=opening, seats=(150.0,), spread_openings=False)
    assert 92 <= percent(measure_coverage(field, 150).seats_held) <= 99


def test_spread_openings_make_ratings_more_accurate() -> None:
    """If bots know some openings better, luck with a few shared ones is shared by all results."""
    field = Field(knowledge=0.6, spread=200.0)
    shared = measure_error(replace(field, spread_openings=False), 60)
    assert measure_error(field, 60) < 0.8 * shared


def test_superiority_is_calibrated() -> None:
    """Among neighbours called better with 80 to 90 %, about that share is better."""
    rng = np.random.default_rng(7)
    claims: dict[int, list[tuple[float, bool]]] = {}
    for _ in range(300):
        truth, results = Field(pair=0.5, spread=200.0).play(rng)
        for better, worse in pairwise(rate(tally_games(results)).rows):
            right = truth[int(better.bot[3:])] > truth[int(worse.bot[3:])]
            assert better.superiority is not None
            claims.setdefault(int(better.superiority // 10), []).append((better.superiority, right))
    for group in claims.values():
        said = sum(percent for percent, _ in group) / len(group)
        true = 100 * sum(right for _, right in group) / len(group)
        assert true == pytest.approx(said, abs=6), len(group)


def test_ratings_recover_known_strengths() -> None:
    """A long tournament finds strengths and seat advantages to within a few Elo."""
    field = Field(bots=12, encounters=150, seats=(200.0, -350.0), spread=200.0)
    truth, results = field.play(np.random.default_rng(4))
    found = rate(tally_games(results))
    centred = np.array(truth) - np.mean(truth)
    errors = [elo(found, f"bot{bot}") - strength for bot, strength in enumerate(centred)]
    assert math.sqrt(sum(error**2 for error in errors) / len(errors)) < 10
    assert [seat.elo for seat in found.seats] == pytest.approx([200, -350], abs=15)
    best = max(range(12), key=lambda bot: truth[bot])
    assert found.rows[0].bot == f"bot{best}"


def test_each_variant_has_its_own_ratings() -> None:
    """A bot may be good at one game and bad at another."""
    good = encounters("alpha", "beta", *[WIN] * 12, *[LOSS] * 4)
    bad = [game._replace(variant="other", score=game.score[::-1]) for game in good]
    tally = tally_games(good + bad)
    assert elo(rate(tally, "game"), "alpha") > 50
    assert elo(rate(tally, "other"), "alpha") < -50
    assert [row.elo for row in rate(tally).rows] == [0, 0]
    assert [seat.variant for seat in rate(tally).seats] == ["game", "other"]
    assert rate(tally, "game") == replace(rate(tally_games(good)), variant="game")


def test_a_repeated_game_counts_once() -> None:
    """Deterministic bots who replay a game learn nothing new; the games stay visible."""
    games = [
        game._replace(opening=game.encounter)
        for game in encounters("alpha", "beta", *[WIN, WIN, LOSS] * 4)
    ]
    again = [game._replace(encounter=game.encounter + 6) for game in games]
    once, twice = rate(tally_games(games)), rate(tally_games(again + games))
    assert [row.games for row in twice.rows] == [24, 24]
    assert [replace(row, games=12) for row in twice.rows] == list(once.rows)
    assert (twice.seats, twice.expected) == (once.seats, once.expected)


@pytest.mark.parametrize("results", [[(WIN, 1), (WIN, 1), (WIN, 2)], [(WIN, 1), (LOSS, 1)]])
def test_games_with_dice_all_count(results: list[tuple[tuple[float, float], int]]) -> None:
    """One replay with other moves, or another score, and no replay of this opening is dropped."""
    games = [
        GameResult("alpha", "beta", "game", number, score, moves, 1)
        for number, (score, moves) in enumerate(results * 3)
    ]
    sure = [GameResult("beta", "alpha", "game", number, LOSS, 5, 1) for number in range(7)]
    other = [GameResult("alpha", "beta", "game", number, WIN, 9, 2) for number in range(7)]
    found = rate(tally_games(games + sure + other)).rows
    assert [row.distinct for row in found] == [len(games) + 2] * 2
    game_columns = GameColumns()
    for game in games + sure + other:
        game_columns.add(*game)
    assert count_repeated(game_columns) == 12


def test_dice_on_a_tiny_board_do_not_move_the_rating() -> None:
    """Two equal bots with random moves: short games repeat by chance more often than long ones."""
    rng = np.random.default_rng(3)
    games = []
    for number in range(4000):
        seats = ("alpha", "beta")[:: 1 if number % 2 else -1]
        won = rng.random() < 0.5
        # alpha wins in one of two ways, beta in one of 200.
        moves = rng.integers(2) if won else 10 + rng.integers(200)
        score = WIN if won == (seats[0] == "alpha") else LOSS
        games.append(GameResult(*seats, "game", number // 2, score, int(moves), number // 2 % 5))
    assert abs(elo(rate(tally_games(games)), "alpha")) < 10


def test_equal_moves_with_another_score_are_another_game() -> None:
    """A bot that crashes where it once played on has played two games."""
    games = encounters("alpha", "beta", WIN, WIN)
    crashed = games[0]._replace(encounter=5, score=LOSS)
    assert rate(tally_games([*games, crashed])).rows[0].distinct == 3


def test_games_that_both_lost_do_not_change_ratings() -> None:
    """They are counted among the games and left out of the fit."""
    games = encounters("alpha", "beta", *[WIN, LOSS, WIN] * 4)
    lost = [GameResult("alpha", "beta", "game", 20 + n, BOTH_LOST, 90 + n) for n in range(5)]
    with_them, without = rate(tally_games(games + lost)), rate(tally_games(games))
    assert [replace(row, games=12) for row in with_them.rows] == list(without.rows)
    assert [row.games for row in with_them.rows] == [17, 17]
    only = rate(tally_games(lost)).rows[0]
    assert (only.games, only.distinct, only.note) == (5, 0, "no games that count")


def test_ratings_of_a_game_that_seat_2_always_wins_are_finite() -> None:
    """On 4x4 lockdown strengths cannot be distinguished; the intervals are wide."""
    games = [
        GameResult(*pair[::way], "lockdown-4x4", number, LOSS, number)
        for pair in combinations("abcd", 2)
        for way in (1, -1)
        for number in range(50)
    ]
    found = rate(tally_games(games))
    assert [(row.bot, row.elo) for row in found.rows] == [(bot, 0.0) for bot in "abcd"]
    assert all(row.high is not None and row.high > 100 for row in found.rows)
    assert -2000 < found.seats[0].low < found.seats[0].elo < found.seats[0].high < -500
    assert [row.superiority for row in found.rows] == [50.0, 50.0, 50.0, None]
    assert {row.ranks for row in found.rows} == {(1, 4)}
    assert found.notes == ()


NOTES = [
    ([], "alpha", "no games that count"),
    (encounters("alpha", "beta", WIN, LOSS, WIN), "alpha", "too few games: 3 different"),
    (encounters("alpha", "beta", *[WIN] * 10), "alpha", "won every game"),
    (encounters("beta", "alpha", *[WIN] * 10), "alpha", "lost every game"),
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
def test_ratings_have_notes_about_few_or_one_sided_games(
    games: list[GameResult], bot: str, note: str | None
) -> None:
    """And about none."""
    assert by_name(rate(tally_games(games, ["alpha"])))[bot].note == note


def test_seat_advantage_has_notes_about_few_games_or_openings() -> None:
    """In words."""
    few = encounters("alpha", "beta", WIN, LOSS)
    assert rate(tally_games(few)).seats[0].note == "too few games: 2 different"
    one = [
        game._replace(encounter=1, moves_key=number)
        for number, game in enumerate(encounters("alpha", "beta", *[WIN, LOSS, LOSS] * 5))
    ]
    assert rate(tally_games(one)).seats[0].note == "one opening only: others may differ"
    many = encounters("alpha", "beta", *[WIN, LOSS, LOSS] * 5)
    assert rate(tally_games(many)).seats[0].note is None


def test_superiority_is_never_certain() -> None:
    """However many games were won."""
    clear = rate(tally_games(encounters("alpha", "beta", *[WIN] * 300, *[LOSS] * 30)))
    assert [row.superiority for row in clear.rows] == [99.9, None]
    assert [row.ranks for row in clear.rows] == [(1, 1), (2, 2)]


def test_ranks_that_games_do_not_separate_are_a_range() -> None:
    """a is far ahead; the order of the others is not known."""
    games = encounters("a", "b", *[WIN] * 40, LOSS, LOSS) + encounters("a", "c", *[WIN] * 40)
    games += encounters("b", "c", *[WIN, LOSS, LOSS, WIN, WIN] * 4)
    found = by_name(rate(tally_games(games)))
    assert [found[bot].ranks for bot in "abc"] == [(1, 1), (2, 3), (2, 3)]


def test_bots_with_one_sided_results_have_a_bound() -> None:
    """They have no number, and do not move the zero point of the others."""
    games = encounters("b", "c", *[WIN, LOSS, LOSS, WIN, WIN] * 4)
    games += [game for bot in "bc" for game in encounters("a", bot, *[WIN] * 20)]
    games += [game for bot in "bc" for game in encounters(bot, "d", *[WIN] * 20)]
    found = rate(tally_games(games))
    assert [row.bot for row in found.rows] == ["a", "b", "c", "d"]
    first, *middle, last = found.rows
    assert (first.elo, first.high, last.elo, last.low) == (None,) * 4
    assert first.low is not None
    assert last.high is not None
    # At this strength, 40 games against two equal bots are all won with a probability of 0.5 %.
    chance = 0.005 ** (1 / 40)
    expected = 400 * math.log10(chance / (1 - chance))
    assert first.low == pytest.approx(expected, rel=0.15)
    assert last.high == pytest.approx(-expected, rel=0.15)
    assert sum(row.elo or 0.0 for row in middle) == pytest.approx(0, abs=0.1)
    assert first.note == "won every game"


@pytest.mark.parametrize("rating", [0.0, 1500.0])
def test_an_anchor_fixes_the_scale(rating: float) -> None:
    """Its own rating is exact; differences stay as they are."""
    games = [game for pair in combinations("abcd", 2) for game in scores(*pair)]
    plain = rate(tally_games(games))
    found = rate(tally_games(games), scale=RatingScale("c", rating))
    row = by_name(found)["c"]
    assert (row.elo, row.low, row.high) == (rating, rating, rating)
    for bot in "abd":
        assert elo(found, bot) - rating == pytest.approx(elo(plain, bot) - elo(plain, "c"), abs=0.2)
        likely, anchor = by_name(plain)[bot].maximum_likelihood, by_name(plain)["c"]
        assert likely is not None
        assert anchor.maximum_likelihood is not None
        moved = likely - anchor.maximum_likelihood + rating
        assert by_name(found)[bot].maximum_likelihood == pytest.approx(moved, abs=0.2)


def test_an_anchor_without_a_rating_is_not_used() -> None:
    """Nothing can be measured from a bot that won everything; a note states that."""
    games = scores("b", "c") + encounters("a", "b", *[WIN] * 20)
    found = rate(tally_games(games), scale=RatingScale("a", 1000))
    assert sum(row.elo or 0.0 for row in found.rows) == pytest.approx(0, abs=0.1)
    (note,) = found.notes
    assert note.startswith("the rating of the anchor a is not known from both sides")


def scores(first: str, second: str) -> list[GameResult]:
    """Twenty games of two bots that both win some."""
    dice = random.Random(first + second)
    return encounters(first, second, *(dice.choice([WIN, WIN, LOSS]) for _ in range(20)))


def by_board(board: str, games: list[GameResult]) -> list[GameResult]:
    return [game._replace(variant=board) for game in games]


def test_the_overall_rating_is_the_mean_of_the_boards() -> None:
    """Each board weighs the same, however many games it has and however much they reveal."""
    field = Field(bots=4, encounters=15, seats=(0.0, 300.0), by_variant=250.0)
    _, results = field.play(np.random.default_rng(8))
    more = [
        game._replace(encounter=game.encounter + 99, moves_key=-number, opening=-number)
        for number, game in enumerate(results)
        if game.variant == "game1"
    ]
    table = tally_games(results + more)
    one, two, overall = rate(table, "game0"), rate(table, "game1"), rate(table)
    for bot in table.bots:
        mean = (elo(one, bot) + elo(two, bot)) / 2
        assert elo(overall, bot) == pytest.approx(mean, abs=0.2)
        errors = [width(by_name(each)[bot]) for each in (one, two)]
        expected = math.hypot(*errors) / 2
        assert width(by_name(overall)[bot]) == pytest.approx(expected, rel=0.01)


def test_boards_that_disagree_have_a_note() -> None:
    """A bot that is good at one game and bad at another is not average."""
    good = encounters("a", "b", *[WIN] * 30, *[LOSS] * 6)
    bad = by_board("other", encounters("a", "b", *[LOSS] * 30, *[WIN] * 6))
    found = by_name(rate(tally_games(good + bad)))["a"]
    assert found.note is not None
    assert re.fullmatch(r"differs by board: \+[0-9]+ in game, -[0-9]+ in other", found.note)
    assert by_name(rate(tally_games(good + by_board("other", good))))["a"].note is None


def test_a_bot_that_plays_some_boards_has_their_mean() -> None:
    """Measured from the bots that play all of them, who are stronger on the second board."""
    both = [
        game
        for board in ("game", "other")
        for pair in ("ab", "ac", "bc")
        for game in by_board(board, scores(*pair))
    ]
    only = by_board("other", scores("d", "a") + scores("d", "b") + scores("c", "d"))
    found = rate(tally_games(both + only))
    other = rate(tally_games(both + only), "other")
    reference = sum(elo(other, bot) for bot in "abc") / 3
    zero = sum(elo(found, bot) for bot in "abc") / 3
    assert elo(found, "d") - zero == pytest.approx(elo(other, "d") - reference, abs=0.3)


def test_a_board_that_one_seat_always_wins_is_left_out() -> None:
    """It is no evidence of strength, and a note states that."""
    games = scores("a", "b") + scores("a", "c") + scores("b", "c")
    seat = [
        GameResult(one, two, "lockdown-4x4", number, LOSS, number)
        for number in range(9)
        for one, two in permutations("abc", 2)
    ]
    found, alone = rate(tally_games(games + seat)), rate(tally_games(games))
    for row in alone.rows:
        same = by_name(found)[row.bot]
        assert (same.elo, same.low, same.high) == (row.elo, row.low, row.high)
    (note,) = found.notes
    assert note.startswith("all games of lockdown-4x4 were won from the same seat")


def minorization(games: list[GameResult], rounds: int = 20_000) -> dict[str, float]:
    """Maximum likelihood by plain MM iterations (Hunter 2004), in Elo, with the mean 0."""
    bots = sorted({bot for game in games for bot in game[:2]})
    place = {bot: number for number, bot in enumerate(bots)}
    met, won = np.zeros((len(bots), len(bots))), np.zeros(len(bots))
    for game in games:
        one, two = place[game.first], place[game.second]
        met[one, two] += 1
        met[two, one] += 1
        won[one] += game.score[0]
        won[two] += game.score[1]
    power = np.ones(len(bots))
    for _ in range(rounds):
        new = won / (met / (power[:, None] + power)).sum(axis=1)
        new /= np.exp(np.log(new).mean())
        if np.abs(np.log(new / power)).max() < 1e-10:
            break
        power = new
    return {bot: float(ELO * np.log(power[place[bot]])) for bot in bots}


@pytest.mark.parametrize(("bots", "count"), [(4, 80), (10, 400), (50, 3000), (200, 12_000)])
def test_maximum_likelihood_agrees_with_another_fit(bots: int, count: int) -> None:
    """Wins, losses and draws of bots that met at random: equal within 0.1 Elo."""
    dice = random.Random(bots)
    strengths = [dice.gauss(0, 150) for _ in range(bots)]
    games = []
    for number in range(count):
        one, two = dice.sample(range(bots), 2)
        chance = 1 / (1 + 10 ** ((strengths[two] - strengths[one]) / 400))
        score = DRAW if dice.random() < 0.1 else WIN if dice.random() < chance else LOSS
        games.append(GameResult(f"b{one}", f"b{two}", "game", number, score, number))
    expected = minorization(games)
    for row in rate(tally_games(games)).rows:
        assert row.maximum_likelihood == pytest.approx(expected[row.bot], abs=0.1)


def test_maximum_likelihood_is_absent_where_it_is_infinite() -> None:
    """For bots that won or lost everything, and for groups that no other bot beats."""
    games = encounters("a", "b", *[WIN, LOSS, WIN]) + encounters("b", "c", *[WIN] * 4)
    games += encounters("c", "d", *[WIN, LOSS, WIN, LOSS]) + encounters("d", "e", *[WIN, LOSS] * 2)
    games += encounters("e", "f", WIN, WIN)
    found = by_name(rate(tally_games(games)))
    known = {bot for bot in "abcdef" if found[bot].maximum_likelihood is not None}
    assert known == {"c", "d", "e"}
    assert {found[bot].maximum_likelihood for bot in known} == {0.0}


def test_expected_scores_show_cycles() -> None:
    """Three equal bots by rating: each scored more against one and less against the other."""
    games = [
        game
        for one, two in ("ab", "bc", "ca")
        for game in encounters(one, two, *[WIN] * 15, *[LOSS] * 5)
    ]
    found = rate(tally_games(games))
    assert {row.elo for row in found.rows} == {0.0}
    surplus = {(e.bot, e.opponent): e.points - e.expected for e in found.expected}
    assert surplus == {("a", "b"): 5.0, ("a", "c"): -5.0, ("b", "c"): 5.0}
    assert {e.games for e in found.expected} == {20}


def test_ratings_reject_impossible_games() -> None:
    """A bot against itself, a variant without games and an impossible score are errors."""
    with pytest.raises(ValueError, match="alpha cannot meet itself"):
        tally_games([GameResult("alpha", "alpha", "game", 1, WIN, 1)])
    with pytest.raises(ValueError, match="no games of chess: there are game"):
        rate(tally_games(encounters("alpha", "beta", WIN)), "chess")
    with pytest.raises(ValueError, match="a score that no game can have"):
        tally_games([GameResult("alpha", "beta", "game", 1, (1.0, 1.0), 1)])


def test_moves_key_is_equal_for_equal_moves_only() -> None:
    """It fits into 64 bits."""
    keys = {moves_key(said) for said in ("3,3;1,1", "3,3;1,1", "1,1;3,3", "3,3", "")}
    assert len(keys) == 4
    assert all(-(2**63) <= key < 2**63 for key in keys)


def test_moves_key_is_the_same_in_every_process() -> None:
    """The games of a cluster are played by independent processes."""
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
def test_ratings_are_finite_and_inside_their_intervals(results: list[GameResult]) -> None:
    """For any games."""
    found = rate(tally_games(results, "abcde"))
    for line in (*found.rows, *found.seats):
        ends = [end for end in (line.low, line.elo, line.high) if end is not None]
        assert ends == sorted(ends)
        numbers = [value for value in asdict(line).values() if isinstance(value, float)]
        assert all(math.isfinite(number) for number in numbers)
    known = [row.elo for row in found.rows if row.elo is not None]
    assert known == sorted(known, reverse=True)
    assert abs(sum(known)) < 0.5
    for row in found.rows:
        assert row.superiority is None or 50 <= row.superiority <= 99.9
        assert row.ranks is None or 1 <= row.ranks[0] <= row.ranks[1] <= 5
        assert (row.ranks is None) >= (row.distinct == 0)
    assert sum(row.games for row in found.rows) == 2 * len(results)


@given(RESULTS, st.randoms(use_true_random=False))
def test_ratings_do_not_depend_on_the_order_of_records(
    results: list[GameResult], dice: random.Random
) -> None:
    """To the last digit."""
    shuffled = dice.sample(results, len(results))
    assert rate(tally_games(shuffled)) == rate(tally_games(results))


@given(RESULTS, st.permutations("abcde"))
def test_ratings_do_not_depend_on_names(results: list[GameResult], names: list[str]) -> None:
    """Equal bots are listed by their new names."""
    new = dict(zip("abcde", names, strict=True))
    renamed = [game._replace(first=new[game.first], second=new[game.second]) for game in results]
    before, after = rate(tally_games(results)), by_name(rate(tally_games(renamed)))
    for row in before.rows:
        same = after[new[row.bot]]
        assert (same.elo, same.low, same.high) == pytest.approx((row.elo, row.low, row.high))
        assert (same.games, same.distinct, same.note) == (row.games, row.distinct, row.note)


@given(RESULTS)
def test_exchanged_seats_negate_the_seat_advantage(results: list[GameResult]) -> None:
    """Strengths stay."""
    swapped = [
        game._replace(first=game.second, second=game.first, score=game.score[::-1])
        for game in results
    ]
    before, after = rate(tally_games(results)), rate(tally_games(swapped))
    assert by_name(after) == by_name(before)
    for old, new in zip(before.seats, after.seats, strict=True):
        assert (new.elo, new.low, new.high) == (-old.elo, -old.high, -old.low)
