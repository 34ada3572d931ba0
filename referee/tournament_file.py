"""What may stand in a tournament file: its keys, their types, their defaults.

`referee schema` prints this as a JSON Schema (see schema.py). Whatever is wrong in a file is said
all at once, each problem with its place, what was expected, and what was probably meant.
"""

import re
from contextlib import suppress
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
)
from pydantic import WithJsonSchema as JsonSchema
from pydantic_core import PydanticCustomError

from referee.bot import HUMAN
from referee.clock import TimeControl, read_duration
from referee.errors import InputError, unknown
from referee.rules import LARGEST, SMALLEST
from referee.visible import visible
from referee.yamlfile import Key, YamlFile, spell

NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
TIE_BREAKS = ("head-to-head", "sonneborn-berger", "fewest-faults", "wins-from-seat-2")
_LONGEST_SHOWN = 60
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "kB": 10**3, "MB": 10**6, "GB": 10**9}
_BYTES = re.compile(rf"([0-9]+(?:\.[0-9]+)?)\s*({'|'.join(_UNITS)})", re.ASCII)


def _wrong(message: str) -> PydanticCustomError:
    # Braces would be read as a template.
    return PydanticCustomError("wrong", "{message}", {"message": message})


def _text(value: Any, example: str) -> str:
    if not isinstance(value, str):
        raise PydanticCustomError("text", "{example}", {"example": example})
    return value


def _duration(value: Any) -> str:
    try:
        read_duration(_text(value, "500ms, 2s or 10min"), "it")
    except InputError as error:
        raise _wrong(str(error)) from error
    return str(value)


def _clock(value: Any) -> str:
    try:
        TimeControl.clock(_text(value, "2s + 50ms, 1min or none"))
    except InputError as error:
        raise _wrong(str(error)) from error
    return str(value)


def _per_move(value: Any) -> str:
    try:
        TimeControl.per_move(_text(value, "500ms or 2s"))
    except InputError as error:
        raise _wrong(str(error)) from error
    return str(value)


def _bytes(value: Any) -> str:
    if not _BYTES.fullmatch(_text(value, "512MiB or 1GiB")):
        raise _wrong(f"it is {value!r}: write a number and a unit, like 64MiB or 1GiB")
    return str(value)


def read_bytes(text: str) -> int:
    """How many bytes `64MiB` are."""
    match = _BYTES.fullmatch(text)
    assert match is not None
    return round(float(match[1]) * _UNITS[match[2]])


def _name(value: Any) -> str:
    if not NAME.fullmatch(_text(value, "alpha")):
        raise _wrong(f"{value!r} is no name for a bot: 1 to 32 of A-Z a-z 0-9 _ - are")
    return str(value)


def _command(value: Any) -> str | list[str]:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, list) and value:
        for position, word in enumerate(value, start=1):
            if not isinstance(word, str):
                raise _wrong(f"word {position} of the command is no text: put {word} in quotes")
        return value
    raise _wrong('write what starts it, like `python3 bot.py` or `[./bot, --depth, "6"]`')


def _never(value: Any) -> Any:
    if isinstance(value, str) and value != "never":
        raise _wrong(f"it is {value!r}: expected a whole number, or `never`")
    return None if value == "never" else value


def _named(value: Any) -> Any:
    if not isinstance(value, str | dict):
        raise PydanticCustomError("variant", "neither a name nor a mapping")
    return {"name": value} if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str | dict) else value


_TEXT = {"type": "string"}
_COMMAND = {
    "oneOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}],
}
Duration = Annotated[str, BeforeValidator(_duration), JsonSchema(_TEXT)]
Clock = Annotated[str, BeforeValidator(_clock), JsonSchema(_TEXT)]
PerMove = Annotated[str, BeforeValidator(_per_move), JsonSchema(_TEXT)]
Bytes = Annotated[str, BeforeValidator(_bytes), JsonSchema(_TEXT)]
Name = Annotated[
    str, BeforeValidator(_name), JsonSchema({"type": "string", "pattern": f"^{NAME.pattern}$"})
]
CommandLine = Annotated[str | list[str], BeforeValidator(_command), JsonSchema(_COMMAND)]
Length = Annotated[int, Field(ge=SMALLEST, le=LARGEST)]


