"""Polling of the output and status pipes of several players, always with a timeout."""

import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from referee.bots.player import Player


class Poller:
    """One poll object for all descriptors of several players."""

    def __init__(self, players: Sequence[Player]) -> None:
        self._poll = select.poll()
        self._readers: dict[int, Callable[[float], bool]] = {}
        for player in players:
            self._readers |= player.readers()
        for descriptor in self._readers:
            self._poll.register(descriptor, select.POLLIN)

    def poll(self, timeout_ms: float) -> bool:
        """Wait for the first input and read it; return False if none arrived in time."""
        events = self._poll.poll(timeout_ms)
        now = monotonic()
        for descriptor, _ in events:
            self._read(descriptor, now)
        return bool(events)

    def drain(self, player: Player) -> None:
        """Read what is left of the output of a player, whose process may have ended."""
        if player.stdout in self._readers:
            self._read(player.stdout, monotonic())

    def _read(self, descriptor: int, now: float) -> None:
        if not self._readers[descriptor](now):
            self.unregister(descriptor)

    def unregister(self, descriptor: int) -> None:
        """Stop polling a descriptor."""
        self._poll.unregister(descriptor)
        del self._readers[descriptor]

    @contextmanager
    def watching_writable(self, player: Player) -> Iterator[None]:
        """Let `poll` return also when the input of a player is writable."""
        self._poll.register(player.stdin, select.POLLOUT)
        self._readers[player.stdin] = lambda now: True
        try:
            yield
        finally:
            self.unregister(player.stdin)
