"""Selection of the games of a page: the newest and those with faults, within a bound. Pure."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

MAX_GAMES = 10_000
MAX_BYTES = 2_000_000
"""Size of all games that keeps a page small enough to be sent by mail."""


@dataclass(frozen=True)
class Selection:
    """Criteria for the games of a page."""

    most: int | None = MAX_GAMES
    """Maximum number; None is no limit."""
    most_bytes: int | None = MAX_BYTES
    patterns: tuple[str, ...] = ()
    """If not empty: only games whose id matches one of them."""

    def matches(self, game_id: str) -> bool:
        """Return whether an id matches one of the patterns, or there are none."""
        return not self.patterns or any(fnmatchcase(game_id, pattern) for pattern in self.patterns)


DEFAULT = Selection()
ALL = Selection(most=None, most_bytes=None)


@dataclass
class EncodedGame:
    """One game, encoded for the page."""

    number: int
    """Its index in the games file."""
    id: str
    row: list[Any]
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Approximate size in bytes, without the extras, which have limits of their own."""
        return 50 + len(self.row[5]) + len(self.row[6])


class NewestGames:
    """The newest games, within a limit of number and size."""

    def __init__(self, most: int | None, most_bytes: int | None) -> None:
        self.games: deque[EncodedGame] = deque()
        self.size = 0
        self.shrink(most, most_bytes)

    def add(self, game: EncodedGame) -> None:
        """Append a game; drop the oldest ones beyond the limit."""
        self.games.append(game)
        self.size += game.size
        self.shrink(self._most, self._most_bytes)

    def shrink(self, most: int | None, most_bytes: int | None) -> None:
        """Set new limits and drop the oldest games beyond them."""
        self._most, self._most_bytes = most, most_bytes
        while self.games and (
            (most is not None and len(self.games) > most)
            or (most_bytes is not None and self.size > most_bytes)
        ):
            self.size -= self.games.popleft().size


class GameSelection:
    """The games of a page: faulted games up to half of the limit, then the newest others."""

    def __init__(self, selection: Selection, total: int) -> None:
        self._selection = selection
        self._total = total
        most, size = selection.most, selection.most_bytes
        self._faulted = NewestGames(_half(most), _half(size))
        self._others = NewestGames(most, size)

    def __len__(self) -> int:
        return len(self._faulted.games) + len(self._others.games)

    def may_select(self, number: int, game_id: str, faulted: bool) -> bool:
        """Return whether a game may be selected, so that others need not be encoded."""
        selection = self._selection
        if not faulted and selection.most is not None and number < self._total - selection.most:
            return False
        return selection.matches(game_id)

    def add(self, game: EncodedGame, faulted: bool) -> None:
        """Add a game, in the order of the file."""
        (self._faulted if faulted else self._others).add(game)

    def games(self) -> Sequence[EncodedGame]:
        """Return the selected games, in the order of the file."""
        most, size = self._selection.most, self._selection.most_bytes
        faulted = self._faulted
        self._others.shrink(
            None if most is None else most - len(faulted.games),
            None if size is None else size - faulted.size,
        )
        return sorted([*faulted.games, *self._others.games], key=lambda game: game.number)


def _half(number: int | None) -> int | None:
    return None if number is None else (number + 1) // 2
