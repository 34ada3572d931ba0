"""`referee turn`: the exact lines that were sent to a bot."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee.bots.bot import Bot, close_all
from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.commands.turn import sent_lines
from referee.errors import InputError
from referee.game.config import GameConfig, GameSetup
from referee.game.loop import play_game
from referee.protocol.time_control import TimeControl
from referee.records.record import RecordWriter, make_record, to_line
from referee.rules import BUILT_IN, find_variant
from tests.conftest import ROOT, Referee


def recorded_game(
    variant: str, time: TimeControl, *behaviour: str
) -> tuple[dict, dict[int, list[str]]]:
    """Return the record of a game, and the lines that were sent to each seat."""
    game = find_variant(variant)
    opening = tuple(game.on().legal_moves(game.on().start())[:1])
    setup = GameSetup("g", GameConfig(variant, game.size, game.on(), (time, time)), opening, seed=5)
    script = str(ROOT / "tests" / "support" / "scripted_bot.py")
    honest = Command((sys.executable, "-S", str(ROOT / "bots" / "random_bot.py")), ROOT)
    scripted = Command((sys.executable, "-S", script, *behaviour), ROOT)
    with Launcher() as launcher:
        bots = Bot("one", honest, launcher), Bot("two", scripted, launcher)
        played = play_game(setup, bots)
        close_all(list(bots))
    provenance = {"settings": "", "hashes": ("", ""), "sandbox": "none", "host": ""}
    writer = RecordWriter(setup.config, ("one", "two"), **provenance)
    record = make_record(writer, setup, played, started="")
    sent: dict[int, list[str]] = {1: [], 2: []}
    for entry in played.transcript.entries:
        if entry.sent and entry.line.startswith((b"game", b"turn")):
            sent[entry.seat].append(entry.line.decode())
    return json.loads(to_line(record)), sent


@pytest.mark.parametrize("clock", ["60s + 1s", "60s", "none"])
@pytest.mark.parametrize("variant", BUILT_IN)
def test_turn_prints_the_lines_that_were_sent(variant: str, clock: str) -> None:
    """Every turn of a game, clocks included."""
    record, sent = recorded_game(variant, TimeControl.clock(clock), "never", "nothing")
    rules = find_variant(variant).on()
    for ply in range(2, len(record["moves"]) + 1):
        seat = 2 - ply % 2
        lines = sent_lines(record, rules, ply)
        assert lines == sent[seat][: len(lines)]
        assert lines[-1].startswith(f"turn ply={ply} ")


def test_turn_prints_the_turn_of_a_fault() -> None:
    """The bot did not answer it."""
    record, sent = recorded_game("standoff", TimeControl.per_move("60s"), "turn", "raise")
    rules = find_variant("standoff").on()
    assert record["moves"] == ["1,1"]
    assert sent_lines(record, rules, 2) == sent[2]
    with pytest.raises(InputError, match="the last one a bot was asked for is 2"):
        sent_lines(record, rules, 3)
    with pytest.raises(InputError, match="ply 1 was an opening move"):
        sent_lines(record, rules, 1)
    with pytest.raises(InputError, match="there is no ply 0: the first one is 1"):
        sent_lines(record, rules, 0)


def test_turn_lines_reproduce_the_move_of_a_deterministic_bot(
    referee: Referee, tmp_path: Path
) -> None:
    """Through a pipe."""
    record, _ = recorded_game("runner", TimeControl.per_move("60s"), "never", "nothing")
    folder = tmp_path / "cup"
    folder.mkdir()
    id = record["id"] = "runner-5x5.one.two.1a"
    (folder / "games.jsonl").write_bytes(to_line(record))
    printed = referee("turn", "cup", id, "3").stdout
    assert printed.count("\n") == 2
    assert referee("turn", "cup", id, "5", "--all").stdout.count("\n") == 3
    bot = [sys.executable, str(ROOT / "bots" / "random_bot.py")]

    answer = subprocess.run(bot, input=printed, capture_output=True, text=True).stdout
    assert answer == f"ready\nmove {record['moves'][2]}\n"
    assert "there is no game 'x'" in referee.refuse("turn", "cup", "x", "3")
    assert "there are no games in" in referee.refuse("turn", "nowhere", "g", "3")
    (folder / "games.jsonl").write_bytes(
        to_line({**record, "moves": ["9,9", *record["moves"][1:]]})
    )
    assert "move 1 (9,9) is not legal" in referee.refuse("turn", "cup", id, "3")
    del record["seed"]
    (folder / "games.jsonl").write_bytes(to_line(record))
    assert "its record has no seed" in referee.refuse("turn", "cup", id, "3")
