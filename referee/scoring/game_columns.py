"""Games as columns of numbers, the input of ratings. Pure."""

from array import array

from referee.outcome import HALF_POINTS, Score

NO_SCORE = -1
"""Stands for a score that no game can have; whoever rates such a game is told."""


class GameColumns:
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
