"""Dialogue of standoff: a grid of brackets, one prompt."""

from referee.human.dialogues.base import Dialogue, Position, Prompter
from referee.outcome import Outcome, Seat, other


class StandoffDialogue(Dialogue):
    """The dialogue of standoff."""

    def player(self, seat: Seat) -> str:
        """Return the name of a player."""
        return f"Player {seat} ('{self.marks[seat - 1]}')"

    def welcome(self) -> str:
        """Return the first text of a game."""
        players = "\n".join(f"Player {seat} is '{self.marks[seat - 1]}'" for seat in (1, 2))
        return f"Welcome to Blockade!\n\n{players}\n\nPlayer 1 goes first.\n"

    def heading(self, position: Position) -> str:
        """Return the line above the board."""
        return "Current Grid:"

    def introduce(self, position: Position, prompter: Prompter) -> None:
        """Print the text between the board and the first prompt of a turn."""
        if self.marks[other(position.seat) - 1] in position.board:
            # The text in the rule book omits the taken cells.
            prompter.print_text("Invalid positions are taken, or adjacent to opponent's blocks.\n")

    def prompt(self, seat: Seat) -> str:
        """Return the prompt for a move."""
        return f"{self.player(seat)}, enter your move (row and column): "

    def made(self, position: Position, move: str, who: str) -> str:
        """Describe a move in the words of the book."""
        return f"\nPlaced '{self.marks[position.seat - 1]}' at ({move})\n"

    def refusal(self, position: Position, move: str) -> str:
        """Return the reply to an invalid entry."""
        why = self.broken_rule(position, move)
        return f"\nInvalid move! {why}\n\nPlease choose a different position.\n"

    def broken_rule(self, position: Position, move: str) -> str:
        """Describe the rule that a move breaks, as a sentence."""
        mark = self.mark_on(position, move)
        if mark == ".":
            return "You cannot place next to an opponent's block."
        if mark is not None:
            return f"Blocks can only be placed on empty cells, and {move} is taken by {mark}."
        return super().broken_rule(position, move)

    def ending(self, outcome: Outcome) -> str:
        """Return the last text of a game."""
        return f"{super().ending(outcome)}\n\nGame Over."