class Entry(BaseModel):
    """What every part of the file has in common: no guessing, no unknown keys."""

    # Each part is made for itself only when it is read for itself: every run waits for this.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_written(cls, value: Any) -> Any:
        if value is None:
            raise _wrong("it is empty: write a value, or leave the key out")
        return value


class VariantEntry(Entry):
    """A game, on its usual board or on another."""

    name: str
    """A variant's name, or a `path/to/file.py` relative to this file."""
    rows: Length | None = None
    """Rows of the board; `cols` must be there too."""
    cols: Length | None = None
    """Columns of the board; `rows` must be there too."""


AnyVariant = Annotated[VariantEntry, BeforeValidator(_named)]


class Limits(Entry):
    """What may be said for all bots, or for one of them."""

    time: Clock | None = None
    """The clock: `2s + 50ms` is main time and increment; `none` is no clock."""
    per_move: PerMove | None = None
    """A fixed time per move instead of a clock."""
    memory: Bytes | None = None
    """Resident memory of a bot and everything it starts."""
    processes: Annotated[int, Field(ge=1)] | None = None
    """Processes and threads of a bot."""
    files: Annotated[int, Field(ge=16)] | None = None
    """Open files of a bot's process."""
    scratch: Bytes | None = None
    """Size of the private folder a bot may write to."""


class BotEntry(Limits):
    """A bot: a name, and what starts it."""

    name: Name
    """1 to 32 of A-Z a-z 0-9 _ -, unique regardless of case."""
    command: CommandLine
    """What starts it: text, split like a shell would but without one; or a list; or `human`."""
    dir: str | None = None
    """The folder that holds the bot, relative to this file; the command runs in a copy of it."""
    build: CommandLine | None = None
    """Run once in that copy, before the first game."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables for it."""

    @property
    def is_human(self) -> bool:
        """Whether a person plays, at the terminal of the referee."""
        return self.command in (HUMAN, [HUMAN])


class TournamentFile(Limits):
    """A tournament: which bots play which games, and how."""

    memory: Bytes = "1GiB"
    """Resident memory of a bot and everything it starts."""
    processes: Annotated[int, Field(ge=1)] = 96
    """Processes and threads of a bot."""
    files: Annotated[int, Field(ge=16)] = 256
    """Open files of a bot's process."""
    scratch: Bytes = "64MiB"
    """Size of the private folder a bot may write to."""
    name: str | None = None
    """Its title; the file's name if there is none."""
    variant: AnyVariant | None = None
    """The game, if there is only one."""
    variants: Annotated[list[AnyVariant], Field(min_length=1), BeforeValidator(_listed)] | None = (
        None
    )
    """The games."""
    bots: list[BotEntry]
    """Who plays: 2 or more."""
    format: Literal["round-robin", "gauntlet", "swiss", "knockout"] = "round-robin"
    """Who meets whom."""
    challengers: Annotated[list[str], Field(min_length=1)] | None = None
    """Of a gauntlet: those who meet all the others; without it, the first bot."""
    rounds: Annotated[int, Field(ge=1)] | None = None
    """Of a Swiss tournament: how many rounds there are."""
    encounters: Annotated[int, Field(ge=1)] = 5
    """Openings per pairing and variant, each played from both seats: two games."""
    opening_plies: Annotated[int, Field(ge=0, le=100)] = 2
    """Random legal moves played before the bots are asked."""
    seed: int = 1
    """Of the openings and of the bots' dice."""
    margin: Duration = "20ms"
    """Forgiven for the referee's own latency."""
    startup: Duration = "10s"
    """How long a new process may take to be ready."""
    attempts: Annotated[int, Field(ge=1)] = 1
    """Answers per turn before an illegal move loses."""
    restart: Literal["fault", "game"] = "fault"
    """`game`: a fresh process for every game."""
    pondering: bool = False
    """`true` lets a bot think while it is not its turn, and turns pinning off."""
    pin: bool = True
    """Keep a worker and its bots on one core."""
    sandbox: Literal["auto", "bwrap", "limits", "none"] = "auto"
    """How bots are isolated: `auto` is the strongest rung that works on this machine."""
    sandbox_read: list[str] = Field(default_factory=list)
    """Further paths that bots may read."""
    network: bool = False
    """Whether bots may use the network."""
    tie_breaks: list[Literal[TIE_BREAKS]] = list(TIE_BREAKS)  # type: ignore[valid-type]
    """What decides between equal points, in this order."""
    broken_bots: Literal["stop", "forfeit"] = "stop"
    """`forfeit`: start although a bot cannot be started or declines a game."""
    disqualify_after: Annotated[
        Annotated[int, Field(ge=1)] | None,
        BeforeValidator(_never),
        JsonSchema({"oneOf": [{"type": "integer", "minimum": 1}, {"const": "never"}]}),
    ] = None
    """Faults after which a bot is withdrawn."""


