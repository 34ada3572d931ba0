"""A tournament whose games are analysed: random games on small boards."""

from pathlib import Path

from referee.records.analysis_file import FILE, StoredAnalysis, read_line
from referee.rules import Size
from tests.conftest import Referee
from tests.support.report_games import Record, make_record, write_tournament

NAMES = ("ann", "bob")
BOARDS = [
    ("standoff", Size(4, 4)),
    ("barricade", Size(3, 4)),
    ("lockdown", Size(4, 5)),
    ("runner", Size(4, 4)),
    ("crossfire", Size(4, 4)),
]


def games(count: int = 4) -> list[Record]:
    """Random games of each variant."""
    return [
        make_record(name, size, bots, encounter, 10 * encounter + len(name) + place)
        for name, size in BOARDS
        for encounter in range(1, count + 1)
        for place, bots in enumerate((NAMES, NAMES[::-1]))
    ]


def write_analysed(folder: Path, *words: str) -> Path:
    """A results folder with an analysis of all its games."""
    write_tournament(folder, games())
    result = Referee(folder)("analyse", ".", "--quiet", "--workers", "1", *words)
    assert result.returncode == 0, result.stderr
    return folder


def read_analyses(folder: Path) -> list[StoredAnalysis]:
    """The analyses of a folder."""
    return [read_line(line) for line in (folder / FILE).read_bytes().splitlines(keepends=True)]


def errors_by_game(folder: Path) -> dict[str, list[int]]:
    """The indexes of the moves that gave a win away, by the id of the game."""
    records = {record["id"]: record for record in games()}
    return {
        stored.id: stored.analysis.errors(records[stored.id]["moves"], 2)
        for stored in read_analyses(folder)
    }
