"""How long bots thought, and how long the referee itself took: a fold over records. Pure."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TRUSTED_MS = 20.0
"""A referee that was ever held up longer than this in a game could not keep its clocks well."""


@dataclass
class BotTimes:
    """One bot's times."""

    moves: int = 0
    thinking_ms: float = 0.0
    longest_ms: float = 0.0
    starts: int = 0
    startup_ms: float = 0.0


@dataclass
class Timing:
    """Everybody's times."""

    bots: dict[str, BotTimes] = field(default_factory=lambda: defaultdict(BotTimes))
    games: int = 0
    disturbed: int = 0
    """Games in which the referee itself was held up."""
    latency_ms: float = 0.0
    """The sum of the games' mean latencies."""
    longest_latency_ms: float = 0.0

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one game; seat 1 moves first, and seats alternate."""
        names = record["bots"]
        for first, name in enumerate(names):
            spent = [ms for ms in record["ms"][first::2] if ms is not None]
            if spent:
                times = self.bots[name]
                times.moves += len(spent)
                times.thinking_ms += sum(spent)
                times.longest_ms = max(times.longest_ms, *spent)
        for name, startup_ms in zip(names, record.get("startup_ms", (None, None)), strict=True):
            if startup_ms is not None:
                self.bots[name].starts += 1
                self.bots[name].startup_ms += startup_ms
        mean, longest = record.get("latency_ms", (0.0, 0.0))
        self.games += 1
        self.disturbed += longest > TRUSTED_MS
        self.latency_ms += mean
        self.longest_latency_ms = max(self.longest_latency_ms, longest)

    def sentence(self) -> str:
        """The referee's own latency in words."""
        mean = self.latency_ms / max(1, self.games)
        return (
            f"The referee itself took {mean:.3f} ms per move on average,"
            f" {self.longest_latency_ms:.1f} ms at the longest."
        )

    def warning(self) -> str | None:
        """What to say if the machine was too busy for the clocks to be trusted."""
        if not self.disturbed:
            return None
        return (
            f"in {self.disturbed} of {self.games} games the machine was too busy: the referee"
            f" itself was held up for {self.longest_latency_ms:.0f} ms at the longest, so do not"
            " trust the clocks of those games (fewer --workers may help)"
        )
