"""A beat: the timer signal that bounds every blocking read of a bot's answer.

Nearly every answer comes at once, and then the cheapest way to wait for it is a plain read. What a
read lacks is a deadline, and an eye on everything else. So a signal comes every few milliseconds
and makes the pipes non-blocking: a read that waits returns empty-handed, one that has got something
is not disturbed, and nothing is ever lost. What is to be done then is the table's business.
"""

import signal
from collections.abc import Callable
from types import FrameType

PERIOD_SECONDS = 0.005
"""The longest that a read may wait before the rest of the world is looked at."""


class Pulse:
    """Calls somebody periodically, between any two steps of the program.

    It belongs to the main thread of a process that has no other use for the alarm signal.
    """

    def __init__(self, period_seconds: float = PERIOD_SECONDS) -> None:
        self._period = period_seconds
        signal.signal(signal.SIGALRM, _beat)

    def start(self, on_beat: Callable[[], None]) -> None:
        """Call this from now on; it must be harmless at any moment.

        More than once, until it is stopped: the first signal may come just before a read begins.
        """
        global _on_beat
        _on_beat = on_beat
        signal.setitimer(signal.ITIMER_REAL, self._period, self._period)

    def stop(self) -> None:
        """Call nobody any more, even if a signal is on its way."""
        global _on_beat
        _on_beat = _nothing
        signal.setitimer(signal.ITIMER_REAL, 0)


def _nothing() -> None:
    return


_on_beat = _nothing
"""Who is called: signals belong to the whole process, and so does this."""


def _beat(number: int, frame: FrameType | None) -> None:
    _on_beat()
