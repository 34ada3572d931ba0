"""An engine that plays in this process, for games in which a person plays.

Only this process has the terminal that the person uses; worker processes have none.
"""

from collections.abc import Callable, Iterator

from referee.bots.launcher import Launcher
from referee.config.plan import Plan
from referee.human.console import Console
from referee.human.player import PlayerFactory
from referee.run.engine import Task
from referee.run.events import Event, GamesStarted, batch_of
from referee.run.worker import Worker


class HumanEngine:
    """An engine without worker processes: one game at a time."""

    slots = 1

    def __init__(self, plan: Plan, console: Console) -> None:
        self._console = console
        self._launcher = Launcher()
        self._worker = Worker(plan, PlayerFactory(self._launcher, console))
        self._is_playing = False
        self._stopping = False

    def play(self, next_task: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Play until the tasks end, a signal interrupts the run, or the person leaves."""
        while not self._is_done and (task := next_task()) is not None:
            yield GamesStarted(task)
            for fixture in task:
                if self._is_done:
                    return
                self._is_playing = True
                try:
                    (result,) = self._worker.play((fixture,))
                except KeyboardInterrupt:
                    return
                finally:
                    self._is_playing = False
                yield batch_of([result])
                yield None

    @property
    def person_left(self) -> bool:
        """Return whether the person closed the input before the end."""
        return self._console.left

    @property
    def _is_done(self) -> bool:
        return self._stopping or self._console.left

    def finish_soon(self) -> None:
        """Stop at once if a game is running: the person who interrupts is its player."""
        self._stopping = True
        if self._is_playing:
            raise KeyboardInterrupt

    def close(self) -> None:
        """Stop the bots and the launcher."""
        self._worker.close()
        self._launcher.close()
