"""The launcher's own life: a request in, a supervisor out."""

import array
import marshal
import os
import signal
import socket
import sys

from referee.launcher import confine  # noqa: F401  loaded once here, not again in every fork
from referee.launcher.supervisor import supervise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from referee.launcher.supervisor import Request

PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]);"
    " from referee.launcher.serve import main; main(int(sys.argv[2]))"
)
"""What the interpreter is told; behind it come the folder of the package and a socket's number."""
DESCRIPTORS = 4
"""Standard input, output and error of the bot, and the status socket."""


def main(requests: int) -> None:
    """Start a bot for each request, until the referee is gone."""
    serve(socket.socket(fileno=requests))
    os._exit(0)  # at once: somebody waits, and there is nothing to be put in order


def serve(requests: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors are reaped by the system
    while True:
        request = receive(requests)
        if request is None:
            return
        command, descriptors = request
        if os.fork() == 0:
            requests.close()
            try:
                if "core" in command:
                    be_another(command["core"], descriptors[0])
                else:
                    supervise(command, descriptors)
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def be_another(core: int | None, requests: int) -> None:
    """A launcher for somebody else, who has the other end of this socket."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    serve(socket.socket(fileno=requests))


def receive(requests: socket.socket) -> "tuple[Request, list[int]] | None":
    """The next request and its descriptors, or None at the end."""
    room = socket.CMSG_SPACE(DESCRIPTORS * array.array("i").itemsize)
    head, ancillary, _, _ = requests.recvmsg(4, room)
    if not head:
        return None
    descriptors = array.array("i")
    for _, _, payload in ancillary:
        descriptors.frombytes(payload)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    length, body = int.from_bytes(head, "big"), b""
    while len(body) < length:
        chunk = requests.recv(length - len(body))
        if not chunk:
            return None
        body += chunk
    return marshal.loads(body), list(descriptors)
