"""End a process together with its parent."""

import signal
import sys


def die_with_parent() -> None:
    """Where the system offers it: end at once when the coordinator does, by whatever way."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
