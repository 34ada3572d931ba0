"""Stopping and waking all processes of a bot."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import count

import pytest

from referee.launcher import process_tree
from tests.support.processes import children_of, ended, is_running, kill, wait_until


def test_waiting_for_a_processor_is_not_running_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a process may be told long before it can stop."""
    looks = iter(range(20))
    states = process_tree._state
    with ended(subprocess.Popen(["sleep", "600"])) as process:
        monkeypatch.setattr(process_tree, "descendants", lambda: iter([process.pid]))
        monkeypatch.setattr(
            process_tree, "_state", lambda task: states(task) if done(looks) else b"R"
        )
        # As if the look that finds it took nearly all of the time there is.
        ticks = count(0, 0.75 * process_tree.STOP_SECONDS)
        monkeypatch.setattr(process_tree, "process_time", lambda: next(ticks))
        assert process_tree.stop_all() is not None
        assert states(str(process.pid)) == b"T"


def done(looks: Iterator[int]) -> bool:
    return next(looks, None) is None


def test_a_child_is_woken_although_its_parent_ends_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is on no list of children that can be read afterwards."""
    program = "import os, signal; os.fork() or signal.pause(); signal.pause()"
    with ended(subprocess.Popen([sys.executable, "-S", "-c", program])) as parent:
        wait_until(lambda: bool(children_of(parent.pid)))
        (child,) = children_of(parent.pid)
        try:
            for process in (child, parent.pid):
                os.kill(process, signal.SIGSTOP)
                wait_until(lambda process=process: process_tree._state(str(process)) == b"T")
            os.kill(parent.pid, signal.SIGTERM)  # which takes effect when it is woken

            def wake(process: int, number: int) -> None:
                os.kill(process, number)
                if process == parent.pid:
                    wait_until(lambda: not is_running(process))

            monkeypatch.setattr(process_tree, "_signal", wake)
            process_tree.resume_all()
            wait_until(lambda: process_tree._state(str(child)) != b"T")
        finally:
            kill({child})
