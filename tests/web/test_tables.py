"""Games of visitors without a server: a game that is left alone ends."""

import asyncio
import json
from pathlib import Path

from referee.protocol.time_control import TimeControl
from referee.rules import find_installed
from referee.web.tables import TableManager, TableSettings
from referee.web.visitor_records import VisitorRecords
from tests.support.processes import PATIENCE_SECONDS
from tests.web.conftest import RANDOM

SELECTION = {
    "bot": "random",
    "variant": "standoff",
    "nickname": "anna",
    "seat": 1,
    "rows": 5,
    "cols": 5,
}


def one_table(folder: Path) -> TableSettings:
    """One table, whose games end as abandoned at once."""
    return TableSettings(
        bots={"random": str(RANDOM)},
        folder=folder,
        variants={"standoff": find_installed("standoff")},
        most=1,
        bot_time=TimeControl.per_move("60s"),
        sandbox="none",
        abandoned_seconds=0.0,
    )


def test_abandoned_game_ends_as_resigned(tmp_path: Path) -> None:
    settings = one_table(tmp_path)

    async def leave() -> None:
        manager = TableManager(settings, VisitorRecords(tmp_path / "records", settings.bots))
        table = manager.open(SELECTION)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while table.ended_at is None:
                await asyncio.sleep(0.01)
        await manager.close()

    asyncio.run(leave())
    record = json.loads((tmp_path / "records/games.jsonl").read_text())
    assert (record["reason"], record["score"]) == ("resign", [0, 1])


def test_table_is_free_when_its_game_is_over(tmp_path: Path) -> None:
    """Its process may take a moment to end; the next game waits for that, and is not refused."""
    settings = one_table(tmp_path)

    async def play_twice() -> None:
        manager = TableManager(settings, VisitorRecords(tmp_path / "records", settings.bots))
        async with asyncio.timeout(PATIENCE_SECONDS):
            for _ in range(2):
                table = manager.open(SELECTION)
                while not table.is_over:
                    await asyncio.sleep(0)
            while table.ended_at is None:
                await asyncio.sleep(0.01)
        await manager.close()

    asyncio.run(play_twice())
    assert len((tmp_path / "records/games.jsonl").read_text().splitlines()) == 2
