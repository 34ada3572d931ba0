"""Signals that end the program: SIGINT (Ctrl-C), SIGTERM and SIGHUP, each with exit code 130.

A signal that was ignored when the program started stays ignored: `nohup` and shells protect
background jobs that way.
"""

import _thread
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from types import FrameType

from referee.errors import EXIT_INTERRUPTED

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOP = signal.SIGUSR1
"""The signal that a coordinator sends to its workers: start no further game."""
RESEND_SECONDS = 0.001
"""The time after which a signal is sent again that arrived where it could not be handled."""
_IMPORTLIB = "<frozen importlib"
"""File names of the import system. While an extension module is loaded, CPython reads attributes of
its specification (`has_location`), and discards the exceptions of that."""
Handler = Callable[[int, FrameType | None], object]

_received: signal.Signals | None = None
"""The last of these signals that was received."""
_over = False
"""Whether the exit code is decided, and nothing is left to interrupt."""


def raise_on_signals() -> None:
    """Turn the signals into KeyboardInterrupt, from now on."""
    for number in _signals_not_ignored():
        signal.signal(number, _interrupt)
    sys.unraisablehook = _report_unraisable


def was_interrupted() -> bool:
    """Return whether a signal was turned into KeyboardInterrupt."""
    return _received is not None


def ignore_from_now_on() -> None:
    """Ignore further signals: the interpreter is about to end."""
    global _over
    _over = True


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _received
    if _over:
        return
    _received = signal.Signals(number)
    if frame is not None and frame.f_code.co_filename.startswith(_IMPORTLIB):
        _send_again(number)
    else:
        raise KeyboardInterrupt


def _send_again(number: int) -> None:
    """Send a signal to this process again, from a thread, which runs a moment later."""
    _thread.start_new_thread(_send_soon, (number,))


def _send_soon(number: int) -> None:
    sleep(RESEND_SECONDS)
    os.kill(os.getpid(), number)


def _report_unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    """Send a signal again that arrived inside a finalizer, where exceptions are discarded."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _send_again(_received or signal.SIGINT)
    else:
        sys.__unraisablehook__(unraisable)


def _signals_not_ignored() -> list[signal.Signals]:
    return [number for number in NUMBERS if signal.getsignal(number) is not signal.SIG_IGN]


@contextmanager
def handled_by(handler: Handler) -> Iterator[None]:
    """Call this handler for each signal that is not ignored."""
    before = {number: signal.signal(number, handler) for number in _signals_not_ignored()}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


@contextmanager
def deferred() -> Iterator[None]:
    """Defer the first signal to the end of the block; a second one ends the process at once.

    For third-party code that leaves tracebacks or processes behind when it is interrupted.
    """
    is_pending = False

    def defer(number: int, frame: FrameType | None) -> None:
        nonlocal is_pending
        if is_pending:
            os._exit(EXIT_INTERRUPTED)
        is_pending = True

    try:
        with handled_by(defer):
            yield
    finally:
        if is_pending:
            raise KeyboardInterrupt


@contextmanager
def blocked(*numbers: signal.Signals) -> Iterator[None]:
    """Block these signals here, and in threads and processes that are started in the block.

    A terminal sends them to every process of the run, but only the coordinator handles them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Suspension:
    """Ctrl-Z (SIGTSTP), deferred until the caller has restored the terminal; a context manager."""

    def __init__(self) -> None:
        self.is_requested = False
        self._before: object = signal.SIG_IGN

    def __enter__(self) -> "Suspension":
        self._before = signal.getsignal(signal.SIGTSTP)
        if self._before is not signal.SIG_IGN:
            signal.signal(signal.SIGTSTP, self._request)
        return self

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGTSTP, self._before)  # type: ignore[arg-type]

    def suspend(self) -> None:
        """Stop this process, as the signal does by default; return when it continues."""
        self.is_requested = False
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, handler)

    def _request(self, number: int, frame: FrameType | None) -> None:
        self.is_requested = True


class StopFlag:
    """The signal handling of a worker process, which may have been started with signals blocked.

    Only the coordinator's signal counts, which sets the flag; the others are ignored.
    """

    def __init__(self) -> None:
        self.is_set = False
        signal.signal(STOP, self._set)
        for number in NUMBERS:
            signal.signal(number, signal.SIG_IGN)
        if signal.getsignal(signal.SIGTSTP) is not signal.SIG_IGN:
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)  # the coordinator may defer it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*NUMBERS, STOP))

    def _set(self, number: int, frame: FrameType | None) -> None:
        self.is_set = True
