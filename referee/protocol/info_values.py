"""Tags and numbers in `info` lines, such as `info tag=endgame depth=7 nodes=12345`. Pure."""

import re
from functools import lru_cache
from math import isfinite

MAX_LENGTH = 400
"""Characters of a line; a longer one is text."""
MAX_VALUE_LENGTH = 64
LARGEST = 1e15
"""A number beyond this is text: a chart with it would show nothing else."""
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)

InfoValue = str | float


def read_values(text: str) -> dict[str, InfoValue]:
    """Parse the text after `info`; return nothing unless all of its words are `key=value`."""
    values: dict[str, InfoValue] = {}
    if "=" not in text or len(text) > MAX_LENGTH:
        return values
    for word in text.split():
        key, _, value = word.partition("=")
        if not value or len(value) > MAX_VALUE_LENGTH or not _is_key(key):
            return {}
        values[key] = _read_value(value)
    return values


@lru_cache(maxsize=1000)
def _is_key(text: str) -> bool:
    return _KEY.fullmatch(text) is not None


def _read_value(text: str) -> InfoValue:
    """Return a number, or the text itself: `nan` and `inf` are texts."""
    if text.isdigit() and text.isascii() and len(text) <= 15:
        return int(text)
    if not _NUMBER.fullmatch(text):
        return text
    number = float(text)
    if not isfinite(number) or abs(number) > LARGEST:
        return text
    return int(number) if number.is_integer() else number
