"""Events for many viewers: encoded once, kept for reconnects, queued within bounds."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from itertools import count
from typing import Any

KEPT_EVENTS = 256
"""Events that a viewer who reconnects can still get; otherwise it gets a snapshot."""
MAX_QUEUED = 64
"""Events that wait for one viewer; a viewer who reads more slowly is dropped."""
HEARTBEAT_SECONDS = 15.0


class Subscription:
    """The queue of one viewer."""

    def __init__(self, missed: list[bytes]) -> None:
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        for event in missed:
            self._queue.put_nowait(event)
        self.is_open = True

    def put(self, event: bytes) -> None:
        """Queue an event; end the stream of a viewer who does not read."""
        if self._queue.qsize() >= MAX_QUEUED:
            self.close()
        elif self.is_open:
            self._queue.put_nowait(event)

    def close(self) -> None:
        """End the stream after what is queued."""
        if self.is_open:
            self.is_open = False
            self._queue.put_nowait(None)

    async def events(self) -> AsyncIterator[bytes]:
        """Yield events, and a comment when there are none for some seconds."""
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    event = await self._queue.get()
            except TimeoutError:
                yield b":\n\n"
                continue
            if event is None:
                return
            yield event


class EventHub:
    """Distributor of the events of one tournament or one table."""

    def __init__(self, epoch: str) -> None:
        """Create a hub; `epoch` distinguishes its ids from those of an earlier server."""
        self._epoch = epoch
        self._numbers = count(1)
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=KEPT_EVENTS)
        self._last = 0
        self._subscriptions: set[Subscription] = set()

    @property
    def viewers(self) -> int:
        """The number of viewers."""
        return len(self._subscriptions)

    def publish(self, kind: str, value: Any, *, is_kept: bool = True) -> None:
        """Send an event to all viewers; one that is not kept is not repeated after a reconnect."""
        if is_kept:
            self._last = next(self._numbers)
            event = encode(kind, value, f"{self._epoch}.{self._last}")
            self._kept.append((self._last, event))
        else:
            event = encode(kind, value)
        for subscription in list(self._subscriptions):
            subscription.put(event)

    def subscribe(self, last_id: str | None, snapshot: Any) -> Subscription:
        """Add a viewer: it gets the events after `last_id`, or a snapshot if some are lost."""
        missed = self._since(last_id)
        if missed is None:
            missed = [encode("snapshot", snapshot, f"{self._epoch}.{self._last}")]
        subscription = Subscription(missed)
        self._subscriptions.add(subscription)
        return subscription

    def _since(self, last_id: str | None) -> list[bytes] | None:
        """Return the events after an id; None if they are not all known."""
        epoch, _, number = (last_id or "").rpartition(".")
        if epoch != self._epoch or not number.isdecimal() or len(number) > 18:
            return None
        last = int(number)
        oldest = self._kept[0][0] if self._kept else self._last + 1
        if not oldest - 1 <= last <= self._last:
            return None
        return [event for known, event in self._kept if known > last]

    def unsubscribe(self, subscription: Subscription) -> None:
        """Remove a viewer."""
        self._subscriptions.discard(subscription)

    def close(self) -> None:
        """End all streams."""
        for subscription in list(self._subscriptions):
            subscription.close()


def encode(kind: str, value: Any, event_id: str | None = None) -> bytes:
    """Encode a server-sent event; JSON has no line breaks."""
    head = f"id: {event_id}\n" if event_id is not None else ""
    data = json.dumps(value, separators=(",", ":"))
    return f"{head}event: {kind}\ndata: {data}\n\n".encode()
