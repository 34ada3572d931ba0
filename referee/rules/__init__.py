"""The interface of a game, and the lookup of games by name. Public.

A game is a set of functions on immutable states: legal moves, the state after a move, the outcome.

base          Rules, TextRules, Variant: the interface that a game implements
registry      Lookup of variants: built in, installed as a package, or in a file
positions     Positions after given moves, and counts of positions (perft)
grid          Geometry of one board size, as bit masks
symmetry      Rotations and reflections of boards, positions and moves
layout        Boards as text, with row and column numbers
mypyc_compat  The decorator of compiled classes that interpreted code may subclass
"""

from referee.rules.base import LARGEST, SMALLEST, Rules, State, TextRules, Variant
from referee.rules.grid import Size
from referee.rules.positions import after_opening, perft, play_moves
from referee.rules.registry import (
    BUILT_IN,
    find_installed,
    find_variant,
    source_digest,
    variant_names,
)
from referee.rules.symmetry import (
    Symmetry,
    board_symmetries,
    canonical_board,
    map_board,
    map_move,
)

__all__ = [
    "BUILT_IN",
    "LARGEST",
    "SMALLEST",
    "Rules",
    "Size",
    "State",
    "Symmetry",
    "TextRules",
    "Variant",
    "after_opening",
    "board_symmetries",
    "canonical_board",
    "find_installed",
    "find_variant",
    "map_board",
    "map_move",
    "perft",
    "play_moves",
    "source_digest",
    "variant_names",
]
