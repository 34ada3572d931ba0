"""The interface of a game: functions on immutable states. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

from referee.errors import InputError
from referee.outcome import Outcome, Seat
from referee.rules.grid import Size
from referee.rules.layout import BoardLayout
from referee.rules.symmetry import Symmetry

State = TypeVar("State")
SMALLEST, LARGEST = 3, 16
_PARTS_OF_VIEW = ("to_move", "board", "legal_moves", "legal_text")
"""The methods whose results `Rules.view` combines."""
_PARTS_OF_THE_GAME = ("start", "to_move", "legal_moves", "legal_text", "apply", "outcome", "board")
"""The methods that define which symmetries a game has."""


class Rules(ABC, Generic[State]):
    """The rules of one variant on one board size. States are immutable and hashable."""

    marks: ClassVar[tuple[str, str]] = ("1", "2")
    """The characters of seat 1 and seat 2 in the board text."""
    origin: int = 1
    """The number of the first row and of the first column."""
    layout: ClassVar[BoardLayout] = BoardLayout()
    """How `draw` arranges the cells."""
    most_plies: int | None = None
    """The maximum number of plies of a game, if it is known."""

    def __init_subclass__(cls) -> None:
        # Variants override `view` with a faster equivalent, which a subclass that overrides one
        # of its parts would otherwise inherit, and with it the old part.
        own = vars(cls).keys()
        if "view" not in own and not own.isdisjoint(_PARTS_OF_VIEW):
            cls.view = Rules.view  # type: ignore[method-assign]
        # A subclass that changes the game has the same symmetries only if it defines them.
        if "symmetries" not in own and not own.isdisjoint(_PARTS_OF_THE_GAME):
            cls.symmetries = Rules.symmetries  # type: ignore[method-assign]

    @abstractmethod
    def start(self) -> State:
        """Return the state before the first move."""

    @abstractmethod
    def to_move(self, state: State) -> Seat:
        """Return the seat whose turn it is; called only while the game is not over."""

    @abstractmethod
    def legal_moves(self, state: State) -> Sequence[str]:
        """Return all legal moves in a fixed order; called only while the game is not over."""

    @abstractmethod
    def apply(self, state: State, move: str) -> State:
        """Return the state after a legal move."""

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """Return the score and the reason, or None while the game is not over."""

    @abstractmethod
    def board(self, state: State) -> str:
        """Return the board as one word: rows from the top joined by `/`, `.` for empty."""

    def view(self, state: State) -> tuple[Seat, str, str]:
        """Return what a `turn` line contains: seat, board, and legal moves joined by `;`.

        Called once per turn. A variant may override it with a faster equivalent.
        """
        return self.to_move(state), self.board(state), ";".join(self.legal_moves(state))

    def symmetries(self) -> Sequence[Symmetry]:
        """List the symmetries of the game, without the identity.

        A symmetry keeps the start position and the seats. It maps every game onto a game: the image
        of a legal move is legal in the image of a position, and outcomes are equal. Each lists, for
        each cell (numbered row by row from the top left), the cell that it is moved to.
        """
        return ()

    def draw(self, state: State) -> str:
        """Return the board for display, in several lines, with row and column numbers."""
        return self.layout.draw(self.board(state), self.origin)

    def why_illegal(self, state: State, move: str) -> str:
        """Return the rule that an illegal move breaks, as a phrase that quotes the move."""
        return f"{move!r} is not a legal move"


class TextRules(Rules[State]):
    """Rules that produce the joined text of all legal moves faster than a list of them.

    Subclasses also implement `view`, which saves two method calls per turn.
    """

    @abstractmethod
    def legal_text(self, state: State) -> str:
        """Return all legal moves joined by `;`, in a fixed order."""

    @abstractmethod
    def view(self, state: State) -> tuple[Seat, str, str]:
        """Return what a `turn` line contains: seat, board, and legal moves joined by `;`."""

    def legal_moves(self, state: State) -> Sequence[str]:
        """Return all legal moves in a fixed order; called only while the game is not over."""
        return self.legal_text(state).split(";")


@dataclass(frozen=True)
class Variant:
    """A game by its name. `rules` returns its rules for a board size, or raises InputError."""

    name: str
    summary: str
    """One line for lists of variants."""
    size: Size
    """The default board size."""
    rules: Callable[[Size], Rules[Any]]

    def on(self, size: Size | None = None) -> Rules[Any]:
        """Return the rules for a board of this size, or of the default size."""
        size = size or self.size
        if not all(SMALLEST <= length <= LARGEST for length in size):
            raise InputError(
                f"{self.name} on {size}: rows and columns go from {SMALLEST} to {LARGEST}"
            )
        return _make_rules(self.rules, size)


@lru_cache(maxsize=64)
def _make_rules(make: Callable[[Size], Rules[Any]], size: Size) -> Rules[Any]:
    return make(size)
