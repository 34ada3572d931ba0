"""Tournaments for the tests of the report: records of random games, written directly."""

import json
import random
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from referee.records.manifest import Manifest
from referee.records.record import to_line
from referee.records.summary import GameSummary
from referee.rules import Size, find_variant
from referee.schedule.formats import ordered_pair
from referee.scoring.ledger import Ledger
from tests.conftest import ROOT

Record = dict[str, Any]
TICTACTOE = ROOT / "docs" / "examples" / "tictactoe.py"
BOARDS = [
    ("standoff", Size(5, 5)),
    ("barricade", Size(5, 5)),
    ("lockdown", Size(5, 6)),
    ("runner", Size(5, 5)),
    ("crossfire", Size(6, 6)),
    (str(TICTACTOE), Size(3, 3)),
]
BOTS = ["greedy", "mirror", "shaky"]


@lru_cache(maxsize=1000)
def random_game(variant: str, size: Size, seed: int) -> tuple[tuple[str, ...], Any]:
    """The moves of a random game, and its outcome."""
    rules, dice = find_variant(variant).on(size), random.Random(seed)
    state, moves = rules.start(), []
    while (outcome := rules.outcome(state)) is None:
        moves.append(dice.choice(rules.legal_moves(state)))
        state = rules.apply(state, moves[-1])
    return tuple(moves), outcome


def make_record(
    variant: str, size: Size, bots: tuple[str, str], encounter: int, seed: int, **changes: Any
) -> Record:
    """The record of a random game."""
    moves, outcome = random_game(variant, size, seed)
    name = find_variant(variant).name
    dice = random.Random(seed)
    return {
        "schema": 1,
        "id": f"{name}-{size}.{bots[0]}.{bots[1]}.{encounter}{'ab'[bots[0] > bots[1]]}",
        "variant": name,
        "rows": size.rows,
        "cols": size.cols,
        "bots": list(bots),
        "encounter": encounter,
        "opening": 2,
        "moves": list(moves),
        "ms": [None, None, *(round(dice.expovariate(0.05), 2) for _ in moves[2:])],
        "score": list(outcome.score),
        "reason": outcome.reason,
        "fault": None,
        "settings": "s",
        "hashes": ["h", "h"],
        "sandbox": "none",
        "started": f"2026-11-16T10:{seed % 60:02}:00Z",
        "clocks": ["2000ms + 50ms", "500ms per move"],
        "latency_ms": [0.1, 0.2],
        **changes,
    }


def identified(record: Record, **changes: Any) -> Record:
    """The same record with these changes, and the id that it then has."""
    record = {**record, **changes}
    one, two = record["bots"]
    board = f"{record['variant']}-{record['rows']}x{record['cols']}"
    letter = "a" if ordered_pair(one, two) == (one, two) else "b"
    return {**record, "id": f"{board}.{one}.{two}.{record['encounter']}{letter}"}


def make_faulted(record: Record, seat: int, reason: str, detail: str, plies: int) -> Record:
    """The same game, cut short by a fault."""
    return {
        **record,
        "moves": record["moves"][:plies],
        "ms": record["ms"][:plies],
        "score": [0, 1] if seat == 1 else [1, 0],
        "reason": reason,
        "fault": {"seat": seat, "reason": reason, "detail": detail},
    }


def make_tournament(encounters: int = 3) -> list[Record]:
    """Games on six boards; `shaky` talks, and crashes now and then."""
    records = []
    for encounter in range(1, encounters + 1):
        for variant, size in BOARDS:
            for one in BOTS:
                for two in BOTS:
                    if one == two:
                        continue
                    seed = len(records)
                    record = make_record(variant, size, (one, two), encounter, seed)
                    if "shaky" in record["bots"]:
                        seat = 1 + record["bots"].index("shaky")
                        plies = range(2, len(record["moves"]))
                        asked = [ply + 1 for ply in plies if ply % 2 == seat - 1]
                        record["info"] = [[ply, seat, f"thinking about {ply}"] for ply in asked]
                        if seed % 9 == 4:
                            cut = max(2, seat + 1)
                            detail = "exited with exit status 1"
                            record = make_faulted(record, seat, "crash", detail, cut)
                    records.append(record)
    return records


def play_rounds(
    manifest: Manifest, first_wins: Callable[[str, str, int], bool], rounds: int = 99
) -> list[Record]:
    """Records of rounds of a Swiss tournament or a knockout.

    `first_wins` decides a game by the bots in seat 1 and 2 and the number of the encounter.
    """
    ledger, records = Ledger(manifest), []
    for current in manifest.schedule().play(lambda: ledger.scores):
        rounds -= 1
        if rounds < 0:
            break
        for match in current.matches:
            for number in match.numbers:
                for board in manifest.boards:
                    name, _, size = board.rpartition("-")
                    for bots in (match.pair, match.pair[::-1]):
                        record = make_record(
                            name, Size(*map(int, size.split("x"))), bots, number, len(records) % 50
                        )
                        score = [1, 0] if first_wins(*bots, number) else [0, 1]
                        record = identified(record, score=score)
                        records.append(record)
                        ledger.add(GameSummary.from_record(record))
    return records


def write_tournament(folder: Path, records: Iterable[Record], **changes: Any) -> Path:
    """A tournament's folder as `referee run` leaves it, but for the tables."""
    records = list(records)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "games.jsonl").write_bytes(b"".join(map(to_line, records)))
    boards = {f"{record['variant']}-{record['rows']}x{record['cols']}": "" for record in records}
    sources = {find_variant(variant).name: variant for variant, _ in BOARDS}
    manifest = {
        "name": "Test cup",
        "bots": sorted({bot for record in records for bot in record["bots"]}),
        "boards": {board: sources.get(board.rpartition("-")[0], "none") for board in boards},
        "encounters": max(record["encounter"] for record in records),
        "games": len(records),
        "settings": {"seed": 2026, "opening_plies": 2, "env of greedy": {"TOKEN": "secret"}},
        **changes,
    }
    (folder / "tournament.json").write_text(json.dumps(manifest))
    for record in records:
        if record["fault"] and re.fullmatch(r"[^/\0\ud800-\udfff]{1,200}", record["id"]):
            (folder / "faults").mkdir(exist_ok=True)
            text = (
                f"{record['id']}: dossier\n\nshaky (seat 1) made a fault: crash\n"
                "  what happened: shaky exited\n  process:       exit status 1\n"
                "  hint:          the traceback on its standard error names the line\n"
                "  its standard error ended with:\n    | Traceback: <b>boom</b>\n\n"
                "transcript (> sent to the bot, < received from it):\n"
                "      0.10 ms  shaky > turn ply=3\n"
            )
            (folder / "faults" / f"{record['id']}.txt").write_text(text)
    return folder


def embedded(page: str) -> Any:
    """The data of a page."""
    return json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])
