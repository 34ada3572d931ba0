"""The code of `referee.kit`, with nothing but the standard library.

There is no `__init__.py` in this folder and must be none: it is a part of a namespace package for a
bot that has the folder above on its PYTHONPATH, and an installed `referee` goes before it.
What `choose` prints goes to standard error, where it cannot be taken for an answer.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing these for nothing would take longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO


class Turn:
    """What a bot knows when it is asked for a move."""

    def __init__(self, fields: Mapping[str, str], answers: TextIO) -> None:
        def number(key: str) -> int:
            return int(fields.get(key, 0))

        self.id = fields.get("id", "")
        self.variant = fields.get("variant", "")
        self.rows = number("rows")
        self.cols = number("cols")
        self.origin = number("origin")  # the number of the first row and column
        self.seat = number("seat")
        self.seed = number("seed")  # for dice: the same whenever this game is played
        self.ply = number("ply")
        self.time_ms = number("time_ms")  # the most that this answer may take
        self.opp_ms = number("opp_ms")
        self.inc_ms = number("inc_ms")  # added to the clock after each move; 0 if there is none
        self.retry = number("retry")  # attempts left after an illegal move; 0 if there was none
        self.moves = _split(fields.get("moves", "-"), ";")  # every move so far
        self.board = fields.get("board", "")
        self.board_rows = _split(self.board, "/")  # board_rows[row - origin][col - origin]
        self.legal = _split(fields.get("legal", "-"), ";")
        self.fields = fields  # all of these as they came, and those not known here
        self._answers = answers

    def info(self, text: object) -> None:
        """Put a note into the game's log."""
        for line in str(text).splitlines():
            print("info", line, file=self._answers, flush=True)


def play(choose: Callable[[Turn], str]) -> None:
    """Be a bot until the referee says `quit`; `choose` returns one of `legal`, or "resign"."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    game: dict[str, str] = {}
    try:
        for line in sys.stdin:
            verb, *words = line.split() or [""]
            fields = dict(word.split("=", 1) for word in words if "=" in word)
            if verb == "game":
                game = fields
                print("ready", file=answers, flush=True)
            elif verb == "turn":
                move = choose(Turn(game | fields, answers))
                print(move if move == "resign" else f"move {move}", file=answers, flush=True)
            elif verb == "quit":
                break
    finally:
        sys.stdout = answers


def _split(text: str, separator: str) -> list[str]:
    return [] if text in ("", "-") else text.split(separator)
