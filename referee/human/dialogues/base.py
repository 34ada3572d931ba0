"""The generic dialogue, and the interface of all dialogues.

Pure: a dialogue converts positions to text and entries to moves; a `Prompter` does the input and
output. The result of a dialogue is always a legal move.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from referee.human.board_view import CellStyle, marks_by_cell
from referee.human.move_input import parse_entry
from referee.outcome import Outcome, Reason, Seat, other
from referee.rules import Rules
from referee.rules.layout import BoardLayout
from referee.text import printable

UNDO = "undo"


@dataclass(frozen=True)
class Position:
    """A position as the fields of a turn give it."""

    board: str
    legal: Sequence[str]
    seat: Seat
    """The seat to move."""
    moves: tuple[str, ...]
    state: Any = None
    """The state of the rules, if they are available."""
    is_over: bool = False


@dataclass(frozen=True)
class Question:
    """A prompt, and the position that the general commands display."""

    prompt: str
    position: Position
    undo: bool = False
    """Whether `undo` is a valid entry."""


class Prompter(Protocol):
    """Input and output for the person to move."""

    def print_text(self, text: str = "") -> None:
        """Print a text."""

    def print_list(self, title: str, words: list[str]) -> None:
        """Print a title and words."""

    def read_entry(self, question: Question) -> str:
        """Read an entry that is neither empty nor a general command."""


class Dialogue:
    """Generic dialogue: the board, the legal moves, a prompt. The bundled games override it."""

    can_undo = False
    """Whether a turn may have a second prompt, at which `undo` returns to the first."""
    before_winner = "\n\n"
    """Line ends between the reason and the winner, in the last text of a game."""

    def __init__(self, variant: str, origin: int, rules: Rules[Any] | None) -> None:
        self.variant = variant
        self.origin = origin
        self.marks = rules.marks if rules else ("1", "2")
        self._rules = rules
        self._layout = rules.layout if rules else BoardLayout()

    def player(self, seat: Seat) -> str:
        """Return the name of a player."""
        return f"Player {seat}"

    def welcome(self) -> str:
        """Return the first text of a game."""
        return f"Welcome to {self.variant}!\n"

    def heading(self, position: Position) -> str:
        """Return the line above the board; empty if there is none."""
        return ""

    def draw(self, position: Position, style: CellStyle) -> str:
        """Draw the board as in the rule book, with row and column numbers."""
        return self._layout.draw(position.board, self.origin, style.cell)

    def introduce(self, position: Position, prompter: Prompter) -> None:
        """Print the text between the board and the first prompt of a turn."""
        prompter.print_list("Legal moves:", list(position.legal))
        prompter.print_text()

    def prompt(self, seat: Seat) -> str:
        """Return the prompt for a move."""
        return f"{self.player(seat)}, enter your move: "

    def enter(self, position: Position, prompter: Prompter) -> str:
        """Prompt until the entry is a legal move, confirm it, and return it."""
        question = Question(self.prompt(position.seat), position)
        while True:
            entry = prompter.read_entry(question)
            move = entry if entry in position.legal else parse_entry(entry) or entry
            if move in position.legal:
                prompter.print_text(self.made(position, move, "You"))
                return move
            prompter.print_text(self.refusal(position, move))

    def made(self, position: Position, move: str, who: str) -> str:
        """Describe a move in this position; `who` is `You` or a player's name."""
        return f"{who} played {move}.\n"

    def refusal(self, position: Position, move: str) -> str:
        """Return the reply to an invalid entry."""
        return f"Invalid move. {self.broken_rule(position, move)} Enter ? for the legal moves.\n"

    def broken_rule(self, position: Position, move: str) -> str:
        """Describe the rule that a move breaks, as a sentence."""
        return sentence(printable(self.why_illegal(position.state, move)))

    def why_illegal(self, state: Any, move: str) -> str:
        """Return the rule that a move breaks, as a phrase."""
        if self._rules is None:
            return f"{move!r} is not a legal move"
        return self._rules.why_illegal(state, move)

    def ending(self, outcome: Outcome) -> str:
        """Return the last text of a game."""
        if outcome.winner is None:
            return f"The game is a draw: {outcome.reason}."
        winner = f"{self.player(outcome.winner)} wins the game!"
        return f"{self.why_over(outcome)}{self.before_winner}{winner}"

    def why_over(self, outcome: Outcome) -> str:
        """Explain the win, as a sentence."""
        assert outcome.winner is not None
        if outcome.reason == Reason.NO_MOVES:
            return f"{self.player(other(outcome.winner))}, no valid moves remaining."
        return sentence(outcome.why((self.player(1), self.player(2))))

    def mark_on(self, position: Position, cell: str) -> str | None:
        """Return the mark on a cell; None if the cell does not exist."""
        return dict(marks_by_cell(position.board, self.origin)).get(cell)

    def board_after(self, position: Position, move: str) -> str:
        """Return the board after a legal move; requires the rules."""
        assert self._rules is not None
        return self._rules.board(self._rules.apply(position.state, move))


def sentence(text: str) -> str:
    """Capitalize a text and add a full stop."""
    return f"{text[:1].upper()}{text[1:]}."
