"""Which games a page holds: the newest, and those with faults, within a bound. Pure."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

MAX_GAMES = 10_000
MAX_BYTES = 2_000_000
"""What the games may take of a page that is still small enough for a mail."""


@dataclass(frozen=True)
class Selection:
    """Which games are wanted."""

    most: int | None = MAX_GAMES
    """How many at the most; None is all."""
    most_bytes: int | None = MAX_BYTES
    patterns: tuple[str, ...] = ()
    """If there are any: only games whose id matches one of them."""

    def matches(self, id: str) -> bool:
        return not self.patterns or any(fnmatchcase(id, pattern) for pattern in self.patterns)


DEFAULT = Selection()
ALL = Selection(most=None, most_bytes=None)


@dataclass
class EncodedGame:
    """One game in the form of the page."""

    number: int
    """Its place in the games file."""
    id: str
    row: list[Any]
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """About how many bytes it takes, but for its extras, which have bounds of their own."""
        return 50 + len(self.row[5]) + len(self.row[6])


class NewestGames:
    """The last games, as many as there is room for."""

    def __init__(self, most: int | None, most_bytes: int | None) -> None:
        self.games: deque[EncodedGame] = deque()
        self.size = 0
        self.shrink(most, most_bytes)

    def add(self, game: EncodedGame) -> None:
        self.games.append(game)
        self.size += game.size
        self.shrink(self._most, self._most_bytes)

    def shrink(self, most: int | None, most_bytes: int | None) -> None:
        """Let the oldest go until there are no more than that."""
        self._most, self._most_bytes = most, most_bytes
        while self.games and (
            (most is not None and len(self.games) > most)
            or (most_bytes is not None and self.size > most_bytes)
        ):
            self.size -= self.games.popleft().size


class GameSelection:
    """The games of a page: up to half of it those with faults, the rest the newest others."""

    def __init__(self, selection: Selection, total: int) -> None:
        self._selection = selection
        self._total = total
        most, size = selection.most, selection.most_bytes
        self._faulted = NewestGames(_half(most), _half(size))
        self._others = NewestGames(most, size)

    def __len__(self) -> int:
        return len(self._faulted.games) + len(self._others.games)

    def wants(self, number: int, id: str, faulted: bool) -> bool:
        """Whether a game has a chance; most of a huge file has none, and need not be packed."""
        selection = self._selection
        if not faulted and selection.most is not None and number < self._total - selection.most:
            return False
        return selection.matches(id)

    def add(self, game: EncodedGame, faulted: bool) -> None:
        (self._faulted if faulted else self._others).add(game)

    def games(self) -> Sequence[EncodedGame]:
        """All that stay, in the order of the file."""
        most, size = self._selection.most, self._selection.most_bytes
        faulted = self._faulted
        self._others.shrink(
            None if most is None else most - len(faulted.games),
            None if size is None else size - faulted.size,
        )
        return sorted([*faulted.games, *self._others.games], key=lambda game: game.number)


def _half(number: int | None) -> int | None:
    return None if number is None else (number + 1) // 2
