"""One tournament of the server: its folder is read as it grows, and viewers get events."""

import asyncio
import secrets
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from time import monotonic, process_time
from typing import Any, NamedTuple

from referee.web.event_hub import EventHub, Subscription
from referee.web.feed import LATEST
from referee.web.live_socket import LiveSocket
from referee.web.tournament_state import RUNNING, TournamentState

TICK_SECONDS = 0.25
IDLE_SECONDS = 2.0
"""Interval of reads of a folder without viewers."""
FAST_SECONDS = 2.0
"""Interval of updates while more games end than viewers are shown."""
MAX_SHARE = 0.01
"""Maximum share of one core that is spent on reading the games of a fast run."""
MAX_PAUSE_SECONDS = 5.0
"""Maximum delay after a read; the first one takes long, because of imports."""
LASTING_SECONDS = 1.0
"""In a fast run a game is shown live if its positions arrive over this time."""
LIVE_SECONDS = 0.1
"""Minimum interval of events with live positions."""
MAX_LIVE = 32


class _LivePosition(NamedTuple):
    """The newest position of a running game, and when its first and this one have arrived."""

    first: float
    arrived: float
    value: dict[str, Any]


class TournamentWatcher:
    """A tournament of the server; its methods run in the event loop."""

    def __init__(self, name: str, folder: Path, executor: Executor) -> None:
        self.state = TournamentState(name, folder)
        self.hub = EventHub(secrets.token_hex(4))
        self.is_ready = asyncio.Event()
        """Set when the folder was read once."""
        self._executor = executor
        self._watched = asyncio.Event()
        """Set while there are viewers."""
        self._socket: LiveSocket | None = None
        self._live: dict[str, _LivePosition] = {}
        self._is_fast = False
        """Whether more games end than viewers are shown: the players need the processor."""
        self._live_timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Read the folder until the task is cancelled."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                started = process_time()
                change = await loop.run_in_executor(self._executor, self.state.step)
                for game in change.ended:
                    self._live.pop(game, None)
                self._update_socket()
                if change.value:
                    self.hub.publish("update", change.value)
                is_behind, is_running = self.state.feed.is_behind, self.state.status == RUNNING
                self._is_fast = is_running and (is_behind or len(change.ended) > LATEST)
                if is_running or not is_behind:  # otherwise the rest is read at once
                    self.is_ready.set()
                    await self._pause(process_time() - started)
        finally:
            self._close_socket()

    async def _pause(self, spent: float) -> None:
        """Wait after a read that took this processor time; without viewers, until one comes."""
        if self.hub.viewers and self._is_fast:
            # The ledger need not contain the newest games.
            await asyncio.sleep(min(max(FAST_SECONDS, spent / MAX_SHARE), MAX_PAUSE_SECONDS))
        elif self.hub.viewers:
            await asyncio.sleep(TICK_SECONDS)
        else:
            self._watched.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._watched.wait(), IDLE_SECONDS)

    def snapshot(self) -> dict[str, Any]:
        """Return everything that a viewer needs to begin with."""
        return {**self.state.value, "live": self._live_values()}

    def subscribe(self, last_id: str | None) -> Subscription:
        """Add a viewer."""
        self._watched.set()
        return self.hub.subscribe(last_id, self.snapshot())

    def _update_socket(self) -> None:
        """Open a socket while games are running; without write access there are no positions."""
        if self.state.status != RUNNING:
            self._close_socket()
        elif self._socket is None:
            with suppress(OSError):
                self._socket = LiveSocket(self.state.feed.folder)
                asyncio.get_running_loop().add_reader(self._socket.fileno(), self._receive)

    def _close_socket(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self._socket.close()
            self._socket = None
        self._live.clear()

    def _receive(self) -> None:
        """Take the positions that have arrived; viewers get them with the next event."""
        assert self._socket is not None
        now = monotonic()
        for position in self._socket.receive():
            before = self._live.pop(position["game"], None)
            first = before.first if before else now
            self._live[position["game"]] = _LivePosition(first, now, position)
        while len(self._live) > MAX_LIVE:
            del self._live[next(iter(self._live))]
        if self._live_timer is None:
            self._publish_live()
            self._live_timer = asyncio.get_running_loop().call_later(LIVE_SECONDS, self._live_due)

    def _live_due(self) -> None:
        self._live_timer = None
        self._publish_live()

    def _publish_live(self) -> None:
        """Send the positions if one of them is new."""
        now = monotonic()
        if any(now - position.arrived < LIVE_SECONDS for position in self._shown()):
            self.hub.publish("live", self._live_values(), is_kept=False)

    def _shown(self) -> list[_LivePosition]:
        """Return the positions that viewers get; in a fast run, only of long games."""
        return [
            position
            for position in self._live.values()
            if not self._is_fast or position.arrived - position.first >= LASTING_SECONDS
        ]

    def _live_values(self) -> list[dict[str, Any]]:
        now = monotonic()
        return [
            {**position.value, "age_ms": round((now - position.arrived) * 1000)}
            for position in self._shown()
        ]
