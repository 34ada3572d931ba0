"""Games of visitors without a server: a game that is left alone ends."""

import asyncio
import json
from pathlib import Path
from typing import Any

from referee.protocol.time_control import TimeControl
from referee.rules import find_installed
from referee.web.tables import TableManager, TableSettings
from referee.web.visitor_records import VisitorRecords
from tests.support.processes import PATIENCE_SECONDS
from tests.web.conftest import RANDOM


def test_abandoned_game_ends_as_resigned(tmp_path: Path) -> None:
    settings = TableSettings(
        bots={"random": str(RANDOM)},
        folder=tmp_path,
        variants={"standoff": find_installed("standoff")},
        most=1,
        bot_time=TimeControl.per_move("60s"),
        sandbox="none",
        abandoned_seconds=0.0,
    )
    wish: dict[str, Any] = {"bot": "random", "variant": "standoff", "nickname": "anna", "seat": 1}

    async def leave() -> None:
        manager = TableManager(settings, VisitorRecords(tmp_path / "records", settings.bots))
        table = manager.open({**wish, "rows": 5, "cols": 5})
        async with asyncio.timeout(PATIENCE_SECONDS):
            while table.ended_at is None:
                await asyncio.sleep(0.01)
        await manager.close()

    asyncio.run(leave())
    record = json.loads((tmp_path / "records/games.jsonl").read_text())
    assert (record["reason"], record["score"]) == ("resign", [0, 1])
