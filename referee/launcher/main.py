"""Main loop of the launcher: receive requests and fork a supervisor for each."""

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
    from referee.launcher.request import Request

PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]);"
    " from referee.launcher.main import main; main(int(sys.argv[2]))"
)
"""Code for `python -c`; its arguments are the folder of the package and a socket's descriptor."""
DESCRIPTORS = 4
"""Standard input, output and error of the bot, and the status socket."""


def main(requests: int) -> None:
    """Start a bot for each request until the referee closes the socket."""
    serve(socket.socket(fileno=requests))
    os._exit(0)  # skips the interpreter's shutdown: the referee waits, and nothing needs cleanup


def serve(requests: socket.socket) -> None:
    """Start a supervisor for each request, and end processes that a killed supervisor left."""
    # The processes below a killed supervisor become children of this process.
    confine.become_subreaper()
    wake = wake_when_children_end()
    poll = select.poll()
    for descriptor in (requests.fileno(), wake):
        poll.register(descriptor, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if wake in ready:
            os.read(wake, 4096)
            end_orphans()
        if requests.fileno() in ready:
            request = receive(requests)
            if request is None:
                return
            carry_out(*request, requests)


def carry_out(request: "Request", descriptors: list[int], requests: socket.socket) -> None:
    """Fork a process for a request."""
    # If too many files are open, the kernel discards some of the descriptors.
    if "core" in request or len(descriptors) == DESCRIPTORS:
        try:
            is_child = os.fork() == 0
        except OSError as error:
            is_child = False
            if "core" not in request:
                os.write(descriptors[-1], f"refused {error.errno} a supervisor\n".encode())
        if is_child:
            requests.close()
            become(request, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)


def become(request: "Request", descriptors: list[int]) -> None:
    """Turn this process into a supervisor or another launcher; it does not return."""
    try:
        if "core" in request:
            run_launcher(request["core"], descriptors[0])
        else:
            supervise(request, descriptors)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def end_orphans() -> None:
    """Reap supervisors, and kill processes that one of them left until none remains."""
    while True:
        ended_children()
        orphans = process_tree.orphans()
        if not orphans:
            return
        process_tree.end(orphans)
        sleep(PAUSE_SECONDS)


def run_launcher(core: int | None, requests: int) -> None:
    """Run another launcher on this core for the process at the other end of this socket."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    serve(socket.socket(fileno=requests))


def receive(requests: socket.socket) -> "tuple[Request, list[int]] | None":
    """Receive the next request and its descriptors; None at the end."""
    size = socket.CMSG_SPACE(DESCRIPTORS * array.array("i").itemsize)
    head, ancillary, _, _ = requests.recvmsg(4, size)
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
