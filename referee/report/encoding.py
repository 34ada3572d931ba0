"""Moves and times of a game in a few letters each, as the page's own script reads them. Pure.

A move is two letters, its place in a list of all moves seen on that board. A time is three: a
number of 14 bits and an exponent of 4, in hundredths of a millisecond. So a time is exact up to 163
ms, and a ten-thousandth off above.
"""

from collections.abc import Iterable
from math import isfinite

from referee.text import printable

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
NO_TIME = "___"
"""An opening's move, which nobody thought about."""
MAX_MOVES = 64 * 64
MAX_MOVE_LENGTH = 40
_LARGEST, _LARGEST_EXPONENT = 2**14 - 1, 15
_PAIRS = [one + two for one in ALPHABET for two in ALPHABET]


class MoveTable:
    """All moves seen on one board, each with its two letters."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self._letters: dict[str, str] = {}

    def pack(self, moves: Iterable[str]) -> str | list[str]:
        """Two letters per move; the moves as they are if there are too many different ones."""
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
        """The moves again."""
        if isinstance(packed, list):
            return packed
        places = {letters: place for place, letters in enumerate(_PAIRS[: len(self.moves)])}
        return [self.moves[places[packed[at : at + 2]]] for at in range(0, len(packed), 2)]


def pack_times(times: Iterable[float | None]) -> str:
    """Three letters per ply."""
    return "".join([NO_TIME if ms is None or not isfinite(ms) else pack_time(ms) for ms in times])


def pack_time(ms: float) -> str:
    """Milliseconds as three letters; what is out of reach is as much as can be said."""
    hundredths, exponent = max(0, round(ms * 100)), 0
    if hundredths > _LARGEST:
        exponent = min(_LARGEST_EXPONENT, hundredths.bit_length() - 14)
        hundredths = min(_LARGEST - 1, hundredths >> exponent)
    bits = exponent << 14 | hundredths
    return _PAIRS[bits >> 6] + ALPHABET[bits & 63]


def unpack_time(letters: str) -> float | None:
    """What the page reads from three letters."""
    if letters == NO_TIME:
        return None
    bits = 0
    for letter in letters:
        bits = bits << 6 | ALPHABET.index(letter)
    return (bits & _LARGEST) * 2.0 ** (bits >> 14) / 100
