"""The interface of an engine: encounters in, events out."""

from collections.abc import Callable, Iterator
from typing import Protocol

from referee.run.events import Event
from referee.schedule.fixtures import Fixture

Task = tuple[Fixture, ...]
"""The fixtures of one encounter that have no record yet."""


class Engine(Protocol):
    """Interface of what plays tasks: worker processes, this process or a cluster."""

    @property
    def slots(self) -> int:
        """Return the number of games that run at the same time."""

    def play(self, next_task: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Play the tasks that `next_task` returns, until it returns None; yield events.

        None is yielded about ten times a second, for the caller's periodic work.
        """

    def running(self) -> list[Fixture]:
        """Return the games that are running, without those that wait for a worker."""

    def finish_soon(self) -> None:
        """Start no further game; `play` returns when the running games have ended."""

    def close(self) -> None:
        """Stop all games and release all resources at once."""
