"""Data of the page, collected from the records in one pass and in bounded memory. Pure."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.analysis.bot_summary import AnalysedGame, BotSummary, summarise
from referee.errors import InputError
from referee.protocol.info_values import read_values
from referee.protocol.time_control import TimeControl
from referee.records.columnar import ColumnarList
from referee.records.games_file import GamesFile, RecordedGame
from referee.records.manifest import Manifest
from referee.records.record import Record
from referee.records.summary import GameSummary, board_of, faults_of
from referee.report.analyses import GameAnalyses, limit_analyses
from referee.report.encoding import MoveTable, pack_times
from referee.report.number_history import GameMean, NumberHistories, game_means, parse_values
from referee.report.selection import DEFAULT, EncodedGame, GameSelection, Selection
from referee.scoring.ledger import Ledger
from referee.scoring.schedule_checks import check_schedule
from referee.scoring.timing import TRUSTED_MS
from referee.text import printable, short_label

EDGES_MS = [
    digit * 10.0**power for power in range(-1, 6) for digit in (1, 2, 5) if (power, digit) < (5, 5)
]
"""Edges of the histogram of thinking times."""
MAX_BUFFERED = 100_000
"""Size of the buffer of thinking times that are not counted yet."""
GAME_INFO, ALL_INFO = 2_000, 300_000
"""Maximum characters of `info` lines per game, and in total."""
GAME_VALUES, ALL_VALUES = 4_000, 300_000
"""The same for lines that are tags and numbers."""
MAX_TAGS, MAX_GAME_TAGS = 200, 20
"""Maximum tags to filter by, in total and of one game."""
MAX_DETAIL_LENGTH = 400
BUSY = 1
"""Flag of a game in which the latency of the referee exceeded TRUSTED_MS."""

IntArray = NDArray[np.int64]


class ThinkingTimes:
    """Histogram of the thinking times of each bot. Times are buffered and counted in bulk."""

    def __init__(self, bots: int) -> None:
        self.counts = np.zeros((bots, len(EDGES_MS) + 1), dtype=np.int64)
        """For each bot: moves below the first edge, between two edges, above the last edge."""
        self._movers = array("q")
        self._moves = array("q")
        """Of each buffered game: the bots that moved first and second, and the number of moves."""
        self._ms = array("d")

    def add(self, one: int, two: int, thought_ms: list[float]) -> None:
        """Buffer the times of a game in which bots `one` and `two` took turns."""
        self._movers.append(one)
        self._movers.append(two)
        self._moves.append(len(thought_ms))
        self._ms.extend(thought_ms)
        if len(self._ms) > MAX_BUFFERED:
            self.count()

    def count(self) -> None:
        """Count the buffered times and clear the buffer."""
        moves = np.asarray(self._moves)
        begins = np.repeat(np.cumsum(moves) - moves, moves)
        games, turns = np.repeat(np.arange(len(moves)), moves), np.arange(len(begins)) - begins
        bots = np.asarray(self._movers)[2 * games + turns % 2]
        places = bots * self.counts.shape[1] + np.searchsorted(EDGES_MS, self._ms, side="right")
        self.counts += np.bincount(places, minlength=self.counts.size).reshape(self.counts.shape)
        self._movers, self._moves, self._ms = array("q"), array("q"), array("d")


class StringTable:
    """A list of distinct texts, addressed by index."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def has_room(self, text: object, most: int) -> bool:
        """Return whether a text is there, or can be added without exceeding a maximum."""
        return len(self.texts) < most or short_label(text) in self._places

    def place(self, text: object) -> int:
        """Return the index of a text, adding it if it is new."""
        shown = short_label(text)
        if shown not in self._places:
            self._places[shown] = len(self.texts)
            self.texts.append(shown)
        return self._places[shown]


@dataclass
class PartialCollection:
    """Data of the page from some consecutive games."""

    thinking: IntArray
    first: str | None
    """The earliest and the latest start time."""
    last: str | None
    numbers: list[GameMean]
    """Means of numbers of the bots."""
    wanted: list[tuple[int, Record]]
    """The games that the page may contain, each with its index in the file."""
    errors: list[BotSummary]
    """Errors of the bots in analysed games."""


