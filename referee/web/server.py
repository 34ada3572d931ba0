"""The server process: its priority, its signals and its end."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from referee.launcher.process_tree import set_session_priority
from referee.web.app import LiveArena, make_app
from referee.web.event_stream import ABORT

NICENESS = 10
GRACE_SECONDS = 0.5
"""How long open requests may take after the end was requested."""
MAX_HEADER_BYTES = 16_384
MAX_CONNECTIONS = 2000
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def lower_priority() -> None:
    """Lower the priority below that of players; with the lowest one, events would come late."""
    priority = os.nice(NICENESS)
    if os.getsid(0) == os.getpid():
        set_session_priority(os.getpid(), priority)


class _Protocol(H11Protocol):
    """A connection that the application can abort."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the application a function that aborts the connection."""
        super().connection_made(transport)
        app = self.app

        async def call(scope: Any, receive: Any, send: Any) -> None:
            scope[ABORT] = transport.abort
            await app(scope, receive, send)

        self.app = call


class _Server(uvicorn.Server):
    """A server whose signals are handled by `serve`."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signal handlers as they are."""
        yield


def serve(
    arena_factory: Callable[[], LiveArena], listener: socket.socket, started: Callable[[], None]
) -> None:
    """Answer requests until SIGINT, SIGTERM or SIGHUP; `started` is called when it is ready."""
    asyncio.run(_serve(arena_factory, listener, started))


async def _serve(
    arena_factory: Callable[[], LiveArena], listener: socket.socket, started: Callable[[], None]
) -> None:
    arena = arena_factory()
    config = uvicorn.Config(
        make_app(arena),
        loop="asyncio",
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)

    def stop() -> None:
        """End all streams, then the server; requests that take longer are cut off."""
        arena.close_streams()
        server.should_exit = True
        loop.call_later(GRACE_SECONDS, _force_exit)

    def _force_exit() -> None:
        server.force_exit = True

    loop = asyncio.get_running_loop()
    arena.stop = stop
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop)
    waiting = loop.create_task(_announce(server, started))
    try:
        await server.serve(sockets=[listener])
    finally:
        waiting.cancel()


async def _announce(server: uvicorn.Server, started: Callable[[], None]) -> None:
    while not server.started:
        await asyncio.sleep(0.01)
    started()
