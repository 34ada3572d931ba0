"""Importing and reading without looking for garbage: what is being loaded is none."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """While modules are imported, where looking would take about a twelfth of the time, or
    thousands of games are read."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
