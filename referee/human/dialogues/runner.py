"""Dialogue of runner: the choice to move or to block, then a cell."""

from dataclasses import replace

from referee.human.board_view import cells_of
from referee.human.dialogues.base import UNDO, Dialogue, Position, Prompter, Question
from referee.human.move_input import parse_entry
from referee.outcome import Outcome, Reason, other

_ACTIONS = {"1": "move", "move": "move", "2": "block", "block": "block"}


class RunnerDialogue(Dialogue):
    """The dialogue of runner."""

    can_undo = True

    def welcome(self) -> str:
        """Return the first text of a game."""
        return "Welcome to Blockade Runner!\n"

    def introduce(self, position: Position, prompter: Prompter) -> None:
        """Print the text between the board and the first prompt of a turn."""
        return

    def enter(self, position: Position, prompter: Prompter) -> str:
        """Prompt until the move is legal, and return it."""
        can_block = any(move.startswith("x") for move in position.legal)
        while True:
            move = self._ask_action(position, prompter) if can_block else "move"
            if move in ("move", "block"):
                move = self._ask_cell(position, move == "block", can_block, prompter)
            if move != UNDO:
                prompter.print_text(self.made(position, move, self.player(position.seat)))
                return move

    def _ask_action(self, position: Position, prompter: Prompter) -> str:
        """Read `move` or `block`, or the whole move if it is entered at once."""
        question = Question(f"{self.player(position.seat)}, move (1) or block (2)? ", position)
        while True:
            entry = prompter.read_entry(question)
            if entry.lower() in _ACTIONS:
                return _ACTIONS[entry.lower()]
            move = parse_entry(entry)
            if move is None:
                prompter.print_text(
                    "Enter 1 (or move) to move your piece, 2 (or block) to place a block."
                )
            elif move in position.legal:
                return move
            else:
                prompter.print_text(self.refusal(position, move))

    def _ask_cell(self, position: Position, block: bool, undo: bool, prompter: Prompter) -> str:
        """Read the cell to move to or to block, or `undo`."""
        asked = "block position at" if block else "move to"
        prompt = f"{self.player(position.seat)}, enter {asked} (row,column): "
        legal = [move for move in position.legal if move.startswith("x") == block]
        question = Question(prompt, replace(position, legal=legal), undo)
        while True:
            entry = prompter.read_entry(question)
            move = parse_entry(entry) or entry
            if block and cells_of(move) == [move]:
                move = f"x{move}"
            if move in position.legal or move == UNDO:
                return move
            prompter.print_text(self.refusal(position, move))

    def made(self, position: Position, move: str, who: str) -> str:
        """Describe a move in the words of the book."""
        (cell,) = cells_of(move)
        return f"{who} {'placed a block at' if move[0] == 'x' else 'moved to'} ({cell}).\n"

    def refusal(self, position: Position, move: str) -> str:
        """Return the reply to an invalid entry."""
        return f"Invalid move. {self.broken_rule(position, move)} Try again."

    def broken_rule(self, position: Position, move: str) -> str:
        """Describe the rule that a move breaks, as a sentence."""
        # The rule book has a single message, which is correct only for blocks.
        mark = self.mark_on(position, move.removeprefix("x"))
        if mark is None:
            return super().broken_rule(position, move)
        if mark != ".":
            return "The cell is occupied."
        if move.startswith("x"):
            return "The cell is adjacent to a player."
        return "The cell is not next to your piece."

    def why_over(self, outcome: Outcome) -> str:
        """Explain the win, as a sentence."""
        assert outcome.winner is not None
        if outcome.reason == Reason.GOAL:
            winner, loser = self.player(outcome.winner), self.player(other(outcome.winner))
            return f"{winner} reached {loser}'s starting row."
        return super().why_over(outcome)
