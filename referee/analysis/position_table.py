"""A table of proven results, of fixed size: a new position replaces the one in its slot."""

from referee.rules.mypyc_compat import i64

HALF = 0x7FFFFFFF
"""The lower 31 bits of a word."""


class PositionTable:
    """Results of positions that are identified by two words of up to 62 bits.

    The second word and its result together have at most 63 bits. The slot of a position is computed
    without overflow, so that a table has the same content in compiled and in interpreted code.
    """

    def __init__(self, slot_bits: i64, result_bits: i64) -> None:
        """Create a table of `1 << slot_bits` slots for results of `result_bits` bits."""
        self._mask: i64 = (i64(1) << slot_bits) - 1
        self._result_bits: i64 = result_bits
        self._result_mask: i64 = (i64(1) << result_bits) - 1
        empty: list[i64] = [-1]
        self._first: list[i64] = empty * int(self._mask + 1)
        self._second: list[i64] = empty * int(self._mask + 1)

    def get(self, first: i64, second: i64) -> i64:
        """Return the result of a position; -1 if there is none."""
        slot = self._slot(first, second)
        if self._first[slot] != first:
            return -1
        stored = self._second[slot]
        return stored & self._result_mask if stored >> self._result_bits == second else -1

    def put(self, first: i64, second: i64, result: i64) -> None:
        """Store the result of a position."""
        slot = self._slot(first, second)
        self._first[slot] = first
        self._second[slot] = second << self._result_bits | result

    def _slot(self, first: i64, second: i64) -> i64:
        mixed = (first & HALF) * 0x2545F491 ^ (first >> 31) * 0x5851F42D
        mixed ^= (second & HALF) * 0x1B873593 ^ (second >> 31) * 0x6C62272E
        mixed ^= mixed >> 23
        mixed = (mixed & HALF) * 0x369DEA0F ^ mixed >> 31
        return (mixed ^ mixed >> 27) & self._mask
