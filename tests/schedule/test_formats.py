"""Swiss, knockout and gauntlet with 2 to 33 bots."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.schedule.formats import Gauntlet, Pair, RoundRobin, Schedule, ordered_pair
from referee.schedule.knockout import Bracket, Knockout
from referee.schedule.matching import maximum_matching
from referee.schedule.swiss import Swiss
from referee.scoring.round_tables import places_of, rounds_json, rounds_text

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
def test_swiss_has_no_avoidable_rematch_and_at_most_one_bye(count: int) -> None:
    """Every bot plays each round."""
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
    """Check that each round has as many new pairs as possible."""
    met: set[Pair] = set()
    for round in schedule.rounds:
        playing = [bot for match in round.matches for bot in match.pair]
        new = sum(match.pair not in met for match in round.matches)
        mates = maximum_matching(
            len(playing), lambda a, b, p=playing, m=met: ordered_pair(p[a], p[b]) not in m
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


def test_swiss_rematch_has_encounters_of_its_own() -> None:
    """Two bots can only meet again, and their games have other numbers."""
    schedule = Swiss(names(2), encounters=3, round_count=2, win=6.0)
    play(schedule, seed=1)
    assert [match.numbers for round in schedule.rounds for match in round.matches] == [
        range(1, 4),
        range(4, 7),
    ]


@pytest.mark.parametrize("count", range(2, 13))
def test_swiss_rematches_are_spread_evenly(count: int) -> None:
    """With more rounds than opponents."""
    for seed in range(3):
        schedule = Swiss(names(count), encounters=2, round_count=3 * count, win=4.0)
        scores = play(schedule, seed)
        met = Counter(match.pair for round in schedule.rounds for match in round.matches)
        counts = [met[pair] for pair in combinations(names(count), 2)]
        assert max(counts) - min(counts) <= 2
        assert max(number for _, number in scores) <= schedule.most_encounters
        assert schedule.most_encounters <= 2 * (schedule.planned_encounters // 2 + 1)


@pytest.mark.parametrize("count", range(3, 14, 2))
def test_swiss_bye_avoids_rematches(count: int) -> None:
    """Of the bots with the fewest byes, one whose absence makes the fewest rematches gets it."""
    for seed in range(4):
        schedule = Swiss(names(count), encounters=1, round_count=count + 2, win=2.0)
        play(schedule, seed)
        met: Counter[Pair] = Counter()
        byes: Counter[str] = Counter()
        for round in schedule.rounds:
            assert round.bye is not None
            entitled = [
                bot for bot in names(count) if byes[bot] == min(byes[b] for b in names(count))
            ]
            assert round.bye in entitled
            again = {bot: fewest_rematches(names(count), bot, met) for bot in entitled}
            assert again[round.bye] == min(again.values())
            byes[round.bye] += 1
            met.update(match.pair for match in round.matches)


def fewest_rematches(bots: list[str], bye: str, met: Counter[Pair]) -> int:
    playing = [bot for bot in bots if bot != bye]
    mates = maximum_matching(
        len(playing), lambda a, b: not met[ordered_pair(playing[a], playing[b])]
    )
    return mates.count(-1) // 2


@pytest.mark.parametrize("count", FIELDS)
@pytest.mark.parametrize("draws", [True, False])
def test_knockout_has_exactly_one_champion(count: int, draws: bool) -> None:
    """Every other bot loses exactly one match that counts; byes go to the best seeds."""
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


BRACKETS = [
    ("a", [], "a", []),
    ("ab", [("Final", ["ab"])], "a", ["a", "b"]),
    ("abc", [("Semi-finals", ["bc"]), ("Final", ["ab"])], "a", ["a", "b"]),
    (
        "abcde",
        [
            ("Quarter-finals", ["de"]),
            ("Semi-finals", ["ad", "bc"]),
            ("Final and third place", ["ab", "cd"]),
        ],
        "a",
        ["a", "b", "c"],
    ),
]


@pytest.mark.parametrize(("seeds", "rounds", "champion", "placings"), BRACKETS)
def test_bracket_advances_the_winners(
    seeds: str, rounds: list[tuple[str, list[str]]], champion: str, placings: list[str]
) -> None:
    """Byes go to the best seeds, and two losers of semi-finals play for the third place."""
    bracket = Bracket(seeds)
    for title, pairs in rounds:
        assert bracket.champion is None
        assert not bracket.placings()
        assert (bracket.title, bracket.matches()) == (title, [tuple(pair) for pair in pairs])
        bracket.advance({pair: min(pair) for pair in bracket.matches()})
    assert not bracket.matches()
    assert bracket.champion == champion
    assert bracket.placings() == placings


def test_knockout_final_is_between_the_first_two_seeds() -> None:
    """If the better seed always wins."""
    schedule = Knockout(names(8), encounters=1)
    scores: dict = {}
    for round in schedule.play(lambda: scores):
        scores.update({(match.pair, 1): (2, 0) for match in round.matches})
    titles = [round.title for round in schedule.rounds]
    assert titles == ["Quarter-finals", "Semi-finals", "Final and third place"]
    assert schedule.places == ["bot01", "bot02", "bot03"]


def test_knockout_play_offs_decide_and_then_the_seed() -> None:
    """One encounter at a time, as many again; then the better seed goes through."""
    schedule = Knockout(["b", "a"], encounters=2)
    scores: dict = {}
    for round in schedule.play(lambda: scores):
        for match in round.matches:
            scores.update({(match.pair, number): (1, 1) for number in match.numbers})
    titles = [round.title for round in schedule.rounds]
    assert titles == ["Final", "Final, play-off 1", "Final, play-off 2"]
    assert schedule.champion == "b"


def test_knockout_is_restored_from_final_scores() -> None:
    """Later play-offs do not decide earlier rounds."""
    play_offs = 0
    for count in (2, 3, 5, 8, 11):
        played = Knockout(names(count), encounters=3)
        scores = play(played, seed=count)
        play_offs += sum("play-off" in round.title for round in played.rounds)
        walked = Knockout(names(count), encounters=3)
        for _ in walked.play(lambda scores=scores: scores):
            pass
        assert walked == played
    assert play_offs > 3


def test_knockout_ranks_follow_the_bracket() -> None:
    """Champion, finalist, third and fourth; losers of the same round have equal ranks."""
    schedule = Knockout(names(8), encounters=1)
    scores: dict = {}
    rankings = []
    for round in schedule.play(lambda: scores):
        rankings.append(schedule.ranking)
        scores.update({(match.pair, 1): (0, 2) for match in round.matches})
    bots = names(8)
    assert rankings == [
        [bots],
        [bots[4:], bots[:4]],
        [["bot07", "bot08"], ["bot05", "bot06"], bots[:4]],
    ]
    assert schedule.ranking == [["bot08"], ["bot07"], ["bot06"], ["bot05"], bots[:4]]


def test_bracket_states_how_each_match_was_decided() -> None:
    """By its score, by a play-off, or by the seeds: as text and for programs."""
    schedule = Knockout(["d", "c", "b", "a"], encounters=2)
    results = {
        (("a", "d"), 1): (0, 2),
        (("a", "d"), 2): (2, 0),
        (("a", "d"), 3): (1, 1),
        (("a", "d"), 4): (1, 1),
        (("b", "c"), 1): (0, 2),
        (("b", "c"), 2): (2, 0),
        (("b", "c"), 3): (2, 0),
        (("b", "d"), 1): (2, 0),
        (("b", "d"), 2): (2, 0),
        (("a", "c"), 1): (2, 0),
    }
    rounds = schedule.play(lambda: results)
    assert [next(rounds).title for _ in range(4)][-1] == "Final and third place"
    text = """\
