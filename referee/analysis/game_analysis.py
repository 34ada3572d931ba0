"""The analysis of a game: who wins at each ply, by which moves, and which moves were errors. Pure.

A game is analysed from its last position to its first, with one table: the later positions are
part of the proofs of the earlier ones. The positions of the opening, which many games share, are
analysed each with a table of its own, so that they can be kept. In this way the result depends on
the game and the budget alone, and not on the games that were analysed before.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from referee.analysis.budget import DEFAULT_NODES, never
from referee.analysis.solver import Solver
from referee.analysis.verdict import Value, Verdict
from referee.outcome import Seat
from referee.rules import Rules


@dataclass(frozen=True, slots=True)
class PlyAnalysis:
    """Proven facts about the position before a move."""

    seat: Seat
    """The seat to move."""
    value: Value
    """For that seat."""
    legal: int
    """The number of legal moves."""
    winning: tuple[str, ...] = ()
    """The moves that are proven to win."""
    unproved: tuple[str, ...] = ()
    """The moves about which nothing is proven."""
    plies: int | None = None
    """The winner wins within this number of plies; None if the method does not give it."""

    @classmethod
    def of(cls, seat: Seat, verdict: Verdict) -> "PlyAnalysis":
        """Take what a report needs from a verdict."""
        return cls(
            seat=seat,
            value=verdict.value,
            legal=len(verdict.moves),
            winning=tuple(verdict.winning),
            unproved=tuple(verdict.unproved),
            plies=verdict.proof.plies,
        )

    @property
    def winner(self) -> Seat | None:
        """The seat that wins with perfect play; None if that is drawn or unproved."""
        if self.value is Value.WON:
            return self.seat
        return 3 - self.seat if self.value is Value.LOST else None

    @property
    def is_decision(self) -> bool:
        """Whether the position is won, and a move is proven to give the win away."""
        is_won = self.value is Value.WON
        return is_won and len(self.winning) + len(self.unproved) < self.legal

    def is_error(self, move: str) -> bool:
        """Return whether this move is proven to give a win away."""
        is_won = self.value is Value.WON
        return is_won and move not in self.winning and move not in self.unproved


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """The analysis of each position of a game in which a player was to move."""

    plies: tuple[PlyAnalysis, ...]
    """One per move; one more if the game ended without a move, by a fault or a resignation."""

    def errors(self, moves: Sequence[str], opening: int) -> list[int]:
        """List the indexes of the moves that gave a win away, without those of the opening."""
        return [ply for ply in range(opening, len(moves)) if self.plies[ply].is_error(moves[ply])]

    @property
    def is_proven(self) -> bool:
        """Whether nothing in it is unproved."""
        return not any(ply.value is Value.UNPROVED or ply.unproved for ply in self.plies)


Openings = dict[tuple[str, ...], PlyAnalysis]
"""Analyses of the positions after these opening moves, for one game and budget."""


def analyse_game(
    rules: Rules[Any],
    moves: Sequence[str],
    opening: int = 0,
    nodes: int = DEFAULT_NODES,
    make_expired: Callable[[], Callable[[], bool]] = lambda: never,
    openings: Openings | None = None,
) -> GameAnalysis:
    """Analyse every position of a game with legal moves.

    The first `opening` moves are those of the opening; `openings` has the analyses of such
    positions that are known, and gets those that are made. `nodes` is the budget of each position.
    `make_expired` is called before each of them, and returns the condition that ends its proof as
    well.
    """
    solver = Solver(rules, nodes)
    openings = {} if openings is None else openings
    states = list(_positions(rules, moves))
    if rules.outcome(states[-1]) is not None:
        states.pop()
    plies: list[PlyAnalysis] = []
    for ply, state in reversed(list(enumerate(states))):
        key = tuple(moves[:ply])
        if ply > opening:
            found = _analyse(rules, state, solver, make_expired)
        elif key in openings:
            found = openings[key]
        else:
            found = openings[key] = _analyse(rules, state, Solver(rules, nodes), make_expired)
        plies.append(found)
    return GameAnalysis(tuple(reversed(plies)))


def _analyse(
    rules: Rules[Any],
    state: Any,
    solver: Solver,
    make_expired: Callable[[], Callable[[], bool]],
) -> PlyAnalysis:
    return PlyAnalysis.of(rules.to_move(state), solver.solve(state, make_expired()))


def _positions(rules: Rules[Any], moves: Sequence[str]) -> Iterator[Any]:
    state = rules.start()
    yield state
    for move in moves:
        state = rules.apply(state, move)
        yield state
