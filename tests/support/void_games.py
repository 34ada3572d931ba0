"""Games that are void because the machine was too busy: a tournament repeats them, and tests do."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from referee.errors import OutsideError

BUSY = "the machine is too busy"
"""Part of the reason for which a game is void if the referee itself could not run."""


def again_if_void(test: Callable[..., None]) -> Callable[..., None]:
    """Repeat a test in which a game was void because the referee itself could not run."""

    @wraps(test)
    def repeated(*args: Any, **values: Any) -> None:
        while True:
            try:
                return test(*args, **values)
            except OutsideError as error:
                if BUSY not in str(error):
                    raise

    return repeated
