"""JSON for people and programs alike: what `json.dumps(data, indent=1)` gives, only sooner.

The standard library indents in Python, with a generator for every level; for the meetings of a
thousand bots that takes minutes, and the text alone a quarter of a gigabyte. So it is made piece by
piece, and what is large need not be there as a whole.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

_quote = json.encoder.encode_basestring_ascii
_plain = json.JSONEncoder().encode
_ITEMS_PER_PIECE = 1000


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else _plain(value)


_TEXTS: dict[type, Callable[[Any], str]] = {str: _quote, int: str, float: _number}


class Objects(NamedTuple):
    """A list of objects that all have the same keys: their values alone, made one by one."""

    keys: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]


def indented(value: Any, line_start: str = "\n") -> str:
    """Data whose keys are all strings, one item per line."""
    kind = type(value)
    if kind in _TEXTS:
        return _TEXTS[kind](value)
    if kind is dict and value:
        inner = f"{line_start} "
        items = [f"{inner}{_quote(key)}: {indented(item, inner)}" for key, item in value.items()]
        return f"{{{','.join(items)}{line_start}}}"
    if kind in (list, tuple) and value:
        inner = f"{line_start} "
        return f"[{','.join([inner + indented(item, inner) for item in value])}{line_start}]"
    return _plain(value)


def iter_json(value: Any, line_start: str = "\n") -> Iterator[str]:
    """The same text in pieces.

    Dictionaries may hold `Objects`, and functions that make something large when its turn comes:
    what they made is gone before the next.
    """
    if callable(value):
        value = value()
    inner = f"{line_start} "
    if isinstance(value, Objects):
        yield from _object_pieces(value, line_start)
    elif type(value) is dict and value:
        before = "{"
        for key, item in value.items():
            yield f"{before}{inner}{_quote(key)}: "
            yield from iter_json(item, inner)
            before = ","
        yield f"{line_start}}}"
    else:
        yield indented(value, line_start)


def _object_pieces(objects: Objects, line_start: str) -> Iterator[str]:
    inner = f"{line_start} "
    keys = [f"{inner} {_quote(key)}: " for key in objects.keys]
    # A key and its value take turns, and the end of a row belongs to the next.
    texts = [text for key in keys for text in (f",{key}", "")]
    texts[0] = f"{inner}}},{inner}{{{keys[0]}"
    rows = iter(objects.rows)
    before = "["
    while some := list(islice(rows, _ITEMS_PER_PIECE)):
        whole = texts * len(some)
        for place, column in enumerate(zip(*some, strict=True)):
            whole[2 * place + 1 :: len(texts)] = _texts(column)
        if before:
            whole[0] = f"[{inner}{{{keys[0]}"
        yield "".join(whole)
        before = ""
    yield "[]" if before else f"{inner}}}{line_start}]"


def _texts(column: tuple[Any, ...]) -> Iterable[str]:
    kinds = set(map(type, column))  # one, as a rule
    if kinds == {float} and all(map(math.isfinite, column)):
        return map(repr, column)
    return map(_TEXTS[kinds.pop()] if kinds in ({int}, {str}) else indented, column)
