"""runner: step towards the other side, or block a cell that touches no piece.

Each piece starts in the middle of an edge, seat 1 at the top. A turn is one of two: a step to an
empty cell among the up to eight neighbours of the piece, or a block on an empty cell that touches
neither piece. A player wins by a step onto the row where the opponent started (`goal`), and loses
if its piece cannot step (`no-moves`).

Three rulings make every game end. A player loses by a block that leaves neither piece a way to its
goal row (`shut-out`), and by the third occurrence of a position (`repetition`). Seat 1 loses if
neither player has won after 500 plies (`move-limit`).
"""

from typing import ClassVar

from referee.outcome import Outcome, Reason, Seat, other, win
from referee.rules import TextRules, Variant
from referee.rules.grid import Grid, MaskTable, MaskText, Size
from referee.rules.layout import BoardLayout, PieceLayout
from referee.rules.mypyc_compat import mypyc_attr
from referee.rules.symmetry import Symmetry, left_right_reflection

State = tuple[int, int, int, int, tuple[int, ...], int]
"""The cells of both pieces, the mask of the blocks, the number of plies played, the keys of all
positions since the last block (blocks stay, so no earlier position can occur again), and the bits
of the board text without the pieces."""

MOVE_LIMIT = 500
REPETITIONS = 3


def _position_key(first: int, second: int, ply: int) -> int:
    """Combine the cells of the pieces (up to 256 each) and the player to move into one int."""
    return first << 9 | second << 1 | ply & 1


