"""Termination of a process together with its parent."""

import signal
import sys


def die_with_parent() -> None:
    """Request SIGKILL for this process when its parent ends, for any reason (Linux only)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
