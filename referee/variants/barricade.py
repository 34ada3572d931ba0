"""barricade: step, then blockade a cell beside you; reach the other corner or trap the opponent.

A starts in the top left corner, B in the bottom right one. A turn has two parts: a step to an empty
cell up, down, left or right, then a blockade on an empty cell among the up to eight neighbours of
the new cell. A step onto the start cell of the opponent wins at once, without a blockade. A player
that cannot step loses.
"""

from typing import ClassVar

from referee.outcome import Outcome, Reason, Seat, other, win
from referee.rules import TextRules, Variant
from referee.rules.grid import Grid, Size, StepTexts, cells
from referee.rules.mypyc_compat import mypyc_attr
from referee.rules.symmetry import Symmetry, transposition

State = tuple[int, int, int, int, int]
"""The cells of A and B, the mask of the blockades, the number of plies played, and the bits of the
board text without A and B."""

_OCCUPANTS = {"A": "taken by A", "B": "taken by B", "X": "blockaded"}


@mypyc_attr(allow_interpreted_subclasses=True)
class Barricade(TextRules[State]):
    """The rules of barricade on one board."""

    marks: ClassVar[tuple[str, str]] = ("A", "B")
    origin: ClassVar[int] = 0  # type: ignore[misc]  # an instance attribute in other variants

    def __init__(self, size: Size) -> None:
        self.grid = grid = Grid(size, self.origin)
        names = grid.names
        self._last_cell = len(names) - 1
        """Where B starts; A starts in cell 0."""
        self.most_plies = len(names) - 1  # each but the last blockades a cell
        self._reachable = grid.orthogonal_neighbours
        moves = StepTexts(names).by_cell
        self._steps = [
            [(1 << to, names[to], grid.all_neighbours[to], moves[to]) for to in cells(reachable)]
            for reachable in self._reachable
        ]
        """For each cell, its neighbours in the four directions. For each of those: its mask, its
        name, the mask of its neighbours, and the texts of the moves by mask of blockades."""
        self._marker_bits = grid.mark_bits("A"), grid.mark_bits("B")
        blockade_bits = grid.mark_bits("X")
        steps_alone = {name: (to, 0, 0) for to, name in enumerate(names)}
        self._effects = steps_alone | {
            f"{names[to]}x{names[at]}": (to, 1 << at, blockade_bits[at])
            for to, neighbours in enumerate(grid.all_neighbours)
            for at in cells(neighbours)
        }
        """For each move: the new cell of the marker, the mask of the new blockade, and its board
        bits. A step without a blockade is legal onto the goal only."""

    def start(self) -> State:
        """Return A and B in their corners, A to move."""
        return 0, self._last_cell, 0, 0, self.grid.empty_board_bits

    def symmetries(self) -> list[Symmetry]:
        """Return the reflection that keeps both corners, if the board is square."""
        size = self.grid.size
        return [transposition(size)] if size.rows == size.cols else []

    def to_move(self, state: State) -> Seat:
        """Return the seat whose turn it is."""
        return 1 + (state[3] & 1)

    def legal_text(self, state: State) -> str:
        """Return each step with each blockade that can follow it, joined by `;`."""
        a, b, blockades, ply, _ = state
        here, opponent, goal = (b, a, 1) if ply & 1 else (a, b, 1 << self._last_cell)
        taken = blockades | 1 << opponent
        text = ""
        for to, name, neighbours, moves in self._steps[here]:
            if to & taken:
                continue
            # The cell just left is empty, so there is always a cell to blockade.
            text += f";{name}" if to == goal else moves[neighbours & ~taken]
        return text[1:]

    def view(self, state: State) -> tuple[Seat, str, str]:
        """Return the seat to move, the board, and the legal moves."""
        a, b, _, ply, board_bits = state
        bits_of_a, bits_of_b = self._marker_bits
        board = self.grid.text(board_bits ^ bits_of_a[a] ^ bits_of_b[b])
        return 1 + (ply & 1), board, self.legal_text(state)

    def apply(self, state: State, move: str) -> State:
        """Move the marker of the player to move, and add the blockade."""
        a, b, blockades, ply, board_bits = state
        to, blockade, blockade_bits = self._effects[move]
        if ply & 1:
            b = to
        else:
            a = to
        return a, b, blockades | blockade, ply + 1, board_bits ^ blockade_bits

    def outcome(self, state: State) -> Outcome | None:
        """Return a win by `goal`, or a loss of the player to move by `no-moves`."""
        a, b, blockades, ply, _ = state
        if a == self._last_cell:
            return win(1, Reason.GOAL)
        if b == 0:
            return win(2, Reason.GOAL)
        here, opponent = (b, a) if ply & 1 else (a, b)
        if self._reachable[here] & ~(blockades | 1 << opponent):
            return None
        return win(other(self.to_move(state)), Reason.NO_MOVES)

    def board(self, state: State) -> str:
        """Return the board text: `A` and `B` for the markers, `X` for blockades."""
        a, b, _, _, board_bits = state
        bits_of_a, bits_of_b = self._marker_bits
        return self.grid.text(board_bits ^ bits_of_a[a] ^ bits_of_b[b])

    def why_illegal(self, state: State, move: str) -> str:
        """Return why the step is illegal or, if it is legal, why the blockade is."""
        return self.why_no_step(state, move) or f"{move}: {self.why_no_blockade(state, move)}"

    def why_no_step(self, state: State, move: str) -> str | None:
        """Return why the step of an illegal move is illegal; None if it is legal."""
        names = self.grid.names
        try:
            to, _ = self.grid.read_move(move, example=f"{names[1]}x{names[0]}")
        except ValueError as unreadable:
            return str(unreadable)
        if to is None:
            return f"{move!r} has no step: a move is a step, x and the cell to blockade"
        here = state[1] if state[3] & 1 else state[0]
        mark = self.grid.mark(self.board(state), to)
        if mark != ".":
            return f"{names[to]} is {_OCCUPANTS[mark]}, you cannot step there"
        if not self._reachable[here] >> to & 1:
            player = self.marks[self.to_move(state) - 1]
            return (
                f"{names[to]} is not one step up, down, left or right of {player} at {names[here]}"
            )
        return None

    def why_no_blockade(self, state: State, move: str) -> str:
        """Return why an illegal move with a legal step has no legal blockade."""
        names = self.grid.names
        to, blockade = self.grid.read_move(move, example=names[0])
        assert to is not None  # otherwise the step is illegal
        a, b, _, ply, _ = state
        here, goal = (b, 0) if ply & 1 else (a, self._last_cell)
        if to == goal:
            return "the step onto the goal wins at once and takes no blockade"
        if blockade is None:
            return f"after the step comes a blockade, as in {names[to]}x{names[here]}"
        if blockade == to:
            return "you cannot blockade the cell you step to"
        mark = self.grid.mark(self.board(state), blockade)
        if mark != "." and blockade != here:
            return f"{names[blockade]} is {_OCCUPANTS[mark]}, you cannot blockade it"
        return f"{names[blockade]} does not touch {names[to]}, where you step to"


VARIANT = Variant(
    name="barricade",
    summary="step, then blockade a cell beside you; reach the opponent's corner or trap them",
    size=Size(5, 5),
    rules=Barricade,
)
