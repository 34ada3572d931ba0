"""Dialogue of barricade: numbered menus for the step and for the blockade."""

from dataclasses import replace
from typing import Any

from referee.human.board_view import cells_of, marks_by_cell
from referee.human.dialogues.base import UNDO, Dialogue, Position, Prompter, Question
from referee.human.move_input import parse_entry, parse_number
from referee.outcome import Outcome, Reason, Seat, other
from referee.variants.barricade import Barricade

_DIRECTIONS = {(-1, 0): "Up", (1, 0): "Down", (0, -1): "Left", (0, 1): "Right"}
_STEPS = {word.lower(): step for step, word in _DIRECTIONS.items()}


class BarricadeDialogue(Dialogue):
    """The dialogue of barricade."""

    can_undo = True

    def player(self, seat: Seat) -> str:
        """Return the name of a player."""
        return f"Player {self.marks[seat - 1]}"

    def welcome(self) -> str:
        """Return the first text of a game."""
        return "Welcome to Blockade!\n"

    def heading(self, position: Position) -> str:
        """Return the line above the board."""
        if not position.moves:
            return "Initial Grid:"
        return f"Grid After {self.player(2 - len(position.moves) % 2)}'s Turn:"

    def introduce(self, position: Position, prompter: Prompter) -> None:
        """Print the text between the board and the first prompt of a turn."""
        title = f"{self.player(position.seat)}'s Turn"
        prompter.print_text(f"{title}\n{'-' * len(title)}")

    def enter(self, position: Position, prompter: Prompter) -> str:
        """Prompt until the move is legal, and return it."""
        while True:
            move = self._ask_step(position, prompter)
            if move in position.legal:
                prompter.print_text("\n" + self.made(position, move, "You"))
                return move
            prompter.print_text(f"\nYou moved to {_spaced(move)}.\n")
            blockade = self._ask_blockade(position, move, prompter)
            if blockade != UNDO:
                prompter.print_text(f"\nYou placed a blockade at {_spaced(blockade)}.\n")
                return f"{move}x{blockade}"
            prompter.print_text(f"\nYou are back at {_spaced(self._current_cell(position))}.\n")

    def _ask_step(self, position: Position, prompter: Prompter) -> str:
        """Read the cell to step to, or the whole move if it is entered at once."""
        here = self._current_cell(position)
        steps = list(dict.fromkeys(move.partition("x")[0] for move in position.legal))
        words = [_direction(here, step) for step in steps]
        prompter.print_text(f"Current Position: {_spaced(here)}")
        menu = [f"{word} to {_spaced(step)}" for word, step in zip(words, steps, strict=True)]
        _show_menu("Available Moves:", menu, prompter)
        question = Question("Enter the number of your move choice: ", position)
        while True:
            entry = prompter.read_entry(question)
            number = parse_number(entry)
            if number is not None and 1 <= number <= len(steps):
                return steps[number - 1]
            move = self._parse(position, here, entry)
            if move in steps or move in position.legal:
                return move
            prompter.print_text(self._invalid_choice(position, number, len(steps), move))

    def _ask_blockade(self, position: Position, step: str, prompter: Prompter) -> str:
        """Read the cell to blockade after a step, or `undo`."""
        cells = [
            cell for move in position.legal for to, _, cell in [move.partition("x")] if to == step
        ]
        _show_menu("Available Blockade Placements:", [_spaced(cell) for cell in cells], prompter)
        board = self._board_after_step(position, step)
        stepped = replace(position, board=board, legal=cells, moves=(*position.moves, step))
        prompt = "Enter the number of your blockade placement choice: "
        question = Question(prompt, stepped, undo=True)
        while True:
            entry = prompter.read_entry(question)
            number = parse_number(entry)
            if number is not None and 1 <= number <= len(cells):
                return cells[number - 1]
            cell = self._parse(position, step, entry).removeprefix("x")
            if cell in cells or cell == UNDO:
                return cell
            prompter.print_text(
                self._invalid_choice(position, number, len(cells), f"{step}x{cell}")
            )

    def _parse(self, position: Position, here: str, entry: str) -> str:
        """Parse an entry to a move or a cell; a direction is relative to `here`."""
        direction = entry.lower()
        if direction in _STEPS:
            row, col = map(sum, zip(map(int, here.split(",")), _STEPS[direction], strict=True))
            cell = f"{row},{col}"
            return cell if self.mark_on(position, cell) is not None else direction
        return parse_entry(entry) or entry

    def _invalid_choice(
        self, position: Position, number: int | None, choices: int, move: str
    ) -> str:
        if number is not None:
            return f"\nInvalid choice. There is no number {number}: enter 1 to {choices}.\n"
        return self.refusal(position, move)

    def refusal(self, position: Position, move: str) -> str:
        """Return the reply to an invalid entry."""
        return f"\nInvalid choice. {self.broken_rule(position, move)}\n"

    def broken_rule(self, position: Position, move: str) -> str:
        """Describe the rule that a move breaks, as a sentence."""
        if move.rpartition("x")[2] in _STEPS:
            return "The board ends there."
        return super().broken_rule(position, move)

    def why_illegal(self, state: Any, move: str) -> str:
        """Return the rule that a move breaks, without the move that the person has just entered."""
        assert isinstance(self._rules, Barricade)
        return self._rules.why_no_step(state, move) or self._rules.why_no_blockade(state, move)

    def _current_cell(self, position: Position) -> str:
        mark = self.marks[position.seat - 1]
        return next(c for c, m in marks_by_cell(position.board, self.origin) if m == mark)

    def _board_after_step(self, position: Position, step: str) -> str:
        """Return the board between step and blockade."""
        mark, cols = self.marks[position.seat - 1], position.board.index("/")
        cells = marks_by_cell(position.board.replace(mark, "."), self.origin)
        text = "".join(mark if cell == step else found for cell, found in cells)
        return "/".join(text[at : at + cols] for at in range(0, len(text), cols))

    def made(self, position: Position, move: str, who: str) -> str:
        """Describe a move in the words of the book."""
        step, *blockades = cells_of(move)
        text = f"{who} moved to {_spaced(step)}.\n"
        for cell in blockades:
            text += f"\n{who} placed a blockade at {_spaced(cell)}.\n"
        return text

    def why_over(self, outcome: Outcome) -> str:
        """Explain the win, as a sentence."""
        assert outcome.winner is not None
        if outcome.reason == Reason.GOAL:
            winner, loser = self.player(outcome.winner), self.player(other(outcome.winner))
            return f"{winner} reached {loser}'s starting position."
        return super().why_over(outcome)


def _show_menu(title: str, choices: list[str], prompter: Prompter) -> None:
    lines = [f"{number}. {choice}" for number, choice in enumerate(choices, start=1)]
    prompter.print_text("\n".join([title, *lines]) + "\n")


def _spaced(cell: str) -> str:
    """Format a cell as the rule book does."""
    return f"({cell.replace(',', ', ')})"


def _direction(here: str, there: str) -> str:
    (row, col), (to_row, to_col) = (map(int, cell.split(",")) for cell in (here, there))
    return _DIRECTIONS[to_row - row, to_col - col]
