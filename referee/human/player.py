"""People as players: an adapter between the protocol and a console.

A `HumanAdapter` occupies one seat: protocol lines in, answers out, as from a bot. Its output goes
to a `Screen` that all people in this process share, so that a game between two people is displayed
once. A `HumanPlayer` takes the place of a bot's process in a game, with this adapter or another;
`referee human` uses the adapter alone.
"""

from time import monotonic
from typing import Protocol

from referee.bots.command import Command
from referee.bots.launcher import PlayerStarter
from referee.bots.player import Player
from referee.human.console import Console
from referee.human.game_view import Fields, GameView, number
from referee.outcome import Seat
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.line_buffer import MAX_LINE_LENGTH
from referee.text import printable


class Screen:
    """The console that all people in this process share, and its current game."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._view: GameView | None = None

    def join(self, fields: Fields) -> tuple[GameView, Seat]:
        """Add a seat to the current game, or to a new one if the fields belong to another game."""
        seat = number(fields, "seat", 1)
        view = self._view
        if view is None or view.begun or view.id != fields.get("id") or seat in view.seats:
            view = self._view = GameView(self.console, fields)
        view.seats.add(seat)
        return view, seat


class HumanAdapter:
    """One seat: converts protocol lines to answers."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._view: GameView | None = None
        self._seat: Seat = 1

    def answer(self, line: str) -> str | None:
        """Return the answer to a line; None if it needs none or the time is up."""
        verb, *words = printable(line.strip(), MAX_LINE_LENGTH).split() or [""]
        fields = dict(word.split("=", 1) for word in words if "=" in word)
        if verb == "game":
            self._view, self._seat = self._screen.join(fields)
            return "ready"
        if verb == "turn":
            if self._view is None:
                self._view, self._seat = self._screen.join(fields)
            return self._view.turn(self._seat, fields)
        if verb == "end" and self._view is not None:
            self._view.end(self._seat, fields)
            self._view = None
        return None


class SeatAdapter(Protocol):
    """Interface between a person and the protocol."""

    def answer(self, line: str) -> str | None:
        """Return the answer to a line; None if it needs none or the time is up."""


class HumanPlayer(Player):
    """A person in the place of a bot's process."""

    is_person = True

    def __init__(self, adapter: SeatAdapter) -> None:
        super().__init__()
        self._adapter = adapter
        self._turn_line = ""

    @property
    def state(self) -> str:
        """Description for fault reports, in place of a process state."""
        return "a person"

    def write(self, data: bytes) -> int:
        """Process a line. A turn is only stored: `request_answer` reads the move."""
        line = data.decode("ascii")
        if line.startswith("turn "):
            self._turn_line = line
        elif (answer := self._adapter.answer(line)) is not None:
            self._feed_answer(answer)
        return len(data)

    def write_later(self, data: bytes) -> int:
        """Process a line now: a person reads the result before the next game."""
        return self.write(data)

    def request_answer(self) -> None:
        """Read the move of the stored turn; raise BotFault if the time is up."""
        answer = self._adapter.answer(self._turn_line)
        if answer is None:
            raise BotFault(FaultKind.NO_MOVE_ENTERED)
        self._feed_answer(answer)

    def _feed_answer(self, line: str) -> None:
        self.output.feed(f"{line}\n".encode(), monotonic())


class PlayerFactory:
    """Starter of players: people for the command `human`, otherwise processes by a launcher."""

    def __init__(self, launcher: PlayerStarter, console: Console) -> None:
        self._launcher = launcher
        self._screen = Screen(console)

    def start(self, command: Command) -> Player:
        """Return a person, or start a bot's process."""
        if command.is_human:
            return HumanPlayer(HumanAdapter(self._screen))
        return self._launcher.start(command)
