"""Connection to an address where no scheduler answers."""

import socket
import threading
from collections.abc import Callable

import pytest

from referee.cluster import connection
from referee.errors import OutsideError


def refuse(server: socket.socket) -> None:
    """Close the port."""
    server.close()


def keep_silent(server: socket.socket) -> None:
    """Accept connections, as the kernel does for a suspended scheduler, and send nothing."""


def answer_as_a_web_server(server: socket.socket) -> None:
    """Answer the first connection, as the dashboard of a scheduler does."""

    def answer() -> None:
        accepted, _ = server.accept()
        with accepted:
            accepted.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 20)

    threading.Thread(target=answer, daemon=True).start()


@pytest.mark.parametrize("behave", [refuse, keep_silent, answer_as_a_web_server])
def test_connect_raises_outside_error_if_no_scheduler_answers(
    behave: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In bounded time."""
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        behave(server)
        with pytest.raises(OutsideError, match=f"no scheduler answers at {address}"):
            connection.connect(address)
