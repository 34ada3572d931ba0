"""Program that serves one results folder for a command that also plays.

`python -m referee.web.run_server FOLDER LISTENER CHANNEL`: the descriptors of the listening socket
and of the channel to the command. The first line of the channel is the key of the people's seats;
the server ends when the channel is closed.
"""

import secrets
import socket
import subprocess
import sys
from pathlib import Path

from referee.system.parent_death import die_with_parent
from referee.web.browser_seat import SeatChannel
from referee.web.listener import address_of, bind
from referee.web.tournament_seat import SEAT

END_SECONDS = 5.0


class RunServer:
    """Handle of the server process, in the process of the run."""

    def __init__(self, folder: Path, host: str, port: int) -> None:
        """Raise InputError if the port cannot be used."""
        listener = bind(host, port)
        ours, theirs = socket.socketpair()
        descriptors = (listener.fileno(), theirs.fileno())
        self.address = address_of(listener)
        self._key = secrets.token_urlsafe(16)
        # A session of its own: Ctrl-C is for the run, which ends the server at its own end.
        # -P: the current folder, which may be a bot's, is not searched for modules.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __spec__.name, str(folder), *map(str, descriptors)],
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        listener.close()
        theirs.close()
        self.channel = SeatChannel(ours)
        ours.sendall(self._key.encode() + b"\n")

    @property
    def seat_address(self) -> str:
        """The address at which a person plays; only for that person."""
        return f"{self.address}tables/{SEAT}#key={self._key}"

    def wait(self) -> None:
        """Wait until the server ends, or KeyboardInterrupt."""
        self._process.wait()

    def close(self) -> None:
        """End the server."""
        self.channel.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main() -> None:
    """Serve the folder until the channel is closed."""
    die_with_parent()
    from referee.web.app import LiveArena, Site
    from referee.web.request_guard import Access
    from referee.web.server import lower_priority, serve
    from referee.web.tournament_seat import TournamentSeat

    folder, listening, connected = sys.argv[1:]
    listener = socket.socket(fileno=int(listening))
    channel = socket.socket(fileno=int(connected))
    key = b""
    while not key.endswith(b"\n"):
        byte = channel.recv(1)
        if not byte:
            return
        key += byte
    channel.setblocking(False)
    host, port = listener.getsockname()[:2]

    def make() -> LiveArena:
        seat = TournamentSeat(channel, key.decode().strip())
        return LiveArena(Site((Path(folder),), Access(host, port), seat=seat))

    lower_priority()
    serve(make, listener, lambda: None)


if __name__ == "__main__":
    main()
