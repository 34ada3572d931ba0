"""runner: whether to move or to block, and then where."""

from dataclasses import replace

from referee.human.board_view import Paint, cells_of
from referee.human.dialogues.base import UNDO, Dialogue, Position, Question, Speaker
from referee.human.move_input import parse_entry
from referee.outcome import Outcome, Reason, other

_ACTIONS = {"1": "move", "move": "move", "2": "block", "block": "block"}


class Runner(Dialogue):
    can_undo = True

    def welcome(self) -> str:
        return "Welcome to Blockade Runner!\n"

    def draw(self, position: Position, paint: Paint) -> str:
        cols = position.board.index("/")
        numbers = "".join(f"{col:>2}  " for col in range(self.origin, self.origin + cols))
        head = f"Row\\Col |{numbers}"
        return f"{head.rstrip()}\n{'-' * len(head)}\n{super().draw(position, paint)}"

    def cell_text(self, mark: str) -> str:
        return f"P{mark}" if mark in self.marks else f" {mark}"

    def row_text(self, number: int, cells: list[str]) -> str:
        return f"{number:>4}    |{'  '.join(cells)}"

    def introduce(self, position: Position, speaker: Speaker) -> None:
        return

    def enter(self, position: Position, speaker: Speaker) -> str:
        can_block = any(move.startswith("x") for move in position.legal)
        while True:
            move = self._ask_action(position, speaker) if can_block else "move"
            if move in ("move", "block"):
                move = self._ask_cell(position, move == "block", can_block, speaker)
            if move != UNDO:
                speaker.say(self.made(position, move, self.player(position.seat)))
                return move

    def _ask_action(self, position: Position, speaker: Speaker) -> str:
        """`move` or `block`, or the whole move where it was entered at once."""
        question = Question(f"{self.player(position.seat)}, move (1) or block (2)? ", position)
        while True:
            entry = speaker.ask(question)
            if entry.lower() in _ACTIONS:
                return _ACTIONS[entry.lower()]
            move = parse_entry(entry)
            if move is None:
                speaker.say("Enter 1 (or move) to move your piece, 2 (or block) to place a block.")
            elif move in position.legal:
                return move
            else:
                speaker.say(self.refusal(position, move))

    def _ask_cell(self, position: Position, block: bool, undo: bool, speaker: Speaker) -> str:
        """The move to a cell or the block on it, or `undo`."""
        asked = "block position at" if block else "move to"
        prompt = f"{self.player(position.seat)}, enter {asked} (row,column): "
        legal = [move for move in position.legal if move.startswith("x") == block]
        question = Question(prompt, replace(position, legal=legal), undo)
        while True:
            entry = speaker.ask(question)
            move = parse_entry(entry) or entry
            if block and cells_of(move) == [move]:
                move = f"x{move}"
            if move in position.legal or move == UNDO:
                return move
            speaker.say(self.refusal(position, move))

    def made(self, position: Position, move: str, who: str) -> str:
        (cell,) = cells_of(move)
        return f"{who} {'placed a block at' if move[0] == 'x' else 'moved to'} ({cell}).\n"

    def refusal(self, position: Position, move: str) -> str:
        return f"Invalid move. {self.broken_rule(position, move)} Try again."

    def broken_rule(self, position: Position, move: str) -> str:
        # The book has one reason for everything, which fits only blocks.
        mark = self.mark_on(position, move.removeprefix("x"))
        if mark is None:
            return super().broken_rule(position, move)
        if mark != ".":
            return "The cell is occupied."
        if move.startswith("x"):
            return "The cell is adjacent to a player."
        return "The cell is not next to your piece."

    def why_over(self, outcome: Outcome) -> str:
        assert outcome.winner is not None
        if outcome.reason == Reason.GOAL:
            winner, loser = self.player(outcome.winner), self.player(other(outcome.winner))
            return f"{winner} reached {loser}'s starting row."
        return super().why_over(outcome)
