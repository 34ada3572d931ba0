"""The seats of people in a tournament that is being run: a channel to the process of the run."""

import asyncio
import socket
from collections.abc import Callable

from referee.web.table import MAX_LINE, Table

SEAT = "seat"
"""The id of the table."""


class TournamentSeat:
    """The table of the people in a tournament; the server ends with the run."""

    def __init__(self, connection: socket.socket, key: str) -> None:
        self.table = Table(SEAT, key=key)
        self._connection = connection

    async def follow(self, stop: Callable[[], None]) -> None:
        """Process the messages of the run; call `stop` when it has ended."""
        reader, writer = await asyncio.open_connection(sock=self._connection, limit=MAX_LINE)
        try:
            await self.table.follow(reader, writer)
        finally:
            stop()
