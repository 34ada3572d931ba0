"""runner: step towards the other side, or block a cell that touches no piece."""

from referee.outcome import Outcome, Reason, Seat, other, win
from referee.rules import TextRules, Variant
from referee.rules.grid import Grid, MaskTable, MaskText, Size
from referee.rules.mypyc_compat import mypyc_attr

State = tuple[int, int, int, int, tuple[int, ...], int]
"""The cells of both pieces, the mask of blocks, the number of plies played, every position since
the last block (blocks stay, so no earlier position can come back), the picture of the blocks."""

MOVE_LIMIT = 500
REPETITIONS = 3


@mypyc_attr(allow_interpreted_subclasses=True)
class Runner(TextRules[State]):
    most_plies: int | None = MOVE_LIMIT

    def __init__(self, size: Size) -> None:
        self.grid = grid = Grid(size, self.origin)
        names = grid.names
        column = (size.cols + 1) // 2 - 1
        self._starts = column, column + (size.rows - 1) * size.cols
        self._goals = grid.bottom_row, grid.top_row
        self._first_row, self._last_row = size.cols, (size.rows - 1) * size.cols
        """Where the first row ends, and where the last one begins."""
        self._near = grid.all_neighbours
        self._everything = grid.everything
        self._steps = MaskTable("", lambda text, cell: f"{text};{names[cell]}")
        """The steps to the cells of a mask: free ones around a piece."""
        self._blocks = MaskText([f"x{name}" for name in names])
        self._step_to = grid.number
        block_ink = grid.mark_bits("X")
        self._block_on = {
            f"x{name}": (1 << cell, block_ink[cell]) for cell, name in enumerate(names)
        }
        """For each block, its mask and its ink."""
        self._ink = grid.mark_bits("1"), grid.mark_bits("2")
        column_from_top = sum(1 << cell for cell in range(0, len(names), size.cols))
        self._ahead = (
            [(column_from_top << cell) & grid.everything for cell in range(len(names))],
            [(column_from_top << cell % size.cols) & (2 << cell) - 1 for cell in range(len(names))],
        )
        """For each cell, the cells straight below it, and straight above it, and itself."""
        self._around = [1 << cell | near for cell, near in enumerate(grid.all_neighbours)]

    def start(self) -> State:
        first, second = self._starts
        return first, second, 0, 0, (first << 9 | second << 1,), self.grid.empty_board_bits

    def to_move(self, state: State) -> Seat:
        return 1 + (state[3] & 1)

    def legal_text(self, state: State) -> str:
        first, second, blocks, ply, _, _ = state
        here, there = (second, first) if ply & 1 else (first, second)
        steps = self._steps[self._near[here] & ~(blocks | 1 << there)]
        around = self._around
        free = self._everything & ~(blocks | around[first] | around[second])
        return f"{steps}{self._blocks.of(free)}"[1:]

    def view(self, state: State) -> tuple[Seat, str, str]:
        first, second, _, ply, _, board_bits = state
        ink_of_1, ink_of_2 = self._ink
        board = self.grid.text(board_bits ^ ink_of_1[first] ^ ink_of_2[second])
        return 1 + (ply & 1), board, self.legal_text(state)

    def apply(self, state: State, move: str) -> State:
        first, second, blocks, ply, seen, board_bits = state
        ply += 1
        if move[0] == "x":
            block, mark_bits = self._block_on[move]
            blocks |= block
            board_bits ^= mark_bits
            seen = ()
        elif ply & 1:
            first = self._step_to[move]
        else:
            second = self._step_to[move]
        position = first << 9 | second << 1 | ply & 1
        return first, second, blocks, ply, (*seen, position), board_bits

    def outcome(self, state: State) -> Outcome | None:
        first, second, blocks, ply, seen, _ = state
        if first >= self._last_row:
            return win(1, Reason.GOAL)
        if second < self._first_row:
            return win(2, Reason.GOAL)
        on_turn = 1 + (ply & 1)
        # Only a block can shut anybody out, and it starts a new list of positions.
        if blocks and len(seen) == 1 and self._is_shut_out(first, second, blocks):
            return win(on_turn, Reason.SHUT_OUT)
        here, there = (second, first) if ply & 1 else (first, second)
        if not self._near[here] & ~(blocks | 1 << there):
            return win(other(on_turn), Reason.NO_MOVES)
        if seen.count(seen[-1]) >= REPETITIONS:
            return win(on_turn, Reason.REPETITION)
        if ply >= MOVE_LIMIT:
            return win(2, Reason.MOVE_LIMIT)
        return None

    def _is_shut_out(self, first: int, second: int, blocks: int) -> bool:
        """Neither piece has a way to its goal row; the other piece is no obstacle."""
        down, up = self._ahead
        if not blocks & down[first] or not blocks & up[second]:
            return False  # the straight way is the commonest
        free, is_connected = self.grid.everything & ~blocks, self.grid.is_connected
        goal_of_first, goal_of_second = self._goals
        return not (
            is_connected(1 << first, goal_of_first, free)
            or is_connected(1 << second, goal_of_second, free)
        )

    def board(self, state: State) -> str:
        first, second, _, _, _, board_bits = state
        ink_of_1, ink_of_2 = self._ink
        return self.grid.text(board_bits ^ ink_of_1[first] ^ ink_of_2[second])

    def draw(self, state: State) -> str:
        lines = [
            "Row\\Col |" + "".join(f"{col:>2}  " for col in self._numbers(self.grid.size.cols))
        ]
        lines.append("-" * len(lines[0]))
        for number, row in zip(
            self._numbers(self.grid.size.rows), self.board(state).split("/"), strict=True
        ):
            marks = "".join(f"P{mark}  " if mark in "12" else f" {mark}  " for mark in row)
            lines.append(f"{number:>4}    |{marks}".rstrip())
        return "\n".join(line.rstrip() for line in lines)

    def _numbers(self, count: int) -> range:
        return range(self.origin, self.origin + count)

    def why_illegal(self, state: State, move: str) -> str:
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
            if self._around[piece] >> cell & 1
        ]
        return f"{names[cell]} touches {' and '.join(touched)}, so it cannot be blocked"


VARIANT = Variant(
    name="runner",
    summary="step to a neighbour, or block a cell away from both pieces; reach the far row",
    size=Size(5, 5),
    rules=Runner,
)
