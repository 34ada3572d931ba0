"""Importing without looking for garbage: what is being loaded is none, and is there to stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """While modules are imported, looking would take about a twelfth of that time.

    Nor is what was loaded looked at afterwards.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
