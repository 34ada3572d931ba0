"""What a page needs of the records, in one pass over them: a fold that keeps little. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from referee.about import About
from referee.arena import Ledger, count_records
from referee.clock import TimeControl
from referee.errors import InputError
from referee.gist import board_of, faults_of, thought_ms
from referee.records import Record
from referee.report.packing import MoveTable, pack_times
from referee.report.selection import DEFAULT, Chosen, Packed, Selection
from referee.report.text import word
from referee.timing import TRUSTED_MS
from referee.visible import visible

EDGES_MS = [
    digit * 10.0**power for power in range(-1, 6) for digit in (1, 2, 5) if (power, digit) < (5, 5)
]
"""Between them thinking times are counted."""
UNCOUNTED = 100_000
"""Thinking times that may wait to be counted."""
COURSE_POINTS, ALL_COURSES = 100, 10_000
"""How finely the course of a bot is drawn at the most, and all courses together."""
GAME_INFO, ALL_INFO = 2_000, 300_000
"""Characters of `info` lines that are kept of a game, and in all."""
LONGEST_DETAIL = 400
BUSY = 1
"""Set in a game's flags if the referee was held up in it."""


@dataclass
class BotCourse:
    """One bot, game by game."""

    most_points: int = COURSE_POINTS
    stride: int = 1
    """Every so many games the course gets a point."""
    games: int = 0
    points: float = 0.0
    course: list[tuple[int, float]] = field(default_factory=list)

    def add(self, points: float) -> None:
        self.games += 1
        self.points += points
        if self.games % self.stride == 0:
            self.course.append((self.games, self.points))
            if len(self.course) > self.most_points:
                self.stride *= 2
                self.course = self.course[1::2]

    def whole_course(self) -> list[tuple[int, float]]:
        """With the last game, wherever the points fell."""
        rest = [] if self.games % self.stride == 0 else [(self.games, self.points)]
        return [*self.course, *rest]


class ThinkingTimes:
    """How many moves of each bot took how long. They are counted many at once, which is faster."""

    def __init__(self, bots: int) -> None:
        self._counts = np.zeros((bots, len(EDGES_MS) + 1), dtype=np.int64)
        self._bots: list[int] = []
        self._moves: list[int] = []
        """How many of the times that wait belong to each of these bots."""
        self._ms: list[float] = []

    def add(self, bot: int, thought_ms: list[float]) -> None:
        """Take in the times of one bot in one game."""
        self._bots.append(bot)
        self._moves.append(len(thought_ms))
        self._ms += thought_ms
        if len(self._ms) > UNCOUNTED:
            self._count()

    def _count(self) -> None:
        places = np.searchsorted(EDGES_MS, self._ms, side="right")
        bots = np.repeat(np.array(self._bots, dtype=np.int64), self._moves)
        np.add.at(self._counts, (bots, places), 1)
        self._bots, self._moves, self._ms = [], [], []

    def of(self, bot: int) -> list[int]:
        """How many moves took less than the first edge, between two of them, above the last."""
        self._count()
        return list(map(int, self._counts[bot]))


class Words:
    """A list of texts in which each stands once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, text: object) -> int:
        shown = word(text)
        if shown not in self._places:
            self._places[shown] = len(self.texts)
            self.texts.append(shown)
        return self._places[shown]


class Gathered:
    """The records of a tournament, as far as its page needs them."""

    def __init__(
        self,
        bots: Iterable[str],
        withdrawn: Iterable[str],
        total: int,
        selection: Selection = DEFAULT,
    ) -> None:
        """`total` is how many records there will be."""
        self.total = total
        names = list(bots)
        points = min(COURSE_POINTS, max(10, ALL_COURSES // max(1, len(names))))
        self.courses = {bot: BotCourse(points) for bot in names}
        self._times = ThinkingTimes(len(names))
        self.first: str | None = None
        self.last: str | None = None
        self.moves: defaultdict[str, MoveTable] = defaultdict(MoveTable)
        self.reasons = Words()
        self.clocks = Words()
        self._numbers = {bot: number for number, bot in enumerate(self.courses)}
        self._boards: dict[str, int] = {}
        self._gone = set(withdrawn)
        self._chosen = Chosen(selection, total)
        self._seen = 0

    @property
    def boards(self) -> list[str]:
        """In the order of the numbers in the rows."""
        return list(self._boards)

    @property
    def has_games(self) -> bool:
        return bool(self._chosen)

    def games(self) -> list[Packed]:
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

    def add(self, record: Record) -> None:
        """Take in one game."""
        self._add_course(record)
        started = record.get("started")
        if isinstance(started, str):
            self.first = min(self.first or started, started)
            self.last = max(self.last or started, started)
        faults = faults_of(record)
        if self._chosen.wants(self._seen, record["id"], bool(faults)):
            self._chosen.add(self._pack(record, faults), bool(faults))
        self._seen += 1

    def _add_course(self, record: Record) -> None:
        one, two = record["bots"]
        for bot, points, spent in zip((one, two), record["score"], thought_ms(record), strict=True):
            # Games with a withdrawn bot count for nobody else.
            if not self._gone or bot in self._gone or self._gone.isdisjoint((one, two)):
                self.courses[bot].add(points)
            self._times.add(self._numbers[bot], spent)

    def times(self, bot: str) -> list[int]:
        """How many of a bot's moves took how long, between the edges."""
        return self._times.of(self._numbers[bot])

    def _pack(self, record: Record, faults: Sequence[dict[str, Any]]) -> Packed:
        board = board_of(record)
        one, two = record["bots"]
        id = record["id"]
        tail = id.rpartition(".")[2]
        # An id repeats what else is known of the game, but for its last part.
        short = tail if id == f"{board}.{one}.{two}.{tail}" else f"={visible(id, 200)}"
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
        return Packed(self._seen, id, row, _extras(record, faults))


def gather(
    ledger: Ledger, records: Iterable[Record], total: int, selection: Selection = DEFAULT
) -> Gathered:
    """Take in all records, of which there are so many."""
    gathered = Gathered(ledger.about.bots, ledger.withdrawn, total, selection)
    for record in records:
        gathered.add(record)
    return gathered


def count_and_gather(
    about: About,
    read: Callable[[], Iterable[Record]],
    total: int,
    selection: Selection = DEFAULT,
) -> tuple[Ledger, Gathered]:
    """All that tables and report need of the records, which are read once."""
    ledger = Ledger(about)
    gathered = gather(ledger, count_records(ledger, read()), total, selection)
    if ledger.withdrawn:
        # Their games count for nobody, and who they are is known only now.
        gathered = gather(ledger, read(), total, selection)
    return ledger, gathered


def _extras(record: Record, faults: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What only some games have."""
    extras: dict[str, Any] = {}
    if faults:
        extras["faults"] = [
            [
                fault["seat"],
                word(fault["reason"]),
                visible(str(fault["detail"]), LONGEST_DETAIL),
            ]
            for fault in faults
        ]
    room, kept = GAME_INFO, []
    said = [entry for entry in record.get("info", ()) if len(entry) == 3]
    for ply, seat, text in said:
        shown = visible(str(text), LONGEST_DETAIL)
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
