"""Latency of the referee: the time between an answer and the next request."""

from referee.protocol.clock import round_half_up


class LatencyMeter:
    """Sum and maximum of the latencies of one game."""

    __slots__ = ("_answered_at", "_max_seconds", "_total_seconds")

    def __init__(self, now: float) -> None:
        self._answered_at = now
        self._total_seconds = 0.0
        self._max_seconds = 0.0

    def add(self, sent_at: float, received_at: float) -> None:
        """Add the latency before a request, and store the time of its answer for the next one."""
        seconds = sent_at - self._answered_at
        self._answered_at = received_at
        self._total_seconds += seconds
        if seconds > self._max_seconds:
            self._max_seconds = seconds

    def mean_ms(self, plies: int) -> float:
        """Return the latency per ply; requests that were repeated in a ply count as one."""
        return round_half_up(self._total_seconds / max(1, plies) * 1000, 1000)

    def max_ms(self) -> float:
        """Return the longest latency."""
        return round_half_up(self._max_seconds * 1000, 1000)
