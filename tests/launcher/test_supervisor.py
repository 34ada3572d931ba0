"""Commands of the referee to the supervisor of a bot."""

import os
import socket

import pytest

from referee.launcher import process_tree
from referee.launcher.request import BotRequest
from referee.launcher.supervisor import Supervisor

MS = 1_000_000


def test_processor_time_of_a_bot_that_was_being_measured_counts_as_off_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once, and only what it cannot have used before the command on all cores."""
    monkeypatch.setattr(process_tree, "stop_all", lambda: process_tree.Stopped(0, {}))
    monkeypatch.setattr(process_tree, "lower_priority", lambda: None)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    request: BotRequest = {"arguments": [], "folder": "", "environment": {}, "confinement": None}
    referee, status = socket.socketpair()
    with referee, status:
        supervisor = Supervisor(request, [], status.fileno())
        supervisor.check_began_ns = 1000 * MS
        for sent_ms, used_ms, answer in (
            (1005, 10 + 11, b"stopped 1 11.000\n"),
            (1005, 10 + 9, b"stopped 0 0.000\n"),
            (1040, 80, b"stopped 0 0.000\n"),
            (990, 11, b"stopped 1 11.000\n"),
        ):
            supervisor.checked_ns = used_ms * MS
            referee.send(f"stop {sent_ms * MS}\n".encode())
            assert supervisor._execute_commands()
            assert (referee.recv(100), supervisor.checked_ns) == (answer, 0)
