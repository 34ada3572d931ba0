"""The value of every reachable position of a game, computed without the solver.

Positions that differ in their history alone are one position: the history matters only in runner,
whose repetition and move limit are left out here and tested by playing on.
"""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from referee.outcome import Seat
from referee.rules import Rules


def key_of(rules: Rules[Any], state: Any) -> Hashable:
    """What decides the rest of the game, apart from the history of runner."""
    return rules.to_move(state), rules.board(state)


@dataclass
class GameGraph:
    """All positions that can be reached from the start."""

    states: dict[Hashable, Any] = field(default_factory=dict)
    """One state for each position that is not over."""
    after: dict[Hashable, list[Any]] = field(default_factory=dict)
    """For each of them, per legal move, the position after it, or the seat that won."""
    winner: dict[Hashable, tuple[Seat, int]] = field(default_factory=dict)
    """The winner with perfect play, and the number of plies; missing where no win can be forced."""


@lru_cache(maxsize=2)
def explore(rules: Rules[Any]) -> GameGraph:
    """Visit all positions breadth first, so that no history has a repetition."""
    graph = GameGraph()
    start = rules.start()
    graph.states[key_of(rules, start)] = start
    queue = deque([start])
    while queue:
        state = queue.popleft()
        after: list[Any] = []
        for move in rules.legal_moves(state):
            child = rules.apply(state, move)
            outcome = rules.outcome(child)
            if outcome:
                assert outcome.reason not in ("repetition", "move-limit")
                after.append(outcome.winner)
                continue
            key = key_of(rules, child)
            after.append(key)
            if key not in graph.states:
                graph.states[key] = child
                queue.append(child)
        graph.after[key_of(rules, state)] = after
    _solve(graph)
    return graph


def _solve(graph: GameGraph) -> None:
    """Find the positions that are decided within 1, 2, 3, … plies, until there are no more."""
    before: dict[Hashable, list[Hashable]] = {}
    for key, after in graph.after.items():
        for child in after:
            before.setdefault(child, []).append(key)
    open_moves = {key: len(after) for key, after in graph.after.items()}
    won: deque[tuple[Hashable, Seat, int]] = deque()
    for key, after in graph.after.items():
        mover = key[0]  # type: ignore[index]
        if mover in after:
            won.append((key, mover, 1))
        open_moves[key] -= after.count(3 - mover)
        if not open_moves[key]:
            won.append((key, 3 - mover, 1))
    while won:
        key, seat, plies = won.popleft()
        if key in graph.winner:
            continue
        graph.winner[key] = seat, plies
        for parent in before.get(key, []):
            mover = parent[0]  # type: ignore[index]
            if parent in graph.winner:
                continue
            if seat == mover:
                won.append((parent, seat, plies + 1))
            else:
                open_moves[parent] -= 1
                if not open_moves[parent]:
                    won.append((parent, seat, plies + 1))
