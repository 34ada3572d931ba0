"""The code of `referee.kit`. It uses the standard library only.

This folder must not contain an `__init__.py`: it is part of a namespace package for a bot that has
the folder above on its PYTHONPATH, so that an installed `referee` takes precedence.
Output that `choose` prints goes to standard error, where it is not read as an answer.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # not imported from typing, which takes longer than this module
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TextIO


class Turn:
    """The fields of a `turn` line and of the `game` line before it, as attributes."""

    def __init__(self, fields: Mapping[str, str], answers: TextIO) -> None:
        def number(key: str) -> int:
            return int(fields.get(key, 0))

        self.id = fields.get("id", "")
        self.variant = fields.get("variant", "")
        self.rows = number("rows")
        self.cols = number("cols")
        self.origin = number("origin")  # the number of the first row and column
        self.seat = number("seat")
        self.seed = number("seed")  # for random numbers: the same when this game is repeated
        self.ply = number("ply")
        self.time_ms = number("time_ms")  # the time left for this answer
        self.opp_ms = number("opp_ms")
        self.inc_ms = number("inc_ms")  # added to the clock after each move; 0 if there is none
        self.retry = number("retry")  # attempts left after an illegal move; 0 if there was none
        self.moves = _split(fields.get("moves", "-"), ";")  # every move so far
        self.board = fields.get("board", "")
        self.board_rows = _split(self.board, "/")  # board_rows[row - origin][col - origin]
        self.legal = _split(fields.get("legal", "-"), ";")
        self.fields = fields  # all fields as text, unknown ones included
        self._answers = answers

    def info(self, text: object) -> None:
        """Write a note into the log of the game."""
        for line in str(text).splitlines():
            print("info", line, file=self._answers, flush=True)


def play(choose: Callable[[Turn], str]) -> None:
    """Run the protocol until `quit`; `choose` returns one of `turn.legal`, or "resign"."""
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
