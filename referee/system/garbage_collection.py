"""When not to look for garbage: what is being loaded is none, nor what waits to be written."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

GC_THRESHOLD = 10_000
"""How many more things than before there must be; usually it is 700."""


@contextmanager
def gc_disabled() -> Iterator[None]:
    """While thousands of things are made that are all needed."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def relaxed_gc() -> Iterator[None]:
    """While games come and go by the thousand: each is a few tuples, which are no garbage while
    they wait, and need nobody to look for them afterwards."""
    first, *others = gc.get_threshold()
    gc.set_threshold(GC_THRESHOLD, *others)
    try:
        yield
    finally:
        gc.set_threshold(first, *others)


@contextmanager
def gc_frozen() -> Iterator[None]:
    """While modules are imported: looking would take about a twelfth of that time.

    Nor is what was loaded looked at afterwards, which is there to stay.
    """
    with gc_disabled():
        try:
            yield
        finally:
            gc.freeze()
