"""Interruption of blocking reads with SIGALRM after a fixed period.

Nearly every answer arrives at once, and then a blocking read is the cheapest way to wait for it.
But a read has no deadline, and does not watch other descriptors. So a timer signal arrives every
few milliseconds; if a read has been waiting for a whole period, its handler makes the pipes
non-blocking. A read that waits then fails with EAGAIN, a read that has data returns it, and no data
is lost. The exchange continues with a poll.
"""

import signal
from collections.abc import Sequence
from time import monotonic
from types import FrameType
from typing import Final

from referee.bots.player import Player

PERIOD_SECONDS: Final = 0.0025
"""Period of the timer; a read may block for up to two periods before all players are polled."""


class ReadWatchdog:
    """A timer that ends blocking reads.

    It works only in the main thread of a process that does not use SIGALRM otherwise.
    """

    def __init__(self, period_seconds: float = PERIOD_SECONDS) -> None:
        self.is_armed = False
        """Whether reads block; if so, the timer is running."""
        self.sent_at = 0.0
        """When the last request was sent: a read has been blocking since then, or for less."""
        self._players: Sequence[Player] = ()
        self._period = period_seconds
        signal.signal(signal.SIGALRM, _on_alarm)

    def start(self, players: Sequence[Player]) -> None:
        """Make reads of these players' output blocking, until the timer ends that.

        The timer repeats until it is stopped, because a signal may arrive just before a read.
        """
        global _armed
        if self.is_armed:
            if self._players in (players, players[::-1]):
                return  # the same two, in either order
            self.stop()
        for player in players:
            player.set_blocking_reads(True)
        self._players = players
        self.is_armed = True
        _armed = self
        signal.setitimer(signal.ITIMER_REAL, self._period, self._period)

    def on_alarm(self) -> None:
        """Stop if the last request was sent a whole period ago."""
        if monotonic() - self.sent_at >= self._period:
            self.stop()

    def stop(self) -> None:
        """Make reads non-blocking and stop the timer; a pending signal then has no effect."""
        global _armed
        if self.is_armed:
            self.is_armed = False
            _armed = None
            for player in self._players:
                player.set_blocking_reads(False)
            self._players = ()
            signal.setitimer(signal.ITIMER_REAL, 0)


_armed: ReadWatchdog | None = None
"""The watchdog that is armed: global, because the timer and its signal belong to the process."""


def _on_alarm(number: int, frame: FrameType | None) -> None:
    if _armed is not None:
        _armed.on_alarm()
