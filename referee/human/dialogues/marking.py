"""crossfire and lockdown: one question, and after it the cells that the mark has blocked."""

from collections.abc import Sequence

from referee.human.board_view import marks_by_cell
from referee.human.dialogues.base import Dialogue, Position, Speaker
from referee.outcome import Outcome, Reason, Seat, other


class Marking(Dialogue):
    """What the two books share."""

    blocked: str
    """What stands before the list of blocked cells."""

    def welcome(self) -> str:
        return "Welcome to Blockade!\n"

    def heading(self, position: Position) -> str:
        if position.is_over:
            return "Final Board State:"
        return "Board State:" if position.moves else "Initial Board State:"

    def made(self, position: Position, move: str, who: str) -> str:
        before = marks_by_cell(position.board, self.origin)
        after = dict(marks_by_cell(self.board_after(position, move), self.origin))
        new = [cell for cell, mark in before if mark == "." and after[cell] == "#"]
        listed = ", ".join(f"({cell})" for cell in self.in_order(move, new)) or "none"
        mark = self.marks[position.seat - 1]
        return f"{who} placed an '{mark}' at ({move}).\n{self.blocked}: {listed}.\n"

    def in_order(self, move: str, cells: list[str]) -> list[str]:
        """The blocked cells as the book lists them."""
        return cells

    def refusal(self, position: Position, move: str) -> str:
        return f"Invalid move! {self.broken_rule(position, move)} Choose a different move.\n"


class Crossfire(Marking):
    blocked = "Blocked cells at"

    def player(self, seat: Seat) -> str:
        return f"Player {seat} ({self.marks[seat - 1]})"

    def introduce(self, position: Position, speaker: Speaker) -> None:
        return

    def prompt(self, seat: Seat) -> str:
        return f"{self.player(seat)}, enter your move (row and column): "

    def in_order(self, move: str, cells: list[str]) -> list[str]:
        # Up, down, left, right: the book's rule says so, and one of its two examples does it.
        column = move.partition(",")[2]
        return sorted(cells, key=lambda cell: cell.partition(",")[2] != column)

    def ending(self, outcome: Outcome) -> str:
        return super().ending(outcome).replace("\n\n", "\n")


class Lockdown(Marking):
    blocked = "Blocked squares"

    def player(self, seat: Seat) -> str:
        return f"Player {seat} ('{self.marks[seat - 1]}')"

    def introduce(self, position: Position, speaker: Speaker) -> None:
        squares = len(position.board.replace("/", ""))
        speaker.say(f"{self.player(position.seat)}, it's your turn.")
        speaker.say_list("Available moves:", ranges(position.legal, squares))
        speaker.say()

    def prompt(self, seat: Seat) -> str:
        return "Enter your move (row and column): "

    def why_over(self, outcome: Outcome) -> str:
        assert outcome.winner is not None
        if outcome.reason == Reason.NO_MOVES:
            loser = self.player(other(outcome.winner))
            return f"{loser}, it's your turn.\nNo available moves. You cannot make a move."
        return super().why_over(outcome)


def ranges(cells: Sequence[str], all_cells: int) -> list[str]:
    """Cells in words; three or more side by side as `(4,1)-(4,4)`, and so the whole board."""
    if len(cells) == all_cells:
        return [f"({cells[0]})-({cells[-1]})."]
    runs: list[list[str]] = []
    for cell in cells:
        row, _, col = cell.partition(",")
        if runs and runs[-1][-1] == f"{row},{int(col) - 1}":
            runs[-1].append(cell)
        else:
            runs.append([cell])
    words: list[str] = []
    for run in runs:
        words += [f"({run[0]})-({run[-1]})"] if len(run) > 2 else [f"({cell})" for cell in run]
    return [f"{word}," for word in words[:-1]] + [f"{words[-1]}."]
