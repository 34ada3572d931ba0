"""The launcher's own life: a request in, a supervisor out."""

import array
import marshal
import os
import select
import socket
import sys
from time import sleep

from referee.launcher import confine, process_tree
from referee.launcher.supervisor import (
    PAUSE_SECONDS,
    ended_children,
    supervise,
    wake_when_children_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from referee.launcher.supervisor import Request

PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]);"
    " from referee.launcher.main import main; main(int(sys.argv[2]))"
)
"""What the interpreter is told; behind it come the folder of the package and a socket's number."""
DESCRIPTORS = 4
"""Standard input, output and error of the bot, and the status socket."""


def main(requests: int) -> None:
    """Start a bot for each request, until the referee is gone."""
    serve(socket.socket(fileno=requests))
    os._exit(0)  # at once: somebody waits, and there is nothing to be put in order


def serve(requests: socket.socket) -> None:
    """Start a supervisor for each request, and end what a killed supervisor left behind."""
    # Whatever such a supervisor had below it becomes a child of this process.
    confine.become_subreaper()
    wake = wake_when_children_end()
    poll = select.poll()
    for descriptor in (requests.fileno(), wake):
        poll.register(descriptor, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if wake in ready:
            os.read(wake, 4096)
            end_strays()
        if requests.fileno() in ready:
            request = receive(requests)
            if request is None:
                return
            carry_out(*request, requests)


def carry_out(command: "Request", descriptors: list[int], requests: socket.socket) -> None:
    """Fork a process for a request."""
    # If too many files are open, some of the descriptors never arrive.
    if "core" in command or len(descriptors) == DESCRIPTORS:
        try:
            is_child = os.fork() == 0
        except OSError as error:
            is_child = False
            if "core" not in command:
                os.write(descriptors[-1], f"refused {error.errno} a supervisor\n".encode())
        if is_child:
            requests.close()
            become(command, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)


def become(command: "Request", descriptors: list[int]) -> None:
    """Turn this process into a supervisor or another launcher; it does not return."""
    try:
        if "core" in command:
            be_another(command["core"], descriptors[0])
        else:
            supervise(command, descriptors)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def end_strays() -> None:
    """Reap supervisors, and end everything that one of them left behind, until nothing is."""
    while True:
        ended_children()
        strays = process_tree.strays()
        if not strays:
            return
        process_tree.end(strays)
        sleep(PAUSE_SECONDS)


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
