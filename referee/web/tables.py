"""All games of visitors: requests, limits and records. Runs in the event loop."""

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from referee.bots.command import HUMAN
from referee.config.bot_command import NAME
from referee.errors import InputError
from referee.protocol.time_control import TimeControl
from referee.records.record import Record
from referee.rules import Size, Variant
from referee.schedule.fixtures import Board, fixture_id
from referee.schedule.formats import ordered_pair
from referee.text import printable
from referee.web.table import TableRefused
from referee.web.table_process import TableRequest
from referee.web.visitor_table import VisitorTable

KEPT_SECONDS = 600.0
"""How long a finished game can still be opened."""
MAX_FINISHED = 100
ABANDONED_SECONDS = 60.0
"""A game without viewers ends after this time."""
SELECTION_KEYS = ("bot", "variant", "rows", "cols", "seat", "clock", "nickname")
"""What a visitor chooses."""


@dataclass(frozen=True)
class TableSettings:
    """Bots and limits that the server offers to visitors."""

    bots: Mapping[str, str]
    """Command lines by name."""
    folder: Path
    """Where they are run."""
    variants: Mapping[str, Variant]
    """The games, by the name or path that a request uses."""
    most: int
    """Games at the same time."""
    bot_time: TimeControl
    sandbox: str
    abandoned_seconds: float = ABANDONED_SECONDS
    attempts: int = 1
    opening: tuple[str, ...] = ()
    opening_board: str = ""
    """The board of these moves; games on other boards have no opening."""
    seed: int | None = None
    nickname: str | None = None
    """The name of the only person, who plays on this machine; None if visitors choose names."""


class RecordSink(Protocol):
    """Receiver of the records of the games."""

    def next_number(self) -> int:
        """Return a number for the id of the next game."""

    def add(self, record: Record) -> None:
        """Keep a record."""

    def scoreboard(self) -> list[dict[str, Any]]:
        """Return the results of people."""

    def close(self) -> None:
        """Release what the sink uses."""


class TableManager:
    """All games of visitors, and the seat of a tournament if a person plays in one."""

    def __init__(self, settings: TableSettings, records: RecordSink) -> None:
        self.settings = settings
        self.records = records
        self.tables: dict[str, VisitorTable] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._processes = asyncio.Semaphore(settings.most)

    @property
    def running(self) -> list[VisitorTable]:
        """The games that are being played."""
        return [table for table in self.tables.values() if not table.is_over]

    def offers(self) -> dict[str, Any]:
        """Return what a visitor can choose."""
        settings = self.settings
        return {
            "bots": list(settings.bots),
            "variants": [
                {"name": name, "rows": found.size.rows, "cols": found.size.cols}
                | {"summary": found.summary}
                for name, found in settings.variants.items()
            ],
            "tables": settings.most,
            "nickname": settings.nickname,
            "running": [{"id": table.id, "bots": list(table.names)} for table in self.running],
        }

    def open(self, selection: Mapping[str, Any]) -> VisitorTable:
        """Start a game; TableRefused if the request is wrong or all tables are taken."""
        settings = self.settings
        request = self._make_request(selection)
        if len(self.running) >= settings.most:
            why = f"all {settings.most} tables are taken: try again in a minute"
            raise TableRefused(why, HTTPStatus.SERVICE_UNAVAILABLE)
        self._forget_old()
        variant = settings.variants[request.variant]
        table = VisitorTable(request, settings.abandoned_seconds, variant)
        table.on_record = self.records.add
        table.selection = {name: selection.get(name) for name in SELECTION_KEYS}
        self.tables[request.id] = table
        task = asyncio.get_running_loop().create_task(self._play(table))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return table

    async def _play(self, table: VisitorTable) -> None:
        """Play a game when the process of an earlier one at its table has ended."""
        async with self._processes:
            await table.play()

    def _make_request(self, selection: Mapping[str, Any]) -> TableRequest:
        settings = self.settings
        try:
            bot, variant = str(selection["bot"]), str(selection["variant"])
            nickname, seat = settings.nickname or str(selection["nickname"]), int(selection["seat"])
            size = Size(int(selection["rows"]), int(selection["cols"]))
        except (KeyError, TypeError, ValueError) as error:
            raise TableRefused(f"the request is not complete: {error}") from error
        clock = None if selection.get("clock") is None else str(selection["clock"])
        self._check(bot, variant, nickname, seat)
        try:
            found = settings.variants[variant]
            found.on(size)
            if clock is not None:
                TimeControl.clock(clock)
        except InputError as error:
            raise TableRefused(str(error)) from error
        names, commands = (nickname, bot), (HUMAN, settings.bots[bot])
        if nickname == bot:  # a person against another at the same screen
            names = f"{nickname}-1", f"{bot}-2"
        if seat == 2:
            names, commands = names[::-1], commands[::-1]
        encounter = self.records.next_number()
        board = Board(found.name, size).name
        letter = "a" if ordered_pair(*names)[0] == names[0] else "b"
        return TableRequest(
            id=fixture_id(board, *names, encounter, letter),
            encounter=encounter,
            variant=variant,
            rows=size.rows,
            cols=size.cols,
            names=names,
            commands=commands,
            folder=str(settings.folder),
            bot_time=str(settings.bot_time),
            human_time=clock,
            seed=secrets.randbelow(2**31) if settings.seed is None else settings.seed,
            sandbox=settings.sandbox,
            attempts=settings.attempts,
            opening=settings.opening if board == settings.opening_board else (),
        )

    def _check(self, bot: str, variant: str, nickname: str, seat: int) -> None:
        """Raise TableRefused if a part of a request is not offered."""
        settings = self.settings
        if bot not in settings.bots:
            raise TableRefused(f"there is no bot {printable(bot, 40)}")
        if variant not in settings.variants:
            raise TableRefused(f"there is no game {printable(variant, 40)}")
        if seat not in (1, 2):
            raise TableRefused("the seat is 1 or 2")
        if nickname == settings.nickname:
            return
        if not NAME.fullmatch(nickname):
            raise TableRefused("a nickname has 1 to 32 letters, digits, - and _")
        if nickname.lower() in {name.lower() for name in settings.bots} | {HUMAN}:
            raise TableRefused(f"{nickname} is the name of a bot: choose another nickname")

    def _forget_old(self) -> None:
        """Remove finished games, the oldest first."""
        ended = [table for table in self.tables.values() if table.ended_at is not None]
        for number, table in enumerate(ended):
            assert table.ended_at is not None
            is_old = monotonic() - table.ended_at > KEPT_SECONDS
            if is_old or number < len(ended) - MAX_FINISHED:
                del self.tables[table.id]

    def close_streams(self) -> None:
        """End the streams of all viewers."""
        for table in self.tables.values():
            table.hub.close()

    async def close(self) -> None:
        """Stop all games; their bots end with their processes."""
        for task in list(self._tasks):
            task.cancel()
        for task in list(self._tasks):
            with suppress(asyncio.CancelledError):
                await task
        self.records.close()
