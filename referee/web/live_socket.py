"""Receiver of live positions: a Unix socket in a results folder, to which workers send."""

import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from referee.run.live_feed import LIVE_FOLDER, socket_address
from referee.text import printable, short_label

MAX_DATAGRAM = 2**16
MAX_PENDING = 64
"""Datagrams read in one call, so that a fast sender cannot occupy the server."""
MAX_MOVES_LENGTH = 16_384


class LiveSocket:
    """The socket of one results folder; it exists while the object is open."""

    def __init__(self, folder: Path) -> None:
        """Raise OSError if the folder cannot be written to."""
        inner = folder / LIVE_FOLDER
        inner.mkdir(mode=0o700, exist_ok=True)
        _remove_stale(inner)
        self._path = inner / f"{os.getpid()}"
        address = socket_address(self._path)
        if address is None:
            raise OSError(f"the path of {inner} is too long for a socket")
        self._path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(address)

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._socket.fileno()

    def receive(self) -> list[dict[str, Any]]:
        """Return the positions that have arrived, of each game the newest."""
        positions: dict[str, dict[str, Any]] = {}
        for _ in range(MAX_PENDING):
            try:
                data = self._socket.recv(MAX_DATAGRAM)
            except OSError:
                break
            position = read_position(data)
            if position is not None:
                positions[position["game"]] = position
        return list(positions.values())

    def close(self) -> None:
        """Close and remove the socket."""
        self._socket.close()
        with suppress(OSError):
            self._path.unlink()
            self._path.parent.rmdir()


def _remove_stale(folder: Path) -> None:
    """Remove sockets of servers that were killed; nothing receives from them."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
        for path in folder.iterdir():
            address = socket_address(path)
            try:
                probe.connect(address or "")
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
            except OSError:
                continue


def read_position(data: bytes) -> dict[str, Any] | None:
    """Parse a datagram; None if it is not one of ours."""
    try:
        message = json.loads(data)
        verb, *words = message["turn"].split()
        fields = dict(word.split("=", 1) for word in words)
        moves = fields["moves"]
        position = {
            "game": printable(message["game"], 200),
            "seat": 2 if message["seat"] == 2 else 1,
            "ply": int(fields["ply"]),
            "time_ms": int(fields["time_ms"]),
            "opponent_ms": int(fields["opp_ms"]) if "opp_ms" in fields else None,
            "moves": [] if moves == "-" else printable(moves, MAX_MOVES_LENGTH).split(";"),
            "board": printable(fields["board"], 1000),
            "info": [
                [int(ply), int(seat), short_label(text)]
                for ply, seat, text in message.get("info", ())
            ],
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return position if verb == "turn" else None
