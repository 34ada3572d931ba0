"""Client of the launcher process."""

import contextlib
import marshal
import os
import select
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, cast

from referee.bots.command import Command
from referee.bots.player import Player
from referee.bots.process import KILL_SECONDS, BotProcess
from referee.launcher.main import PROGRAM
from referee.system.resource_errors import explained

if TYPE_CHECKING:
    from referee.launcher.request import BotRequest, ConfinementFields, Request


class PlayerStarter(Protocol):
    """An object that starts players: a launcher, or a factory that also creates people."""

    def start(self, command: Command) -> Player:
        """Start the player of a command."""


class Launcher:
    """The launcher process that forks bots (see launcher/); started when first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def __enter__(self) -> "Launcher":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def start(self, command: Command) -> BotProcess:
        """Start a bot; its status pipe reports later whether that worked.

        OutsideError if the system refuses a resource that the referee needs for it.
        """
        with explained("the pipes of a bot, or its launcher"):
            return self._start(command)

    def _start(self, command: Command) -> BotProcess:
        ours: list[int] = []
        theirs: list[int] = []
        try:
            for bot_reads in (True, False, False):
                read, write = os.pipe()
                theirs.append(read if bot_reads else write)
                ours.append(write if bot_reads else read)
            status, status_end = socket.socketpair()
            theirs.append(status_end.detach())
            ours.append(status.detach())
            self._request(command, theirs)
        except BaseException:
            for descriptor in ours:
                os.close(descriptor)
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        for descriptor in ours:
            os.set_blocking(descriptor, False)
        wrapped = command.confinement is not None and bool(command.confinement.wrapper)
        stdin, stdout, stderr, status_socket = ours
        return BotProcess(stdin, stdout, stderr, status_socket, wrapped, self._is_gone)

    def _request(self, command: Command, descriptors: list[int]) -> None:
        confinement: ConfinementFields | None = None
        inherited: Mapping[str, str] = os.environ
        if command.confinement is not None:
            confinement = cast("ConfinementFields", {**vars(command.confinement), "user": 0})
            inherited = {}
        request: BotRequest = {
            "arguments": list(command.arguments),
            "folder": str(command.folder),
            "environment": {**inherited, **command.environment},
            "confinement": confinement,
        }
        self._send(request, descriptors)

    def _send(self, request: "Request", descriptors: list[int]) -> None:
        body = marshal.dumps(cast(Any, request))  # its type does not include TypedDict
        requests = self.prepare()
        socket.send_fds(requests, [len(body).to_bytes(4, "big")], descriptors)
        requests.sendall(body)

    def prepare(self) -> socket.socket:
        """Return the socket for requests; start the process in the background if needed."""
        if self._requests is None or self._is_gone():
            self.close()
            self._requests = self._spawn()
        return self._requests

    def _is_gone(self) -> bool:
        if self._requests is None:
            return True
        poll = select.poll()
        poll.register(self._requests, select.POLLIN)
        return bool(poll.poll(0))  # it never writes: a readable socket means that it has ended

    def fork_launcher(self, core: int | None = None) -> "Launcher":
        """Fork another launcher from this one, which is quicker than starting one.

        Its bots run on this core.
        """
        other = Launcher()
        other._requests, theirs = socket.socketpair()
        with theirs:
            self._send({"core": core}, [theirs.fileno()])
        return other

    def detach(self) -> None:
        """Close our end of the socket: a forked process uses this launcher, so do not end it."""
        if self._requests is not None:
            self._requests.close()
            self._requests = None

    def _spawn(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", PROGRAM),
                    *(str(Path(__file__).parents[2]), str(theirs.fileno())),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the referee
            )
        return ours

    def close(self) -> None:
        """End the launcher process; running bots keep their supervisors."""
        requests, self._requests = self._requests, None
        if requests is not None:
            # Forked processes have this socket, too, so closing it is not enough. The launcher has
            # ended when its end of the socket is closed.
            with contextlib.suppress(OSError), requests:
                requests.settimeout(KILL_SECONDS)
                requests.shutdown(socket.SHUT_WR)
                requests.recv(1)
        if self._process is not None:
            self._process.wait()
            self._process = None
