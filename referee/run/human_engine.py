"""An engine that plays in this process, for games in which a person plays.

Only this process has the terminal or the browser that the person uses; worker processes have none.
"""

from collections.abc import Callable, Iterator

from referee.bots.launcher import Launcher, PlayerStarter
from referee.config.plan import Plan
from referee.run.engine import Task
from referee.run.events import Event, GamesStarted, batch_of
from referee.run.worker import Worker
from referee.schedule.fixtures import Fixture


class HumanEngine:
    """An engine without worker processes: one game at a time."""

    slots = 1

    def __init__(
        self,
        plan: Plan,
        make_starter: Callable[[Launcher], PlayerStarter],
        has_left: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start a worker with the starter of players; `has_left`: whether the person has left."""
        self._has_left = has_left
        self._launcher = Launcher()
        self._worker = Worker(plan, make_starter(self._launcher))
        self._fixture: Fixture | None = None
        """The game that is running."""
        self._stopping = False

    def play(self, next_task: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Play until the tasks end, a signal interrupts the run, or the person leaves."""
        while not self._is_done and (task := next_task()) is not None:
            yield GamesStarted(task)
            for fixture in task:
                if self._is_done:
                    return
                self._fixture = fixture
                try:
                    (result,) = self._worker.play((fixture,))
                except KeyboardInterrupt:
                    return
                finally:
                    self._fixture = None
                yield batch_of([result])
                yield None

    def running(self) -> list[Fixture]:
        """Return the game that is running."""
        return [] if self._fixture is None else [self._fixture]

    @property
    def person_left(self) -> bool:
        """Return whether the person closed the input before the end."""
        return self._has_left()

    @property
    def _is_done(self) -> bool:
        return self._stopping or self._has_left()

    def finish_soon(self) -> None:
        """Stop at once if a game is running: the person who interrupts is its player."""
        self._stopping = True
        if self._fixture is not None:
            raise KeyboardInterrupt

    def close(self) -> None:
        """Stop the bots and the launcher."""
        self._worker.close()
        self._launcher.close()
