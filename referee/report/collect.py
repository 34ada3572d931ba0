"""What a page needs of the records, in one pass over them: a fold that keeps little. Pure."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.errors import InputError
from referee.protocol.time_control import TimeControl
from referee.records.columnar import ColumnarList
from referee.records.games_file import Game, GamesFile
from referee.records.manifest import Manifest
from referee.records.record import Record
from referee.records.summary import GameSummary, board_of, faults_of
from referee.report.encoding import MoveTable, pack_times
from referee.report.selection import DEFAULT, EncodedGame, GameSelection, Selection
from referee.scoring.ledger import Ledger
from referee.scoring.schedule_checks import check_schedule
from referee.scoring.timing import TRUSTED_MS
from referee.text import printable, short_label

EDGES_MS = [
    digit * 10.0**power for power in range(-1, 6) for digit in (1, 2, 5) if (power, digit) < (5, 5)
]
"""Between them thinking times are counted."""
UNCOUNTED = 100_000
"""Thinking times that may wait to be counted."""
GAME_INFO, ALL_INFO = 2_000, 300_000
"""Characters of `info` lines that are kept of a game, and in all."""
MAX_DETAIL_LENGTH = 400
BUSY = 1
"""Set in a game's flags if the referee was held up in it."""

Counts = NDArray[np.int64]


class ThinkingTimes:
    """How many moves of each bot took how long. They are counted many at once, which is faster."""

    def __init__(self, bots: int) -> None:
        self.counts = np.zeros((bots, len(EDGES_MS) + 1), dtype=np.int64)
        """For each bot the moves below the first edge, between two of them, above the last."""
        self._movers = array("q")
        self._moves = array("q")
        """Whose times wait: who was asked first and who then, and how often in all."""
        self._ms = array("d")

    def add(self, one: int, two: int, thought_ms: list[float]) -> None:
        """Take in the times of a game in which these two took turns."""
        self._movers.append(one)
        self._movers.append(two)
        self._moves.append(len(thought_ms))
        self._ms.extend(thought_ms)
        if len(self._ms) > UNCOUNTED:
            self.count()

    def count(self) -> None:
        """Count what waits."""
        moves = np.asarray(self._moves)
        begins = np.repeat(np.cumsum(moves) - moves, moves)
        games, turns = np.repeat(np.arange(len(moves)), moves), np.arange(len(begins)) - begins
        bots = np.asarray(self._movers)[2 * games + turns % 2]
        places = bots * self.counts.shape[1] + np.searchsorted(EDGES_MS, self._ms, side="right")
        self.counts += np.bincount(places, minlength=self.counts.size).reshape(self.counts.shape)
        self._movers, self._moves, self._ms = array("q"), array("q"), array("d")


