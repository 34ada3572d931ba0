"""Three in a row, column or diagonal wins; a full board without one is a draw."""

from referee.errors import InputError
from referee.outcome import Outcome, win
from referee.rules import Rules, Size, Variant

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


class TicTacToe(Rules[str]):
    """A state is the board as nine characters: X moves when the marks are even in number."""

    marks = ("X", "O")

    def __init__(self, size: Size) -> None:
        if size != (3, 3):
            raise InputError(f"tictactoe is played on 3x3, not on {size}")
        self.cells = {f"{row},{col}": 3 * row + col - 4 for row in (1, 2, 3) for col in (1, 2, 3)}

    def start(self) -> str:
        return "." * 9

    def to_move(self, state: str) -> int:
        return 2 - state.count(".") % 2

    def legal_moves(self, state: str) -> list[str]:
        return [move for move, cell in self.cells.items() if state[cell] == "."]

    def apply(self, state: str, move: str) -> str:
        cell = self.cells[move]
        return state[:cell] + self.marks[self.to_move(state) - 1] + state[cell + 1 :]

    def outcome(self, state: str) -> Outcome | None:
        for seat, mark in enumerate(self.marks, start=1):
            if any(all(state[int(cell)] == mark for cell in line) for line in LINES):
                return win(seat, "three-in-a-row")
        return None if "." in state else Outcome((0.5, 0.5), "board-full")

    def board(self, state: str) -> str:
        return "/".join((state[:3], state[3:6], state[6:]))


VARIANT = Variant(
    name="tictactoe",
    summary="mark an empty cell; three in a line win, a full board is a draw",
    size=Size(3, 3),
    rules=TicTacToe,
)
