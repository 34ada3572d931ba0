"""The analysis of games: values per ply, decisions, errors, and the summary per bot."""

import json
from typing import Any

import pytest

from referee.analysis.bot_summary import AnalysedGame, BotSummary, summarise
from referee.analysis.game_analysis import GameAnalysis, Openings, PlyAnalysis, analyse_game
from referee.analysis.solver import Solver
from referee.analysis.verdict import Value
from referee.rules import BUILT_IN, Size, find_variant, play_moves
from tests.support.report_games import random_game

WON, LOST, UNPROVED = Value.WON, Value.LOST, Value.UNPROVED


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_ply_has_the_verdict_of_its_position(name: str) -> None:
    """Who wins changes exactly where a move is an error."""
    size = Size(4, 4)
    rules = find_variant(name).on(size)
    for seed in range(3):
        moves, outcome = random_game(name, size, seed)
        analysis = analyse_game(rules, moves, opening=1)
        assert len(analysis.plies) == len(moves)
        errors = analysis.errors(moves, opening=0)
        for ply, position in enumerate(analysis.plies):
            state = play_moves(rules, moves[:ply])
            verdict = Solver(rules).solve(state)
            assert position == PlyAnalysis.of(rules.to_move(state), verdict)
            after = analysis.plies[ply + 1].winner if ply + 1 < len(moves) else outcome.winner
            if position.winner is not None and after is not None:
                assert (position.winner != after) == (ply in errors)
        assert analysis.is_proven == all(not p.unproved for p in analysis.plies)


def test_a_game_that_ended_by_a_fault_has_a_ply_more_than_moves() -> None:
    """The position in which the bot was asked is analysed, too."""
    rules = find_variant("standoff").on(Size(4, 4))
    moves = random_game("standoff", Size(4, 4), 1)[0][:3]
    assert len(analyse_game(rules, moves).plies) == 4
    assert len(analyse_game(rules, []).plies) == 1


def test_openings_are_analysed_once_and_alone() -> None:
    """What is kept of them does not depend on the games before."""
    rules = find_variant("barricade").on(Size(4, 4))
    games = [random_game("barricade", Size(4, 4), seed)[0] for seed in (1, 2, 3)]
    shared: Openings = {}
    with_shared = [analyse_game(rules, moves, 2, 300, openings=shared) for moves in games]
    alone = [analyse_game(rules, moves, 2, 300) for moves in games]
    assert with_shared == alone
    assert sorted(map(len, shared)) == [0, *[1] * len({g[:1] for g in games}), 2, 2, 2]


def position(
    seat: int, value: Value, winning: str = "", legal: int = 4, **more: Any
) -> PlyAnalysis:
    return PlyAnalysis(seat, value, legal, tuple(winning.split()), **more)


def test_decision_is_a_won_position_with_a_losing_move() -> None:
    """Only a won position is a decision, and only if a move is proven to give the win away."""
    assert position(1, WON, "a b").is_decision
    assert not position(1, WON, "a b c d").is_decision
    assert not position(1, LOST).is_decision
    assert not position(1, WON, "a b", unproved=("c", "d")).is_decision
    assert position(1, WON, "a b", unproved=("c",)).is_decision
    assert position(1, WON, "a").is_error("z")
    assert not position(1, WON, "a").is_error("a")
    assert not position(1, WON, "a", unproved=("z",)).is_error("z")
    assert not position(1, LOST).is_error("z")
    assert [position(2, value).winner for value in Value] == [2, 1, None, None]


def test_summary_counts_decisions_and_errors_of_each_bot() -> None:
    """Two games, of which every number is counted by hand."""
    first = AnalysedGame(
        bots=("ann", "bob"),
        moves=["o", "o", "bad", "bad", "good", "-", "good"],
        opening=2,
        score=[1, 0],
        analysis=GameAnalysis(
            (
                position(1, WON, "x"),  # the opening's own error does not count
                position(2, WON, "x"),
                position(1, WON, "good"),  # ann errs,
                position(2, WON, "good"),  # and bob does not punish it
                position(1, WON, "good"),
                position(2, LOST),
                position(1, WON, "good", legal=1),  # no decision
            )
        ),
    )
    second = AnalysedGame(
        bots=("bob", "ann"),
        moves=["good", "-"],
        opening=0,
        score=[1, 0],
        analysis=GameAnalysis((position(1, WON, "good"), position(2, LOST))),
    )
    ann, bob = summarise([first, second])
    assert ann == BotSummary(
        "ann", games=2, moves=4, proven=4, decisions=2, errors=1, unpunished=1, first_errors=[3],
        openings_won=1, openings_lost=1, decided_by_opening=1,
    )  # fmt: skip
    assert bob == BotSummary(
        "bob", games=2, moves=3, proven=3, decisions=2, errors=1, unpunished=0, first_errors=[4],
        openings_won=1, openings_lost=1, decided_by_opening=1,
    )  # fmt: skip
    assert (ann.kept, ann.median_first_error) == (0.5, 3)
    assert BotSummary("unknown").kept is BotSummary("unknown").median_first_error is None
    assert json.loads(json.dumps(ann.to_json()))["kept"] == 0.5


def test_what_is_unproved_is_neither_kept_nor_lost() -> None:
    """It counts as a move, and as nothing else."""
    game = AnalysedGame(
        bots=("ann", "bob"),
        moves=["a", "b"],
        opening=0,
        score=[0, 1],
        analysis=GameAnalysis(
            (position(1, WON, "x", unproved=("a",)), position(2, UNPROVED, unproved=("b",)))
        ),
    )
    ann, bob = summarise([game])
    assert (ann.moves, ann.decisions, ann.errors, ann.decided_by_opening) == (1, 0, 0, 0)
    assert (bob.moves, bob.proven, bob.openings_lost) == (1, 0, 1)


def test_a_fault_of_the_opponent_leaves_an_error_unpunished() -> None:
    """The game ended before the opponent answered, and the player that erred won."""
    plies = (position(1, WON, "good"), position(2, WON, "good"))
    for score, unpunished in (([1, 0], 1), ([0, 1], 0)):
        game = AnalysedGame(("ann", "bob"), ["bad"], 0, score, GameAnalysis(plies))
        assert summarise([game])[0].unpunished == unpunished
