"""People as players: an adapter between the protocol and a person at a console.

A `HumanAdapter` occupies one seat: protocol lines in, answers out, as from any bot. Its output goes
to a `Screen`, which all people in this process share, so that two of them who play each other see
everything once. A `HumanPlayer` takes the place of a bot's process in a game; `referee human` uses
the same adapter without one.
"""

from time import monotonic

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
    """The screen that all people in this process share, and the game on it."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._scene: GameView | None = None

    def join(self, fields: Fields) -> tuple[GameView, Seat]:
        """A seat in the game that is on, if it is that one; otherwise in a new one."""
        seat = number(fields, "seat", 1)
        scene = self._scene
        if scene is None or scene.begun or scene.id != fields.get("id") or seat in scene.seats:
            scene = self._scene = GameView(self.console, fields)
        scene.seats.add(seat)
        return scene, seat


class HumanAdapter:
    """One seat: lines of the protocol in, answers out."""

    def __init__(self, stage: Screen) -> None:
        self._stage = stage
        self._scene: GameView | None = None
        self._seat: Seat = 1

    def answer(self, line: str) -> str | None:
        """The answer to a line, if it needs one and the person gave one in time."""
        verb, *words = printable(line.strip(), MAX_LINE_LENGTH).split() or [""]
        fields = dict(word.split("=", 1) for word in words if "=" in word)
        if verb == "game":
            self._scene, self._seat = self._stage.join(fields)
            return "ready"
        if verb == "turn":
            if self._scene is None:
                self._scene, self._seat = self._stage.join(fields)
            return self._scene.turn(self._seat, fields)
        if verb == "end" and self._scene is not None:
            self._scene.end(self._seat, fields)
            self._scene = None
        return None


class HumanPlayer(Player):
    """Somebody at a table, in the place of a bot's process."""

    is_person = True

    def __init__(self, stage: Screen) -> None:
        super().__init__()
        self._adapter = HumanAdapter(stage)
        self._question = ""

    @property
    def state(self) -> str:
        return "a person"

    def write(self, data: bytes) -> int:
        """Tell them a line. A turn is only noted: they answer it when it is waited for."""
        line = data.decode("ascii")
        if line.startswith("turn "):
            self._question = line
        elif (answer := self._adapter.answer(line)) is not None:
            self._say(answer)
        return len(data)

    def request_answer(self) -> None:
        answer = self._adapter.answer(self._question)
        if answer is None:
            raise BotFault(FaultKind.NO_MOVE_ENTERED)
        self._say(answer)

    def _say(self, line: str) -> None:
        self.received_at = monotonic()
        self.buffer.feed(f"{line}\n".encode())


class PlayerFactory:
    """Seats people where a command says so; everything else is started by a launcher."""

    def __init__(self, launcher: PlayerStarter, console: Console) -> None:
        self._launcher = launcher
        self._stage = Screen(console)

    def start(self, command: Command) -> Player:
        """A person, or a bot's process."""
        return HumanPlayer(self._stage) if command.is_human else self._launcher.start(command)
