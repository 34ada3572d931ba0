"""What the games of a tournament say about strength, in about thirty bytes each. Pure.

Whether a game repeats an earlier one is known only when all have been seen, so each leaves its
mark: numbers in columns, which `ratings` reads as they are. The moves themselves are gone.
"""

import hashlib
from array import array

Score = tuple[float, float]
BOTH_LOST: Score = (0.0, 0.0)
HALF_POINTS: dict[Score, int] = {(0.0, 1.0): 0, (0.5, 0.5): 1, (1.0, 0.0): 2, BOTH_LOST: 3}
NO_SCORE = -1
"""Stands for a score that no game can have; whoever rates such a game is told."""


class Evidence:
    """Columns with a number for each game."""

    def __init__(self) -> None:
        self.bots: dict[str, int] = {}
        """The bots that played, numbered as they come."""
        self.variants: dict[str, int] = {}
        """The same of variants with their sizes."""
        self.first, self.second, self.variant = array("i"), array("i"), array("i")
        self.half_points = array("b")
        """What seat 1 scored, see HALF_POINTS."""
        self.encounter = array("q")
        self.moves = array("q")

    def add(
        self, first: str, second: str, variant: str, encounter: int, score: Score, moves: int
    ) -> None:
        """Count one game; `moves` is the key of its moves."""
        bots, variants = self.bots, self.variants
        self.first.append(bots.setdefault(first, len(bots)))
        self.second.append(bots.setdefault(second, len(bots)))
        self.variant.append(variants.setdefault(variant, len(variants)))
        self.half_points.append(HALF_POINTS.get(score, NO_SCORE))
        self.encounter.append(encounter)
        self.moves.append(moves)


def moves_key(said: str) -> int:
    """A number of 64 bits for the moves of a game, joined by `;`: the same for the same moves,
    wherever they were played. Python's own `hash` differs between the processes of a cluster.
    """
    text = said.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
