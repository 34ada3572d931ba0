"""The keys of a tournament file: types, defaults and descriptions.

`referee schema` prints them as a JSON Schema (see json_schema.py). All problems of a file are
reported at once, each with its position, the expected value and a suggestion.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from referee.config.bot_command import NAME
from referee.config.cross_checks import as_list, bot_entries, find_conflicts, variant_entries
from referee.config.fields import (
    ChoiceField,
    DataclassField,
    Field,
    IntField,
    ListField,
    Location,
    TextField,
)
from referee.config.yaml_source import Key, YamlFile
from referee.errors import InputError
from referee.protocol.time_control import (
    CLOCK_PATTERN,
    DURATION_PATTERN,
    POSITIVE_PATTERN,
    TimeControl,
    parse_duration,
)
from referee.records.manifest import MAX_RATING, TIE_BREAK_NAMES
from referee.rules import LARGEST, SMALLEST

_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_BYTES = re.compile(rf"([0-9]+(?:\.[0-9]+)?)\s*({'|'.join(_UNITS)})", re.ASCII)
_MAX_ENCOUNTERS = 1_000_000


def parse_size(text: str) -> int:
    """Parse a size such as `64MiB` to bytes."""
    match = _BYTES.fullmatch(text)
    if match is None:
        raise InputError(f"it is {text!r}: write a number and a unit, like 64MiB or 1GiB")
    size = float(match[1]) * _UNITS[match[2]]
    if size > sys.maxsize:
        raise InputError(f"it is {text!r}: no machine has that much")
    return round(size)


def _check_name(text: str) -> None:
    if not NAME.fullmatch(text):
        raise InputError(f"{text!r} is no name for a bot: 1 to 32 of A-Z a-z 0-9 _ - are")


class CommandField(Field):
    """A command: text, or a list of words."""

    def read(self, value: Any, place: Location) -> Any:
        """Check that the command is not empty and has no zero byte."""
        if isinstance(value, list) and value:
            for position, word in enumerate(value, start=1):
                if not isinstance(word, str):
                    message = f"word {position} of the command is no text: put {word} in quotes"
                    place.add_problem(message)
                    break
                if "\0" in word:
                    place.add_problem("no command can hold a zero byte")
                    break
        elif isinstance(value, str) and "\0" in value:
            place.add_problem("no command can hold a zero byte")
        elif not isinstance(value, str) or not value.strip():
            example = '`python3 bot.py` or `[./bot, --depth, "6"]`'
            place.add_problem(f"write what starts it, like {example}")
        return value


class FaultLimitField(IntField):
    """A number of faults, or `never`."""

    def read(self, value: Any, place: Location) -> Any:
        """Return the number of faults; None for `never`."""
        if value == "never":
            return None
        if isinstance(value, str):
            place.add_problem(f"it is {value!r}: expected a whole number, or `never`")
            return value
        return super().read(value, place)


class VariantField(DataclassField):
    """A variant: its name, or a mapping of name and size."""

    def read(self, value: Any, place: Location) -> Any:
        """Convert a name to a mapping, then check its keys."""
        if not isinstance(value, str | dict):
            place.expected(value, "a variant's name, or `{name: …, rows: …, cols: …}`")
            return value
        return super().read({"name": value} if isinstance(value, str) else value, place)


class AnchorField(DataclassField):
    """An anchor: a bot's name, or a mapping of name and rating."""

    def read(self, value: Any, place: Location) -> Any:
        """Convert a name to a mapping, then check its keys."""
        if not isinstance(value, str | dict):
            place.expected(value, "a bot's name, or `{bot: …, rating: …}`")
            return value
        return super().read({"bot": value} if isinstance(value, str) else value, place)


class VariantListField(ListField):
    """A list of variants, or a single one."""

    def read(self, value: Any, place: Location) -> Any:
        """Convert a single variant to a list, then check each item."""
        return super().read(as_list(value), place)


