"""Positions in which a bot is asked for a move."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from random import Random
from typing import Any, NamedTuple

from referee.outcome import Outcome, Seat
from referee.rules import Rules, Size, Variant

_POSITIONS_TRIED = 5_000
"""How far to look for a position of some kind."""


class Board(NamedTuple):
    """A variant on a board of one size."""

    variant: Variant
    size: Size

    def __str__(self) -> str:
        return f"{self.variant.name} {self.size}"

    @property
    def rules(self) -> Rules[Any]:
        return self.variant.on(self.size)


class Position(NamedTuple):
    """Where a game stands."""

    board: Board
    state: Any
    moves: tuple[str, ...] = ()

    @classmethod
    def start(cls, board: Board) -> "Position":
        return cls(board, board.rules.start())

    def after(self, move: str) -> "Position":
        return Position(self.board, self.board.rules.apply(self.state, move), (*self.moves, move))

    @property
    def outcome(self) -> Outcome | None:
        return self.board.rules.outcome(self.state)

    @property
    def seat(self) -> Seat:
        return self.board.rules.to_move(self.state)

    @property
    def legal(self) -> Sequence[str]:
        return self.board.rules.legal_moves(self.state)


def find_position(board: Board, wanted: Callable[[Position], bool]) -> Position | None:
    """The first such position in some random games, the same every time; None if there is none."""
    games = (_random_game(board, Random(number)) for number in range(_POSITIONS_TRIED))
    return next(filter(wanted, islice(chain.from_iterable(games), _POSITIONS_TRIED)), None)


def _random_game(board: Board, dice: Random) -> Iterator[Position]:
    position = Position.start(board)
    while not position.outcome:
        yield position
        position = position.after(dice.choice(position.legal))
