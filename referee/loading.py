"""Importing and reading without looking for garbage: what is being loaded is none."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def undisturbed() -> Iterator[None]:
    """While thousands of things are made that are all needed."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def loading() -> Iterator[None]:
    """While modules are imported: looking would take about a twelfth of that time.

    Nor is what was loaded looked at afterwards, which is there to stay.
    """
    with undisturbed():
        try:
            yield
        finally:
            gc.freeze()
