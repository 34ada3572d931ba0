"""JSON for people and programs alike: what `json.dumps(data, indent=1)` gives, only sooner.

The standard library indents in Python, with a generator for every level; for the meetings of a
thousand bots that takes minutes.
"""

import json
from typing import Any

_quote = json.encoder.encode_basestring_ascii
_plain = json.JSONEncoder().encode


def indented(value: Any, line_start: str = "\n") -> str:
    """Data whose keys are all strings, one item per line.

    Something large can be a function that makes it: it is called when its turn comes, and what it
    made is gone before the next.
    """
    if callable(value):
        value = value()
    kind = type(value)
    if kind is str:
        return _quote(value)
    if kind is int:
        return str(value)
    if kind is dict and value:
        inner = f"{line_start} "
        items = [f"{inner}{_quote(key)}: {indented(item, inner)}" for key, item in value.items()]
        return f"{{{','.join(items)}{line_start}}}"
    if kind in (list, tuple) and value:
        inner = f"{line_start} "
        return f"[{','.join([inner + indented(item, inner) for item in value])}{line_start}]"
    return _plain(value)
