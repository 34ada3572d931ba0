"""One tournament of the server: its folder is read as it grows, and viewers get events."""

import asyncio
import secrets
from concurrent.futures import Executor
from contextlib import suppress
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from referee.web.event_hub import EventHub, Subscription
from referee.web.live_socket import LiveSocket
from referee.web.tournament_state import RUNNING, TournamentState

TICK_SECONDS = 0.25
IDLE_SECONDS = 2.0
"""Interval of looks at a folder without viewers."""
MAX_SHARE = 0.03
"""Maximum share of one core that is spent on reading the games of a run."""
LIVE_SECONDS = 0.1
"""Minimum interval of events with live positions."""
MAX_LIVE = 32


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
        self._live: dict[str, tuple[float, dict[str, Any]]] = {}
        """The newest position of each running game, with the time of its arrival."""
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
                is_behind = self.state.feed.is_behind
                if not is_behind:
                    self.is_ready.set()
                    await self._pause(0)
                elif self.state.status == RUNNING:
                    # The players need the processor: the ledger may stay behind the games.
                    self.is_ready.set()
                    await self._pause((process_time() - started) / MAX_SHARE)
        finally:
            self._close_socket()

    async def _pause(self, seconds: float) -> None:
        """Wait for the next look, at least this long; without viewers longer, until one comes."""
        if self.hub.viewers:
            await asyncio.sleep(max(TICK_SECONDS, seconds))
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
        """Have a socket while games are running; without write access there are no positions."""
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
            self._live.pop(position["game"], None)
            self._live[position["game"]] = (now, position)
        while len(self._live) > MAX_LIVE:
            del self._live[next(iter(self._live))]
        if self._live_timer is None:
            self._publish_live()
            self._live_timer = asyncio.get_running_loop().call_later(LIVE_SECONDS, self._live_due)

    def _live_due(self) -> None:
        self._live_timer = None
        if any(monotonic() - arrived < LIVE_SECONDS for arrived, _ in self._live.values()):
            self._publish_live()

    def _publish_live(self) -> None:
        self.hub.publish("live", self._live_values(), is_kept=False)

    def _live_values(self) -> list[dict[str, Any]]:
        now = monotonic()
        return [
            {**position, "age_ms": round((now - arrived) * 1000)}
            for arrived, position in self._live.values()
        ]
