"""Sets of up to 62 cells as integers of a machine word: counts, unions, permutations."""

from collections.abc import Sequence

from referee.rules.mypyc_compat import i64

MAX_CELLS = 62


def bit(cell: i64) -> i64:
    """Return the mask of one cell."""
    # `1 << cell` as C code has 32 bits: mypyc writes a small constant without its type.
    return 0x4000000000000000 >> 62 - cell


def count(mask: i64) -> i64:
    """Count the cells in a mask."""
    mask -= mask >> 1 & 0x5555555555555555
    mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333)
    mask = mask + (mask >> 4) & 0x0F0F0F0F0F0F0F0F
    mask += mask >> 8
    mask += mask >> 16
    mask += mask >> 32
    return mask & 0x7F


def lowest(mask: i64) -> i64:
    """Return the number of the first cell in a mask that is not empty."""
    return count((mask & -mask) - 1)


class MaskMap:
    """A function on masks: the union of one given mask for each cell, computed byte by byte."""

    def __init__(self, images: list[int]) -> None:
        """Create the map from cell i to the mask `images[i]`."""
        self._by_byte: list[i64] = []
        """For each byte of a mask and each of its 256 values, the union."""
        for first in range(0, len(images), 8):
            unions: list[i64] = [0]
            for image in images[first : first + 8]:
                unions += [union | i64(image) for union in unions]
            unions += [i64(0)] * (256 - len(unions))
            self._by_byte += unions

    def apply(self, mask: i64) -> i64:
        """Return the union for the cells in a mask."""
        union: i64 = 0
        offset: i64 = 0
        while mask:
            union |= self._by_byte[offset + (mask & 255)]
            mask >>= 8
            offset += 256
        return union


def permutation(targets: Sequence[int]) -> MaskMap:
    """Return the map that moves cell i to cell `targets[i]`."""
    return MaskMap([1 << target for target in targets])


def with_neighbours(neighbours: list[int]) -> MaskMap:
    """Return the map from cells to these cells and their neighbours."""
    return MaskMap([1 << cell | mask for cell, mask in enumerate(neighbours)])
