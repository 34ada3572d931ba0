"""One game on the screen: what people see of it, and what they are asked.

It knows a game by the fields of the protocol; the rules, where they are known, are there to draw
the board and to explain what is wrong with an entry.
"""

import textwrap
from dataclasses import replace
from time import monotonic
from typing import Any

from referee.errors import IllegalMove, InputError
from referee.human.board_view import Paint, cells_of
from referee.human.console import PIPE_WIDTH, Console, InputClosed, InputTimeout
from referee.human.dialogues import find_dialogue
from referee.human.dialogues.base import UNDO, Position, Question
from referee.outcome import Outcome, Seat, other, win
from referee.rules import Rules, find_variant, play_moves
from referee.rules.grid import Size

Fields = dict[str, str]
_WORDS = ("? for the legal moves", "b for the board", "m for the moves so far")
_GIVE_UP = ("resign", "quit", "exit")


class Resigned(Exception):
    """The person gives up this game."""


class GameView:
    """One game on the screen: what people see of it, and what they are asked."""

    def __init__(self, console: Console, fields: Fields) -> None:
        self.id = fields.get("id", "")
        self.seats: set[Seat] = set()
        """Where people sit."""
        self.begun = False
        self._console = console
        self._fields = fields
        self._rules = _find_rules(fields)
        self._dialogue = find_dialogue(self._variant, self._origin, self._rules)
        self._moves: tuple[str, ...] = ()
        """What has been told of the game."""
        self._drawn: int | None = None
        """How many moves the board had that was drawn last."""
        self._deadline: float | None = None
        self._is_over = False

    @property
    def _variant(self) -> str:
        return self._fields.get("variant", "Blockade")

    @property
    def _origin(self) -> int:
        return number(self._fields, "origin", 1)

    def turn(self, seat: Seat, fields: Fields) -> str | None:
        """Ask for a move; the answer for the referee, or None if the time is up."""
        self._deadline = None
        if "time_ms" in self._fields or "move_ms" in self._fields:
            self._deadline = monotonic() + number(fields, "time_ms", 0) / 1000
        moves = _split(fields.get("moves", "-"))
        position = Position(fields.get("board", ""), _split(fields.get("legal", "")), seat, moves)
        position = self._with_state(position)
        self._begin()
        if "retry" in fields:
            self.say("The referee did not accept that move.\n")
        self._tell(moves)
        self._draw(position)
        if self._deadline is not None:
            self.say(f"Time left: {_clock(number(fields, 'time_ms', 0))}\n")
        self._dialogue.introduce(position, self)
        try:
            move = self._dialogue.enter(position, self)
        except (InputClosed, Resigned):
            return "resign"
        except InputTimeout:
            self.say("Your time is up.\n")
            return None
        self._moves = (*moves, move)
        return f"move {move}"

    def end(self, seat: Seat, fields: Fields) -> None:
        """Tell how the game ended, once."""
        if self._is_over:
            return
        self._is_over = True
        moves = _split(fields.get("moves", "-"))
        if self.begun:
            self._show_last(moves, seat)
        outcome = Outcome((0.5, 0.5), fields.get("reason", ""))
        if fields.get("result") in ("win", "loss"):
            winner = seat if fields["result"] == "win" else other(seat)
            outcome = win(winner, outcome.reason)
        self.say(f"{self._dialogue.ending(outcome)}\n")

    def _show_last(self, moves: tuple[str, ...], seat: Seat) -> None:
        """The moves that nobody was asked after, and the last board where it is known."""
        try:
            state = play_moves(self._rules, moves) if self._rules else None
        except IllegalMove:
            self._do_without_rules()
        self._tell(moves)
        if self._rules is not None:
            board = self._rules.board(state)
            self._draw(Position(board, (), seat, moves, state, is_over=True))

    def say(self, text: str = "") -> None:
        self._console.say(text)

    def say_list(self, title: str, words: list[str]) -> None:
        self._console.say_list(title, words)

    def ask(self, question: Question) -> str:
        """The next entry that is about the move; words for any time are dealt with here."""
        position = question.position
        while True:
            entry = self._console.ask(question.prompt, self._deadline).strip()
            word = entry.lower()
            if entry in position.legal:
                return entry  # a variant of one's own may have a move called `b`
            if word == "?":
                self.say_list("Legal moves:", list(position.legal))
            elif word == "b":
                self.say(f"\n{self._picture(position)}\n")
            elif word == "m":
                self._show_moves(self._moves)
            elif word == UNDO and not question.undo:
                self.say("There is nothing to take back: a move that was made stays.")
            elif word == UNDO:
                return UNDO
            elif word in _GIVE_UP:
                self._confirm_resigning()
            elif entry:
                return entry

    def _confirm_resigning(self) -> None:
        answer = self._console.ask("Do you want to resign this game (yes or no)? ", self._deadline)
        if answer.strip().lower() in ("y", "yes"):
            self.say()
            raise Resigned

    def _begin(self) -> None:
        """The first words, when it is known who of the players are people."""
        if self.begun:
            return
        self.begun = True
        self.say(self._dialogue.welcome())
        if len(self.seats) == 1:
            self.say(f"You are {self._dialogue.player(*self.seats)}.")
        self.say(self._help())

    def _help(self) -> str:
        """How cells are numbered, and the words that may be entered at any time."""
        words = [*_WORDS, *(["undo to go back one question"] if self._dialogue.can_undo else [])]
        text = f"Enter {', '.join(words)}, resign to give up."
        first = f"{self._origin},{self._origin}"
        return (
            f"Rows and columns are numbered from {self._origin}: {first} is the top left cell.\n"
            f"{textwrap.fill(text, PIPE_WIDTH)}\n"
        )

    def _with_state(self, position: Position) -> Position:
        """The position for the rules, if these lead to the one that the referee speaks of."""
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
        self._do_without_rules()
        return position

    def _do_without_rules(self) -> None:
        """Another referee may have other rules: then the words for any game will do."""
        self._rules = None
        self._dialogue = find_dialogue(self._variant, self._origin, None)

    def _tell(self, moves: tuple[str, ...]) -> None:
        """Tell of the moves that were made since the last time."""
        told, self._moves = self._moves, moves
        if told != moves[: len(told)]:
            return
        if not told and len(moves) > 1:
            self._show_moves(moves)
            self.say()
            return
        for at in range(len(told), len(moves)):
            position = self._position_before(moves, at)
            who = self._dialogue.player(position.seat)
            self.say(self._dialogue.made(position, moves[at], who).lstrip("\n"))

    def _position_before(self, moves: tuple[str, ...], at: int) -> Position:
        before = moves[:at]
        if self._rules is None:
            return Position("", (), 1 + at % 2, before)
        state = play_moves(self._rules, before)
        seat = self._rules.to_move(state)
        return Position(self._rules.board(state), (), seat, before, state)

    def _draw(self, position: Position) -> None:
        if self._drawn != len(position.moves):
            self._drawn = len(position.moves)
            heading = self._dialogue.heading(position)
            self.say(f"{heading}\n{self._picture(position)}\n".lstrip("\n"))

    def _picture(self, position: Position) -> str:
        console = self._console
        places = [move for move in position.legal if not move.startswith("x")] or position.legal
        paint = Paint(
            colour=console.colour,
            marks=self._dialogue.marks,
            last=cells_of(position.moves[-1]) if position.moves else (),
            legal={cell for move in places for cell in cells_of(move)[:1]} if console.hints else (),
            dot=console.dot,
        )
        return self._dialogue.draw(position, paint)

    def _show_moves(self, moves: tuple[str, ...]) -> None:
        numbered = [f"{number}. {move}" for number, move in enumerate(moves, start=1)]
        self.say_list("Moves so far:", numbered or ["none"])


def _find_rules(fields: Fields) -> Rules[Any] | None:
    """The rules of a game that is known here by its name."""
    name = fields.get("variant", "")
    if name.endswith(".py"):
        return None  # a line from outside must not name a file to be run
    try:
        rules = find_variant(name).on(Size(number(fields, "rows", 0), number(fields, "cols", 0)))
    except InputError:
        return None
    return rules if rules.origin == number(fields, "origin", 1) else None


def number(fields: Fields, key: str, default: int) -> int:
    """A number from the fields of a line."""
    text = fields.get(key, "")
    return int(text) if text.isascii() and text.isdigit() else default


def _split(text: str) -> tuple[str, ...]:
    return () if text in ("", "-") else tuple(text.split(";"))


def _clock(left_ms: int) -> str:
    """Time left, rounded down, as clocks show it."""
    minutes, seconds = divmod(left_ms // 1000, 60)
    return f"{minutes}:{seconds:02}"