Sound = TypeVar("Sound", VariantEntry, BotEntry)
Part = tuple[Key, Sound]
"""Something of the file, and where it is."""


def validate(file: YamlFile) -> TournamentFile | None:
    """The file's content if it has the right shape; otherwise its problems are noted."""
    content = None
    try:
        content = TournamentFile.model_validate(file.data)
    except ValidationError as error:
        for item in error.errors():
            _note(file, item)
    _check_choices(file)
    return content


def sound_parts(
    file: YamlFile, content: TournamentFile | None
) -> tuple[list[Part[VariantEntry]], list[Part[BotEntry]]]:
    """Every variant and every bot that has the right shape, whatever the rest looks like."""
    if content is None:
        bots = [entry for entry in _entries(file.data) if entry[0]]
        return _sound(_variants(file.data), AnyVariant), _sound(bots, BotEntry)
    only = [(("variant",), content.variant)] if content.variant else []
    return (
        [
            *only,
            *((("variants", number), each) for number, each in enumerate(content.variants or ())),
        ],
        [(("bots", number), bot) for number, bot in enumerate(content.bots)],
    )


def _sound(entries: list[tuple[Key, Any]], kind: type[Sound]) -> list[Part[Sound]]:
    reader: TypeAdapter[Sound] = TypeAdapter(kind)
    found = []
    for key, entry in entries:
        with suppress(ValidationError):
            found.append((key, reader.validate_python(entry)))
    return found


def _note(file: YamlFile, error: Any) -> None:
    key: Key = tuple(error["loc"])
    kind, context = error["type"], error.get("ctx", {})
    last = key[-1] if key else ""
    if kind == "missing":
        file.complain(key, "this key is missing")
    elif kind == "extra_forbidden":
        known = _known_keys(key)
        close = get_close_matches(str(last), known, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(known)}"
        file.complain(key, f"there is no such key: {hint}", at_key=True)
    elif kind == "literal_error":
        expected = context["expected"].replace("'", "`")
        words = re.findall("`([^`]+)`", expected)
        close = get_close_matches(str(error["input"]), words, n=1)
        hint = f"; did you mean `{close[0]}`?" if close else ""
        file.complain(key, f"it is {_shown(file, key, error)}: expected {expected}{hint}")
    elif kind in ("text", "string_type"):
        example = f", like {context['example']}" if kind == "text" else ""
        file.complain(key, f"expected text{example}: {_not_text(file, key, error, not example)}")
    elif kind == "wrong":
        file.complain(key, context["message"])
    else:
        expected = error["msg"]
        if kind in _EXPECTED:
            expected = _EXPECTED[kind].format(**context)
        file.complain(key, f"it is {_shown(file, key, error)}: {expected}")


_EXPECTED = {
    "variant": "expected a variant's name, or `{{name: …, rows: …, cols: …}}`",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "bool_type": "expected true or false",
    "list_type": "expected a list",
    "dict_type": "expected `key: value` lines",
    "model_type": "expected `key: value` lines",
    "model_attributes_type": "expected `key: value` lines",
    "greater_than_equal": "expected {ge} or more",
    "less_than_equal": "expected {le} or less",
    "too_short": "expected {min_length} or more",
}


def _shown(file: YamlFile, key: Key, error: Any) -> str:
    raw, value = file.raw(key), error["input"]
    if raw is not None:
        return f"`{visible(raw, _LONGEST_SHOWN)}`" if raw else "empty"
    kind = {dict: "a mapping", list: "a list", type(None): "empty"}.get(type(value))
    return kind or repr(value)