class StringTable:
    """A list of texts in which each stands once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, text: object) -> int:
        shown = short_label(text)
        if shown not in self._places:
            self._places[shown] = len(self.texts)
            self.texts.append(shown)
        return self._places[shown]


@dataclass
class PartialCollection:
    """What a page needs of some games that follow each other."""

    thinking: Counts
    first: str | None
    """When the first of them began, and the last."""
    last: str | None
    wanted: list[tuple[int, Record]]
    """Those that may be on the page, and how many games there are before each."""


class ReportGames:
    """The games of a tournament, as far as its page needs them."""

    def __init__(self, bots: Iterable[str], total: int, selection: Selection = DEFAULT) -> None:
        """`total` is how many games there will be."""
        self.total = total
        self._numbers = {bot: number for number, bot in enumerate(bots)}
        self._thinking: Counts = ThinkingTimes(len(self._numbers)).counts
        self.first: str | None = None
        self.last: str | None = None
        self.moves: defaultdict[str, MoveTable] = defaultdict(MoveTable)
        self.reasons = StringTable()
        self.clocks = StringTable()
        self._boards: dict[str, int] = {}
        self._chosen = GameSelection(selection, total)

    @property
    def boards(self) -> list[str]:
        """In the order of the numbers in the rows."""
        return list(self._boards)

    @property
    def has_games(self) -> bool:
        return bool(self._chosen)

    def games(self) -> list[EncodedGame]:
        """Those of the page, in order; the newest have their `info` lines while there is room."""
        games = list(self._chosen.games())
        room = ALL_INFO
        for game in sorted(games, key=lambda game: ("faults" in game.extras, game.number))[::-1]:
            said = game.extras.get("info", [])
            room -= sum(len(text) for _, _, text in said)
            if said and room < 0:
                game.extras["info_left_out"] = game.extras.get("info_left_out", 0) + len(said)
                del game.extras["info"]
        return games

    def excerpt(self, number: int, games: Iterable[Game]) -> PartialCollection:
        """What is needed of games that have so many before them; nothing is taken in yet."""
        numbers, wants = self._numbers, self._chosen.wants
        thinking = ThinkingTimes(len(numbers))
        starts: list[str] = []
        wanted: list[tuple[int, Record]] = []
        for place, (record, summary) in enumerate(games, start=number):
            one, two = summary.bots
            opening = record["opening"]
            movers = (two, one) if opening % 2 else (one, two)
            thinking.add(numbers[movers[0]], numbers[movers[1]], record["ms"][opening:])
            started = record.get("started")
            if isinstance(started, str):
                starts.append(started)
            if wants(place, summary.id, bool(summary.faults)):
                wanted.append((place, record))
        thinking.count()
        first, last = min(starts, default=None), max(starts, default=None)
        return PartialCollection(thinking.counts, first, last, wanted)

    def add(self, excerpt: PartialCollection) -> None:
        """Take in games, in their order."""
        self._thinking += excerpt.thinking
        self.first = min(filter(None, (self.first, excerpt.first)), default=None)
        self.last = max(filter(None, (self.last, excerpt.last)), default=None)
        for number, record in excerpt.wanted:
            faults = faults_of(record)
            self._chosen.add(self._pack(number, record, faults), bool(faults))

    def times(self, bot: str) -> list[int]:
        """How many of a bot's moves took how long, between the edges."""
        return list(map(int, self._thinking[self._numbers[bot]]))

    def _pack(self, number: int, record: Record, faults: Sequence[dict[str, Any]]) -> EncodedGame:
        board = board_of(record)
        one, two = record["bots"]
        id = record["id"]
        tail = id.rpartition(".")[2]
        # An id repeats what else is known of the game, but for its last part.
        short = tail if id == f"{board}.{one}.{two}.{tail}" else f"={printable(id, 200)}"
        _, longest = record.get("latency_ms", (0.0, 0.0))
        row = [
            self._boards.setdefault(board, len(self._boards)),
            self._numbers[one],
            self._numbers[two],
            short,
            record["opening"],
            self.moves[board].pack(map(str, record["moves"])),
            pack_times(record["ms"]),
            *record["score"],
            self.reasons.place(record["reason"]),
            _seconds(record.get("started")),
            *map(self.clocks.place, record.get("clocks", ["", ""])),
            BUSY if longest > TRUSTED_MS else 0,
        ]
        return EncodedGame(number, id, row, _extras(record, faults))


def gather(manifest: Manifest, games: GamesFile, selection: Selection = DEFAULT) -> ReportGames:
    """What the page needs of all games."""
    gathered = ReportGames(manifest.bots, games.total, selection)
    games.read(manifest, gathered.excerpt, gathered.add)
    return gathered


def count_and_gather(
    manifest: Manifest, games: GamesFile, selection: Selection = DEFAULT
) -> tuple[Ledger, ReportGames]:
    """All that tables and report need of the games, which are read once."""
    ledger, gathered = Ledger(manifest), ReportGames(manifest.bots, games.total, selection)

    def take(
        number: int, some: Iterable[Game]
    ) -> tuple[ColumnarList[GameSummary], PartialCollection]:
        gists: ColumnarList[GameSummary] = ColumnarList()
        excerpt = gathered.excerpt(number, _noting(some, gists))
        return gists, excerpt

    def add(taken: tuple[ColumnarList[GameSummary], PartialCollection]) -> None:
        gists, excerpt = taken
        ledger.add_all(gists, games)
        gathered.add(excerpt)

    games.read(manifest, take, add)
    check_schedule(ledger, games)
    return ledger, gathered


def _noting(games: Iterable[Game], gists: ColumnarList[GameSummary]) -> Iterator[Game]:
    """The same games; their gists are kept on the way."""
    for game in games:
        gists.append(game[1])
        yield game


def _extras(record: Record, faults: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What only some games have."""
    extras: dict[str, Any] = {}
    if faults:
        extras["faults"] = [
            [
                fault["seat"],
                short_label(fault["reason"]),
                printable(str(fault["detail"]), MAX_DETAIL_LENGTH),
            ]
            for fault in faults
        ]
    room, kept = GAME_INFO, []
    said = [entry for entry in record.get("info", ()) if len(entry) == 3]
    for ply, seat, text in said:
        shown = printable(str(text), MAX_DETAIL_LENGTH)
        room -= len(shown)
        if room < 0:
            break
        kept.append([ply, seat, shown])
    if kept:
        extras["info"] = kept
    if len(kept) < len(said):
        extras["info_left_out"] = len(said) - len(kept)
    return extras


def _seconds(started: object) -> int | None:
    """A record's time as a number, which is shorter."""
    try:
        return int(datetime.fromisoformat(str(started)).replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        return None


def clock_numbers(text: str) -> list[int | None]:
    """Main time, increment and time per move in milliseconds, from a record's words."""
    try:
        time = TimeControl.read(text)
    except InputError:
        time = TimeControl()
    return [time.main_ms, time.increment_ms, time.move_ms]