Semi-finals

    a    2 : 2    d  level so far: a play-off follows
    b    2 : 2    c  level so far: a play-off follows

Semi-finals, play-off 1

    a    1 : 1    d  level so far: a play-off follows
    b    2 : 0    c  b wins 4 : 2 after 1 play-off

Semi-finals, play-off 2

    a    1 : 1    d  d wins as the better seed: level at 4 : 4 after 2 play-offs

Final and third place

    b    4 : 0    d
    a    2 : 0    c

The champion is not known yet.
"""
    assert rounds_text(schedule, results) == text
    results[("a", "c"), 2] = (2, 0)
    assert list(rounds) == []
    assert rounds_text(schedule, results).endswith("Champion: b\nSecond: d\nThird: a\n")
    assert dict(places_of(schedule)) == {"champion": "b", "second": "d", "third": "a"}
    semi_finals, first, second, final = rounds_json(schedule, results)
    assert semi_finals["matches"][0] == {"bots": ["a", "d"], "encounters": [1, 2], "score": [2, 2]}
    assert first["matches"][1] == {
        "bots": ["b", "c"],
        "encounters": [3],
        "score": [2, 0],
        "winner": "b",
        "decided_by": "play-off",
        "total": [4, 2],
        "play_offs": 1,
    }
    assert (second["matches"][0]["decided_by"], second["matches"][0]["winner"]) == ("seed", "d")
    assert final["matches"][0]["decided_by"] == "score"


@pytest.mark.parametrize("count", FIELDS)
def test_round_robin_and_gauntlet_have_the_right_pairs(count: int) -> None:
    """All pairs once; or each challenger with all bots that are none."""
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
    """Compared with an exhaustive search."""
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