class ReportGames:
    """The games of a tournament, reduced to what the page needs."""

    def __init__(
        self,
        bots: Iterable[str],
        total: int,
        selection: Selection = DEFAULT,
        analyses: GameAnalyses | None = None,
    ) -> None:
        """Start with no games; `total` is the number of games in the file."""
        self.total = total
        self.analyses = analyses or GameAnalyses()
        self._numbers = {bot: number for number, bot in enumerate(bots)}
        self._thinking: IntArray = ThinkingTimes(len(self._numbers)).counts
        self.first: str | None = None
        self.last: str | None = None
        self.moves: defaultdict[str, MoveTable] = defaultdict(MoveTable)
        self.reasons = StringTable()
        self.clocks = StringTable()
        self.tags = StringTable()
        self.numbers = NumberHistories()
        self._boards: dict[str, int] = {}
        self._chosen = GameSelection(selection, total)

    @property
    def boards(self) -> list[str]:
        """The boards, in the order of their indices in the rows."""
        return list(self._boards)

    @property
    def has_games(self) -> bool:
        """Whether the page contains at least one game."""
        return bool(self._chosen)

    def games(self) -> list[EncodedGame]:
        """Return the games of the page, in order; only the newest keep their `info` lines."""
        games = list(self._chosen.games())
        newest = sorted(games, key=lambda game: ("faults" in game.extras, game.number))[::-1]
        for key, room in (("info", ALL_INFO), ("values", ALL_VALUES)):
            for game in newest:
                lines = game.extras.get(key, [])
                room -= sum(len(str(line[2])) for line in lines)
                if lines and room < 0:
                    game.extras["info_left_out"] = game.extras.get("info_left_out", 0) + len(lines)
                    del game.extras[key]
        limit_analyses(games)
        return games

    def extract(self, number: int, games: Iterable[RecordedGame]) -> PartialCollection:
        """Reduce games, the first of which has index `number`; this object does not change."""
        numbers, may_select = self._numbers, self._chosen.may_select
        thinking = ThinkingTimes(len(numbers))
        starts: list[str] = []
        means: list[GameMean] = []
        wanted: list[tuple[int, Record]] = []
        analysed: list[AnalysedGame] = []
        for place, (record, summary) in enumerate(games, start=number):
            one, two = summary.bots
            opening = record["opening"]
            movers = (two, one) if opening % 2 else (one, two)
            thinking.add(numbers[movers[0]], numbers[movers[1]], record["ms"][opening:])
            started = record.get("started")
            if isinstance(started, str):
                starts.append(started)
            if "info" in record and (lines := parse_values(record["info"])):
                means += game_means(lines, (numbers[one], numbers[two]))
            analysed += self.analyses.find(record)
            if may_select(place, summary.id, bool(summary.faults)):
                wanted.append((place, record))
        thinking.count()
        first, last = min(starts, default=None), max(starts, default=None)
        errors = summarise(analysed)
        return PartialCollection(thinking.counts, first, last, means, wanted, errors)

    def add(self, part: PartialCollection) -> None:
        """Add games, in the order of the file."""
        self._thinking += part.thinking
        self.numbers.add(part.numbers)
        self.analyses.add(part.errors)
        self.first = min(filter(None, (self.first, part.first)), default=None)
        self.last = max(filter(None, (self.last, part.last)), default=None)
        for number, record in part.wanted:
            faults = faults_of(record)
            self._chosen.add(self._encode(number, record, faults), bool(faults))

    def times(self, bot: str) -> list[int]:
        """Return the histogram of a bot's thinking times."""
        return list(map(int, self._thinking[self._numbers[bot]]))

    def number_histories(self, bot: str) -> dict[str, list[tuple[int, float]]]:
        """Return the numbers that a bot sent, as means over its games."""
        return self.numbers.of(self._numbers[bot])

    def _encode(self, number: int, record: Record, faults: Sequence[dict[str, Any]]) -> EncodedGame:
        board = board_of(record)
        one, two = record["bots"]
        game_id = record["id"]
        tail = game_id.rpartition(".")[2]
        # All but the last part of an id can be derived from the other fields.
        short = tail if game_id == f"{board}.{one}.{two}.{tail}" else f"={printable(game_id, 200)}"
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
        extras = describe_extras(record, faults)
        if tags := self._tags(record):
            extras["tags"] = tags
        if (analysis := self.analyses.encode(record, self.moves[board])) is not None:
            extras["analysis"] = analysis
        return EncodedGame(number, game_id, row, extras)

    def _tags(self, record: Record) -> list[int]:
        """Return the numbers of the tags of a game, as many as the page has room for."""
        found: dict[int, None] = {}
        for _, _, values in parse_values(record.get("info", ())):
            for key, value in values.items():
                tag = f"{key}={value}"
                if isinstance(value, str) and self.tags.has_room(tag, MAX_TAGS):
                    found[self.tags.place(tag)] = None
        return list(found)[:MAX_GAME_TAGS]


