"""Games as columns of numbers, the input of ratings. Pure."""

from array import array

from referee.outcome import HALF_POINTS, Score

NO_SCORE = -1
"""Placeholder for an impossible score; rating such a game raises ValueError."""


class GameColumns:
    """Columns with one number per game."""

    def __init__(self) -> None:
        self.bots: dict[str, int] = {}
        """Number of each bot, in order of first appearance."""
        self.variants: dict[str, int] = {}
        """Number of each board (variant and size), in order of first appearance."""
        self.first, self.second, self.variant = array("i"), array("i"), array("i")
        self.half_points = array("b")
        """Score of seat 1, see HALF_POINTS."""
        self.encounter = array("q")
        self.moves = array("q")
        self.opening = array("q")
        """Equal for games of a variant that start from the same opening."""

    def add(
        self,
        first: str,
        second: str,
        variant: str,
        encounter: int,
        score: Score,
        moves: int,
        opening: int | None = None,
    ) -> None:
        """Append one game; `moves` is its `moves_key`, `opening` its `opening_key`.

        Without it, the opening is that of all encounters with this number.
        """
        bots, variants = self.bots, self.variants
        self.first.append(bots.setdefault(first, len(bots)))
        self.second.append(bots.setdefault(second, len(bots)))
        self.variant.append(variants.setdefault(variant, len(variants)))
        self.half_points.append(HALF_POINTS.get(score, NO_SCORE))
        self.encounter.append(encounter)
        self.moves.append(moves)
        self.opening.append(encounter if opening is None else opening)
