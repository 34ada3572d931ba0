"""Withdrawn bots: independent of the order in which games end."""

import random
from dataclasses import replace

import pytest

from referee.records.manifest import Manifest
from referee.records.summary import GameSummary, moves_key
from referee.rules.grid import Size
from referee.schedule.fixtures import Board, Encounter, Fixture, encounters_in_order
from referee.scoring.ledger import Ledger
from referee.scoring.tables import standings_to_json

BOTS = ["good", "Bad", "worse", "odd", "even"]
OPENINGS = {Board("standoff", Size(5, 5)): [()], Board("runner", Size(5, 5)): [()]}
ROUND_ROBIN = Manifest("cup", BOTS, {board.name: "" for board in OPENINGS}, encounters=4)
GAUNTLET = replace(ROUND_ROBIN, format="gauntlet", challengers=["worse", "good"])
FAULTY = {"good": 0.0, "Bad": 0.3, "worse": 0.6, "odd": 0.15, "even": 0.1}


def encounters_of(manifest: Manifest) -> list[Encounter]:
    (round,) = manifest.schedule().play(dict)
    return list(encounters_in_order(round.matches, OPENINGS, 1))


def result_of(fixture: Fixture) -> GameSummary:
    """Return the result of a game: the same whenever it is played."""
    dice = random.Random(fixture.id)
    faulty = [seat for seat in (1, 2) if dice.random() < FAULTY[fixture.bots[seat - 1]]]
    scores = {(): (1, 0), (1,): (0, 1), (2,): (1, 0), (1, 2): (0, 0)}
    return GameSummary(
        id=fixture.id,
        board=fixture.board,
        bots=fixture.bots,
        encounter=fixture.encounter,
        score=scores[tuple(faulty)],
        faults=tuple((seat, "crash") for seat in faulty),
        moves_key=moves_key("1,1"),
        opening_key=moves_key(""),
        thinking_times=((1, 1.0, 1.0), (0, 0.0, 0.0)),
        startup_ms=(None, None),
        host="here",
        latency_ms=(0.0, 0.0),
        hashes=("h", "h"),
    )


def play(manifest: Manifest, workers: int, seed: int) -> tuple[Ledger, int]:
    """Play this many games at a time that end in any order; return how many were left out."""
    ledger, dice = Ledger(manifest), random.Random(seed)
    waiting, running, left_out = encounters_of(manifest)[::-1], [], 0
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
@pytest.mark.parametrize("manifest", [ROUND_ROBIN, GAUNTLET], ids=lambda manifest: manifest.format)
def test_withdrawals_do_not_depend_on_workers_or_timing(manifest: Manifest, most: int) -> None:
    """Games that one worker would not have started change nothing."""
    manifest = replace(manifest, disqualify_after=most)
    calm, left_out = play(manifest, 1, seed=0)
    assert calm.withdrawn
    assert left_out
    for workers in (2, 3, 7, 100):
        for seed in range(5):
            wild, _ = play(manifest, workers, seed)
            assert wild.withdrawn == calm.withdrawn
            assert wild.standings() == calm.standings()
            assert (
                standings_to_json(wild.standings(), wild.repeated())["games"]
                == calm.standings().games
            )


@pytest.mark.parametrize("manifest", [ROUND_ROBIN, GAUNTLET], ids=lambda manifest: manifest.format)
def test_match_places_follow_the_order_of_play(manifest: Manifest) -> None:
    """Sorted by their places, matches are in the order of the schedule."""
    schedule = manifest.schedule()
    (round,) = schedule.play(dict)
    places = [schedule.sort_key(match.pair) for match in round.matches]
    assert places == sorted(set(places))


def test_faults_against_a_withdrawn_bot_do_not_count() -> None:
    """Neither those that others committed, nor the games themselves."""
    manifest = replace(ROUND_ROBIN, disqualify_after=1)
    first, second = encounters_of(manifest)[0].fixtures
    assert first.bots == ("Bad", "even")
    ledger = Ledger(manifest)
    ledger.add(result_of(second)._replace(faults=((1, "crash"),), score=(0, 1)))
    assert ledger.withdrawn == ["even"]
    ledger.add(result_of(first)._replace(faults=((1, "crash"),), score=(0, 1)))
    assert ledger.withdrawn == ["Bad"]
    assert ledger.standings().games == 0