def collect_games(
    manifest: Manifest, games: GamesFile, selection: Selection = DEFAULT
) -> ReportGames:
    """Collect what the page needs of all games."""
    analyses = GameAnalyses(games.path.parent)
    gathered = ReportGames(manifest.bots, games.total, selection, analyses)
    with closing(analyses):
        games.read(manifest, gathered.extract, gathered.add)
    return gathered


def read_ledger_and_games(
    manifest: Manifest, games: GamesFile, selection: Selection = DEFAULT
) -> tuple[Ledger, ReportGames]:
    """Read the games once; return what the tables need, and what the report needs."""
    analyses = GameAnalyses(games.path.parent)
    ledger = Ledger(manifest)
    gathered = ReportGames(manifest.bots, games.total, selection, analyses)

    def extract(
        number: int, some: Iterable[RecordedGame]
    ) -> tuple[ColumnarList[GameSummary], PartialCollection]:
        summaries: ColumnarList[GameSummary] = ColumnarList()
        part = gathered.extract(number, _copy_summaries(some, summaries))
        return summaries, part

    def add(extracted: tuple[ColumnarList[GameSummary], PartialCollection]) -> None:
        summaries, part = extracted
        ledger.add_all(summaries, games)
        gathered.add(part)

    with closing(analyses):
        games.read(manifest, extract, add)
    check_schedule(ledger, games)
    return ledger, gathered


def _copy_summaries(
    games: Iterable[RecordedGame], summaries: ColumnarList[GameSummary]
) -> Iterator[RecordedGame]:
    """Yield the same games; append the summary of each to `summaries`."""
    for game in games:
        summaries.append(game[1])
        yield game


def describe_extras(record: Record, faults: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the optional parts of a game: its faults and `info` lines."""
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
    texts: list[tuple[int, int, Any]] = []
    values: list[tuple[int, int, Any]] = []
    for ply, seat, text in record.get("info", ()):
        if found := read_values(text):
            values.append((ply, seat, found))
        else:
            texts.append((ply, seat, printable(text, MAX_DETAIL_LENGTH)))
    left_out = 0
    for key, lines, room in (("info", texts, GAME_INFO), ("values", values, GAME_VALUES)):
        kept: list[Any] = []
        for line in lines:
            room -= len(str(line[2]))
            if room < 0:
                break
            kept.append(list(line))
        if kept:
            extras[key] = kept
        left_out += len(lines) - len(kept)
    if left_out:
        extras["info_left_out"] = left_out
    return extras


def _seconds(started: object) -> int | None:
    """Convert the start time of a record to seconds since the epoch, which is shorter."""
    try:
        return int(datetime.fromisoformat(str(started)).replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        return None


def clock_numbers(text: str) -> list[int | None]:
    """Parse a clock of a record: main time, increment and time per move in milliseconds."""
    try:
        time = TimeControl.read(text)
    except InputError:
        time = TimeControl()
    return [time.main_ms, time.increment_ms, time.move_ms]
