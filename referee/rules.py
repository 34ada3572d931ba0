"""What a game is: five small questions on values that never change.

A variant is a name and a way to make its rules for a board size. Rules know no time, no dice and
no players; a move is its text, because that text is what bots send and what records keep.
"""

import hashlib
import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from referee.errors import IllegalMove, InputError, unknown
from referee.grid import Size as Size  # for variants of your own
from referee.outcome import Outcome, Seat

State = TypeVar("State")

BUILT_IN = ("standoff", "barricade", "lockdown", "runner", "crossfire")
ENTRY_POINTS = "referee.variants"
SMALLEST, LARGEST = 3, 16
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
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


def play_moves(rules: Rules[State], moves: Iterable[str]) -> State:
    """The position after these moves; IllegalMove says which of them is wrong, and why."""
    state = rules.start()
    for ply, move in enumerate(moves, start=1):
        if outcome := rules.outcome(state):
            raise IllegalMove(
                f"move {ply} ({move}) comes after the end of the game ({outcome.reason})"
            )
        legal = rules.legal_moves(state)
        if move not in legal:
            raise IllegalMove(
                f"move {ply} is not legal: {rules.why_illegal(state, move)}."
                f" Legal here: {' '.join(legal)}"
            )
        state = rules.apply(state, move)
    return state


@lru_cache(maxsize=64)
def after_opening(rules: Rules[State], opening: tuple[str, ...]) -> State:
    """The position after an opening, which was found or checked when the game was set up.

    It is played by pair after pair, from both seats.
    """
    return reduce(rules.apply, opening, rules.start())


def perft(rules: Rules[State], state: State, depth: int) -> int:
    """How many sequences of exactly `depth` moves there are; each last move is applied too."""
    if rules.outcome(state):
        return 0
    apply = rules.apply
    after = [apply(state, move) for move in rules.legal_moves(state)]
    if depth == 1:
        return len(after)
    return sum(perft(rules, child, depth - 1) for child in after)


def find_variant(name: str) -> Variant:
    """The variant of this name: one of the five, an installed one, or a `path/to/file.py`.

    A file is run: ask for one only by a name that the user of this machine has written.
    """
    return _from_file(Path(name)) if name.endswith(".py") else find_installed(name)


def find_installed(name: str) -> Variant:
    """The variant of this name that is on this machine: one of the five, or an installed one."""
    if name in BUILT_IN:
        variant: Variant = importlib.import_module(f"referee.variants.{name}").VARIANT
        return variant
    installed = _entry_points()
    if name in installed:
        return _load_installed(name, installed[name])
    raise InputError(unknown("variant", name, [*BUILT_IN, *installed]))


def source_digest(name: str) -> str | None:
    """Hash the Python file that defines a variant; None for one of the five, which are released
    with the referee.
    """
    if name in BUILT_IN:
        return None
    if name.endswith(".py"):
        path = name
    else:
        from importlib.util import find_spec

        spec = find_spec(_entry_points()[name].module)
        if spec is None or spec.origin is None:
            return None
        path = spec.origin
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def variant_names() -> list[str]:
    """All names there are here: the five, then what is installed beside them."""
    return [*BUILT_IN, *_entry_points()]


def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points  # slow, and needed only for foreign names

    found = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    return {name: found[name] for name in sorted(found) if name not in BUILT_IN}


def _load_installed(name: str, point: Any) -> Variant:
    try:
        loaded = point.load()
    except Exception as error:  # foreign code: whatever it raises is its author's to mend
        raise InputError(
            f"the installed variant {name!r} cannot be loaded: {_in_words(error)}"
        ) from error
    variant = _foreign(loaded, f"the installed variant {name!r} ({point.value})")
    if variant.name != name:
        raise InputError(f"the variant installed as {name!r} calls itself {variant.name!r}")
    return variant


def _from_file(path: Path) -> Variant:
    from importlib.util import module_from_spec, spec_from_file_location

    if not path.is_file():
        raise InputError(f"there is no variant file {str(path)!r}")
    spec = spec_from_file_location(f"referee_variant_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # foreign code, as above
        raise InputError(
            f"the variant file {str(path)!r} cannot be loaded: {_in_words(error)}"
        ) from error
    return _foreign(getattr(module, "VARIANT", None), f"VARIANT in {str(path)!r}")


def _foreign(found: object, where: str) -> Variant:
    """What came from outside this package, if it is a variant with a name of its own."""
    if not isinstance(found, Variant):
        raise InputError(f"{where} should be a referee.rules.Variant, not {type(found).__name__}")
    if found.name in BUILT_IN:
        raise InputError(f"{where} is called {found.name!r}, and that name is taken")
    if not _NAME.fullmatch(found.name):
        raise InputError(
            f"{where} is called {found.name!r}: a name is up to 32 of a-z 0-9 _ - from a letter on"
        )
    return found


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