def _not_text(file: YamlFile, key: Key, error: Any, any_text: bool) -> str:
    raw, value = file.raw(key), error["input"]
    if not raw:
        return f"it is {_shown(file, key, error)}"
    kind = "the number " if isinstance(value, int | float) else "the date "
    read_as = str(value).lower() if isinstance(value, bool) else f"{kind}{value}"
    quoted = f'; put it in quotes: "{raw}"' if any_text or isinstance(value, bool) else ""
    return f"YAML reads `{raw}` as {read_as}{quoted}"


def _known_keys(key: Key) -> list[str]:
    model: type[Entry] = TournamentFile
    if key[:1] == ("bots",) and len(key) > 2:
        model = BotEntry
    elif key[:1] in (("variant",), ("variants",)) and len(key) > 1:
        model = VariantEntry
    return list(model.model_fields)


def _check_choices(file: YamlFile) -> None:
    """What no single key can say: this or that, both or neither, and all names different."""
    data = file.data
    if ("variant" in data) == ("variants" in data):
        both = "variant" in data
        file.complain(
            ("variants",) if both else (),
            "`variant` and `variants` exclude each other"
            if both
            else "which game? Write `variant: standoff`, or `variants:` and a list",
            at_key=True,
        )
    bots = data.get("bots")
    if isinstance(bots, list) and len(bots) < 2:
        few = "one bot has nobody to play against" if bots else "there are no bots"
        file.complain(("bots",), f"{few}: name 2 or more", at_key=True)
    for key, entry in _entries(data):
        if isinstance(entry, dict) and "time" in entry and "per_move" in entry:
            message = "`time` and `per_move` exclude each other"
            file.complain((*key, "per_move"), message, at_key=True)
    for key, entry in _variants(data):
        if isinstance(entry, dict) and ("rows" in entry) != ("cols" in entry):
            given, missing = ("rows", "cols") if "rows" in entry else ("cols", "rows")
            message = f"`{given}` needs `{missing}` beside it: a board has both"
            file.complain((*key, given), message, at_key=True)
    _check_names(file, bots if isinstance(bots, list) else [])
    _check_format(file)


def _check_format(file: YamlFile) -> None:
    """Keys that belong to one format, and what a format needs."""
    data = file.data
    format = data.get("format", "round-robin")
    for key, owner in (("challengers", "gauntlet"), ("rounds", "swiss")):
        if key in data and format != owner:
            file.complain((key,), f"this belongs to `format: {owner}`", at_key=True)
    if format == "swiss" and "rounds" not in data:
        file.complain(("format",), "a Swiss tournament needs `rounds`: how many?")
    if format in ("swiss", "knockout") and data.get("disqualify_after", "never") != "never":
        message = "this works where everybody plays everything: round-robin and gauntlet"
        file.complain(("disqualify_after",), message, at_key=True)
    bots, challengers = data.get("bots"), data.get("challengers")
    if not isinstance(bots, list) or not isinstance(challengers, list):
        return
    named = (bot.get("name") for bot in bots if isinstance(bot, dict))
    names = [name for name in named if isinstance(name, str)]
    for position, name in enumerate(challengers):
        if isinstance(name, str) and name not in names:
            file.complain(("challengers", position), unknown("bot", name, names))
    if names and all(name in challengers for name in names):
        message = "nobody is left to play against: not all bots can be challengers"
        file.complain(("challengers",), message, at_key=True)


def _check_names(file: YamlFile, bots: list[Any]) -> None:
    seen: dict[str, int] = {}
    for position, bot in enumerate(bots):
        name = bot.get("name") if isinstance(bot, dict) else None
        if not isinstance(name, str):
            continue
        first = seen.setdefault(name.casefold(), position)
        if first != position:
            where = spell(("bots", first))
            message = f"the name {name!r} is taken by {where} (capital letters make no difference)"
            file.complain(("bots", position, "name"), message)


def _entries(data: dict[str, Any]) -> list[tuple[Key, Any]]:
    bots = data.get("bots")
    listed = enumerate(bots if isinstance(bots, list) else [])
    return [((), data), *((("bots", position), bot) for position, bot in listed)]


def _variants(data: dict[str, Any]) -> list[tuple[Key, Any]]:
    several = _listed(data.get("variants"))
    listed = enumerate(several if isinstance(several, list) else [])
    return [
        (("variant",), data.get("variant")),
        *((("variants", position), entry) for position, entry in listed),
    ]