Duration = Annotated[
    str,
    TextField(
        "500ms, 2s or 10min", partial(parse_duration, name="it"), rf"\s*{DURATION_PATTERN}\s*"
    ),
]
Startup = Annotated[
    str,
    TextField(
        "500ms, 2s or 10min",
        partial(parse_duration, name="it", least_ms=1),
        rf"\s*{POSITIVE_PATTERN}\s*",
    ),
]
ClockText = Annotated[str, TextField("2s + 50ms, 1min or none", TimeControl.clock, CLOCK_PATTERN)]
PerMove = Annotated[
    str, TextField("500ms or 2s", TimeControl.per_move, rf"\s*{POSITIVE_PATTERN}\s*")
]
Bytes = Annotated[str, TextField("512MiB or 1GiB", parse_size, _BYTES.pattern)]
Name = Annotated[str, TextField("alpha", _check_name, NAME.pattern)]
CommandLine = Annotated[str | list[str], CommandField()]
Length = Annotated[int, IntField(SMALLEST, LARGEST)]
OneOrMore = Annotated[int, IntField(1)]
Files = Annotated[int, IntField(16)]


@dataclass(frozen=True, kw_only=True)
class VariantEntry:
    """A game, on its usual board or on another."""

    name: str
    """A variant's name, or a `path/to/file.py` relative to this file."""
    rows: Length | None = None
    """Rows of the board; `cols` must be there too."""
    cols: Length | None = None
    """Columns of the board; `rows` must be there too."""


_VARIANT = VariantField(VariantEntry)


@dataclass(frozen=True, kw_only=True)
class AnchorEntry:
    """A bot, and its rating by definition."""

    bot: str
    """The name of one of the bots."""
    rating: Annotated[int, IntField(-MAX_RATING, MAX_RATING)] = 0
    """Its Elo."""


_ANCHOR = AnchorField(AnchorEntry)


@dataclass(frozen=True, kw_only=True)
class LimitKeys:
    """The keys that apply to all bots, or to one of them."""

    time: ClockText | None = None
    """The clock: `2s + 50ms` is main time and increment; `none` is no clock."""
    per_move: PerMove | None = None
    """A fixed time per move instead of a clock."""
    memory: Bytes | None = None
    """Resident memory of a bot and everything it starts."""
    processes: OneOrMore | None = None
    """Processes and threads of a bot."""
    files: Files | None = None
    """Open files of a bot's process."""
    scratch: Bytes | None = None
    """Size of the private folder a bot may write to."""


@dataclass(frozen=True, kw_only=True)
class BotEntry(LimitKeys):
    """A bot: a name, and what starts it."""

    name: Name
    """1 to 32 of A-Z a-z 0-9 _ -, unique regardless of case."""
    command: CommandLine
    """What starts it: text, split like a shell would but without one; or a list; or `human`."""
    dir: str | None = None
    """The folder that holds the bot, relative to this file; the command runs in a copy of it."""
    build: CommandLine | None = None
    """Run once in that copy, before the first game."""
    env: dict[str, str] = field(default_factory=dict)
    """Environment variables for it."""


