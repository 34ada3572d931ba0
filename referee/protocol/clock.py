"""The clock of one player in one game: arithmetic on milliseconds; it never reads the time.

The order after an answer: subtract the time spent, check whether the clock has run out, and only
then add the increment.
"""

from referee.protocol.time_control import TimeControl


def round_half_up(ms: float, steps: float) -> float:
    """Round a time to steps per millisecond (10, 100 or 1,000), half up.

    Without `round`, which formats the number as text: 250 instead of 15 ns.
    """
    return (ms * steps + 0.5) // 1 / steps


class Clock:
    """The remaining time of a player."""

    __slots__ = ("_increment_ms", "_margin_ms", "_per_answer_ms", "left_ms")

    def __init__(self, time: TimeControl) -> None:
        self.left_ms = float(time.start())
        self._increment_ms = float(time.increment_ms)
        self._margin_ms = float(time.margin_ms)
        self._per_answer_ms = 0.0 if time.main_ms is not None else self.left_ms
        """The time for each answer; 0 if the clock is for the whole game."""

    def remaining_ms(self, spent_ms: float = 0.0) -> int:
        """Return the time left as in a `turn` line, after `spent_ms` of the current turn."""
        left_ms = self.left_ms - spent_ms
        return int(left_ms) if left_ms > 0 else 0

    def limit(self, spent_ms: float = 0.0) -> float:
        """Return how long to wait for an answer, margin included, after `spent_ms` of the turn."""
        return self.left_ms - spent_ms + self._margin_ms

    def charge(self, spent_ms: float) -> bool:
        """Subtract the time of an answer; False if the clock has run out, which sets it to 0."""
        if self.left_ms - spent_ms < -self._margin_ms:
            self.left_ms = 0.0
            return False
        self.left_ms = self._per_answer_ms or self.left_ms - spent_ms + self._increment_ms
        return True
