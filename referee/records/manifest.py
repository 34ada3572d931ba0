"""The manifest of a tournament, `tournament.json`: what tables and replays need besides games."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.records.record import Record
from referee.records.summary import board_of
from referee.schedule.fixtures import Board
from referee.schedule.formats import Gauntlet, RoundRobin, Schedule
from referee.schedule.knockout import Knockout
from referee.schedule.swiss import Swiss

DEFAULT_TIE_BREAKS = ("head-to-head", "sonneborn-berger", "fewest-faults", "wins-from-seat-2")
"""Tie-breaks in the order of use, unless the tournament file sets others."""
SWISS_TIE_BREAKS = ("buchholz", "buchholz-cut-1", "wins-from-seat-2")
"""The same for Swiss tournaments."""
TIE_BREAK_NAMES = (*DEFAULT_TIE_BREAKS, "buchholz", "buchholz-cut-1")
"""All tie-breaks."""
FILE = "tournament.json"
MAX_BYTES = 64 * 2**20
MAX_COUNT = 10**15
"""Maximum of all counts, higher than any tournament has."""
MAX_RATING = 10_000
"""Maximum of the rating of an anchor, and minus that its minimum."""
_FORMATS = ("round-robin", "gauntlet", "swiss", "knockout")
FORMATS_WITH_ROUNDS = ("swiss", "knockout")
"""Formats whose pairings depend on the results of earlier rounds."""
OPENINGS_SETTING = "openings"
"""Setting that manifests lack if all pairings shared the openings, in the order of that time."""
BOT_SETTINGS = ("time", "command", "build", "env", "limits")
"""Keys of the settings of each bot."""


@dataclass(frozen=True)
class Manifest:
    """The settings of a tournament that are needed after it was played."""

    name: str
    bots: list[str]
    boards: dict[str, str]
    """Source of the variant (its name, or the path of its file) by board (`standoff-5x5`)."""
    tie_breaks: list[str] = field(default_factory=lambda: list(DEFAULT_TIE_BREAKS))
    disqualify_after: int | None = None
    format: str = "round-robin"
    rounds: int = 0
    challengers: list[str] = field(default_factory=list)
    encounters: int | None = None
    games: int | None = None
    """Planned games; the play-offs of a knockout come on top."""
    notes: list[str] = field(default_factory=list)
    sandbox: str = "none"
    anchor: dict[str, Any] | None = None
    """`bot` and `rating`: where the scale of ratings is fixed."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings that must be the same for all records, by key."""
    bot_settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The same of each bot, by its name."""

    def schedule(self) -> Schedule:
        """Make the schedule of this format."""
        encounters = self.encounters or 1
        if self.format == "gauntlet":
            return Gauntlet(self.bots, encounters, challengers=self.challengers)
        if self.format == "swiss":
            return Swiss(self.bots, encounters, round_count=self.rounds, win=self.games_per_match)
        if self.format == "knockout":
            return Knockout(self.bots, encounters)
        return RoundRobin(self.bots, encounters)

    @property
    def has_rounds(self) -> bool:
        """Whether pairings depend on the results of earlier rounds."""
        return self.format in FORMATS_WITH_ROUNDS

    @property
    def games_per_match(self) -> int:
        """Two games per encounter and board."""
        return 2 * len(self.boards) * (self.encounters or 1)

    def all_settings(self) -> dict[str, Any]:
        """Return the settings of the tournament and of all bots in one mapping."""
        return flat_settings(self.settings, self.bot_settings)

    def to_json(self) -> dict[str, Any]:
        """Convert to the object of `tournament.json`."""
        return asdict(self)


def flat_settings(
    settings: Mapping[str, Any], bot_settings: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Merge settings into one mapping, with keys such as `time of alpha` for those of bots.

    Every record has a hash of this mapping, so its form does not change.
    """
    of_bots = {
        f"{key} of {bot}": value
        for bot, values in bot_settings.items()
        for key, value in values.items()
    }
    return {**settings, **of_bots}


def load_manifest(folder: Path) -> Manifest | None:
    """Read the manifest of a folder; None if there is none, InputError if it is invalid.

    The folder may come from an untrusted source: only a regular file is opened.
    """
    path = folder / FILE
    try:
        if not path.exists():
            return None
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is not a file of at most {MAX_BYTES // 2**20} MiB")
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    return read_manifest(data)


def read_manifest(data: Any) -> Manifest:
    """Make a manifest from the object of `tournament.json`; ignore unknown keys."""
    names = {key.name for key in fields(Manifest)}
    try:
        known = {key: value for key, value in data.items() if key in names}
        manifest = Manifest(**known)
        wrong = next((key for key, is_valid in _checks(manifest) if not is_valid), None)
    except (AttributeError, TypeError, KeyError) as error:
        raise InputError(f"{FILE} does not describe a tournament: {error}") from error
    if wrong is not None:
        raise InputError(f"{FILE} does not describe a tournament: {wrong} is wrong")
    return manifest if "bot_settings" in known else _with_bot_settings(manifest)


def _with_bot_settings(manifest: Manifest) -> Manifest:
    """Split the settings of an older manifest, which had those of the bots among the others."""
    settings = manifest.settings
    bot_settings = {
        bot: {
            key: settings[name] for key in BOT_SETTINGS if (name := f"{key} of {bot}") in settings
        }
        for bot in manifest.bots
    }
    moved = flat_settings({}, bot_settings)
    common = {key: value for key, value in settings.items() if key not in moved}
    return replace(manifest, settings=common, bot_settings=bot_settings)


def _checks(manifest: Manifest) -> Iterator[tuple[str, bool]]:
    """Yield each key with whether its value is valid; TypeError for some invalid values."""
    for key in ("name", "sandbox"):
        yield key, isinstance(getattr(manifest, key), str)
    for key in ("bots", "tie_breaks", "challengers", "notes"):
        yield key, _are_texts(getattr(manifest, key))
    yield "bots", len(set(manifest.bots)) == len(manifest.bots)
    yield "boards", isinstance(manifest.boards, dict) and _are_texts([*manifest.boards.values()])
    yield "boards", all(map(_is_board, manifest.boards))
    yield "tie_breaks", set(manifest.tie_breaks) <= set(TIE_BREAK_NAMES)
    yield "format", manifest.format in _FORMATS
    yield "rounds", _is_count(manifest.rounds, 0)
    for key, least in (("disqualify_after", 1), ("encounters", 1), ("games", 0)):
        value = getattr(manifest, key)
        yield key, value is None or _is_count(value, least)
    yield "settings", isinstance(manifest.settings, dict)
    yield "bot_settings", isinstance(manifest.bot_settings, dict)
    yield "bot_settings", all(isinstance(each, dict) for each in manifest.bot_settings.values())
    if manifest.anchor is not None:
        bot, rating = manifest.anchor["bot"], manifest.anchor.get("rating", 0)
        yield "anchor", isinstance(bot, str) and abs(rating) <= MAX_RATING


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _is_board(name: str) -> bool:
    try:
        Board.parse(name)
    except ValueError:
        return False
    return True


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= MAX_COUNT


def infer_manifest(name: str, records: Iterable[Record]) -> Manifest:
    """Make a manifest from records alone, for a folder without `tournament.json`."""
    bots: set[str] = set()
    boards: dict[str, str] = {}
    for record in records:
        bots.update(record["bots"])
        boards.setdefault(board_of(record), record["variant"])
    if not bots:
        raise InputError(f"there are no games in {name}")
    return Manifest(name, sorted(bots, key=str.casefold), boards)
