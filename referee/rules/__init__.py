"""The interface of a game, and how games are found. Public.

base          Rules, TextRules, Variant: what a game answers
registry      Find a variant by name: built in, installed, or in a file
positions     Play moves from the start, and count positions
grid          Geometry of one board size, as bits
mypyc_compat  The decorator of compiled classes that others may subclass
"""

from referee.rules.base import LARGEST, SMALLEST, Rules, Size, State, TextRules, Variant
from referee.rules.positions import after_opening, perft, play_moves
from referee.rules.registry import (
    BUILT_IN,
    find_installed,
    find_variant,
    source_digest,
    variant_names,
)

__all__ = [
    "BUILT_IN",
    "LARGEST",
    "SMALLEST",
    "Rules",
    "Size",
    "State",
    "TextRules",
    "Variant",
    "after_opening",
    "find_installed",
    "find_variant",
    "perft",
    "play_moves",
    "source_digest",
    "variant_names",
]
