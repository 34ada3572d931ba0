"""Field validators: convert the values of a file and report every error, not only the first.

A mapping of the file is described by a dataclass. The type of each field determines its validator;
where a type alone is not specific enough, `Annotated` carries the validator itself.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from referee.config.yaml_source import Key, YamlFile, format_key
from referee.errors import InputError, closest_match
from referee.text import printable

_MAX_SHOWN_LENGTH = 60
MAX_VARIABLE_LENGTH = 30_000
"""Characters of an environment variable: the kernel permits 128 KiB for its name and value."""


class FieldError(NamedTuple):
    """An error in the value at a key, or in the key itself."""

    key: Key
    message: str
    at_key: bool = False


class Location(NamedTuple):
    """The position of a value in a file."""

    file: YamlFile
    key: Key
    errors: list[FieldError]
    """All errors of the file so far; shared by all locations of a file."""

    def child(self, part: str | int) -> "Location":
        """Return the location of a value inside this one."""
        return Location(self.file, (*self.key, part), self.errors)

    def add_problem(self, message: str, at_key: bool = False) -> None:
        """Add an error at this location."""
        self.errors.append(FieldError(self.key, message, at_key))

    def expected(self, value: Any, what: str) -> None:
        """Add an error: the value is not what was expected."""
        self.add_problem(f"it is {self.describe(value)}: expected {what}")

    def describe(self, value: Any) -> str:
        """Return the value as it was written, or the kind of value."""
        raw = self.file.raw(self.key)
        if raw is not None:
            return f"`{printable(raw, _MAX_SHOWN_LENGTH)}`" if raw else "empty"
        kind = {dict: "a mapping", list: "a list", NoneType: "empty"}.get(type(value))
        return kind or repr(value)


class Field:
    """A validator of one value."""

    def read(self, value: Any, place: Location) -> Any:
        """Convert a value; if it is invalid, add an error (the result is then not used)."""
        raise NotImplementedError


class TextField(Field):
    """Text; `check` raises InputError if it has the wrong form."""

    def __init__(
        self, example: str = "", check: Callable[[str], object] = str, pattern: str = ""
    ) -> None:
        self._example = example
        self._check = check
        self.pattern = pattern

    def read(self, value: Any, place: Location) -> Any:
        """Check that the value is text of the right form."""
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
        """Describe how YAML read the value, and how to write it as text."""
        raw = place.file.raw(place.key)
        if not raw:
            return f"it is {place.describe(value)}"
        if value is None:
            read_as = "nothing"
        elif isinstance(value, bool):
            read_as = str(value).lower()
        else:
            kind = "number" if isinstance(value, int | float) else "date"
            read_as = f"the {kind} {value}"
        # Where the text must have a certain form, a quoted number would be invalid too.
        suggest_quotes = isinstance(value, bool) or not self._example
        quoted = f'; put it in quotes: "{raw}"' if suggest_quotes else ""
        return f"YAML reads `{raw}` as {read_as}{quoted}"


class IntField(Field):
    """A whole number within limits."""

    def __init__(self, minimum: int | None = None, maximum: int | None = None) -> None:
        self.minimum = minimum
        self.maximum = maximum

    def read(self, value: Any, place: Location) -> Any:
        """Check that the value is an integer within the limits."""
        if not isinstance(value, int) or isinstance(value, bool):
            place.expected(value, "a whole number")
        elif self.minimum is not None and value < self.minimum:
            place.expected(value, f"{self.minimum} or more")
        elif self.maximum is not None and value > self.maximum:
            place.expected(value, f"{self.maximum} or less")
        return value


class BoolField(Field):
    """A boolean; words and numbers that resemble one are errors."""

    def read(self, value: Any, place: Location) -> Any:
        """Check that the value is `true` or `false`."""
        if not isinstance(value, bool):
            place.expected(value, "true or false")
        return value


class ChoiceField(Field):
    """One of several words."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def read(self, value: Any, place: Location) -> Any:
        """Check that the value is one of the words."""
        if not isinstance(value, str) or value not in self.words:
            *others, last = (f"`{word}`" for word in self.words)
            close = closest_match(str(value), self.words)
            hint = f"; did you mean `{close}`?" if close else ""
            place.expected(value, f"{', '.join(others)} or {last}{hint}")
        return value


