"""Answer of a request for server-sent events: one viewer, from its start to its end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from starlette.types import Receive, Scope, Send

from referee.web.event_hub import Subscription

SEND_SECONDS = 5.0
"""A viewer whose connection takes nothing for this long is dropped."""
ABORT = "referee.abort"
"""Key of a function in the scope that closes the connection without sending what is buffered."""
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # reverse proxies would collect events otherwise
]


class EventStream:
    """An ASGI application that sends the events of one subscription."""

    def __init__(
        self, subscription: Subscription, unsubscribe: Callable[[Subscription], None]
    ) -> None:
        self._subscription = subscription
        self._unsubscribe = unsubscribe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the viewer leaves, is too slow, or the server ends."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        leaving = asyncio.create_task(self._wait_for_leaving(receive))
        try:
            async for event in self._subscription.events():
                async with asyncio.timeout(SEND_SECONDS):
                    await send({"type": "http.response.body", "body": event, "more_body": True})
            if not leaving.done():
                async with asyncio.timeout(SEND_SECONDS):
                    await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            scope[ABORT]()  # to close it would wait until the viewer has read what is buffered
        finally:
            self._unsubscribe(self._subscription)
            leaving.cancel()
            with suppress(asyncio.CancelledError):
                await leaving

    async def _wait_for_leaving(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._subscription.close()
