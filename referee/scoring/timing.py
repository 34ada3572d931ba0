"""Thinking times of bots and latency of the referee, summed over games. Pure."""

from collections import defaultdict
from dataclasses import dataclass, field

from referee.records.summary import GameSummary

TRUSTED_MS = 20.0
"""Games with a longer latency of the referee have unreliable clocks."""
MIN_GAMES = 10
"""Hosts with fewer games are not compared."""
SLOW_FACTOR, SLOW_MS = 2.0, 0.05
"""A host is reported if its mean latency exceeds that of another by this factor and difference."""

NOT_STARTED = (None, None)
"""The start-up times of bots that were running already."""


@dataclass(slots=True)
class BotTimes:
    """Sums of the times of one bot."""

    moves: int = 0
    thinking_ms: float = 0.0
    longest_ms: float = 0.0
    starts: int = 0
    startup_ms: float = 0.0


@dataclass(slots=True)
class HostTimes:
    """Latency of the referee on one host."""

    games: int = 0
    latency_ms: float = 0.0
    """The sum of the games' mean latencies."""
    longest_ms: float = 0.0
    disturbed: int = 0
    """Games with a latency over TRUSTED_MS."""

    @property
    def mean_ms(self) -> float:
        """Mean latency per move."""
        return self.latency_ms / max(1, self.games)


@dataclass
class Timing:
    """The times of all bots and hosts."""

    bots: dict[str, BotTimes] = field(default_factory=lambda: defaultdict(BotTimes))
    hosts: dict[str, HostTimes] = field(default_factory=lambda: defaultdict(HostTimes))

    @property
    def games(self) -> int:
        """Number of all games."""
        return sum(host.games for host in self.hosts.values())

    @property
    def disturbed(self) -> int:
        """Number of games with a latency over TRUSTED_MS."""
        return sum(host.disturbed for host in self.hosts.values())

    @property
    def latency_ms(self) -> float:
        """The sum of the games' mean latencies."""
        return sum(host.latency_ms for host in self.hosts.values())

    @property
    def longest_latency_ms(self) -> float:
        """The longest latency of all games."""
        return max((host.longest_ms for host in self.hosts.values()), default=0.0)

    def add(self, game: GameSummary) -> None:
        """Add one game."""
        (first, second), (one, two) = game.bots, game.thinking_times
        for name, (moves, thinking_ms, longest_ms) in ((first, one), (second, two)):
            if moves:
                times = self.bots[name]
                times.moves += moves
                times.thinking_ms += thinking_ms
                if longest_ms > times.longest_ms:
                    times.longest_ms = longest_ms
        if game.startup_ms != NOT_STARTED:
            for name, took_ms in zip(game.bots, game.startup_ms, strict=True):
                if took_ms is not None:
                    self.bots[name].starts += 1
                    self.bots[name].startup_ms += took_ms
        mean, longest = game.latency_ms
        host = self.hosts[game.host]
        host.games += 1
        host.latency_ms += mean
        if longest > host.longest_ms:
            host.longest_ms = longest
        if longest > TRUSTED_MS:
            host.disturbed += 1

    def sentence(self) -> str:
        """Describe the latency of the referee."""
        mean = self.latency_ms / max(1, self.games)
        return (
            f"The referee itself took {mean:.3f} ms per move on average,"
            f" {self.longest_latency_ms:.1f} ms at the longest."
        )

    def warnings(self) -> list[str]:
        """List reasons why clocks are unreliable, a sentence each."""
        found = (self._high_latency_warning(), self._unequal_hosts_warning())
        return [text for text in found if text is not None]

    def _unequal_hosts_warning(self) -> str | None:
        """Compare the mean latencies of hosts."""
        known = {name: host for name, host in self.hosts.items() if host.games >= MIN_GAMES}
        if len(known) < 2:
            return None
        slow, fast = (choose(known, key=lambda name: known[name].mean_ms) for choose in (max, min))
        slow_ms, fast_ms = known[slow].mean_ms, known[fast].mean_ms
        if slow_ms < fast_ms * SLOW_FACTOR or slow_ms - fast_ms < SLOW_MS:
            return None
        return (
            f"the hosts differ much: the referee itself took {slow_ms:.3f} ms per move on {slow},"
            f" and {fast_ms:.3f} ms on {fast}, so the same bot had less use of its time there"
            " (equal machines, or one worker per core on each, may help)"
        )

    def _high_latency_warning(self) -> str | None:
        """Count the games with a latency over TRUSTED_MS."""
        if not self.disturbed:
            return None
        return (
            f"in {self.disturbed} of {self.games} games the machine was too busy: the referee"
            f" itself was delayed for {self.longest_latency_ms:.0f} ms at the longest, so the"
            " clocks of those games are unreliable (fewer --workers may help)"
        )
