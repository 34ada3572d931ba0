"""The interface of a game: five questions on states that never change. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

from referee.errors import InputError
from referee.outcome import Outcome, Seat
from referee.rules.grid import Size as Size  # for variants of your own

State = TypeVar("State")
SMALLEST, LARGEST = 3, 16
_PARTS_OF_VIEW = ("to_move", "board", "legal_moves", "legal_text")


class Rules(ABC, Generic[State]):
    """One variant on one board. A state is immutable, and says whose turn it is."""

    marks: ClassVar[tuple[str, str]] = ("1", "2")
    """How the board text shows what belongs to seat 1 and to seat 2."""
    origin: int = 1
    """The number of the first row and of the first column."""
    most_plies: int | None = None
    """How long a game can be at the most, if that is known."""

    def __init_subclass__(cls) -> None:
        # Whoever derives a game from one of ours and changes a part need not know of `view`.
        if "view" not in vars(cls) and not vars(cls).keys().isdisjoint(_PARTS_OF_VIEW):
            cls.view = Rules.view  # type: ignore[method-assign]

    @abstractmethod
    def start(self) -> State:
        """The position before the first move."""

    @abstractmethod
    def to_move(self, state: State) -> Seat:
        """Whose turn it is; asked only while the game is not over."""

    @abstractmethod
    def legal_moves(self, state: State) -> Sequence[str]:
        """Every legal move, in a fixed order; asked only while the game is not over."""

    @abstractmethod
    def apply(self, state: State, move: str) -> State:
        """The position after a legal move."""

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """Who won and why, or None while the game goes on."""

    @abstractmethod
    def board(self, state: State) -> str:
        """The board as one word: rows from the top joined by `/`, `.` for empty."""

    def view(self, state: State) -> tuple[Seat, str, str]:
        """What a bot is told: whose turn it is, the board, and the legal moves joined by `;`.

        Asked for every turn: variants may find it in a shorter way than this one.
        """
        return self.to_move(state), self.board(state), ";".join(self.legal_moves(state))

    def draw(self, state: State) -> str:
        """The board as people like to see it, over several lines."""
        return "\n".join(" ".join(row) for row in self.board(state).split("/"))

    def why_illegal(self, state: State, move: str) -> str:
        """What is wrong with a move that is not legal, by the rules; it names the move."""
        return f"{move!r} is not a legal move"


class TextRules(Rules[State]):
    """Rules that find the text of all legal moves sooner than a list of them.

    Every call counts in the path of a move, so `view` is worth writing out.
    """

    @abstractmethod
    def legal_text(self, state: State) -> str:
        """Every legal move, joined by `;`."""

    @abstractmethod
    def view(self, state: State) -> tuple[Seat, str, str]: ...

    def legal_moves(self, state: State) -> Sequence[str]:
        return self.legal_text(state).split(";")


@dataclass(frozen=True)
class Variant:
    """A game by its name. `rules` makes its rules for a size, or raises InputError."""

    name: str
    summary: str
    """One line for people who choose a game."""
    size: Size
    """The board it is usually played on."""
    rules: Callable[[Size], Rules[Any]]

    def on(self, size: Size | None = None) -> Rules[Any]:
        """The rules on a board of this size, or on the usual one."""
        size = size or self.size
        if not all(SMALLEST <= length <= LARGEST for length in size):
            raise InputError(
                f"{self.name} on {size}: rows and columns go from {SMALLEST} to {LARGEST}"
            )
        return _make_rules(self.rules, size)


@lru_cache(maxsize=64)
def _make_rules(make: Callable[[Size], Rules[Any]], size: Size) -> Rules[Any]:
    return make(size)
