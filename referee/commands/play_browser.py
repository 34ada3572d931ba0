"""`referee play --browser`: a person plays in a browser instead of the terminal."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.bots.command import HUMAN, Command
from referee.commands.serving import hyperlink, open_browser
from referee.config.bot_command import bot_name
from referee.errors import EXIT_INTERRUPTED, InputError
from referee.game.config import GameSetup
from referee.outcome import Outcome
from referee.records.record import Record
from referee.rules import BUILT_IN, find_installed, find_variant
from referee.schedule.fixtures import Board

if TYPE_CHECKING:
    from referee.web.tables import TableSettings

MAX_TABLES = 4


class PrintedRecords:
    """Results of the games, printed as they end: one line, or the record with --json."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._number = 0

    def next_number(self) -> int:
        """Return a number for the id of the next game."""
        self._number += 1
        return self._number

    def add(self, record: Record) -> None:
        """Print a record."""
        if self._as_json:
            print(json.dumps(record), flush=True)
            return
        first, second = record["bots"]
        sentence = Outcome(tuple(record["score"]), record["reason"]).sentence((first, second))
        print(f"{sentence}, after {len(record['moves'])} plies", flush=True)

    def scoreboard(self) -> list[dict[str, Any]]:
        """Return nothing: there is one person."""
        return []

    def close(self) -> None:
        """Do nothing."""


def play_in_browser(
    arguments: argparse.Namespace, setup: GameSetup, commands: list[Command]
) -> int:
    """Open a page on which a person plays, and serve it until Ctrl-C."""
    from referee.web.app import LiveArena, Site
    from referee.web.listener import address_of, bind
    from referee.web.request_guard import Access
    from referee.web.server import serve
    from referee.web.tables import TableManager

    if arguments.transcript or arguments.hints:
        raise InputError("--browser goes without --transcript and --hints: the page shows both")
    listener = bind("127.0.0.1", arguments.port or 0)
    host, port = listener.getsockname()[:2]
    manager = TableManager(
        _settings(arguments, setup, commands), PrintedRecords(as_json=arguments.json)
    )
    selection = {
        "bot": next(iter(manager.settings.bots)),
        "variant": arguments.variant,
        "rows": setup.config.size.rows,
        "cols": setup.config.size.cols,
        "seat": 1 if commands[0].is_human else 2,
        "clock": arguments.human_time,
    }

    def start() -> None:
        table = manager.open(selection)
        address = f"{address_of(listener)}tables/{table.id}#key={table.key}"
        print(f"play at {hyperlink(address, sys.stderr)} (Ctrl-C ends it)", file=sys.stderr)
        if not arguments.no_open:
            open_browser(address)

    serve(lambda: LiveArena(Site((), Access(host, port), manager)), listener, start)
    return EXIT_INTERRUPTED


def _settings(
    arguments: argparse.Namespace, setup: GameSetup, commands: list[Command]
) -> "TableSettings":
    from referee.web.tables import TableSettings

    texts = [arguments.bot1, arguments.bot2]
    bots = {
        bot_name(command.arguments, Path.cwd()): text
        for text, command in zip(texts, commands, strict=True)
        if not command.is_human
    } or {HUMAN: HUMAN}
    times = [
        time
        for time, command in zip(setup.config.times, commands, strict=True)
        if not command.is_human
    ]
    variants = {arguments.variant: find_variant(arguments.variant)}
    variants |= {name: find_installed(name) for name in BUILT_IN}
    return TableSettings(
        bots=bots,
        folder=Path.cwd(),
        variants=variants,
        most=MAX_TABLES,
        bot_time=times[0] if times else setup.config.times[0],
        sandbox=arguments.sandbox,
        attempts=setup.config.play.attempts,
        opening=setup.opening,
        opening_board=Board(setup.config.variant, setup.config.size).name,
        seed=setup.seed if arguments.seed is not None else None,
        nickname=HUMAN,
    )
