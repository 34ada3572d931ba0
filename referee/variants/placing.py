"""What standoff, lockdown and crossfire share: mark a cell, and that closes cells around it.

The three differ in which neighbours a mark closes, and for whom. A cell closed to both players is
a blocked one and shown as `#`; one that is closed to the opponent only still looks empty.
"""

from collections.abc import Sequence

from referee.grid import Grid
from referee.outcome import Outcome, Reason, Seat, other, win
from referee.rules import Rules

State = tuple[int, int, int, int]
"""Cells marked by the player to move, by the other; cells closed to the first, to the other."""


class Placing(Rules[State]):
    """Players mark cells in turn; who cannot, loses."""

    marks = ("X", "O")

    def __init__(self, grid: Grid, closes: list[int], *, to_both: bool) -> None:
        self.grid = grid
        self.origin = grid.origin
        self.most_plies = len(grid.names)
        self.closes = closes
        """For each cell, the neighbours that a mark on it closes."""
        self.to_both = to_both
        self._cells = [(1 << cell, name) for cell, name in enumerate(grid.names)]
        self._effects = {
            name: (1 << cell, 1 << cell | closes[cell] * to_both, 1 << cell | closes[cell])
            for cell, name in enumerate(grid.names)
        }
        """For each move: the cell marked, and what it closes to its player and to the other."""

    def start(self) -> State:
        return 0, 0, 0, 0

    def to_move(self, state: State) -> Seat:
        return 1 + ((state[0] | state[1]).bit_count() & 1)

    def legal_moves(self, state: State) -> Sequence[str]:
        closed = state[2]
        return [name for bit, name in self._cells if not closed & bit]

    def apply(self, state: State, move: str) -> State:
        mine, theirs, closed_to_me, closed_to_them = state
        cell, closes_to_me, closes_to_them = self._effects[move]
        return theirs, mine | cell, closed_to_them | closes_to_them, closed_to_me | closes_to_me

    def outcome(self, state: State) -> Outcome | None:
        if state[2] != self.grid.everything:
            return None
        return win(other(self.to_move(state)), Reason.NO_MOVES)

    def _by_seat(self, state: State) -> tuple[int, int]:
        mine, theirs = state[:2]
        return (mine, theirs) if self.to_move(state) == 1 else (theirs, mine)

    def _blocked(self, state: State) -> int:
        return state[2] & ~(state[0] | state[1]) if self.to_both else 0

    def board(self, state: State) -> str:
        first, second = self._by_seat(state)
        return self.grid.text(
            (first, self.marks[0]), (second, self.marks[1]), (self._blocked(state), "#")
        )

    def why_illegal(self, state: State, move: str) -> str:
        example = self.grid.names[len(self.grid.names) // 2]
        try:
            cell, blockade = self.grid.read_move(move, example)
        except ValueError as unreadable:
            return str(unreadable)
        if cell is None or blockade is not None:
            return f"{move!r} is not a move of this game: one is a single cell, like {example}"
        mark = self.grid.mark(self.board(state), cell)
        if mark in self.marks:
            return f"{move} is taken by {mark}"
        closers = self.marks if self.to_both else self.marks[2 - self.to_move(state)]
        near = [
            f"{mark} at {self.grid.list_names(touching)}"
            for mask, mark in zip(self._by_seat(state), self.marks, strict=True)
            if mark in closers and (touching := mask & self.closes[cell])
        ]
        verb = "is blocked by" if self.to_both else "touches"
        return f"{move} {verb} {' and '.join(near)}"