class ListField(Field):
    """A list whose items share one validator."""

    def __init__(self, item: Field, min_items: int = 0, unique: bool = False) -> None:
        """Create a validator; `unique` forbids equal items."""
        self.item = item
        self.min_items = min_items
        self.unique = unique

    def read(self, value: Any, place: Location) -> Any:
        """Check the list, then each item."""
        if not isinstance(value, list):
            place.expected(value, "a list")
            return value
        if len(value) < self.min_items:
            place.add_problem(f"the list is empty: expected {self.min_items} or more items")
        if self.unique:
            self._check_unique(value, place)
        return [self.item.read(item, place.child(number)) for number, item in enumerate(value)]

    def _check_unique(self, items: list[Any], place: Location) -> None:
        places: dict[str, int] = {}
        for number, item in enumerate(items):
            if not isinstance(item, str):
                continue
            first = places.setdefault(item, number)
            if first != number:
                where = format_key(place.child(first).key)
                place.child(number).add_problem(f"{item!r} is in this list already, as {where}")


class TextMapField(Field):
    """Environment variables: text by name."""

    def read(self, value: Any, place: Location) -> Any:
        """Check the names of the variables and their values."""
        if not isinstance(value, dict):
            place.expected(value, "`key: value` lines")
            return value
        for name, text in value.items():
            if not name or "=" in str(name) or "\0" in str(name):
                message = f"no variable can be called {name!r}: a name is not empty and has no `=`"
                place.child(name).add_problem(message, at_key=True)
            elif "\0" in str(text):
                place.child(name).add_problem("no variable can hold a zero byte")
            elif max(len(str(name)), len(str(text))) > MAX_VARIABLE_LENGTH:
                message = f"a variable is longer than {MAX_VARIABLE_LENGTH:,} characters"
                place.child(name).add_problem(message, at_key=True)
        return {key: TextField().read(item, place.child(key)) for key, item in value.items()}


class DataclassField(Field):
    """A mapping that becomes a dataclass; unknown keys are errors."""

    def __init__(self, kind: type[Any]) -> None:
        self.kind = kind
        hints = get_type_hints(kind, include_extras=True)
        self.fields = {field.name: field_for_type(hints[field.name]) for field in fields(kind)}

    def read(self, value: Any, place: Location) -> Any:
        """Check keys and values; return the dataclass, or None if there are errors."""
        if not isinstance(value, dict):
            place.expected(value, "`key: value` lines")
            return value
        found = {}
        for key, item in value.items():
            here = place.child(key)
            if key not in self.fields:
                here.add_problem(
                    f"there is no such key: {_suggest_key(key, list(self.fields))}", at_key=True
                )
            elif item is None:
                here.add_problem("it is empty: write a value, or leave the key out")
            else:
                found[key] = self.fields[key].read(item, here)
        for field in fields(self.kind):
            if is_required(field) and field.name not in value:
                place.child(field.name).add_problem("this key is missing")
        return None if place.errors else self.kind(**found)


def _suggest_key(key: str, known: list[str]) -> str:
    close = closest_match(key, known)
    return f"did you mean `{close}`?" if close else f"there are {', '.join(known)}"


def is_required(field: "dataclasses.Field[Any]") -> bool:
    """Return whether the key of a field may not be omitted."""
    return field.default is MISSING and field.default_factory is MISSING


def field_for_type(kind: Any) -> Field:
    """Return the validator for values of a type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        # None is the value of an omitted key; it cannot be written in a file.
        (kind,) = (choice for choice in inner if choice is not NoneType)
        return field_for_type(kind)
    if origin is Annotated:
        (annotation,) = inner[1:]
        assert isinstance(annotation, Field)
        return annotation
    if origin is Literal:
        return ChoiceField(inner)
    if origin is list:
        return ListField(field_for_type(inner[0]))
    if origin is dict:
        return TextMapField()
    simple: dict[Any, type[Field]] = {str: TextField, int: IntField, bool: BoolField}
    return simple[kind]() if kind in simple else DataclassField(kind)
