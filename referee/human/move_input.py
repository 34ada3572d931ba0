"""Lenient parser of moves and numbers typed by a person."""

import re

_CELL = r"\(?\s*([0-9]{1,4})\s*[,;\s]\s*([0-9]{1,4})\s*\)?"
_MOVE = re.compile(rf"(?:{_CELL})?\s*(?:x\s*{_CELL})?", re.ASCII | re.IGNORECASE)


def parse_entry(text: str) -> str | None:
    """Convert `3 3`, `(3, 3)`, `x 3 3` or `0,1 x 1,0` to the protocol's notation.

    Return None if it has not the form of a move; legality is not checked.
    """
    match = _MOVE.fullmatch(text.strip())
    if not match or not match[0]:
        return None
    row, col, block_row, block_col = match.groups()
    step = f"{int(row)},{int(col)}" if row else ""
    return step + (f"x{int(block_row)},{int(block_col)}" if block_row else "")


def parse_number(text: str) -> int | None:
    """Parse the number of a choice: `2`, `2.` or `(2)`; None if it is not a number."""
    match = re.fullmatch(r"\(?\s*([0-9]{1,4})\s*[.)]?", text.strip(), re.ASCII)
    return int(match[1]) if match else None
