"""What the values of a file look like: how they are checked, what is said if one is wrong.

A part of a file is a dataclass, and the types of its fields are the shapes of its values; where a
type says too little, `Annotated` has the shape itself. Everything that is wrong is noted, not only
the first. Each shape can also be written as a JSON Schema.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from referee.config.yaml_source import Key, YamlFile, format_key
from referee.errors import InputError, closest_match
from referee.text import printable

Schema = dict[str, Any]
_MAX_SHOWN_LENGTH = 60


class FieldError(NamedTuple):
    """What is wrong with the value at a key, or with the key itself."""

    key: Key
    message: str
    at_key: bool


class Location(NamedTuple):
    """Where in a file a value stands."""

    file: YamlFile
    key: Key
    mistakes: list[FieldError]
    """All those of the file, for whoever finds one more."""

    def below(self, part: str | int) -> "Location":
        """The place of one of the values in this one."""
        return Location(self.file, (*self.key, part), self.mistakes)

    def add_problem(self, message: str, at_key: bool = False) -> None:
        """Note a mistake here."""
        self.mistakes.append(FieldError(self.key, message, at_key))

    def expected(self, value: Any, what: str) -> None:
        """Note that something else was expected here."""
        self.add_problem(f"it is {self.shown(value)}: expected {what}")

    def shown(self, value: Any) -> str:
        """The value as it was written, or what kind of value it is."""
        raw = self.file.raw(self.key)
        if raw is not None:
            return f"`{printable(raw, _MAX_SHOWN_LENGTH)}`" if raw else "empty"
        kind = {dict: "a mapping", list: "a list", NoneType: "empty"}.get(type(value))
        return kind or repr(value)


class Field:
    """What one value looks like."""

    def read(self, value: Any, place: Location) -> Any:
        """The value as it is used; if it is wrong that is noted, and nobody will use it."""
        raise NotImplementedError

    def schema(self) -> Schema:
        """The same as a JSON Schema."""
        raise NotImplementedError


class TextField(Field):
    """Text, perhaps of some form: `check` raises InputError if it has not."""

    def __init__(
        self, example: str = "", check: Callable[[str], object] = str, pattern: str = ""
    ) -> None:
        self._example = example
        self._check = check
        self._pattern = pattern

    def read(self, value: Any, place: Location) -> Any:
        if not isinstance(value, str):
            like = f", like {self._example}" if self._example else ""
            place.add_problem(f"expected text{like}: {self._read_as(value, place)}")
            return value
        try:
            self._check(value)
        except InputError as error:
            place.add_problem(str(error))
        return value

    def _read_as(self, value: Any, place: Location) -> str:
        """What became of it, and how it becomes text."""
        raw = place.file.raw(place.key)
        if not raw:
            return f"it is {place.shown(value)}"
        if value is None:
            read_as = "nothing"
        elif isinstance(value, bool):
            read_as = str(value).lower()
        else:
            kind = "number" if isinstance(value, int | float) else "date"
            read_as = f"the {kind} {value}"
        # Where text has a form of its own, quotes would not help a number.
        helps = isinstance(value, bool) or not self._example
        quoted = f'; put it in quotes: "{raw}"' if helps else ""
        return f"YAML reads `{raw}` as {read_as}{quoted}"

    def schema(self) -> Schema:
        return {"type": "string"} | ({"pattern": f"^{self._pattern}$"} if self._pattern else {})


class IntField(Field):
    """A whole number within limits."""

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self._least = least
        self._most = most

    def read(self, value: Any, place: Location) -> Any:
        if not isinstance(value, int) or isinstance(value, bool):
            place.expected(value, "a whole number")
        elif self._least is not None and value < self._least:
            place.expected(value, f"{self._least} or more")
        elif self._most is not None and value > self._most:
            place.expected(value, f"{self._most} or less")
        return value

    def schema(self) -> Schema:
        limits = {"minimum": self._least, "maximum": self._most}
        return {"type": "integer"} | {key: at for key, at in limits.items() if at is not None}


class BoolField(Field):
    """True or false, and nothing that is only like it."""

    def read(self, value: Any, place: Location) -> Any:
        if not isinstance(value, bool):
            place.expected(value, "true or false")
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"}


class ChoiceField(Field):
    """One of some words."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def read(self, value: Any, place: Location) -> Any:
        if not isinstance(value, str) or value not in self._words:
            *others, last = (f"`{word}`" for word in self._words)
            close = closest_match(str(value), self._words)
            hint = f"; did you mean `{close}`?" if close else ""
            place.expected(value, f"{', '.join(others)} or {last}{hint}")
        return value

    def schema(self) -> Schema:
        return {"type": "string", "enum": list(self._words)}


