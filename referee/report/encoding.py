"""Moves and thinking times as short strings, decoded by the page's script (js/data.js). Pure.

A move is two letters: its index in the list of all moves seen on that board. A time is three
letters: a mantissa of 14 bits and an exponent of 4 bits, in hundredths of a millisecond. Times are
exact up to 163 ms; above, the relative error is at most 1/8192.
"""

from collections.abc import Iterable
from math import isfinite

from referee.text import printable

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
NO_TIME = "___"
"""The time of an opening move, which no bot was asked for."""
MAX_MOVES = 64 * 64
MAX_MOVE_LENGTH = 40
_LARGEST, _LARGEST_EXPONENT = 2**14 - 1, 15
_PAIRS = [one + two for one in ALPHABET for two in ALPHABET]


class MoveTable:
    """All moves seen on one board, each with its code of two letters."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self._letters: dict[str, str] = {}

    def pack(self, moves: Iterable[str]) -> str | list[str]:
        """Encode moves as two letters each; return them as a list if the table is full."""
        moves = list(moves)
        try:
            return "".join([self._letters[move] for move in moves])
        except KeyError:
            pass
        for move in moves:
            if move not in self._letters:
                if len(self.moves) == MAX_MOVES:
                    return [printable(move, MAX_MOVE_LENGTH) for move in moves]
                self._letters[move] = _PAIRS[len(self.moves)]
                self.moves.append(printable(move, MAX_MOVE_LENGTH))
        return "".join([self._letters[move] for move in moves])

    def unpack(self, packed: str | list[str]) -> list[str]:
        """Decode moves."""
        if isinstance(packed, list):
            return packed
        places = {letters: place for place, letters in enumerate(_PAIRS[: len(self.moves)])}
        return [self.moves[places[packed[at : at + 2]]] for at in range(0, len(packed), 2)]


def pack_times(times: Iterable[float | None]) -> str:
    """Encode times as three letters each."""
    return "".join([NO_TIME if ms is None or not isfinite(ms) else pack_time(ms) for ms in times])


def pack_time(ms: float) -> str:
    """Encode milliseconds as three letters; larger values become the largest possible one."""
    hundredths, exponent = max(0, round(ms * 100)), 0
    if hundredths > _LARGEST:
        exponent = min(_LARGEST_EXPONENT, hundredths.bit_length() - 14)
        hundredths = min(_LARGEST - 1, hundredths >> exponent)
    bits = exponent << 14 | hundredths
    return _PAIRS[bits >> 6] + ALPHABET[bits & 63]


def unpack_time(letters: str) -> float | None:
    """Decode three letters, as the page's script does."""
    if letters == NO_TIME:
        return None
    bits = 0
    for letter in letters:
        bits = bits << 6 | ALPHABET.index(letter)
    return (bits & _LARGEST) * 2.0 ** (bits >> 14) / 100
