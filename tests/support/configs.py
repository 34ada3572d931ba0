"""Configurations of games that only tests use."""

from dataclasses import dataclass

from referee.game.config import GameConfig
from referee.outcome import Seat


@dataclass(frozen=True)
class UnevenStartup(GameConfig):
    """A start-up limit that differs between the seats, so that only one of them is short."""

    limits_ms: tuple[int, int] = (60_000, 60_000)

    def startup_limit_ms(self, seat: Seat) -> int:
        """Return the limit of this seat."""
        return self.limits_ms[seat - 1]
