"""Commands of the referee to the supervisor of a bot."""

import socket

import pytest

from referee.launcher import process_tree
from referee.launcher.request import BotRequest
from referee.launcher.supervisor import UNSEEN_NS, Supervisor


def test_processor_time_of_a_bot_that_was_being_measured_counts_as_off_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once: it may have run until the supervisor could stop it, and then have paused."""
    monkeypatch.setattr(process_tree, "stop_all", lambda: process_tree.Stopped(0, {}))
    monkeypatch.setattr(process_tree, "lower_priority", lambda: None)
    request: BotRequest = {"arguments": [], "folder": "", "environment": {}, "confinement": None}
    referee, status = socket.socketpair()
    with referee, status:
        supervisor = Supervisor(request, [], status.fileno())
        supervisor.unseen_ns = UNSEEN_NS + 1_000_000
        for answer in (b"stopped 1 21.000\n", b"stopped 0 0.000\n"):
            referee.send(b"s")
            assert supervisor._execute_commands()
            assert referee.recv(100) == answer
