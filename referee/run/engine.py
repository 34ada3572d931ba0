"""The interface of an engine: encounters in, events out."""

from collections.abc import Callable, Iterator
from typing import Protocol

from referee.run.events import Event
from referee.schedule.fixtures import Fixture

Task = tuple[Fixture, ...]
"""The fixtures of one encounter that have no record yet."""


class Engine(Protocol):
    """Plays tasks somewhere."""

    @property
    def slots(self) -> int:
        """How many games run at once."""

    def play(self, next_task: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Play what `take` gives until that is None and all is done; events as they happen.

        None comes now and then, so that the caller can look around.
        """

    def finish_soon(self) -> None:
        """Begin no further game."""

    def close(self) -> None:
        """End everything at once."""
