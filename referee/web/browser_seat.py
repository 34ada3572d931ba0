"""A person in a browser as a player: the game's side of the channel to the server.

The channel is a stream socket with one JSON object per line. The game sends each protocol line of a
person's seat; the server answers a `turn` line with a move, or with the end of the game.
"""

import json
import socket
from time import monotonic
from typing import Any

from referee.bots.command import Command
from referee.bots.launcher import PlayerStarter
from referee.bots.player import Player
from referee.errors import OutsideError
from referee.human.player import HumanPlayer

MAX_MESSAGE = 2**20
SEND_SECONDS = 10.0
_CHUNK = 2**16


class SeatChannel:
    """One end of the channel, with blocking reads and writes."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = b""

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; OutsideError if the server has ended or does not read."""
        try:
            self._connection.settimeout(SEND_SECONDS)
            self._connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise OutsideError(f"the web server cannot be reached: {error}") from error

    def receive(self, deadline: float) -> dict[str, Any] | None:
        """Return the next message; None if there is none at the deadline."""
        while b"\n" not in self._received:
            seconds = deadline - monotonic()
            if seconds <= 0:
                return None
            try:
                self._connection.settimeout(seconds)
                chunk = self._connection.recv(_CHUNK)
            except TimeoutError:
                return None
            except OSError as error:
                raise OutsideError(f"the web server cannot be reached: {error}") from error
            if not chunk or len(self._received) > MAX_MESSAGE:
                raise OutsideError("the web server has ended")
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class BrowserAdapter:
    """One seat: sends protocol lines to the server and returns the answers of the person."""

    def __init__(self, channel: SeatChannel) -> None:
        self._channel = channel
        self._seat = 1

    def answer(self, line: str) -> str | None:
        """Return the answer to a line; None if it needs none or the time is up."""
        verb, *words = line.split()
        fields = dict(word.split("=", 1) for word in words if "=" in word)
        received_at = monotonic()
        if verb == "game":
            self._seat = int(fields["seat"])
        self._channel.send({"kind": verb, "seat": self._seat, "fields": fields})
        if verb == "game":
            return "ready"
        if verb != "turn":
            return None
        return self._await_move(int(fields["ply"]), received_at + int(fields["time_ms"]) / 1000)

    def _await_move(self, ply: int, deadline: float) -> str | None:
        """Return the move for this ply; answers to earlier turns are ignored."""
        while (message := self._channel.receive(deadline)) is not None:
            if message.get("resign"):
                return "resign"
            if message.get("ply") == ply:
                return f"move {message['move']}"
        return None


class BrowserPlayerFactory:
    """Starter of players: people in a browser for the command `human`, otherwise processes."""

    def __init__(self, launcher: PlayerStarter, channel: SeatChannel) -> None:
        self._launcher = launcher
        self._channel = channel

    def start(self, command: Command) -> Player:
        """Return a person, or start a bot's process."""
        if command.is_human:
            return HumanPlayer(BrowserAdapter(self._channel))
        return self._launcher.start(command)
