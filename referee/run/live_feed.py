"""Live positions: datagrams to the servers that watch a results folder.

A server has a Unix socket in the subfolder `.live` of the results. A worker sends the
position of every turn that is not answered at once. Sending never waits: a datagram that a socket
cannot take is dropped, so no game waits for a server.
"""

import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from time import monotonic

from referee.outcome import Seat
from referee.protocol.transcript import Transcript
from referee.records.record import info_lines

LIVE_FOLDER = ".live"
SCAN_SECONDS = 0.5
"""Interval at which a sender looks for servers."""
MAX_PER_SECOND = 20
"""Datagrams of one sender: enough for every ply of games with 100 ms per move."""
MAX_INFO_LINES = 8
"""The newest `info` lines of the game that a datagram contains."""
MAX_PATH_LENGTH = 100
"""Addresses of Unix sockets have at most 108 bytes on Linux and 104 on macOS."""


class LiveFeed:
    """Sender of the positions of one worker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / LIVE_FOLDER
        self._socket: socket.socket | None = None
        self._addresses: list[str] = []
        self._next_scan = 0.0
        self._allowance = float(MAX_PER_SECOND)
        """Datagrams that may be sent now; it grows with time."""
        self._updated = 0.0

    def send(self, game: str, seat: Seat, line: bytes, transcript: Transcript) -> None:
        """Send the position of a `turn` line to every server, if there is one."""
        now = monotonic()
        if now >= self._next_scan:
            self._next_scan = now + SCAN_SECONDS
            self._addresses = _find_sockets(self._folder)
        if self._addresses and self._may_send(now):
            # The legal moves follow from the position, and are the longest part of the line.
            position = line.partition(b" legal=")[0].decode("ascii", "replace")
            message = {"game": game, "seat": seat, "turn": position}
            if transcript.has_info:
                message["info"] = info_lines(transcript)[-MAX_INFO_LINES:]
            self._send(json.dumps(message).encode())

    def _may_send(self, now: float) -> bool:
        grown = self._allowance + (now - self._updated) * MAX_PER_SECOND
        self._allowance = min(float(MAX_PER_SECOND), grown)
        self._updated = now
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True

    def _send(self, message: bytes) -> None:
        with suppress(OSError):
            if self._socket is None:
                # Not before it is used: workers are forked.
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                self._socket.setblocking(False)
            for address in self._addresses:
                with suppress(OSError):  # the server has ended, or does not read fast enough
                    self._socket.sendto(message, address)


def _find_sockets(folder: Path) -> list[str]:
    try:
        paths = list(folder.iterdir())
    except OSError:
        return []
    return [address for path in paths if (address := socket_address(path)) is not None]


def socket_address(path: Path) -> str | None:
    """Return the address of a Unix socket; None if the path is too long for one."""
    if len(os.fsencode(path)) <= MAX_PATH_LENGTH:
        return str(path)
    relative = os.path.relpath(path)
    return relative if len(os.fsencode(relative)) <= MAX_PATH_LENGTH else None
