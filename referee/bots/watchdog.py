"""A beat: the timer signal that bounds every blocking read of a bot's answer.

Nearly every answer comes at once, and then the cheapest way to wait for it is a plain read. What a
read lacks is a deadline, and an eye on everything else. So a signal comes every few milliseconds,
and if an answer has been waited for that long, makes the pipes non-blocking: a read that waits
returns empty-handed, one that has got something is not disturbed, and nothing is ever lost. What is
to be done then is the table's business.
"""

import signal
from collections.abc import Sequence
from time import monotonic
from types import FrameType

from referee.bots.player import Player

PERIOD_SECONDS = 0.0025
"""A read may wait for twice as long before the rest of the world is looked at."""


class ReadWatchdog:
    """Ends what waits, between any two steps of the program.

    It belongs to the main thread of a process that has no other use for the alarm signal.
    """

    def __init__(self, period_seconds: float = PERIOD_SECONDS) -> None:
        self.is_on = False
        """Whether reads wait; if so, there will be a beat."""
        self.sent_at = 0.0
        """When somebody was asked last, and so since when at the most a read has been waiting."""
        self._players: Sequence[Player] = ()
        self._period = period_seconds
        signal.signal(signal.SIGALRM, _beat)

    def start(self, players: Sequence[Player]) -> None:
        """Let reads of these players' output wait until a beat ends it, and of nobody else's.

        There are more beats than one, until it is stopped: a signal may come just before a read
        begins.
        """
        global _on
        if self.is_on:
            if self._players in (players, players[::-1]):
                return  # the same two, whoever moves first
            self.stop()
        for player in players:
            player.wait_when_read(True)
        self._players = players
        self.is_on = True
        _on = self
        signal.setitimer(signal.ITIMER_REAL, self._period, self._period)

    def beat(self) -> None:
        """Let nobody wait any longer who has waited for a whole period."""
        if monotonic() - self.sent_at >= self._period:
            self.stop()

    def stop(self) -> None:
        """Let nobody wait any longer; a signal that is on its way does nothing."""
        global _on
        if self.is_on:
            self.is_on = False
            _on = None
            for player in self._players:
                player.wait_when_read(False)
            self._players = ()
            signal.setitimer(signal.ITIMER_REAL, 0)


_on: ReadWatchdog | None = None
"""The one that is on: signals belong to the whole process, and so does this."""


def _beat(number: int, frame: FrameType | None) -> None:
    if _on is not None:
        _on.beat()
