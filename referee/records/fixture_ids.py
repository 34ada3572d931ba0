"""The ids of games in a few bytes each. Pure.

A million ids as text take 130 MB; but they are made of few names, and the encounters of two bots on
a board are numbers: `standoff-5x5.alpha.beta.3a`.
"""

_MAX_NUMBER_LENGTH = 9
_ENCOUNTERS = 4
"""Each has two bits, so four of them make a number that Python has once and for all."""


class FixtureIdSet:
    """A set of ids."""

    def __init__(self) -> None:
        self._bits: dict[tuple[str, int], dict[str, int]] = {}
        """For board and seat 1, and every four encounters: seat 2, and a bit for each game."""
        self._names: dict[str, str] = {}
        """Each name once: every id brings strings of its own."""
        self._others: set[str] = set()
        """What looks otherwise."""
        self._count = 0

    def add(self, id: str) -> bool:
        """Add an id; False if it was there already."""
        place = _place(id)
        if place is None:
            before_count = len(self._others)
            self._others.add(id)
            return len(self._others) > before_count
        key, second, bit = place
        row = self._bits.setdefault(key, {})
        before = row.get(second, 0)
        if before & bit:
            return False
        row[self._names.setdefault(second, second)] = before | bit
        self._count += 1
        return True

    def __contains__(self, id: str) -> bool:
        place = _place(id)
        if place is None:
            return id in self._others
        key, second, bit = place
        return bool(self._bits.get(key, {}).get(second, 0) & bit)

    def __len__(self) -> int:
        return self._count + len(self._others)


def _place(id: str) -> tuple[tuple[str, int], str, int] | None:
    """Where an id has its bit; None if it is not like those of fixtures."""
    parts = id.rsplit(".", 2)
    if len(parts) < 3:
        return None
    start, second, tail = parts
    number, letter = tail[:-1], tail[-1:]
    if letter not in ("a", "b") or not _is_canonical(number):
        return None
    block, place = divmod(int(number), _ENCOUNTERS)
    return (start, block), second, 1 << (2 * place + (letter == "b"))


def _is_canonical(number: str) -> bool:
    """Whether an encounter's number is written as we do: the same number is the same text."""
    return (
        number.isascii()
        and number.isdigit()
        and len(number) <= _MAX_NUMBER_LENGTH
        and (number[0] != "0" or number == "0")
    )
