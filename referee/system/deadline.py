"""A limit of time, as a condition that other code can check."""

from collections.abc import Callable
from time import monotonic


def make_deadline(limit_ms: int | None) -> Callable[[], bool]:
    """Return a function that returns whether this time has passed since now.

    Without a limit it returns False. Compiled code handles signals while it calls the function.
    """
    deadline = float("inf") if limit_ms is None else monotonic() + limit_ms / 1000
    return lambda: monotonic() >= deadline
