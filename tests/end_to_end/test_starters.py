"""Starter bots in `referee check` and in a tournament of every variant."""

import json
import shlex
from pathlib import Path

import pytest

from referee.commands.new import LANGUAGES
from referee.rules import BUILT_IN
from tests.conftest import Referee
from tests.support.starters import build_starter


@pytest.mark.parametrize("name", LANGUAGES)
def test_starter_passes_the_check(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No step fails; on a busy machine the clock of 100 ms may be a warning."""
    starter = build_starter(name, tmp_path_factory)
    result = Referee(starter.folder)(
        "check", starter.language.command, "--json", "--timeout", "30s"
    )
    report = json.loads(result.stdout)
    failed = [step for step in report["steps"] if step["status"] in ("failed", "skipped")]
    assert failed == []
    assert result.returncode == 0


def test_starters_play_a_tournament_in_every_variant(
    referee: Referee, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Built by the tournament from their folders; no bot commits a fault."""
    bots = []
    for name in LANGUAGES:
        starter = build_starter(name, tmp_path_factory)
        entry = {"name": starter.language.folder, "dir": str(starter.folder)}
        entry["command"] = shlex.split(starter.language.command)
        if starter.language.build:
            entry["build"] = shlex.split(starter.language.build)
        bots.append(entry)
    cup = {"variants": list(BUILT_IN), "encounters": 1, "per_move": "60s", "startup": "60s"}
    cup |= {"format": "swiss", "rounds": 2, "sandbox": "none", "bots": bots}
    (tmp_path / "cup.yaml").write_text(json.dumps(cup))
    result = referee("run", "cup.yaml", "--quiet")
    assert result.returncode == 0, result.stderr
    games = (tmp_path / "results/cup/games.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in games]
    assert [record["id"] for record in records if record["fault"]] == []
    played = {(bot, record["variant"]) for record in records for bot in record["bots"]}
    assert played == {(bot["name"], variant) for bot in bots for variant in BUILT_IN}
