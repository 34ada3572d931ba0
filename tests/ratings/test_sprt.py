"""The sequential test, compared with published values and its error rates.

`python -m tests.ratings.test_sprt 1000` prints how often it errs in 1000 tests, and how long it
takes.
"""

import functools
import math
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.ratings.sprt import (
    NONE_PLAYED,
    SCORES,
    Difference,
    EncounterCounts,
    Model,
    SequentialTest,
    SprtDecision,
    add_encounter,
    claimed_percent,
    decide,
    difference,
    elo_of,
    expected_score,
    log_likelihood_ratio,
    stopped_difference,
)
from referee.ratings.stopping import Walk

COUNTS = st.tuples(*[st.integers(0, 10**6)] * 5)

# From the tests of fastchess, app/tests/sprt_test.cpp: game pairs with both models.
FASTCHESS_RATIOS = [
    ("logistic", (223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
    ("logistic", (871, 26175, 55983, 26678, 821), (0.0, 2.0), -4.98),
    ("normalized", (365, 16618, 36229, 16974, 390), (0.0, 2.0), 2.25),
    ("normalized", (127, 4883, 10712, 5150, 104), (-1.75, 0.25), 3.01),
    ("normalized", (0, 0, 0, 0, 5550), (0.0, 5.0), 111.82),
]
# From the tests of fastchess, app/tests/elo_test.cpp: Elo, error, likelihood of superiority.
FASTCHESS_ELO = [
    ((34, 54, 63, 64, 75), 55.58, 27.65, 100.00),
    ((332, 433, 498, 333, 334), -8.64, 10.33, 5.05),
    ((7895, 8757, 5685, 568, 9999), -21.04, 2.95, 0.00),
]


@pytest.mark.parametrize(("model", "counts", "elo", "published"), FASTCHESS_RATIOS)
def test_log_likelihood_ratios_are_the_published_ones(
    model: Model, counts: EncounterCounts, elo: tuple[float, float], published: float
) -> None:
    """The same counts give the numbers of fastchess."""
    found = decide(SequentialTest(*elo, model=model), counts).llr
    assert found == pytest.approx(published, rel=5e-4, abs=0.005)


@pytest.mark.parametrize(
    ("counts", "model"),
    [
        ((10, 0, 20, 0, 10), "logistic"),
        ((10, 0, 21, 0, 10), "normalized"),
        (NONE_PLAYED, "logistic"),
    ],
)
def test_the_model_is_chosen_by_the_share_of_level_encounters(
    counts: EncounterCounts, model: str
) -> None:
    """Unless a model is given."""
    assert decide(SequentialTest(0, 20), counts).model == model
    assert decide(SequentialTest(0, 20, model="logistic"), counts).model == "logistic"
    assert decide(SequentialTest(0, 20, model="normalized"), counts).model == "normalized"


def test_a_bot_that_never_loses_is_better() -> None:
    """97 % of encounters end 1-1, the others 2-0: the normalised model is chosen."""
    rng = np.random.default_rng(5)
    better = 0
    for _ in range(40):
        counts = NONE_PLAYED
        verdict = decide(SequentialTest(0, 20), counts)
        for won in rng.random(3000) < 0.03:
            counts = add_encounter(counts, 2.0 if won else 1.0, 0.0 if won else 1.0)
            if won or sum(counts) % 50 == 0:
                verdict = decide(SequentialTest(0, 20), counts)
            if verdict.decision is not SprtDecision.PLAY_ON:
                break
        better += verdict.decision is SprtDecision.BETTER
    assert better >= 38


def stopped_tests(elo: float, alike: float, times: int, test: SequentialTest) -> list[Difference]:
    """The last estimates of tests of two bots that are this far apart."""
    rng = np.random.default_rng(11)
    found = []
    ratio = functools.cache(lambda counts: decide(test, counts))
    for _ in range(times):
        counts = [0, 0, 0, 0, 0]
        for number, outcome in enumerate(rng.choice(5, size=1500, p=exact_shares(elo, alike))):
            counts[outcome] += 1
            if number >= 10 and number % 3 == 0:
                verdict = ratio(tuple(counts))
                if verdict.decision is not SprtDecision.PLAY_ON:
                    break
        final: EncounterCounts = tuple(counts)  # type: ignore[assignment]
        found.append(stopped_difference(test, final))
    return found


@pytest.mark.parametrize("alike", [0.0, -0.7])
def test_estimates_are_corrected_for_stopping(alike: float) -> None:
    """Intervals contain the truth, half of the estimates are too high, claims hold as stated."""
    test = SequentialTest(0, 60)
    for elo in (0, 40):
        found = stopped_tests(elo, alike, 150, test)
        held = sum(gap.low <= elo <= gap.high for gap in found)
        assert held >= 0.9 * len(found)
        high = sum(gap.elo > elo for gap in found)
        assert 0.36 * len(found) <= high <= 0.64 * len(found)
        if elo == 0:
            claims = [claimed_percent(gap.superiority) for gap in found]
            assert sum(claim >= 99 for claim in claims) <= 0.03 * len(found)
            assert min(claims) >= 50


def test_estimates_of_large_differences_are_near_the_plain_ones() -> None:
    """The ratio grows more slowly than the difference does there."""
    counts = (0, 0, 18, 0, 35)
    test = SequentialTest(0, 20)
    assert decide(test, counts).llr == pytest.approx(test.upper, abs=0.2)
    found, plain = stopped_difference(test, counts), difference(counts)
    assert found.low < found.elo < found.high
    assert found.elo == pytest.approx(plain.elo, rel=0.15)
    assert found.low == pytest.approx(plain.low, rel=0.25)


@pytest.mark.parametrize("counts", [(0, 0, 53, 0, 0), (5, 0, 30, 0, 5), (12, 0, 9, 0, 12)])
def test_equal_results_are_no_difference(counts: EncounterCounts) -> None:
    """Neither bot is the better one."""
    found = stopped_difference(SequentialTest(0, 20), counts)
    assert found.elo == pytest.approx(0, abs=0.5)
    assert found.superiority == pytest.approx(50, abs=1)


def test_without_stopping_the_estimate_is_the_plain_one() -> None:
    """Far from both bounds, stopping changes next to nothing."""
    counts = (30, 0, 41, 0, 32)
    test = SequentialTest(0, 5)
    found, plain = stopped_difference(test, counts), difference(counts)
    assert (found.elo, found.low, found.high) == pytest.approx(
        (plain.elo, plain.low, plain.high), abs=1.5
    )


@pytest.mark.parametrize(
    ("drift", "variance", "steps"),
    [(0.01, 0.05, 150), (-0.02, 0.05, 150), (0.0, 0.02, 60), (0.05, 0.05, 200), (0.1, 0.05, 2)],
)
def test_a_walk_stops_as_often_as_simulated(drift: float, variance: float, steps: int) -> None:
    """The series agree with random walks of small steps."""
    rng = np.random.default_rng(1)
    at, stopped = np.zeros(3000), np.zeros(3000)
    for _ in range(steps * 5):
        going = stopped == 0
        luck = rng.normal(drift / 5, math.sqrt(variance / 5), int(going.sum()))
        at[going] += luck
        stopped[going & (at >= 2.94)] = 1
        stopped[going & (at <= -2.0)] = -1
    walk = Walk(-2.0, 2.94, drift, variance)
    assert walk.stopped_above(steps) == pytest.approx((stopped == 1).mean(), abs=0.04)
    assert walk.mirrored().stopped_above(steps) == pytest.approx((stopped == -1).mean(), abs=0.04)
    below = (stopped < 0) | ((stopped == 0) & (at <= 0.5))
    assert walk.at_most(steps, 0.5) == pytest.approx(below.mean(), abs=0.04)
    assert walk.at_most(steps, 2.9399) == pytest.approx(1 - walk.stopped_above(steps), abs=1e-3)


@pytest.mark.parametrize(("counts", "elo", "error", "superiority"), FASTCHESS_ELO)
def test_sprt_elo_and_error_are_the_published_ones(
    counts: EncounterCounts, elo: float, error: float, superiority: float
) -> None:
    """Those of fastchess, except for few encounters."""
    found = difference(counts)
    assert found.elo == pytest.approx(elo, abs=0.005)
    assert (found.high - found.low) / 2 == pytest.approx(error, rel=0.005)
    assert found.superiority == pytest.approx(superiority, abs=0.11)


@pytest.mark.parametrize(
    ("alpha", "beta", "lower", "upper"),
    [(0.05, 0.05, -2.944, 2.944), (0.05, 0.1, -2.251, 2.890), (0.01, 0.2, -1.599, 4.382)],
)
def test_sprt_bounds_are_those_of_wald(
    alpha: float, beta: float, lower: float, upper: float
) -> None:
    """A ratio of log(beta / (1 - alpha)) or log((1 - beta) / alpha) ends the test."""
    test = SequentialTest(0, 20, alpha, beta)
    assert (test.lower, test.upper) == pytest.approx((lower, upper), abs=0.001)


@pytest.mark.parametrize(
    ("elo", "score"), [(0, 0.5), (100, 0.6401), (200, 0.7597), (400, 10 / 11), (-400, 1 / 11)]
)
def test_elo_has_the_logistic_curve(elo: float, score: float) -> None:
    """400 Elo are odds of ten to one."""
    assert expected_score(elo) == pytest.approx(score, abs=0.0001)
    assert elo_of(expected_score(elo)) == pytest.approx(elo)


@pytest.mark.parametrize("counts", [(150, 90, 400, 110, 170), (900, 0, 3000, 0, 1000)])
def test_sprt_is_close_to_the_normal_approximation(counts: EncounterCounts) -> None:
    """With many encounters (GSPRT)."""
    score0, score1 = expected_score(0), expected_score(10)
    games = sum(counts)
    mean = sum(c * s for c, s in zip(counts, SCORES, strict=True)) / games
    variance = sum(c * (s - mean) ** 2 for c, s in zip(counts, SCORES, strict=True)) / games
    simple = games * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance)
    assert log_likelihood_ratio(0, 10, counts) == pytest.approx(simple, rel=0.01)


@pytest.mark.parametrize(
    ("counts", "ratio"),
    [
        ((0, 0, 0, 0, 50), 50 * math.log(expected_score(20) / expected_score(0))),
        ((50, 0, 0, 0, 0), 50 * math.log((1 - expected_score(20)) / (1 - expected_score(0)))),
        ((0, 0, 50, 0, 0), 50 * math.log(2 * (1 - expected_score(20)))),
    ],
)
def test_sprt_of_one_sided_counts_has_the_closed_form(
    counts: EncounterCounts, ratio: float
) -> None:
    """If all encounters end alike."""
    assert log_likelihood_ratio(0, 20, counts) == pytest.approx(ratio, abs=0.02)


def exact_shares(elo: float, alike: float) -> list[float]:
    """Return shares of 0, 1 and 2 points in encounters whose score is exactly that of `elo`."""
    score = expected_score(elo)
    both = score**2 + alike * score * (1 - score)
    return [1 - 2 * score + both, 0.0, 2 * (score - both), 0.0, both]


def play_tests(
    test: SequentialTest,
    elo: float,
    alike: float,
    times: int,
    ratio: Callable[[EncounterCounts], float] | None = None,
) -> tuple[float, float]:
    """How often the result is "better", in percent, and after how many encounters on average."""
    plain = functools.cache(functools.partial(log_likelihood_ratio, test.elo0, test.elo1))
    ratio = ratio or plain
    rng = np.random.default_rng(2026)
    better = encounters = 0
    for _ in range(times):
        counts = [0, 0, 0, 0, 0]
        for outcome in rng.choice(5, size=4000, p=exact_shares(elo, alike)):
            counts[outcome] += 1
            now = ratio(tuple(counts))
            if not test.lower < now < test.upper:
                break
        better += now >= test.upper
        encounters += sum(counts)
    return 100 * better / times, encounters / times


@pytest.mark.parametrize("alike", [0.0, 0.6, -0.6])
def test_sprt_error_rates_are_kept(alike: float) -> None:
    """Of two bots just as far apart as elo0 or elo1, at most one in twenty is misjudged."""
    test = SequentialTest(0, 60)
    wrong = play_tests(test, 0, alike, 1000)[0]
    right = play_tests(test, 60, alike, 1000)[0]
    assert wrong <= 6.4  # two standard errors above 5
    assert right >= 93.6
    assert 35 <= play_tests(test, 30, alike, 200)[0] <= 65


def test_error_rates_are_kept_where_the_model_changes() -> None:
    """About half of the encounters end 1-1, so that the model may change during a test."""
    test = SequentialTest(0, 60)
    ratio = functools.cache(lambda counts: decide(test, counts).llr)
    wrong, right = play_tests(test, 0, 0.0, 500, ratio)[0], play_tests(test, 60, 0.0, 500, ratio)[0]
    assert wrong <= 7  # two standard errors above 5
    assert right >= 93


def test_unequal_error_rates_are_kept() -> None:
    """Alpha bounds false alarms, beta missed gains."""
    test = SequentialTest(0, 80, alpha=0.02, beta=0.2)
    assert play_tests(test, 0, 0.0, 1000)[0] <= 2.9
    assert play_tests(test, 80, 0.0, 1000)[0] >= 77.5


def test_sprt_ends_early_for_clear_differences() -> None:
    """A much better bot needs far fewer encounters than one that is just good enough."""
    test = SequentialTest(0, 60)
    assert play_tests(test, 240, 0.0, 200)[1] < play_tests(test, 60, 0.0, 200)[1] / 2


def test_sprt_decision_follows_the_bounds() -> None:
    """Play goes on between the bounds and ends at either."""
    test = SequentialTest(0, 20)
    assert decide(test, NONE_PLAYED).decision is SprtDecision.PLAY_ON
    assert decide(test, NONE_PLAYED).llr == 0
    assert decide(test, (0, 0, 0, 0, 60)).decision is SprtDecision.BETTER
    assert decide(test, (60, 0, 0, 0, 0)).decision is SprtDecision.NOT_BETTER
    verdict = decide(test, (3, 0, 5, 0, 4))
    assert verdict.decision is SprtDecision.PLAY_ON
    assert verdict.lower < verdict.llr < verdict.upper
    assert verdict.encounters == 12


@pytest.mark.parametrize(
    ("own", "other", "index"),
    [
        (0, 2, 0),
        (0.5, 1.5, 1),
        (1, 1, 2),
        (1.5, 0.5, 3),
        (2, 0, 4),
        (1, 0, 3),
        (0, 0, 2),
        (0, 1, 1),
    ],
)
def test_sprt_counts_encounters_by_score(own: float, other: float, index: int) -> None:
    """Five outcomes; a game that both lost weighs like a draw."""
    counts = add_encounter(NONE_PLAYED, own, other)
    assert [place for place, count in enumerate(counts) if count] == [index]
    assert sum(add_encounter(counts, own, other)) == 2


@pytest.mark.parametrize(
    "wrong", [(20, 20), (20, 0), (0, 2000), (-2000, 0), (0, 20, 0), (0, 20, 0.05, 0.5)]
)
def test_sprt_rejects_impossible_parameters(wrong: tuple[float, ...]) -> None:
    """Bounds must be in order and error rates possible."""
    with pytest.raises(ValueError, match="must"):
        SequentialTest(*wrong)


def test_sprt_names_too_few_encounters() -> None:
    """A few equal results are not certainty."""
    assert difference(NONE_PLAYED).note == "no encounters yet"
    three = difference((0, 0, 0, 0, 3))
    assert three.note == "too few encounters: 3"
    assert three.high - three.low > 400
    assert difference((2, 0, 5, 0, 3)).note is None


@given(COUNTS)
def test_sprt_numbers_are_finite(counts: EncounterCounts) -> None:
    """For any counts, zeros included."""
    verdict = decide(SequentialTest(-5, 15), counts)
    found = stopped_difference(SequentialTest(-5, 15), counts)
    for number in (verdict.llr, found.elo, found.low, found.high):
        assert math.isfinite(number)
    assert found.low <= found.elo <= found.high
    assert 0.1 <= found.superiority <= 99.9


@given(COUNTS)
def test_sprt_of_exchanged_bots_has_opposite_signs(counts: EncounterCounts) -> None:
    """For all numbers."""
    mirror: EncounterCounts = counts[::-1]
    assert difference(mirror).elo == pytest.approx(-difference(counts).elo, abs=1e-6)
    ratio = log_likelihood_ratio(-20, 0, mirror)
    assert ratio == pytest.approx(-log_likelihood_ratio(0, 20, counts), rel=1e-6, abs=1e-6)


if __name__ == "__main__":
    for elo1 in (20, 60):
        for alike in (0.0, 0.6, -0.6):
            test = SequentialTest(0, elo1)
            false, short = play_tests(test, 0, alike, int(sys.argv[1]))
            true, long = play_tests(test, elo1, alike, int(sys.argv[1]))
            print(f"elo1 {elo1}, correlation {alike}:", end=" ")
            print(f"false alarms {false:.1f} %, missed {100 - true:.1f} %,", end=" ")
            print(f"encounters {short:.0f} and {long:.0f}", flush=True)


def test_walk_with_a_small_variance_has_the_probability_of_its_density() -> None:
    """The integral of the density of the first passage, the inverse Gaussian distribution."""
    walk = Walk(-2.94, 2.94, 1.0, 0.04)
    steps, parts = 2.5, 20_000
    times = [(part + 0.5) * steps / parts for part in range(parts)]
    density = (
        walk.upper
        / math.sqrt(2 * math.pi * walk.variance * time**3)
        * math.exp(-((walk.upper - walk.drift * time) ** 2) / (2 * walk.variance * time))
        for time in times
    )
    assert walk.stopped_above(steps) == pytest.approx(sum(density) * steps / parts, rel=1e-4)
