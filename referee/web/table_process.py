"""Program that plays one game of a visitor: `python -m referee.web.table_process DESCRIPTOR`.

A game has a process of its own, as in a tournament. The server gives it one end of a socket, the
game as its first message, and the moves of the person; it sends the turns, every move and the
record. It ends when the socket is closed.
"""

import platform
import socket
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from referee.bots.bot import Bot, close_all
from referee.bots.command import HUMAN, Command
from referee.bots.launcher import Launcher
from referee.config.bot_command import confine_in_place, hash_command, parse_command
from referee.errors import RefereeError
from referee.game.config import GameConfig, GameSetup, PlaySettings
from referee.game.dossier import fault_text
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.outcome import Seat
from referee.protocol.time_control import TimeControl, human_time_control
from referee.records.record import RecordWriter
from referee.rules import Size, find_variant
from referee.sandbox.probe import choose_rung
from referee.system.parent_death import die_with_parent
from referee.text import printable_block
from referee.web.browser_seat import BrowserPlayerFactory, SeatChannel

REQUEST_SECONDS = 30.0


@dataclass(frozen=True)
class TableRequest:
    """A game of a visitor."""

    id: str
    encounter: int
    variant: str
    rows: int
    cols: int
    names: tuple[str, str]
    commands: tuple[str, str]
    """By seat: a command line, or `human`."""
    folder: str
    """Where the commands are run."""
    bot_time: str
    human_time: str | None
    seed: int
    sandbox: str
    attempts: int = 1
    opening: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Convert to a JSON object."""
        return asdict(self)


def read_request(message: dict[str, Any]) -> TableRequest:
    """Make a request from its JSON object."""
    one, two = message.pop("names")
    first, second = message.pop("commands")
    return TableRequest(names=(one, two), commands=(first, second), **message)


def main() -> None:
    """Play the game that the first message describes."""
    die_with_parent()
    channel = SeatChannel(socket.socket(fileno=int(sys.argv[1])))
    message = channel.receive(monotonic() + REQUEST_SECONDS)
    if message is None:
        return
    try:
        _play(read_request(message), channel)
    except RefereeError as error:
        channel.send({"kind": "failed", "why": str(error)})


def _play(request: TableRequest, channel: SeatChannel) -> None:
    folder = Path(request.folder)
    rung = choose_rung(request.sandbox)
    commands = [
        Command((HUMAN,), folder) if text == HUMAN else parse_command(text, folder)
        for text in request.commands
    ]
    setup = _make_setup(request, commands)
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def watch(seat: Seat, move: str, ms: float, state: Any) -> None:
        board = setup.config.rules.board(state)
        channel.send({"kind": "move", "seat": seat, "move": move, "ms": ms, "board": board})

    with Launcher() as launcher:
        starter = BrowserPlayerFactory(launcher, channel)
        one, two = (
            Bot(name, confine_in_place(rung, command), starter)
            for name, command in zip(request.names, commands, strict=True)
        )
        try:
            played = play_game(setup, (one, two), watch)
        finally:
            close_all([one, two])
    first, second = (hash_command(command, folder) for command in commands)
    writer = RecordWriter(
        setup.config,
        request.names,
        settings="",
        hashes=(first, second),
        sandbox=rung.name,
        host=platform.node(),
    )
    record = writer.line(setup, played, request.encounter, started).decode()
    channel.send(
        {"kind": "over", "record": record, "faults": _fault_texts(played, request, commands)}
    )


def _make_setup(request: TableRequest, commands: list[Command]) -> GameSetup:
    size = Size(request.rows, request.cols)
    variant = find_variant(request.variant)
    people = human_time_control(
        TimeControl.clock(request.human_time) if request.human_time else None
    )
    bots = TimeControl.read(request.bot_time)
    one, two = (people if command.is_human else bots for command in commands)
    play = PlaySettings(attempts=request.attempts)
    config = GameConfig(variant.name, size, variant.on(size), (one, two), play)
    return GameSetup(request.id, config, tuple(request.opening), request.seed)


def _fault_texts(played: PlayedGame, request: TableRequest, commands: list[Command]) -> list[str]:
    """Describe the faults of bots; the person saw what it did itself."""
    return [
        printable_block(fault_text(fault, request.names[fault.seat - 1]))
        for fault in played.faults
        if not commands[fault.seat - 1].is_human
    ]


if __name__ == "__main__":
    main()