@dataclass(frozen=True, kw_only=True)
class TournamentFile(LimitKeys):
    """A tournament: which bots play which games, and how."""

    memory: Bytes = "1GiB"
    """Resident memory of a bot and everything it starts."""
    processes: OneOrMore = 96
    """Processes and threads of a bot."""
    files: Files = 256
    """Open files of a bot's process."""
    scratch: Bytes = "64MiB"
    """Size of the private folder a bot may write to."""
    name: str | None = None
    """Its title; the file's name if there is none."""
    variant: Annotated[VariantEntry, _VARIANT] | None = None
    """The game, if there is only one."""
    variants: Annotated[list[VariantEntry], VariantListField(_VARIANT, min_items=1)] | None = None
    """The games."""
    bots: list[BotEntry]
    """The bots that play: 2 or more."""
    format: Literal["round-robin", "gauntlet", "swiss", "knockout"] = "round-robin"
    """The rule that pairs the bots."""
    challengers: Annotated[list[str], ListField(TextField(), min_items=1, unique=True)] | None = (
        None
    )
    """Of a gauntlet: the bots that meet all the others; without it, the first bot."""
    rounds: OneOrMore | None = None
    """Of a Swiss tournament: how many rounds there are."""
    encounters: Annotated[int, IntField(1, _MAX_ENCOUNTERS)] = 5
    """Openings per pairing and variant, each played from both seats: two games."""
    opening_plies: Annotated[int, IntField(0, 100)] = 2
    """Random legal moves played before the bots are asked."""
    openings: Literal["spread", "shared"] = "spread"
    """`spread`: each pairing starts elsewhere in the list of openings, so that many are played;
    `shared`: all pairings play the same."""
    seed: int = 1
    """Of the random openings, and of the random numbers of bots."""
    margin: Duration = "20ms"
    """Time that is not charged, for the referee's own latency."""
    startup: Startup = "10s"
    """How long a new process may take to be ready."""
    attempts: OneOrMore = 1
    """Answers per turn before an illegal move loses."""
    restart: Literal["fault", "game"] = "fault"
    """`game`: a fresh process for every game."""
    pondering: bool = False
    """`true` lets a bot think while it is not its turn, and turns pinning off."""
    pin: bool = True
    """Keep a worker and its bots on one core."""
    sandbox: Literal["auto", "bwrap", "limits", "none"] = "auto"
    """How bots are isolated: `auto` is the strongest rung that works on this machine."""
    sandbox_read: Annotated[list[str], ListField(TextField(), unique=True)] = field(
        default_factory=list
    )
    """Further paths that bots may read."""
    network: bool = False
    """Whether bots may use the network."""
    tie_breaks: (
        Annotated[list[str], ListField(ChoiceField(TIE_BREAK_NAMES), unique=True)] | None
    ) = None
    """What decides between equal points, in this order; without it, the usual ones."""
    anchor: Annotated[AnchorEntry, _ANCHOR] | None = None
    """Where the scale of ratings is fixed; without it, the mean of the bots is 0."""
    broken_bots: Literal["stop", "forfeit"] = "stop"
    """`forfeit`: start although a bot cannot be started or declines a game."""
    disqualify_after: Annotated[int, FaultLimitField(1)] | None = None
    """Faults after which a bot is withdrawn."""


AnyEntry = TypeVar("AnyEntry", VariantEntry, BotEntry)
EntryAt = tuple[Key, AnyEntry]
"""An entry of the file and its key."""


def validate(file: YamlFile) -> TournamentFile | None:
    """Return the content of a file; None, and problems added to the file, if it is invalid."""
    top = Location(file, (), [])
    content: TournamentFile | None = DataclassField(TournamentFile).read(file.data, top)
    for error in (*top.errors, *find_conflicts(file.data)):
        file.add_problem(*error)
    return content


def valid_entries(
    file: YamlFile, content: TournamentFile | None
) -> tuple[list[EntryAt[VariantEntry]], list[EntryAt[BotEntry]]]:
    """Return all variants and bots that are valid by themselves, even if the file is not."""
    if content is None:
        return (
            _read_valid(file, variant_entries(file.data), _VARIANT),
            _read_valid(file, bot_entries(file.data), DataclassField(BotEntry)),
        )
    only = [(("variant",), content.variant)] if content.variant else []
    return (
        [
            *only,
            *((("variants", number), each) for number, each in enumerate(content.variants or ())),
        ],
        [(("bots", number), bot) for number, bot in enumerate(content.bots)],
    )


def _read_valid(
    file: YamlFile, entries: Sequence[tuple[Key, Any]], validator: DataclassField
) -> list[Any]:
    found = []
    for key, entry in entries:
        place = Location(file, key, [])
        part = validator.read(entry, place)
        if not place.errors:
            found.append((key, part))
    return found
