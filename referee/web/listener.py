"""The socket of a server, and its address."""

import errno
import socket

from referee.errors import InputError, OutsideError

BACKLOG = 256
SEND_BUFFER_BYTES = 2**17
"""Memory of the kernel for a viewer that does not read; with more, pages load no faster."""
MAX_PORT = 65_535


def bind(host: str, port: int) -> socket.socket:
    """Open the socket of the server; raise InputError if that is not possible."""
    if not 0 <= port <= MAX_PORT:
        raise InputError(
            f"--port {port} is not a port: they go from 0 (any free one) to {MAX_PORT}"
        )
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        raise _bind_error(host, port, error) from error
    return listener


def _bind_error(host: str, port: int, error: OSError) -> Exception:
    code = error.errno
    if isinstance(error, socket.gaierror) or code == errno.EADDRNOTAVAIL:
        return InputError(f"--host {host} is not an address of this machine")
    if code == errno.EADDRINUSE:
        return InputError(
            f"port {port} is in use: end the program that uses it, or choose another with --port"
        )
    if code == errno.EACCES:
        return InputError(f"port {port} needs more rights: choose one above 1023 with --port")
    return OutsideError(f"the server cannot listen on {host} port {port}: {error}")


def address_of(listener: socket.socket) -> str:
    """Return the address to open in a browser."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
