"""Where encounters with people are played: in this very process, one game after the other.

Worker processes have no terminal, so whoever sits at it can only be asked from here.
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
    """An engine without workers."""

    slots = 1

    def __init__(self, plan: Plan, console: Console) -> None:
        self._console = console
        self._launcher = Launcher()
        self._worker = Worker(plan, PlayerFactory(self._launcher, console))
        self._is_playing = False
        self._stopping = False

    def play(self, next_task: Callable[[], Task | None]) -> Iterator[Event | None]:
        """Play until there is nothing left, somebody wants it to stop, or the person left."""
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
        """Whether somebody got up before the end."""
        return self._console.left

    @property
    def _is_done(self) -> bool:
        return self._stopping or self._console.left

    def finish_soon(self) -> None:
        """Stop now if a game is on: who interrupts it is who plays it."""
        self._stopping = True
        if self._is_playing:
            raise KeyboardInterrupt

    def close(self) -> None:
        self._worker.close()
        self._launcher.close()
