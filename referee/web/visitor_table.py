"""A table whose game is played in a process of its own, for one visitor."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

from referee.rules import Variant
from referee.web.table import MAX_LINE, Table
from referee.web.table_process import TableRequest

STOP_SECONDS = 5.0
"""How long a process may take to end after its channel was closed."""


class VisitorTable(Table):
    """One game of a visitor; the process of the game ends with it."""

    def __init__(
        self, request: TableRequest, abandoned_seconds: float, variant: Variant | None = None
    ) -> None:
        super().__init__(request.id, variant)
        self.names = request.names
        self.ended_at: float | None = None
        self.selection: Mapping[str, Any] | None = None
        """The selection of the visitor."""
        self._request = request
        self._abandoned_seconds = abandoned_seconds

    @property
    def value(self) -> dict[str, Any]:
        """The state of the game, with the selection, from which the page makes another request."""
        return {**super().value, "selection": self.selection}

    async def play(self) -> None:
        """Run the process of the game to its end."""
        ours, theirs = socket.socketpair()
        try:
            # -P: the current folder, which may be a bot's, is not searched for modules.
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "referee.web.table_process", str(theirs.fileno())),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        except OSError as error:
            ours.close()
            self.ended_at = monotonic()
            self.fail(f"the process of the game cannot be started: {error.strerror}")
            return
        finally:
            theirs.close()
        reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE)
        abandoned = asyncio.create_task(self._resign_if_abandoned())
        try:
            self._writer = writer
            self.send(self._request.to_json())
            await self.follow(reader, writer)
        finally:
            abandoned.cancel()
            await _end_process(process)
            if self.record is None and not self.is_over:
                self.fail("the process of the game has ended")
            self.ended_at = monotonic()

    async def _resign_if_abandoned(self) -> None:
        """Resign for a visitor who left the page, whether it is the visitor's turn or not."""
        seen = monotonic()
        while monotonic() - seen < self._abandoned_seconds:
            await asyncio.sleep(min(1.0, self._abandoned_seconds / 4))
            if self.hub.viewers:
                seen = monotonic()
        self.send({"resign": True})


async def _end_process(process: asyncio.subprocess.Process) -> None:
    """Wait for the end of a process whose channel is closed; kill it if it takes long."""
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except (TimeoutError, asyncio.CancelledError):
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
