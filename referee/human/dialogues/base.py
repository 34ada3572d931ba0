"""A dialogue that does for any game, and what all dialogues share.

Pure: a dialogue knows positions and words. Who is asked, and how, is a speaker's affair; whatever
is entered, a dialogue ends with a move that is legal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from referee.human.board_view import Paint, marks_by_cell
from referee.human.move_input import parse_entry
from referee.outcome import Outcome, Reason, Seat, other
from referee.rules import Rules
from referee.text import printable

UNDO = "undo"


@dataclass(frozen=True)
class Position:
    """Where a game stands."""

    board: str
    legal: Sequence[str]
    seat: Seat
    """Whose turn it is."""
    moves: tuple[str, ...]
    state: Any = None
    """The same for the rules, where these are known."""
    is_over: bool = False


@dataclass(frozen=True)
class Question:
    """What a person is asked, and what there is to see for those who want to."""

    prompt: str
    position: Position
    undo: bool = False
    """Whether `undo` is an answer."""


class Speaker(Protocol):
    """Talks to the person on turn."""

    def say(self, text: str = "") -> None:
        """Show a text."""

    def say_list(self, title: str, words: list[str]) -> None:
        """Show many words after a title."""

    def ask(self, question: Question) -> str:
        """What the person enters, if it is neither empty nor one of the words for any time."""


class Dialogue:
    """Any game: the board, the legal moves, a prompt. The five games have words of their own."""

    can_undo = False
    """Whether a turn may have a second question, from which `undo` leads back to the first."""

    def __init__(self, variant: str, origin: int, rules: Rules[Any] | None) -> None:
        self.variant = variant
        self.origin = origin
        self.marks = rules.marks if rules else ("1", "2")
        self._rules = rules

    def player(self, seat: Seat) -> str:
        """What a player is called."""
        return f"Player {seat}"

    def welcome(self) -> str:
        """The first words of a game."""
        return f"Welcome to {self.variant}!\n"

    def heading(self, position: Position) -> str:
        """What stands above the board."""
        return ""

    def draw(self, position: Position, paint: Paint) -> str:
        """The board as the rule book draws it."""
        lines = []
        for row, marks in enumerate(position.board.split("/"), start=self.origin):
            cells = [
                paint.cell(f"{row},{col}", mark, self.cell_text(mark))
                for col, mark in enumerate(marks, start=self.origin)
            ]
            lines.append(self.row_text(row, cells))
        return "\n".join(lines)

    def cell_text(self, mark: str) -> str:
        """How a cell with this mark is drawn."""
        return mark

    def row_text(self, number: int, cells: list[str]) -> str:
        """How a row is drawn."""
        return " ".join(cells)

    def introduce(self, position: Position, speaker: Speaker) -> None:
        """What is said below the board, before the first prompt of a turn."""
        speaker.say_list("Legal moves:", list(position.legal))
        speaker.say()

    def prompt(self, seat: Seat) -> str:
        """The question for a move."""
        return f"{self.player(seat)}, enter your move: "

    def enter(self, position: Position, speaker: Speaker) -> str:
        """Ask until there is a legal move, confirm it, and return it."""
        question = Question(self.prompt(position.seat), position)
        while True:
            entry = speaker.ask(question)
            move = entry if entry in position.legal else parse_entry(entry) or entry
            if move in position.legal:
                speaker.say(self.made(position, move, "You"))
                return move
            speaker.say(self.refusal(position, move))

    def made(self, position: Position, move: str, who: str) -> str:
        """Tells of a move in this position: what `You`, or a player, did."""
        return f"{who} played {move}.\n"

    def refusal(self, position: Position, move: str) -> str:
        """What is wrong with an entry."""
        return f"Invalid move. {self.broken_rule(position, move)} Enter ? for the legal moves.\n"

    def broken_rule(self, position: Position, move: str) -> str:
        """The rule that a move would break, as a sentence."""
        why = f"{move!r} is not a legal move"
        if self._rules is not None:
            why = self._rules.why_illegal(position.state, move)
        return sentence(printable(why))

    def ending(self, outcome: Outcome) -> str:
        """The last words of a game."""
        if outcome.winner is None:
            return f"The game is a draw: {outcome.reason}."
        return f"{self.why_over(outcome)}\n\n{self.player(outcome.winner)} wins the game!"

    def why_over(self, outcome: Outcome) -> str:
        """Why somebody won, as a sentence."""
        assert outcome.winner is not None
        if outcome.reason == Reason.NO_MOVES:
            return f"{self.player(other(outcome.winner))}, no valid moves remaining."
        return sentence(outcome.why((self.player(1), self.player(2))))

    def mark_on(self, position: Position, cell: str) -> str | None:
        """What is on a cell; None if there is no such cell."""
        return dict(marks_by_cell(position.board, self.origin)).get(cell)

    def board_after(self, position: Position, move: str) -> str:
        """The board after a legal move, where the rules are known."""
        assert self._rules is not None
        return self._rules.board(self._rules.apply(position.state, move))


def sentence(text: str) -> str:
    """A reason as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."