@mypyc_attr(allow_interpreted_subclasses=True)
class Runner(TextRules[State]):
    """The rules of runner on one board."""

    layout: ClassVar[BoardLayout] = PieceLayout()
    most_plies: int | None = MOVE_LIMIT

    def __init__(self, size: Size) -> None:
        self.grid = grid = Grid(size, self.origin)
        names = grid.names
        middle = (size.cols + 1) // 2 - 1
        self._bottom_row_start = (size.rows - 1) * size.cols
        """The number of the first cell of the bottom row."""
        self._top_row_end = size.cols
        """The number of the first cell after the top row."""
        self._start_cells = middle, self._bottom_row_start + middle
        self._neighbours = grid.all_neighbours
        self._touched = [1 << cell | mask for cell, mask in enumerate(grid.all_neighbours)]
        """For each cell, the mask of the cells that a piece there occupies or touches."""
        self._all_cells = grid.all_cells
        self._step_texts = MaskTable("", lambda text, cell: f"{text};{names[cell]}")
        self._block_texts = MaskText([f"x{name}" for name in names])
        self._step_effects = grid.cell_number
        """For each step, the new cell of the piece."""
        block_bits = grid.mark_bits("X")
        self._block_effects = {
            f"x{name}": (1 << cell, block_bits[cell]) for cell, name in enumerate(names)
        }
        """For each block, its mask and its board bits."""
        self._piece_bits = grid.mark_bits("1"), grid.mark_bits("2")
        self._straight_down = [grid.column_down(cell) for cell in range(len(names))]
        self._straight_up = [grid.column_up(cell) for cell in range(len(names))]

    def start(self) -> State:
        """Return both pieces in the middle of their edges, seat 1 to move."""
        first, second = self._start_cells
        return first, second, 0, 0, (_position_key(first, second, 0),), self.grid.empty_board_bits

    def symmetries(self) -> list[Symmetry]:
        """Return the exchange of left and right, if the pieces start exactly in the middle."""
        size = self.grid.size
        return [left_right_reflection(size)] if size.cols % 2 else []

    def to_move(self, state: State) -> Seat:
        """Return the seat whose turn it is."""
        return 1 + (state[3] & 1)

    def legal_text(self, state: State) -> str:
        """Return the steps, then the blocks, joined by `;`."""
        first, second, blocks, ply, _, _ = state
        here, opponent = (second, first) if ply & 1 else (first, second)
        steps = self._step_texts[self._neighbours[here] & ~(blocks | 1 << opponent)]
        touched = self._touched[first] | self._touched[second]
        return f"{steps}{self._block_texts.of(self._all_cells & ~(blocks | touched))}"[1:]

    def view(self, state: State) -> tuple[Seat, str, str]:
        """Return the seat to move, the board, and the legal moves."""
        first, second, _, ply, _, board_bits = state
        bits_of_1, bits_of_2 = self._piece_bits
        board = self.grid.text(board_bits ^ bits_of_1[first] ^ bits_of_2[second])
        return 1 + (ply & 1), board, self.legal_text(state)

    def apply(self, state: State, move: str) -> State:
        """Add a block, or move the piece of the player to move."""
        first, second, blocks, ply, positions, board_bits = state
        if move[0] == "x":
            block, block_bits = self._block_effects[move]
            blocks |= block
            board_bits ^= block_bits
            positions = ()
        elif ply & 1:
            second = self._step_effects[move]
        else:
            first = self._step_effects[move]
        ply += 1
        positions = (*positions, _position_key(first, second, ply))
        return first, second, blocks, ply, positions, board_bits

    def outcome(self, state: State) -> Outcome | None:
        """Return the first that applies: goal, shut-out, no-moves, repetition, move-limit."""
        first, second, blocks, ply, positions, _ = state
        if first >= self._bottom_row_start:
            return win(1, Reason.GOAL)
        if second < self._top_row_end:
            return win(2, Reason.GOAL)
        seat = 1 + (ply & 1)  # to move; the opponent made the last move
        # Only a block can close a way, and after a block the list has one position.
        if blocks and len(positions) == 1 and self._is_shut_out(first, second, blocks):
            return win(seat, Reason.SHUT_OUT)
        here, opponent = (second, first) if ply & 1 else (first, second)
        if not self._neighbours[here] & ~(blocks | 1 << opponent):
            return win(other(seat), Reason.NO_MOVES)
        if positions.count(positions[-1]) >= REPETITIONS:
            return win(seat, Reason.REPETITION)
        if ply >= MOVE_LIMIT:
            return win(2, Reason.MOVE_LIMIT)
        return None

    def _is_shut_out(self, first: int, second: int, blocks: int) -> bool:
        """Check whether neither piece has a way to its goal row; pieces are no obstacles."""
        # A free way straight ahead is the most frequent case: with this test the method takes
        # 0.3 µs on 5x5, without it 0.65 µs (mean over random games, else as measured in `grid`).
        if not blocks & self._straight_down[first] or not blocks & self._straight_up[second]:
            return False
        free = self.grid.all_cells & ~blocks
        return not (
            self.grid.is_connected(1 << first, self.grid.bottom_row, free)
            or self.grid.is_connected(1 << second, self.grid.top_row, free)
        )

    def board(self, state: State) -> str:
        """Return the board text: `1` and `2` for the pieces, `X` for blocks."""
        first, second, _, _, _, board_bits = state
        bits_of_1, bits_of_2 = self._piece_bits
        return self.grid.text(board_bits ^ bits_of_1[first] ^ bits_of_2[second])

    def why_illegal(self, state: State, move: str) -> str:
        """Return why a cell cannot be stepped to, or blocked."""
        names = self.grid.names
        example = f"{names[1]} (step) or x{names[-1]} (block)"
        try:
            to, block = self.grid.read_move(move, example)
        except ValueError as unreadable:
            return str(unreadable)
        if to is not None and block is not None:
            return f"{move!r} steps and blocks: a move does one of them, like {example}"
        here = state[1] if state[3] & 1 else state[0]
        cell = to if to is not None else block
        assert cell is not None  # the grammar has no empty move
        mark = self.grid.mark(self.board(state), cell)
        if mark != ".":
            return f"{names[cell]} is {'blocked' if mark == 'X' else f'taken by P{mark}'}"
        if to is not None:
            return f"{names[to]} is not next to P{self.to_move(state)} at {names[here]}"
        touched = [
            f"P{seat} at {names[piece]}"
            for seat, piece in enumerate(state[:2], start=1)
            if self._touched[piece] >> cell & 1
        ]
        return f"{names[cell]} touches {' and '.join(touched)}, so it cannot be blocked"


VARIANT = Variant(
    name="runner",
    summary="step to a neighbour, or block a cell away from both pieces; reach the far row",
    size=Size(5, 5),
    rules=Runner,
)
