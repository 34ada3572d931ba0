"""Rules that standoff, lockdown and crossfire share: a mark closes cells around it.

A move marks an empty cell that is not closed to its player. The marked cell is closed to both
players from then on. Its neighbours (all eight, or the four orthogonal ones) are closed to the
opponent, or to both players. A player without a move loses.

A neighbour closed to both players is blocked, and is shown as `#`. A cell closed to one player only
is shown as empty.
"""

from typing import ClassVar

from referee.outcome import Outcome, Reason, Seat, other, win
from referee.rules import TextRules
from referee.rules.grid import Grid, MaskTable, MaskText
from referee.rules.mypyc_compat import mypyc_attr
from referee.rules.symmetry import Symmetry, board_symmetries, map_mask

State = tuple[int, int, int, int, Seat, int]
"""The cells marked by the player to move and by its opponent, the cells closed to each of them, the
seat to move, and the bits of the board text."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Placing(TextRules[State]):
    """The rules, for given neighbours that a mark closes."""

    marks: ClassVar[tuple[str, str]] = ("X", "O")

    def __init__(self, grid: Grid, closes: list[int], *, to_both: bool) -> None:
        self.grid = grid
        self._all_cells = grid.all_cells
        self.origin = grid.origin
        self.most_plies = len(grid.names)
        self.closes = closes
        """For each cell, the mask of the neighbours that a mark on it closes."""
        self.to_both = to_both
        """Whether they are closed to both players, or to the opponent only."""
        self._move_texts = MaskText(grid.names)
        blocked_bits = grid.mark_bits("#")
        self._blocked_bits = MaskTable(0, lambda bits, cell: bits + blocked_bits[cell])
        """For each mask, the board bits of `#` in all its cells."""
        mark_bits = [grid.mark_bits(mark) for mark in self.marks]
        self._effects = {
            name: (
                1 << cell,
                closes[cell] if to_both else 0,
                1 << cell | closes[cell],
                (0, mark_bits[0][cell], mark_bits[1][cell]),
            )
            for cell, name in enumerate(grid.names)
        }
        """For each move: the mask of the marked cell, the neighbours that it blocks, all cells that
        it closes to the opponent, and by seat (1 or 2) the board bits of its mark."""

    def start(self) -> State:
        """Return the empty board, seat 1 to move."""
        return 0, 0, 0, 0, 1, self.grid.empty_board_bits

    def symmetries(self) -> list[Symmetry]:
        """List the rotations and reflections under which marks close the same neighbours."""
        return [
            symmetry
            for symmetry in board_symmetries(self.grid.size)
            if all(
                map_mask(mask, symmetry) == self.closes[symmetry[cell]]
                for cell, mask in enumerate(self.closes)
            )
        ]

    def to_move(self, state: State) -> Seat:
        """Return the seat whose turn it is."""
        return state[4]

    def legal_text(self, state: State) -> str:
        """Return the cells that are not closed to the player to move, joined by `;`."""
        return self._move_texts.of(self._all_cells & ~state[2])[1:]

    def view(self, state: State) -> tuple[Seat, str, str]:
        """Return the seat to move, the board, and the legal moves."""
        _, _, closed, _, seat, board_bits = state
        return seat, self.grid.text(board_bits), self._move_texts.of(self._all_cells & ~closed)[1:]

    def apply(self, state: State, move: str) -> State:
        """Mark a cell, close it and its neighbours, and pass the turn to the opponent."""
        own, opponent, closed, closed_to_opponent, seat, board_bits = state
        cell, blocks, closes_to_opponent, mark_bits = self._effects[move]
        if newly_blocked := blocks & ~closed:  # neighbours that are marked or blocked stay as is
            board_bits ^= self._blocked_bits[newly_blocked]
        return (
            opponent,
            own | cell,
            closed_to_opponent | closes_to_opponent,
            closed | blocks | cell,
            3 - seat,
            board_bits ^ mark_bits[seat],
        )

    def outcome(self, state: State) -> Outcome | None:
        """Return a loss of the player to move if all cells are closed to it."""
        if state[2] != self._all_cells:
            return None
        return win(other(state[4]), Reason.NO_MOVES)

    def board(self, state: State) -> str:
        """Return the board text: `X` and `O` for marks, `#` for blocked cells."""
        return self.grid.text(state[5])

    def why_illegal(self, state: State, move: str) -> str:
        """Return why a cell cannot be marked: it is marked, or these marks close it."""
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
        closing = self.marks if self.to_both else self.marks[2 - self.to_move(state)]
        neighbours = [
            f"{mark} at {self.grid.list_names(touching)}"
            for mask, mark in zip(self._marked_by_seat(state), self.marks, strict=True)
            if mark in closing and (touching := mask & self.closes[cell])
        ]
        verb = "is blocked by" if self.to_both else "touches"
        return f"{move} {verb} {' and '.join(neighbours)}"

    def _marked_by_seat(self, state: State) -> tuple[int, int]:
        """Return the masks of the cells marked by seat 1 and by seat 2."""
        own, opponent = state[:2]
        return (own, opponent) if state[4] == 1 else (opponent, own)
