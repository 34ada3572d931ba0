"""Text and meaning of the exit status of a process."""

import signal

import pytest

from referee.bots.exit_status import ExitKind, ExitStatus

TEXTS = [
    (ExitStatus(ExitKind.EXITED, 0), "exit status 0"),
    (ExitStatus(ExitKind.EXITED, 137), "exit status 137"),
    (ExitStatus(ExitKind.KILLED, signal.SIGSEGV), "killed by SIGSEGV"),
    (ExitStatus(ExitKind.KILLED, 63), "killed by signal 63"),
    (ExitStatus(ExitKind.UNKNOWN), "gone"),
    (ExitStatus.of_wrapper(0), "exit status 0"),
    (ExitStatus.of_wrapper(128), "exit status 128"),
    (ExitStatus.of_wrapper(137), "killed by SIGKILL, or exit status 137"),
    (ExitStatus.of_wrapper(193), "exit status 193"),
]


@pytest.mark.parametrize(("status", "text"), TEXTS)
def test_exit_status_text_names_code_or_signal(status: ExitStatus, text: str) -> None:
    """Messages and records contain these texts."""
    assert str(status) == text


@pytest.mark.parametrize("status", [status for status, _ in TEXTS])
def test_exit_status_is_success_only_for_exit_code_0(status: ExitStatus) -> None:
    """The kind decides as well as the code."""
    assert status.is_success == (str(status) == "exit status 0")
