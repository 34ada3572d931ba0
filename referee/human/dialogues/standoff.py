"""standoff: a grid of brackets, and one question."""

from referee.human.dialogues.base import Dialogue, Position, Speaker
from referee.outcome import Outcome, Seat, other


class Standoff(Dialogue):
    def player(self, seat: Seat) -> str:
        return f"Player {seat} ('{self.marks[seat - 1]}')"

    def welcome(self) -> str:
        players = "\n".join(f"Player {seat} is '{self.marks[seat - 1]}'" for seat in (1, 2))
        return f"Welcome to Blockade!\n\n{players}\n\nPlayer 1 goes first.\n"

    def heading(self, position: Position) -> str:
        return "Current Grid:"

    def cell_text(self, mark: str) -> str:
        return " " if mark == "." else mark

    def row_text(self, number: int, cells: list[str]) -> str:
        return "".join(f"[{cell}]" for cell in cells)

    def introduce(self, position: Position, speaker: Speaker) -> None:
        if self.marks[other(position.seat) - 1] in position.board:
            # The book forgets those that are taken.
            speaker.say("Invalid positions are taken, or adjacent to opponent's blocks.\n")

    def prompt(self, seat: Seat) -> str:
        return f"{self.player(seat)}, enter your move (row and column): "

    def made(self, position: Position, move: str, who: str) -> str:
        return f"\nPlaced '{self.marks[position.seat - 1]}' at ({move})\n"

    def refusal(self, position: Position, move: str) -> str:
        why = self.broken_rule(position, move)
        return f"\nInvalid move! {why}\n\nPlease choose a different position.\n"

    def broken_rule(self, position: Position, move: str) -> str:
        mark = self.mark_on(position, move)
        if mark == ".":
            return "You cannot place next to an opponent's block."
        if mark is not None:
            return f"Blocks can only be placed on empty cells, and {move} is taken by {mark}."
        return super().broken_rule(position, move)

    def ending(self, outcome: Outcome) -> str:
        return f"{super().ending(outcome)}\n\nGame Over."
