"""Swiss, knockout, gauntlet: every promise of each format, for 2 to 33 bots."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.formats import Gauntlet, Knockout, Pair, RoundRobin, Schedule, Swiss, pair_of
from referee.matching import maximum_matching

FIELDS = range(2, 34)


def names(count: int) -> list[str]:
    return [f"bot{number:02}" for number in range(1, count + 1)]


def play(schedule: Schedule, seed: int, draws: bool = True) -> dict[tuple[Pair, int], tuple]:
    """Play all rounds with random scores; the two games of an encounter share two points."""
    dice = random.Random(seed)
    scores: dict[tuple[Pair, int], tuple[float, float]] = {}
    for round in schedule.play(lambda: scores):
        for match in round.matches:
            for number in match.numbers:
                assert (match.pair, number) not in scores
                first = dice.choice([0, 1, 2] if draws else [0, 2])
                scores[match.pair, number] = (first, 2 - first)
    return scores


@pytest.mark.parametrize("count", FIELDS)
def test_swiss_keeps_its_promises(count: int) -> None:
    """No rematch while avoidable, a bye at most once, everybody plays each round."""
    bots = names(count)
    for rounds in {1, 3, max(1, count // 2), max(1, count - 1)}:
        schedule = Swiss(bots, encounters=1, round_count=rounds, win=2.0)
        play(schedule, seed=count)
        assert len(schedule.rounds) == rounds
        for round in schedule.rounds:
            playing = [bot for match in round.matches for bot in match.pair]
            assert sorted([*playing, *([round.bye] if round.bye else [])]) == bots
        assert max(schedule.byes.values(), default=0) <= 1 or rounds > count
        assert_rematches_were_unavoidable(schedule)


def assert_rematches_were_unavoidable(schedule: Schedule) -> None:
    """In each round, as many new pairs were made as the bots that played allow."""
    met: set[Pair] = set()
    for round in schedule.rounds:
        playing = [bot for match in round.matches for bot in match.pair]
        new = sum(match.pair not in met for match in round.matches)
        mates = maximum_matching(
            len(playing), lambda a, b, p=playing, m=met: pair_of(p[a], p[b]) not in m
        )
        assert new == sum(mate >= 0 for mate in mates) // 2
        met |= {match.pair for match in round.matches}


def test_swiss_pairs_equal_scores_upper_half_against_lower() -> None:
    """The first round follows the seeds, the second the scores."""
    schedule = Swiss(names(8), encounters=1, round_count=2, win=2.0)
    scores: dict = {}
    rounds = schedule.play(lambda: scores)
    first = next(rounds)
    pairs = [match.pair for match in first.matches]
    assert pairs == [(f"bot0{n}", f"bot0{n + 4}") for n in (1, 2, 3, 4)]
    scores.update({(pair, 1): (2, 0) for pair in pairs})
    second = [match.pair for match in next(rounds).matches]
    assert second == [
        ("bot01", "bot03"),
        ("bot02", "bot04"),
        ("bot05", "bot07"),
        ("bot06", "bot08"),
    ]


def test_a_swiss_rematch_has_encounters_of_its_own() -> None:
    """Two bots can only meet again, and their games have other numbers."""
    schedule = Swiss(names(2), encounters=3, round_count=2, win=6.0)
    play(schedule, seed=1)
    assert [match.numbers for round in schedule.rounds for match in round.matches] == [
        range(1, 4),
        range(4, 7),
    ]


@pytest.mark.parametrize("count", FIELDS)
@pytest.mark.parametrize("draws", [True, False])
def test_knockout_has_exactly_one_champion(count: int, draws: bool) -> None:
    """Everybody but the champion loses exactly one match that counts; byes go to the best seeds."""
    bots = names(count)
    schedule = Knockout(bots, encounters=2)
    scores = play(schedule, seed=count, draws=draws)
    matches = {match.pair for round in schedule.rounds for match in round.matches}
    assert len(matches) == schedule.match_count
    assert schedule.champion in bots
    assert schedule.places[:1] == [schedule.champion]
    assert len(schedule.places) == len(set(schedule.places)) == min(count, 3) - (count == 3)
    first_round = {bot for match in schedule.rounds[0].matches for bot in match.pair}
    byes = [bot for bot in bots if bot not in first_round]
    assert byes == bots[: len(byes)]
    assert set(scores) >= {(pair, number) for pair in matches for number in (1, 2)}


def test_knockout_seeds_are_far_apart() -> None:
    """If the better seed always wins, the final is between the first two."""
    schedule = Knockout(names(8), encounters=1)
    scores: dict = {}
    for round in schedule.play(lambda: scores):
        scores.update({(match.pair, 1): (2, 0) for match in round.matches})
    titles = [round.title for round in schedule.rounds]
    assert titles == ["Quarter-finals", "Semi-finals", "Final and third place"]
    assert schedule.places == ["bot01", "bot02", "bot03"]


def test_knockout_level_matches_go_on_and_then_the_seed_decides() -> None:
    """One encounter at a time, as many again; then the better seed goes through."""
    schedule = Knockout(["b", "a"], encounters=2)
    scores: dict = {}
    for round in schedule.play(lambda: scores):
        for match in round.matches:
            scores.update({(match.pair, number): (1, 1) for number in match.numbers})
    titles = [round.title for round in schedule.rounds]
    assert titles == ["Final", "Final, encounter 3", "Final, encounter 4"]
    assert schedule.champion == "b"


@pytest.mark.parametrize("count", FIELDS)
def test_round_robin_and_gauntlet_meet_whom_they_should(count: int) -> None:
    """Everybody once; or each challenger everybody who is not one."""
    bots = names(count)
    robin = RoundRobin(bots, encounters=3)
    play(robin, seed=1)
    pairs = Counter(match.pair for round in robin.rounds for match in round.matches)
    assert pairs == Counter(combinations(bots, 2))
    assert robin.match_count == pairs.total()
    gauntlet = Gauntlet(bots, encounters=3, challengers=bots[-1:])
    play(gauntlet, seed=1)
    pairs = Counter(match.pair for round in gauntlet.rounds for match in round.matches)
    assert pairs == Counter((bot, bots[-1]) for bot in bots[:-1])
    assert gauntlet.match_count == pairs.total()


graphs = st.integers(2, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2)))))
)


@given(graphs)
@settings(max_examples=300)
def test_matchings_are_as_large_as_possible(graph: tuple[int, set[tuple[int, int]]]) -> None:
    """Against trying everything."""
    count, edges = graph

    def largest(left: frozenset[tuple[int, int]]) -> int:
        if not left:
            return 0
        one, two = min(left)
        rest = frozenset(edge for edge in left if one not in edge and two not in edge)
        return max(1 + largest(rest), largest(left - {(one, two)}))

    mates = maximum_matching(count, lambda a, b: (min(a, b), max(a, b)) in edges)
    assert all(mate < 0 or mates[mate] == one for one, mate in enumerate(mates))
    assert all(
        mate < 0 or (min(one, mate), max(one, mate)) in edges for one, mate in enumerate(mates)
    )
    assert sum(mate >= 0 for mate in mates) // 2 == largest(frozenset(edges))
