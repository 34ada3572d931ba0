"""A set of fixture ids that takes a few bytes per id. Pure.

A million ids as text take 130 MB. An id like `standoff-5x5.alpha.beta.3a` consists of names that
recur and the number of an encounter, so it is stored as a bit under its names.
"""

_MAX_NUMBER_LENGTH = 9
_ENCOUNTERS_PER_BLOCK = 4
"""An encounter takes two bits, so a block is below 256: an integer that CPython caches."""


class FixtureIdSet:
    """A set of ids; those that do not look like the id of a fixture are stored as text."""

    def __init__(self) -> None:
        self._bits: dict[tuple[str, int], dict[str, int]] = {}
        """By board and seat 1 (as in the id) and block of encounters: by seat 2, a bit per game."""
        self._names: dict[str, str] = {}
        """Each name once: every id is split into new strings."""
        self._others: set[str] = set()
        """Ids of another form."""
        self._count = 0

    def add(self, fixture_id: str) -> bool:
        """Add an id; return False if the set had it already."""
        place = _locate(fixture_id)
        if place is None:
            before_count = len(self._others)
            self._others.add(fixture_id)
            return len(self._others) > before_count
        key, second, bit = place
        row = self._bits.setdefault(key, {})
        before = row.get(second, 0)
        if before & bit:
            return False
        row[self._names.setdefault(second, second)] = before | bit
        self._count += 1
        return True

    def __contains__(self, fixture_id: str) -> bool:
        place = _locate(fixture_id)
        if place is None:
            return fixture_id in self._others
        key, second, bit = place
        return bool(self._bits.get(key, {}).get(second, 0) & bit)

    def __len__(self) -> int:
        return self._count + len(self._others)


def _locate(fixture_id: str) -> tuple[tuple[str, int], str, int] | None:
    """Return the keys and the bit of an id; None if it is not of the form of a fixture's."""
    parts = fixture_id.rsplit(".", 2)
    if len(parts) < 3:
        return None
    start, second, tail = parts
    number, letter = tail[:-1], tail[-1:]
    if letter not in ("a", "b") or not _is_canonical(number):
        return None
    block, offset = divmod(int(number), _ENCOUNTERS_PER_BLOCK)
    return (start, block), second, 1 << (2 * offset + (letter == "b"))


def _is_canonical(number: str) -> bool:
    """Check that a number has one text: ASCII digits without leading zeros."""
    return (
        number.isascii()
        and number.isdigit()
        and len(number) <= _MAX_NUMBER_LENGTH
        and (number[0] != "0" or number == "0")
    )
