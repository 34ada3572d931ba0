"""When not to look for garbage: what is being loaded is none, nor what waits to be written."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 10_000
"""How many more things than before there must be; usually it is 700."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """While thousands of things are made that are all needed."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def hardly_disturbed() -> Iterator[None]:
    """While games come and go by the thousand: each is a few tuples, which are no garbage while
    they wait, and need nobody to look for them afterwards."""
    first, *others = gc.get_threshold()
    gc.set_threshold(_SELDOM, *others)
    try:
        yield
    finally:
        gc.set_threshold(first, *others)


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
