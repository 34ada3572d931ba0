"""Signals that end the program: Ctrl-C, SIGTERM and SIGHUP, each with exit code 130.

A signal that was ignored when the program started stays ignored: that is how `nohup` and shells
keep them from background jobs.
"""

import _thread
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from referee.errors import EXIT_INTERRUPTED

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOP = signal.SIGUSR1
"""What a coordinator sends to its workers: begin no further game."""
Handler = Callable[[int, FrameType | None], object]

_received: signal.Signals | None = None
"""The last of these signals, if there was one."""
_over = False
"""Whether the exit code is decided, and nothing is left to interrupt."""


def raise_on_signals() -> None:
    """Turn the signals into KeyboardInterrupt, from now on."""
    for number in _heeded():
        signal.signal(number, _interrupt)
    sys.unraisablehook = _report_unraisable


def was_interrupted() -> bool:
    """Return whether a signal came while it was turned into KeyboardInterrupt."""
    return _received is not None


def ignore_from_now_on() -> None:
    """Let signals do nothing: the interpreter is about to end."""
    global _over
    _over = True


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _received
    if not _over:
        _received = signal.Signals(number)
        raise KeyboardInterrupt


def _report_unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    """Repeat a signal that came where nothing can be raised, in a finalizer.

    From a thread, which runs when the finalizer has ended.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(os.kill, (os.getpid(), _received or signal.SIGINT))
    else:
        sys.__unraisablehook__(unraisable)


def _heeded() -> list[signal.Signals]:
    return [number for number in NUMBERS if signal.getsignal(number) is not signal.SIG_IGN]


@contextmanager
def handled_by(handler: Handler) -> Iterator[None]:
    """Call this handler for each signal that is not ignored."""
    before = {number: signal.signal(number, handler) for number in _heeded()}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


@contextmanager
def deferred() -> Iterator[None]:
    """Let the first signal wait for the end of the block; a second one ends the process at once.

    For code of others that leaves tracebacks or processes behind when it is interrupted.
    """
    waiting = False

    def defer(number: int, frame: FrameType | None) -> None:
        nonlocal waiting
        if waiting:
            os._exit(EXIT_INTERRUPTED)
        waiting = True

    try:
        with handled_by(defer):
            yield
    finally:
        if waiting:
            raise KeyboardInterrupt


@contextmanager
def blocked(*numbers: signal.Signals) -> Iterator[None]:
    """Block these signals here, and in threads and processes that are started meanwhile.

    A terminal sends them to every process of the run, and what to do is the coordinator's decision.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class StopFlag:
    """The signals of a worker process, which may have been started with them blocked.

    It ignores all but that of its coordinator, after which the flag is set.
    """

    def __init__(self) -> None:
        self.is_set = False
        signal.signal(STOP, self._set)
        for number in NUMBERS:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*NUMBERS, STOP))

    def _set(self, number: int, frame: FrameType | None) -> None:
        self.is_set = True
