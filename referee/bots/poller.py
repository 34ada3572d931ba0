"""Listens to all players of a table at once: whatever any of them says, or whatever becomes of it.

No call outlasts the milliseconds that it is given.
"""

import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from referee.bots.player import Player


class Poller:
    """One poll for all that can be heard of some players."""

    def __init__(self, players: Sequence[Player]) -> None:
        self._poll = select.poll()
        self._readers: dict[int, Callable[[float], bool]] = {}
        for player in players:
            self._readers |= player.readers()
        for descriptor in self._readers:
            self._poll.register(descriptor, select.POLLIN)

    def listen(self, timeout_ms: float) -> bool:
        """Take in whatever comes first; False if nothing came in time."""
        events = self._poll.poll(timeout_ms)
        now = monotonic()
        for descriptor, _ in events:
            self._read(descriptor, now)
        return bool(events)

    def drain(self, player: Player) -> None:
        """Take in what is left of somebody's output, who may be gone."""
        if player.stdout in self._readers:
            self._read(player.stdout, monotonic())

    def _read(self, descriptor: int, now: float) -> None:
        if not self._readers[descriptor](now):
            self.forget(descriptor)

    def forget(self, descriptor: int) -> None:
        """Nothing more will come from there."""
        self._poll.unregister(descriptor)
        del self._readers[descriptor]

    @contextmanager
    def watching_writable(self, player: Player) -> Iterator[None]:
        """Return from listening, too, when a player can be written to."""
        self._poll.register(player.stdin, select.POLLOUT)
        self._readers[player.stdin] = lambda now: True
        try:
            yield
        finally:
            self.forget(player.stdin)
