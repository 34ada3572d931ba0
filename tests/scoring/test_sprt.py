"""The sequential test agrees with published values and keeps its promised error rates.

`python -m tests.scoring.test_sprt 1000` prints how often it errs in so many tests, and how long it
takes.
"""

import functools
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.scoring.sprt import (
    NONE_PLAYED,
    SCORES,
    Counts,
    Decision,
    SequentialTest,
    add_encounter,
    decide,
    difference,
    elo_of,
    expected_score,
    log_likelihood_ratio,
)

COUNTS = st.tuples(*[st.integers(0, 10**6)] * 5)

# From the tests of fastchess, app/tests/sprt_test.cpp (logistic model, game pairs).
FASTCHESS_RATIOS = [
    ((223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
    ((871, 26175, 55983, 26678, 821), (0.0, 2.0), -4.98),
]
# From the tests of fastchess, app/tests/elo_test.cpp: Elo, error, likelihood of superiority.
FASTCHESS_ELO = [
    ((34, 54, 63, 64, 75), 55.58, 27.65, 100.00),
    ((332, 433, 498, 333, 334), -8.64, 10.33, 5.05),
    ((7895, 8757, 5685, 568, 9999), -21.04, 2.95, 0.00),
]


@pytest.mark.parametrize(("counts", "elo", "published"), FASTCHESS_RATIOS)
def test_log_likelihood_ratios_are_the_published_ones(
    counts: Counts, elo: tuple[float, float], published: float
) -> None:
    """The same counts give what fastchess says."""
    assert log_likelihood_ratio(*elo, counts) == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(("counts", "elo", "error", "superiority"), FASTCHESS_ELO)
def test_elo_and_error_are_the_published_ones(
    counts: Counts, elo: float, error: float, superiority: float
) -> None:
    """The same counts give what fastchess says, but for our caution with few encounters."""
    found = difference(counts)
    assert found.elo == pytest.approx(elo, abs=0.005)
    assert (found.high - found.low) / 2 == pytest.approx(error, rel=0.005)
    assert found.superiority == pytest.approx(superiority, abs=0.11)


@pytest.mark.parametrize(
    ("alpha", "beta", "lower", "upper"),
    [(0.05, 0.05, -2.944, 2.944), (0.05, 0.1, -2.251, 2.890), (0.01, 0.2, -1.599, 4.382)],
)
def test_bounds_are_those_of_wald(alpha: float, beta: float, lower: float, upper: float) -> None:
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
def test_the_published_approximation_is_close(counts: Counts) -> None:
    """With many encounters the normal approximation (GSPRT) gives nearly the same."""
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
def test_one_sided_counts_have_closed_forms(counts: Counts, ratio: float) -> None:
    """If all encounters end alike, the likeliest mixtures can be written down."""
    assert log_likelihood_ratio(0, 20, counts) == pytest.approx(ratio, abs=0.02)


def exact_shares(elo: float, alike: float) -> list[float]:
    """Shares of 0, 1 and 2 points in encounters whose score is exactly that of `elo`."""
    score = expected_score(elo)
    both = score**2 + alike * score * (1 - score)
    return [1 - 2 * score + both, 0.0, 2 * (score - both), 0.0, both]


def play_tests(test: SequentialTest, elo: float, alike: float, times: int) -> tuple[float, float]:
    """How often "better" is said, in percent, and after how many encounters on average."""
    ratio = functools.cache(functools.partial(log_likelihood_ratio, test.elo0, test.elo1))
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
def test_error_rates_are_kept(alike: float) -> None:
    """Of two bots just as far apart as elo0 or elo1 says, at most one in twenty is misjudged."""
    test = SequentialTest(0, 60)
    wrong = play_tests(test, 0, alike, 1000)[0]
    right = play_tests(test, 60, alike, 1000)[0]
    assert wrong <= 6.4  # two standard errors above 5
    assert right >= 93.6
    assert 35 <= play_tests(test, 30, alike, 200)[0] <= 65


def test_unequal_error_rates_are_kept() -> None:
    """Alpha bounds false alarms, beta missed gains."""
    test = SequentialTest(0, 80, alpha=0.02, beta=0.2)
    assert play_tests(test, 0, 0.0, 1000)[0] <= 2.9
    assert play_tests(test, 80, 0.0, 1000)[0] >= 77.5


def test_clear_cases_end_early() -> None:
    """A much better bot is found in far fewer encounters than one that is just good enough."""
    test = SequentialTest(0, 60)
    assert play_tests(test, 240, 0.0, 200)[1] < play_tests(test, 60, 0.0, 200)[1] / 2


def test_the_verdict_follows_the_bounds() -> None:
    """Play goes on between the bounds and ends at either."""
    test = SequentialTest(0, 20)
    assert decide(test, NONE_PLAYED).decision is Decision.PLAY_ON
    assert decide(test, NONE_PLAYED).llr == 0
    assert decide(test, (0, 0, 0, 0, 60)).decision is Decision.BETTER
    assert decide(test, (60, 0, 0, 0, 0)).decision is Decision.NOT_BETTER
    verdict = decide(test, (3, 0, 5, 0, 4))
    assert verdict.decision is Decision.PLAY_ON
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
def test_encounters_are_counted_by_their_score(own: float, other: float, index: int) -> None:
    """Five outcomes; a game that both lost weighs like a draw."""
    counts = add_encounter(NONE_PLAYED, own, other)
    assert [place for place, count in enumerate(counts) if count] == [index]
    assert sum(add_encounter(counts, own, other)) == 2


@pytest.mark.parametrize(
    "wrong", [(20, 20), (20, 0), (0, 2000), (-2000, 0), (0, 20, 0), (0, 20, 0.05, 0.5)]
)
def test_senseless_questions_are_refused(wrong: tuple[float, ...]) -> None:
    """Bounds must be in order and error rates possible."""
    with pytest.raises(ValueError, match="must"):
        SequentialTest(*wrong)


def test_few_encounters_are_named_as_such() -> None:
    """Nothing, or too little, is said in words, and a few equal results are not certainty."""
    assert difference(NONE_PLAYED).note == "no encounters yet"
    three = difference((0, 0, 0, 0, 3))
    assert three.note == "too few encounters: 3"
    assert three.high - three.low > 400
    assert difference((2, 0, 5, 0, 3)).note is None


@given(COUNTS)
def test_every_number_is_finite(counts: Counts) -> None:
    """Whatever was counted, zeros included."""
    verdict = decide(SequentialTest(-5, 15), counts)
    found = verdict.difference
    for number in (verdict.llr, found.elo, found.low, found.high):
        assert math.isfinite(number)
    assert found.low <= found.elo <= found.high
    assert 0.1 <= found.superiority <= 99.9


@given(COUNTS)
def test_the_other_bot_sees_the_mirror_image(counts: Counts) -> None:
    """Exchanging the bots turns every sign around."""
    mirror: Counts = counts[::-1]
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
