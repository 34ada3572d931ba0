"""Dialogues of crossfire and lockdown: one prompt, then the cells that the mark blocks."""

from collections.abc import Sequence

from referee.human.board_view import marks_by_cell
from referee.human.dialogues.base import Dialogue, Position, Prompter
from referee.outcome import Outcome, Reason, Seat, other


class MarkingDialogue(Dialogue):
    """The common part of both dialogues."""

    blocked: str
    """Label of the list of blocked cells."""

    def welcome(self) -> str:
        """Return the first text of a game."""
        return "Welcome to Blockade!\n"

    def heading(self, position: Position) -> str:
        """Return the line above the board."""
        if position.is_over:
            return "Final Board State:"
        return "Board State:" if position.moves else "Initial Board State:"

    def made(self, position: Position, move: str, who: str) -> str:
        """Describe a move in the words of the book."""
        before = marks_by_cell(position.board, self.origin)
        after = dict(marks_by_cell(self.board_after(position, move), self.origin))
        new = [cell for cell, mark in before if mark == "." and after[cell] == "#"]
        listed = ", ".join(f"({cell})" for cell in self.in_order(move, new)) or "none"
        mark = self.marks[position.seat - 1]
        return f"{who} placed an '{mark}' at ({move}).\n{self.blocked}: {listed}.\n"

    def in_order(self, move: str, cells: list[str]) -> list[str]:
        """Sort the blocked cells as the rule book does."""
        return cells

    def refusal(self, position: Position, move: str) -> str:
        """Return the reply to an invalid entry."""
        return f"Invalid move! {self.broken_rule(position, move)} Choose a different move.\n"


class CrossfireDialogue(MarkingDialogue):
    """The dialogue of crossfire."""

    blocked = "Blocked cells at"
    before_winner = "\n"

    def player(self, seat: Seat) -> str:
        """Return the name of a player."""
        return f"Player {seat} ({self.marks[seat - 1]})"

    def introduce(self, position: Position, prompter: Prompter) -> None:
        """Print the text between the board and the first prompt of a turn."""
        return

    def prompt(self, seat: Seat) -> str:
        """Return the prompt for a move."""
        return f"{self.player(seat)}, enter your move (row and column): "

    def in_order(self, move: str, cells: list[str]) -> list[str]:
        """Sort the blocked cells by direction."""
        # Up, down, left, right: the text of the rule, and one of its two examples.
        column = move.partition(",")[2]
        return sorted(cells, key=lambda cell: cell.partition(",")[2] != column)


class LockdownDialogue(MarkingDialogue):
    """The dialogue of lockdown."""

    blocked = "Blocked squares"

    def player(self, seat: Seat) -> str:
        """Return the name of a player."""
        return f"Player {seat} ('{self.marks[seat - 1]}')"

    def introduce(self, position: Position, prompter: Prompter) -> None:
        """Print the text between the board and the first prompt of a turn."""
        squares = len(position.board.replace("/", ""))
        prompter.print_text(f"{self.player(position.seat)}, it's your turn.")
        prompter.print_list("Available moves:", ranges(position.legal, squares))
        prompter.print_text()

    def prompt(self, seat: Seat) -> str:
        """Return the prompt for a move."""
        return "Enter your move (row and column): "

    def why_over(self, outcome: Outcome) -> str:
        """Explain the win, as a sentence."""
        assert outcome.winner is not None
        if outcome.reason == Reason.NO_MOVES:
            loser = self.player(other(outcome.winner))
            return f"{loser}, it's your turn.\nNo available moves. You cannot make a move."
        return super().why_over(outcome)


def ranges(cells: Sequence[str], all_cells: int) -> list[str]:
    """Format cells; three or more adjacent ones, or the whole board, as `(4,1)-(4,4)`."""
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
