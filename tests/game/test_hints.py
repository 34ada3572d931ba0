"""Hints for the author of a bot, by the values of a fault and of the end of its process."""

import errno
import os
import signal

import pytest

from referee.bots.exit_status import ExitKind, ExitStatus
from referee.game.hints import hint_for
from referee.protocol.faults import BotFault, FaultKind


@pytest.mark.parametrize(
    ("ended", "hint"),
    [
        (ExitStatus(ExitKind.EXITED, 127), "a command was not found"),
        (ExitStatus.of_wrapper(127), "a command was not found"),
        (ExitStatus(ExitKind.EXITED, 1), None),
        (ExitStatus(ExitKind.EXITED, 137), None),
        (ExitStatus(ExitKind.UNKNOWN), None),
        (ExitStatus(ExitKind.KILLED, signal.SIGSEGV), "memory that is not its own"),
        (ExitStatus(ExitKind.KILLED, signal.SIGKILL), "when memory runs out"),
        (ExitStatus.of_wrapper(128 + signal.SIGKILL), "when memory runs out"),
        (ExitStatus(ExitKind.KILLED, signal.SIGTERM), None),
    ],
)
def test_hint_of_an_exit_depends_on_the_status(ended: ExitStatus, hint: str | None) -> None:
    """And on no text: a wrapper may report a signal as an exit status."""
    found = hint_for(BotFault(FaultKind.EXITED, cause="any text"), (), (), ended)
    assert found is None if hint is None else hint in str(found)


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOENT, "check the command"),
        (errno.EACCES, "chmod +x"),
        (errno.ENOEXEC, "a script needs a first line"),
        (errno.EIO, None),
    ],
)
def test_hint_of_a_failed_start_depends_on_the_error(number: int, hint: str | None) -> None:
    """The text of the system may be in any language."""
    error = OSError(number, os.strerror(number))
    found = hint_for(BotFault(FaultKind.NOT_STARTED, cause="any text"), (), (), error)
    assert found is None if hint is None else hint in str(found)
