"""Boards, positions, and the search for positions with a given property."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from random import Random
from typing import Any, NamedTuple

from referee.outcome import Outcome, Seat
from referee.rules import Rules, Size, Variant
from referee.schedule.fixtures import Board

_MAX_POSITIONS = 5_000
"""Maximum number of positions that a search examines."""


class VariantBoard(NamedTuple):
    """A board together with its variant, which may come from a file."""

    variant: Variant
    size: Size

    @property
    def name(self) -> str:
        """The name in ids, like `standoff-5x5`."""
        return Board(self.variant.name, self.size).name

    def __str__(self) -> str:
        return f"{self.variant.name} {self.size}"

    @property
    def rules(self) -> Rules[Any]:
        """The rules on this board."""
        return self.variant.on(self.size)


class CheckPosition(NamedTuple):
    """A position of a game: board, state and moves so far."""

    board: VariantBoard
    state: Any
    moves: tuple[str, ...] = ()

    @classmethod
    def start(cls, board: VariantBoard) -> "CheckPosition":
        """Return the initial position."""
        return cls(board, board.rules.start())

    def after(self, move: str) -> "CheckPosition":
        """Return the position after a legal move."""
        return CheckPosition(
            self.board, self.board.rules.apply(self.state, move), (*self.moves, move)
        )

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None while the game continues."""
        return self.board.rules.outcome(self.state)

    @property
    def seat(self) -> Seat:
        """The seat to move."""
        return self.board.rules.to_move(self.state)

    @property
    def legal(self) -> Sequence[str]:
        """The legal moves."""
        return self.board.rules.legal_moves(self.state)


def find_position(
    board: VariantBoard, wanted: Callable[[CheckPosition], bool]
) -> CheckPosition | None:
    """Find the first such position in random games with fixed seeds; None if there is none."""
    games = (_random_game(board, Random(number)) for number in range(_MAX_POSITIONS))
    return next(filter(wanted, islice(chain.from_iterable(games), _MAX_POSITIONS)), None)


def _random_game(board: VariantBoard, random: Random) -> Iterator[CheckPosition]:
    position = CheckPosition.start(board)
    while not position.outcome:
        yield position
        position = position.after(random.choice(position.legal))
