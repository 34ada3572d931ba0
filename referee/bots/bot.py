"""A bot, whose processes are started when they are needed."""

from time import monotonic

from referee.bots.command import Command
from referee.bots.launcher import PlayerStarter
from referee.bots.player import Player

QUIT_SECONDS = 1.0
"""How long a bot may take to exit after `quit`."""


class Bot:
    """A program that plays game after game, in one process unless that commits a fault."""

    def __init__(self, name: str, command: Command, launcher: PlayerStarter) -> None:
        self.name = name
        self.command = command
        self.process: Player | None = None
        self.warnings: list[str] = []
        self._launcher = launcher

    def acquire_process(self, fresh: bool) -> tuple[Player, bool]:
        """Return a process to play the next game, and whether it is a new one."""
        if self.process is not None:
            self.process.resume()
            if not fresh and self.process.can_be_reused():
                self.process.new_game()
                return self.process, False
            if fresh:
                self.quit()
            else:
                self.replace(_why_replaced(self.process))
        self.process = self.process or self._launcher.start(self.command)
        return self.process, True

    def replace(self, why: str) -> Player:
        """Start a new process in place of one that may not be reused, and note a warning."""
        self.warnings.append(f"{why}: a new process was started")
        self.discard()
        self.process = self._launcher.start(self.command)
        return self.process

    def discard(self) -> None:
        """Kill its process; the next game gets a new one."""
        if self.process is not None:
            process, self.process = self.process, None
            process.kill()

    def quit(self) -> None:
        """Send `quit` to its process, wait up to QUIT_SECONDS, and kill it."""
        close_all([self])


def close_all(bots: list[Bot]) -> None:
    """Send `quit` to all of them, wait up to QUIT_SECONDS in total, and kill those left."""
    for bot in bots:
        if bot.process is not None:
            bot.process.quit()
    deadline = monotonic() + QUIT_SECONDS
    for bot in bots:
        if bot.process is not None:
            bot.process.wait_for_exit(deadline)
            bot.discard()


def _why_replaced(process: Player) -> str:
    if process.output.exit_status is not None or process.output.is_closed:
        return f"its process ended between two games ({process.state})"
    return "it sent output between two games"
