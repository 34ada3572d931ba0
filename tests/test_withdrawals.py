"""Withdrawn bots: the same ones, whatever the order in which games end."""

import random
from dataclasses import replace

import pytest

from referee.records.manifest import About
from referee.records.summary import Gist, make_gist
from referee.rules.grid import Size
from referee.schedule.fixtures import Board, Encounter, Fixture, in_order
from referee.scoring.ledger import Ledger
from referee.scoring.tables import to_json

BOTS = ["good", "Bad", "worse", "odd", "even"]
BOARDS = [Board("standoff", Size(5, 5), ((),)), Board("runner", Size(5, 5), ((),))]
ROUND_ROBIN = About("cup", BOTS, {str(board): "" for board in BOARDS}, encounters=4)
GAUNTLET = replace(ROUND_ROBIN, format="gauntlet", challengers=["worse", "good"])
FAULTY = {"good": 0.0, "Bad": 0.3, "worse": 0.6, "odd": 0.15, "even": 0.1}


def encounters_of(about: About) -> list[Encounter]:
    (round,) = about.schedule().play(dict)
    return list(in_order(round.matches, BOARDS, 1))


def result_of(fixture: Fixture) -> Gist:
    """The result of a game: the same whenever it is played."""
    dice = random.Random(fixture.id)
    faulty = [seat for seat in (1, 2) if dice.random() < FAULTY[fixture.bots[seat - 1]]]
    scores = {(): (1, 0), (1,): (0, 1), (2,): (1, 0), (1, 2): (0, 0)}
    return make_gist(
        fixture.id,
        fixture.board,
        fixture.bots,
        fixture.encounter,
        scores[tuple(faulty)],
        tuple((seat, "crash") for seat in faulty),
        "1,1",
        [1.0],
        0,
        (None, None),
        "here",
        (0.0, 0.0),
        ("h", "h"),
    )


def play(about: About, workers: int, seed: int) -> tuple[Ledger, int]:
    """Play with so many games at once that end in any order; how many were left out."""
    ledger, dice = Ledger(about), random.Random(seed)
    waiting, running, left_out = encounters_of(about)[::-1], [], 0
    while waiting or running:
        while waiting and len(running) < workers:
            fixtures = waiting.pop().fixtures
            if ledger.withdrawals.cancels(fixtures[0]):
                left_out += 1
                continue
            ledger.withdrawals.begin(fixtures)
            running.append(list(fixtures))
        if running:
            task = dice.choice(running)
            ledger.add(result_of(task.pop(0)))
            running = [task for task in running if task]
    return ledger, left_out


@pytest.mark.parametrize("most", [1, 2, 3, 5])
@pytest.mark.parametrize("about", [ROUND_ROBIN, GAUNTLET], ids=lambda about: about.format)
def test_withdrawals_do_not_depend_on_workers_or_timing(about: About, most: int) -> None:
    """Games that one worker would not have begun change nothing."""
    about = replace(about, disqualify_after=most)
    calm, left_out = play(about, 1, seed=0)
    assert calm.withdrawn
    assert left_out
    for workers in (2, 3, 7, 100):
        for seed in range(5):
            wild, _ = play(about, workers, seed)
            assert wild.withdrawn == calm.withdrawn
            assert wild.standings() == calm.standings()
            assert to_json(wild.standings(), wild.repeated())["games"] == calm.standings().games


@pytest.mark.parametrize("about", [ROUND_ROBIN, GAUNTLET], ids=lambda about: about.format)
def test_places_follow_the_order_of_play(about: About) -> None:
    """Sorted by their places, matches are in the order of the schedule."""
    schedule = about.schedule()
    (round,) = schedule.play(dict)
    places = [schedule.place_of(match.pair) for match in round.matches]
    assert places == sorted(set(places))


def test_faults_against_a_withdrawn_bot_do_not_count() -> None:
    """Neither those that others made, nor the games themselves."""
    about = replace(ROUND_ROBIN, disqualify_after=1)
    first, second = encounters_of(about)[0].fixtures
    assert first.bots == ("Bad", "even")
    ledger = Ledger(about)
    ledger.add(result_of(second)._replace(faults=((1, "crash"),), score=(0, 1)))
    assert ledger.withdrawn == ["even"]
    ledger.add(result_of(first)._replace(faults=((1, "crash"),), score=(0, 1)))
    assert ledger.withdrawn == ["Bad"]
    assert ledger.standings().games == 0
