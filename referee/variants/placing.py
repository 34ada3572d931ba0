"""What standoff, lockdown and crossfire share: mark a cell, and that closes cells around it.

The three differ in which neighbours a mark closes, and for whom. A cell closed to both players is
a blocked one and shown as `#`; one that is closed to the opponent only still looks empty.
"""

from typing import ClassVar

from referee.outcome import Outcome, Reason, Seat, other, win
from referee.rules import TextRules
from referee.rules.grid import Grid, MaskTable, MaskText
from referee.rules.mypyc_compat import mypyc_attr

State = tuple[int, int, int, int, Seat, int]
"""Cells marked by the player to move, by the other; cells closed to the first, to the other; the
player to move; the picture."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Placing(TextRules[State]):
    """Players mark cells in turn; who cannot, loses."""

    marks: ClassVar[tuple[str, str]] = ("X", "O")

    def __init__(self, grid: Grid, closes: list[int], *, to_both: bool) -> None:
        self.grid = grid
        self._everything = grid.everything
        self.origin = grid.origin
        self.most_plies = len(grid.names)
        self.closes = closes
        """For each cell, the neighbours that a mark on it closes."""
        self.to_both = to_both
        self._texts = MaskText(grid.names)
        block_ink = grid.mark_bits("#")
        self._block_ink = MaskTable(0, lambda mark_bits, cell: mark_bits + block_ink[cell])
        inks = [grid.mark_bits(mark) for mark in self.marks]
        self._effects = {
            name: (
                1 << cell,
                closes[cell] * to_both,
                1 << cell | closes[cell],
                (0, inks[0][cell], inks[1][cell]),
            )
            for cell, name in enumerate(grid.names)
        }
        """For each move: the cell marked, what it closes to its player too, all that it closes to
        the other, and the ink of each seat."""

    def start(self) -> State:
        return 0, 0, 0, 0, 1, self.grid.empty_board_bits

    def to_move(self, state: State) -> Seat:
        return state[4]

    def legal_text(self, state: State) -> str:
        return self._texts.of(self._everything & ~state[2])[1:]

    def view(self, state: State) -> tuple[Seat, str, str]:
        _, _, closed, _, seat, board_bits = state
        return seat, self.grid.text(board_bits), self._texts.of(self._everything & ~closed)[1:]

    def apply(self, state: State, move: str) -> State:
        mine, theirs, closed_to_me, closed_to_them, seat, board_bits = state
        cell, closes_to_me, closes_to_them, mark_bits = self._effects[move]
        if blocked := closes_to_me & ~closed_to_me:
            board_bits ^= self._block_ink[blocked]
        return (
            theirs,
            mine | cell,
            closed_to_them | closes_to_them,
            closed_to_me | closes_to_me | cell,
            3 - seat,
            board_bits ^ mark_bits[seat],
        )

    def outcome(self, state: State) -> Outcome | None:
        if state[2] != self._everything:
            return None
        return win(other(state[4]), Reason.NO_MOVES)

    def _by_seat(self, state: State) -> tuple[int, int]:
        mine, theirs = state[:2]
        return (mine, theirs) if state[4] == 1 else (theirs, mine)

    def board(self, state: State) -> str:
        return self.grid.text(state[5])

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
