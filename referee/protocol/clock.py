"""One player's clock in one game: arithmetic on milliseconds, never reads the time.

After an answer the order is: charge what was spent, check whether the clock ran out, and only then
credit the increment.
"""

from referee.protocol.time_control import TimeControl


class Clock:
    """What a player has left."""

    __slots__ = ("_increment_ms", "_margin_ms", "_per_answer_ms", "left_ms")

    def __init__(self, time: TimeControl) -> None:
        self.left_ms = float(time.start())
        self._increment_ms = float(time.increment_ms)
        self._margin_ms = float(time.margin_ms)
        self._per_answer_ms = 0.0 if time.main_ms is not None else self.left_ms
        """What there is anew for every answer; 0 on a clock for the whole game."""

    def remaining_ms(self, spent_ms: float = 0.0) -> int:
        """What a bot is told, so much of the current turn being spent."""
        left_ms = self.left_ms - spent_ms
        return int(left_ms) if left_ms > 0 else 0

    def limit(self, spent_ms: float = 0.0) -> float:
        """When the referee stops waiting for an answer, so much of the turn being spent."""
        return self.left_ms - spent_ms + self._margin_ms

    def charge(self, spent_ms: float) -> bool:
        """Take the time of an answer; False if that was too long, and then nothing is left."""
        if self.left_ms - spent_ms < -self._margin_ms:
            self.left_ms = 0.0
            return False
        self.left_ms = self._per_answer_ms or self.left_ms - spent_ms + self._increment_ms
        return True
