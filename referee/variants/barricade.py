"""barricade: step, then blockade a cell beside you; reach the other corner or trap the opponent."""

from functools import partial
from typing import ClassVar

from referee.outcome import Outcome, Reason, Seat, other, win
from referee.rules import TextRules, Variant
from referee.rules.grid import Grid, MaskTable, Size, cells
from referee.rules.mypyc_compat import mypyc_attr

State = tuple[int, int, int, int, int]
"""The cells of A and B, the mask of blockades, the number of plies played, and the picture of the
blockades."""

_HOLDS = {"A": "taken by A", "B": "taken by B", "X": "blockaded"}


@mypyc_attr(allow_interpreted_subclasses=True)
class Barricade(TextRules[State]):
    marks: ClassVar[tuple[str, str]] = ("A", "B")
    origin: ClassVar[int] = 0  # type: ignore[misc]  # others set theirs in `__init__`

    def __init__(self, size: Size) -> None:
        self.grid = grid = Grid(size, self.origin)
        names = grid.names
        self._last = len(names) - 1
        self._far_corner = 1 << self._last
        self._near = grid.orthogonal_neighbours
        self.most_plies = len(names) - 1  # each but the last blockades a cell
        moves = [MaskTable("", partial(self._add_move, to)) for to in range(len(names))]
        self._steps = [
            [(1 << to, names[to], grid.all_neighbours[to], moves[to]) for to in cells(reachable)]
            for reachable in grid.orthogonal_neighbours
        ]
        """From each cell: the cells to step to, the cells around each of those, and the moves for
        those of them that can be blockaded."""
        self._ink = grid.mark_bits("A"), grid.mark_bits("B")
        mark_bits = grid.mark_bits("X")
        self._effects = {name: (to, 0, 0) for to, name in enumerate(names)} | {
            f"{names[to]}x{names[at]}": (to, 1 << at, mark_bits[at])
            for to, near in enumerate(grid.all_neighbours)
            for at in cells(near)
        }
        """For each move: the cell stepped to, the mask of the new blockade and its ink."""

    def _add_move(self, to: int, moves: str, at: int) -> str:
        """One more move: a step and a blockade, with a `;` before it."""
        return f"{moves};{self.grid.names[to]}x{self.grid.names[at]}"

    def start(self) -> State:
        return 0, self._last, 0, 0, self.grid.empty_board_bits

    def to_move(self, state: State) -> Seat:
        return 1 + (state[3] & 1)

    def legal_text(self, state: State) -> str:
        a, b, blockades, ply, _ = state
        here, there, goal = (b, a, 1) if ply & 1 else (a, b, self._far_corner)
        taken = blockades | 1 << there
        text = ""
        for step, name, near, moves in self._steps[here]:
            if step & taken:
                continue
            # The cell just left is empty, so there always is a cell to blockade.
            text += f";{name}" if step == goal else moves[near & ~taken]
        return text[1:]

    def view(self, state: State) -> tuple[Seat, str, str]:
        a, b, _, ply, board_bits = state
        ink_of_a, ink_of_b = self._ink
        board = self.grid.text(board_bits ^ ink_of_a[a] ^ ink_of_b[b])
        return 1 + (ply & 1), board, self.legal_text(state)

    def apply(self, state: State, move: str) -> State:
        a, b, blockades, ply, board_bits = state
        to, blockade, mark_bits = self._effects[move]
        if ply & 1:
            return a, to, blockades | blockade, ply + 1, board_bits ^ mark_bits
        return to, b, blockades | blockade, ply + 1, board_bits ^ mark_bits

    def outcome(self, state: State) -> Outcome | None:
        a, b, blockades, ply, _ = state
        if a == self._last:
            return win(1, Reason.GOAL)
        if b == 0:
            return win(2, Reason.GOAL)
        here, there = (b, a) if ply & 1 else (a, b)
        if self._near[here] & ~(blockades | 1 << there):
            return None
        return win(other(self.to_move(state)), Reason.NO_MOVES)

    def board(self, state: State) -> str:
        a, b, _, _, board_bits = state
        ink_of_a, ink_of_b = self._ink
        return self.grid.text(board_bits ^ ink_of_a[a] ^ ink_of_b[b])

    def why_illegal(self, state: State, move: str) -> str:
        names = self.grid.names
        try:
            to, blockade = self.grid.read_move(move, example=f"{names[1]}x{names[0]}")
        except ValueError as unreadable:
            return str(unreadable)
        if to is None:
            return f"{move!r} has no step: a move is a step, x and the cell to blockade"
        a, b, _, ply, _ = state
        here, goal = (b, 1) if ply & 1 else (a, self._far_corner)
        mark = self.grid.mark(self.board(state), to)
        if mark != ".":
            return f"{names[to]} is {_HOLDS[mark]}, you cannot step there"
        if not self.grid.orthogonal_neighbours[here] >> to & 1:
            player = self.marks[self.to_move(state) - 1]
            return (
                f"{names[to]} is not one step up, down, left or right of {player} at {names[here]}"
            )
        return f"{move}: {self._why_no_blockade(state, here, to, blockade, goal)}"

    def _why_no_blockade(
        self, state: State, here: int, to: int, blockade: int | None, goal: int
    ) -> str:
        names = self.grid.names
        if 1 << to == goal:
            return "the step onto the goal wins at once and takes no blockade"
        if blockade is None:
            return f"after the step comes a blockade, as in {names[to]}x{names[here]}"
        if blockade == to:
            return "you cannot blockade the cell you step to"
        mark = self.grid.mark(self.board(state), blockade)
        if mark != "." and blockade != here:
            return f"{names[blockade]} is {_HOLDS[mark]}, you cannot blockade it"
        return f"{names[blockade]} does not touch {names[to]}, where you step to"


VARIANT = Variant(
    name="barricade",
    summary="step, then blockade a cell beside you; reach the opponent's corner or trap them",
    size=Size(5, 5),
    rules=Barricade,
)
