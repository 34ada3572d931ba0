"""Numbers that bots sent in `info` lines, as means over their games. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from referee.protocol.info_values import InfoValue, read_values

MAX_POINTS = 100
"""Maximum points of one history; then two neighbours become one."""
MAX_KEYS = 12
"""Maximum numbers of one bot; those that come first are kept."""

GameMean = tuple[int, str, float]
"""Number of a bot, key, and the mean over one game."""
InfoLine = tuple[int, int, dict[str, InfoValue]]
"""Ply, seat and values of one `info` line."""


def parse_values(info: Iterable[Any]) -> list[InfoLine]:
    """Return the lines of a record that have tags or numbers."""
    return [(ply, seat, values) for ply, seat, text in info if (values := read_values(text))]


def game_means(lines: Iterable[InfoLine], bots: tuple[int, int]) -> list[GameMean]:
    """Return the mean of each number of each bot; a later line of a ply replaces an earlier one."""
    found: dict[tuple[int, str], dict[int, float]] = {}
    for ply, seat, values in lines:
        for key, value in values.items():
            if not isinstance(value, str):
                found.setdefault((bots[seat - 1], key), {})[ply] = value
    return [(bot, key, sum(by_ply.values()) / len(by_ply)) for (bot, key), by_ply in found.items()]


class NumberHistory:
    """The mean of a number in consecutive games, in a bounded number of points."""

    def __init__(self) -> None:
        self._sums: list[float] = []
        self._games = 0
        self._per_point = 1

    def add(self, mean: float) -> None:
        """Add the mean of the next game."""
        if self._games == len(self._sums) * self._per_point:
            if len(self._sums) == MAX_POINTS:
                pairs = zip(self._sums[::2], self._sums[1::2], strict=True)
                self._sums = [one + two for one, two in pairs]
                self._per_point *= 2
            self._sums.append(0.0)
        self._sums[-1] += mean
        self._games += 1

    def points(self) -> list[tuple[int, float]]:
        """List pairs of games so far, and the mean over the games since the point before."""
        found = []
        for at, total in enumerate(self._sums):
            games = min(self._games, (at + 1) * self._per_point)
            found.append((games, float(f"{total / (games - at * self._per_point):.6g}")))
        return found


class NumberHistories:
    """The histories of all numbers of all bots."""

    def __init__(self) -> None:
        self._found: defaultdict[int, dict[str, NumberHistory]] = defaultdict(dict)

    def add(self, means: Iterable[GameMean]) -> None:
        """Add games in the order of the file."""
        for bot, key, mean in means:
            histories = self._found[bot]
            if key in histories or len(histories) < MAX_KEYS:
                histories.setdefault(key, NumberHistory()).add(mean)

    def of(self, bot: int) -> dict[str, list[tuple[int, float]]]:
        """Return the histories of a bot by key."""
        return {key: history.points() for key, history in self._found.get(bot, {}).items()}
