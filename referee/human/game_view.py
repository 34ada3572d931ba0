"""One game on the screen: display positions and moves, read moves.

The game is given by the fields of protocol lines. The rules, if the variant is available, are used
only to draw boards and to explain illegal moves.
"""

import textwrap
from dataclasses import replace
from time import monotonic
from typing import Any

from referee.errors import IllegalMove, InputError
from referee.human.board_view import CellStyle, cells_of
from referee.human.coach import Coach
from referee.human.console import PIPE_WIDTH, Console, InputClosed, InputTimeout
from referee.human.dialogues import find_dialogue
from referee.human.dialogues.base import UNDO, Position, Question
from referee.outcome import Outcome, Seat, other, win
from referee.rules import Rules, find_variant, play_moves
from referee.rules.grid import Size
from referee.rules.registry import is_variant_file

Fields = dict[str, str]
_HELP_COMMANDS = ("? for the legal moves", "b for the board", "m for the moves so far")
HINT = "hint"
_RESIGN_COMMANDS = ("resign", "quit", "exit")


class Resigned(Exception):
    """The person resigned the game."""


class GameView:
    """One game on the screen, for one or two people."""

    def __init__(self, console: Console, fields: Fields) -> None:
        self.id = fields.get("id", "")
        self.seats: set[Seat] = set()
        """Seats of people."""
        self.begun = False
        self._console = console
        self._fields = fields
        self._rules = _find_rules(fields)
        self._dialogue = find_dialogue(self._variant, self._origin, self._rules)
        self._moves: tuple[str, ...] = ()
        """Moves that have been displayed."""
        self._drawn: int | None = None
        """Number of moves on the board that was drawn last."""
        self._deadline: float | None = None
        self._is_over = False
        self._coach = Coach(self._rules) if console.coach and self._rules else None
        self._turn_position: Position | None = None

    @property
    def _variant(self) -> str:
        return self._fields.get("variant", "Blockade")

    @property
    def _origin(self) -> int:
        return number(self._fields, "origin", 1)

    def turn(self, seat: Seat, fields: Fields) -> str | None:
        """Read a move; return the answer line, or None if the time is up."""
        self._deadline = None
        if "time_ms" in self._fields or "move_ms" in self._fields:
            self._deadline = monotonic() + number(fields, "time_ms", 0) / 1000
        moves = _split(fields.get("moves", "-"))
        position = Position(fields.get("board", ""), _split(fields.get("legal", "")), seat, moves)
        position = self._with_state(position)
        self._introduce_game()
        if "retry" in fields:
            self.print_text("The referee did not accept that move.\n")
        self._report_moves(moves)
        self._draw_board(position)
        if self._deadline is not None:
            self.print_text(f"Time left: {_format_clock(number(fields, 'time_ms', 0))}\n")
        self._dialogue.introduce(position, self)
        try:
            move = self._enter_move(position)
        except (InputClosed, Resigned):
            return "resign"
        except InputTimeout:
            self.print_text("Your time is up.\n")
            return None
        self._moves = (*moves, move)
        return f"move {move}"

    def _enter_move(self, position: Position) -> str:
        """Read a move; a move that gives the win away may be taken back."""
        self._turn_position = position
        while True:
            move = self._dialogue.enter(position, self)
            if self._coach is None or not self._is_taken_back(self._coach, position, move):
                return move
            self.print_text(f"\nYou are back before your move.\n\n{self._board_text(position)}\n")
            self._dialogue.introduce(position, self)

    def _is_taken_back(self, coach: Coach, position: Position, move: str) -> bool:
        """Print the comment of the coach on a move; return whether the person takes it back."""
        if text := coach.comment(position.state, move):
            self.print_text(f"{text}\n")
        if not coach.gives_win_away(position.state, move):
            return False
        prompt = "Enter undo to take it back, or nothing to keep it: "
        return self._console.read_entry(prompt, self._deadline).strip().lower() == UNDO

    def _hint(self, asked: Position) -> str:
        """Return the hint of the coach; a step that is already chosen is part of it."""
        if self._coach is None:
            return "There is no coach here: start the game with --coach."
        turn = self._turn_position
        assert turn is not None
        begin = asked.moves[-1] if len(asked.moves) > len(turn.moves) else ""
        return self._coach.hint(turn.state, begin)

    def end(self, seat: Seat, fields: Fields) -> None:
        """Display the outcome, once."""
        if self._is_over:
            return
        self._is_over = True
        moves = _split(fields.get("moves", "-"))
        if self.begun:
            self._show_final_board(moves, seat)
        outcome = Outcome((0.5, 0.5), fields.get("reason", ""))
        if fields.get("result") in ("win", "loss"):
            winner = seat if fields["result"] == "win" else other(seat)
            outcome = win(winner, outcome.reason)
        self.print_text(f"{self._dialogue.ending(outcome)}\n")

    def _show_final_board(self, moves: tuple[str, ...], seat: Seat) -> None:
        """Display the moves since the last turn and, if the rules are available, the board."""
        try:
            state = play_moves(self._rules, moves) if self._rules else None
        except IllegalMove:
            self._drop_rules()
        self._report_moves(moves)
        if self._rules is not None:
            board = self._rules.board(state)
            self._draw_board(Position(board, (), seat, moves, state, is_over=True))

    def print_text(self, text: str = "") -> None:
        """Print a text of one or more lines."""
        self._console.print_text(text)

    def print_list(self, title: str, words: list[str]) -> None:
        """Print a title and words, wrapped."""
        self._console.print_list(title, words)

    def read_entry(self, question: Question) -> str:
        """Read the next entry for a question; handle the general commands (help, board, resign)."""
        position = question.position
        while True:
            entry = self._console.read_entry(question.prompt, self._deadline).strip()
            word = entry.lower()
            if entry in position.legal:
                return entry  # a move of an external variant may be named like a command
            if word == "?":
                self.print_list("Legal moves:", list(position.legal))
            elif word == "b":
                self.print_text(f"\n{self._board_text(position)}\n")
            elif word == HINT:
                self.print_text(self._hint(position))
            elif word == "m":
                self._show_moves(self._moves)
            elif word == UNDO and not question.undo:
                self.print_text("There is nothing to take back: a move that was made stays.")
            elif word == UNDO:
                return UNDO
            elif word in _RESIGN_COMMANDS:
                self._confirm_resigning()
            elif entry:
                return entry

    def _confirm_resigning(self) -> None:
        answer = self._console.read_entry(
            "Do you want to resign this game (yes or no)? ", self._deadline
        )
        if answer.strip().lower() in ("y", "yes"):
            self.print_text()
            raise Resigned

    def _introduce_game(self) -> None:
        """Print welcome and help before the first turn, when the seats of people are known."""
        if self.begun:
            return
        self.begun = True
        self.print_text(self._dialogue.welcome())
        if len(self.seats) == 1:
            self.print_text(f"You are {self._dialogue.player(*self.seats)}.")
        self.print_text(self._help())

    def _help(self) -> str:
        """Return the help: numbering of cells, and the general commands."""
        words = [
            *_HELP_COMMANDS,
            *(["hint for a move that keeps the win"] if self._coach else []),
            *(["undo to go back one question"] if self._dialogue.can_undo else []),
        ]
        text = f"Enter {', '.join(words)}, resign to give up."
        first = f"{self._origin},{self._origin}"
        return (
            f"Rows and columns are numbered from {self._origin}: {first} is the top left cell.\n"
            f"{textwrap.fill(text, PIPE_WIDTH)}\n"
        )

    def _with_state(self, position: Position) -> Position:
        """Add the state to a position if the rules agree with the fields; otherwise drop them."""
        if self._rules is None:
            return position
        try:
            state = play_moves(self._rules, position.moves)
            if self._rules.board(state) == position.board:
                legal = self._rules.legal_moves(state)
                if tuple(legal) == position.legal and self._rules.to_move(state) == position.seat:
                    return replace(position, state=state)
        except IllegalMove:
            pass
        self._drop_rules()
        return position

    def _drop_rules(self) -> None:
        """Use the generic dialogue: the referee uses other rules under the same name."""
        self._rules = self._coach = None
        self._dialogue = find_dialogue(self._variant, self._origin, None)

    def _report_moves(self, moves: tuple[str, ...]) -> None:
        """Print the moves that have not been displayed yet."""
        shown, self._moves = self._moves, moves
        if shown != moves[: len(shown)]:
            return
        if not shown and len(moves) > 1:
            self._show_moves(moves)
            self.print_text()
            return
        for at in range(len(shown), len(moves)):
            position = self._position_before(moves, at)
            who = self._dialogue.player(position.seat)
            self.print_text(self._dialogue.made(position, moves[at], who).lstrip("\n"))

    def _position_before(self, moves: tuple[str, ...], at: int) -> Position:
        before = moves[:at]
        if self._rules is None:
            return Position("", (), 1 + at % 2, before)
        state = play_moves(self._rules, before)
        seat = self._rules.to_move(state)
        return Position(self._rules.board(state), (), seat, before, state)

    def _draw_board(self, position: Position) -> None:
        if self._drawn != len(position.moves):
            self._drawn = len(position.moves)
            heading = self._dialogue.heading(position)
            self.print_text(f"{heading}\n{self._board_text(position)}\n".lstrip("\n"))

    def _board_text(self, position: Position) -> str:
        console = self._console
        steps = [move for move in position.legal if not move.startswith("x")] or position.legal
        style = CellStyle(
            colour=console.colour,
            marks=self._dialogue.marks,
            last=cells_of(position.moves[-1]) if position.moves else (),
            legal={cell for move in steps for cell in cells_of(move)[:1]} if console.hints else (),
            dot=console.dot,
        )
        return self._dialogue.draw(position, style)

    def _show_moves(self, moves: tuple[str, ...]) -> None:
        numbered = [f"{ply}. {move}" for ply, move in enumerate(moves, start=1)]
        self.print_list("Moves so far:", numbered or ["none"])


def _find_rules(fields: Fields) -> Rules[Any] | None:
    """Return the rules of a game; None if they are not available or differ in the origin."""
    name = fields.get("variant", "")
    if is_variant_file(name):
        return None  # never import a file that a protocol line names
    try:
        rules = find_variant(name).on(Size(number(fields, "rows", 0), number(fields, "cols", 0)))
    except InputError:
        return None
    return rules if rules.origin == number(fields, "origin", 1) else None


def number(fields: Fields, key: str, default: int) -> int:
    """Parse a number of the fields; return the default if it is missing or invalid."""
    text = fields.get(key, "")
    return int(text) if text.isascii() and text.isdigit() else default


def _split(text: str) -> tuple[str, ...]:
    return () if text in ("", "-") else tuple(text.split(";"))


def _format_clock(left_ms: int) -> str:
    """Format the time left as minutes and seconds, rounded down."""
    minutes, seconds = divmod(left_ms // 1000, 60)
    return f"{minutes}:{seconds:02}"