class ListField(Field):
    """A list whose items all look alike."""

    def __init__(self, item: Field, least: int = 0, unique: bool = False) -> None:
        """`unique`: no item may stand in the list twice."""
        self._item = item
        self._least = least
        self._unique = unique

    def read(self, value: Any, place: Location) -> Any:
        if not isinstance(value, list):
            place.expected(value, "a list")
            return value
        if len(value) < self._least:
            place.expected(value, f"{self._least} or more")
        if self._unique:
            self._check_unique(value, place)
        return [self._item.read(item, place.below(number)) for number, item in enumerate(value)]

    def _check_unique(self, items: list[Any], place: Location) -> None:
        places: dict[str, int] = {}
        for number, item in enumerate(items):
            if not isinstance(item, str):
                continue
            first = places.setdefault(item, number)
            if first != number:
                where = format_key(place.below(first).key)
                place.below(number).add_problem(f"{item!r} is in this list already, as {where}")

    def schema(self) -> Schema:
        limits: Schema = {"minItems": self._least} if self._least else {}
        limits |= {"uniqueItems": True} if self._unique else {}
        return {"type": "array", "items": self._item.schema(), **limits}


class TextMapField(Field):
    """Environment variables: text by name."""

    def read(self, value: Any, place: Location) -> Any:
        if not isinstance(value, dict):
            place.expected(value, "`key: value` lines")
            return value
        for name, text in value.items():
            if not name or "=" in str(name) or "\0" in str(name):
                message = f"no variable can be called {name!r}: a name is not empty and has no `=`"
                place.below(name).add_problem(message, at_key=True)
            elif "\0" in str(text):
                place.below(name).add_problem("no variable can hold a zero byte")
        return {key: TextField().read(item, place.below(key)) for key, item in value.items()}

    def schema(self) -> Schema:
        return {
            "type": "object",
            "propertyNames": {"pattern": r"^[^=\u0000]+$"},
            "additionalProperties": TextField().schema() | {"pattern": r"^[^\u0000]*$"},
        }


class DataclassField(Field):
    """A mapping that becomes a dataclass: no guessing, no unknown keys."""

    def __init__(self, kind: type[Any]) -> None:
        self._kind = kind
        hints = get_type_hints(kind, include_extras=True)
        self._shapes = {field.name: shape_of(hints[field.name]) for field in fields(kind)}

    def read(self, value: Any, place: Location) -> Any:
        if not isinstance(value, dict):
            place.expected(value, "`key: value` lines")
            return value
        found = {}
        for key, item in value.items():
            here = place.below(key)
            if key not in self._shapes:
                here.add_problem(
                    f"there is no such key: {_meant(key, list(self._shapes))}", at_key=True
                )
            elif item is None:
                here.add_problem("it is empty: write a value, or leave the key out")
            else:
                found[key] = self._shapes[key].read(item, here)
        for field in fields(self._kind):
            if is_required(field) and field.name not in value:
                place.below(field.name).add_problem("this key is missing")
        return None if place.mistakes else self._kind(**found)

    def schema(self) -> Schema:
        from referee.config.field_descriptions import (
            descriptions,  # slow to import, and of no use for reading
        )

        described = descriptions(self._kind)
        properties = {}
        for field in fields(self._kind):
            manifest = self._shapes[field.name].schema()
            manifest["title"] = field.name.replace("_", " ").title()
            manifest["description"] = described[field.name]
            if default_of(field) not in (None, [], {}):
                manifest["default"] = default_of(field)
            properties[field.name] = manifest
        return {
            "title": self._kind.__name__,
            "description": self._kind.__doc__,
            "type": "object",
            "properties": properties,
            "required": [field.name for field in fields(self._kind) if is_required(field)],
            "additionalProperties": False,
        }


def _meant(key: str, known: list[str]) -> str:
    close = closest_match(key, known)
    return f"did you mean `{close}`?" if close else f"there are {', '.join(known)}"


def is_required(field: "dataclasses.Field[Any]") -> bool:
    """Whether a part must have this key."""
    return field.default is MISSING and field.default_factory is MISSING


def default_of(field: "dataclasses.Field[Any]") -> Any:
    """What stands for this key if it is left out; None if nothing does, or if it may not be."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def shape_of(kind: Any) -> Field:
    """What values of this type look like in a file."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        # A key that may be left out is None then; nobody can write that.
        (kind,) = (choice for choice in inner if choice is not NoneType)
        return shape_of(kind)
    if origin is Annotated:
        (shape,) = inner[1:]
        assert isinstance(shape, Field)
        return shape
    if origin is Literal:
        return ChoiceField(inner)
    if origin is list:
        return ListField(shape_of(inner[0]))
    if origin is dict:
        return TextMapField()
    simple: dict[Any, type[Field]] = {str: TextField, int: IntField, bool: BoolField}
    return simple[kind]() if kind in simple else DataclassField(kind)
