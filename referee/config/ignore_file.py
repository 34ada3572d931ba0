"""Which files are left out, in the words of a `.gitignore`: a pattern per line, the last one wins.

`*.log` is a name anywhere, `/data` or `a/b` a path from the top, `build/` folders alone; `*`, `?`
stop at a slash, `**` does not; `!` takes back what an earlier line left out; `#` is a comment.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class IgnoreRules:
    """The patterns of one file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [
            _read(line) for line in map(_trimmed, lines) if line and not line.startswith("#")
        ]

    def __call__(self, path: str, is_folder: bool) -> bool:
        """Whether this path (from the top, with slashes) is left out; its folders were not."""
        left_out = False
        names = path.split("/")
        for pattern in self._patterns:
            if (is_folder or not pattern.folders_only) and _matches(pattern.parts, names):
                left_out = pattern.excludes
        return left_out


class _Pattern(NamedTuple):
    """A line of the file."""

    parts: list[re.Pattern[str] | None]
    """One for each name of a path; None is any number of folders."""
    excludes: bool
    folders_only: bool


def _trimmed(line: str) -> str:
    line = line.rstrip("\r\n")
    bare = line.rstrip(" ")
    return bare + " " if bare.endswith("\\") and bare != line else bare


_PIECE = re.compile(
    r"(?P<slash>/)|(?P<star>\*+)|(?P<one>\?)"
    r"|(?P<set>\[[!^]?\]?[^\]]*\])|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)
_FOLDERS = "**"


def _read(line: str) -> _Pattern:
    excludes = not line.startswith("!")
    line = line.removeprefix("!")
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    texts = _split(line.lstrip("/"))
    parts = [
        None if text == [_FOLDERS] and place < len(texts) - 1 else _name_pattern(text)
        for place, text in enumerate(texts)
    ]
    if "/" not in line or texts[-1] == [_FOLDERS]:
        parts.insert(-1, None)  # a name anywhere; all that lies below a folder
    return _Pattern(parts, excludes, folders_only)


def _split(line: str) -> list[list[str]]:
    """The pieces of a pattern, name by name."""
    names: list[list[str]] = [[]]
    for match in _PIECE.finditer(line):
        if match.lastgroup == "slash":
            names.append([])
        else:
            names[-1].append(match[0])
    return names


def _name_pattern(pieces: Sequence[str]) -> re.Pattern[str]:
    """A pattern for one name, which takes a time that grows with its length and no faster.

    What stands between two stars is found at its first place and stays there: where that fails,
    no other place would do. Trying all of them is what could take for ever.
    """
    fixed = [""]
    for piece in pieces:
        if piece.startswith("*"):
            fixed.append("")
        else:
            fixed[-1] += _one_character(piece)
    first, *others = fixed
    if not others:
        return re.compile(first, re.DOTALL)
    between = "".join(f"(?>.*?{text})" for text in others[:-1])
    return re.compile(f"{first}{between}.*{others[-1]}", re.DOTALL)


def _one_character(piece: str) -> str:
    if piece == "?":
        return "."
    if len(piece) > 1 and piece.startswith("["):
        return _set(piece[1:-1])
    return re.escape(piece.removeprefix("\\") or piece)


def _set(inside: str) -> str:
    """An expression for one of several characters; of a range backwards git knows the first."""
    negated = inside[:1] in ("!", "^")
    left, parts = inside[1:] if negated else inside, ""
    while left:
        if len(left) > 2 and left[1] == "-":
            low, high, left = left[0], left[2], left[3:]
            parts += f"{re.escape(low)}-{re.escape(max(low, high))}"
        else:
            parts, left = parts + re.escape(left[0]), left[1:]
    return f"[{'^' if negated else ''}{parts}]"


def _matches(parts: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Whether all names of a path fit, followed through all places in the pattern at once."""
    places = _skipping({0}, parts)
    for name in names:
        after = set()
        for place in places:
            if place == len(parts):
                continue
            part = parts[place]
            if part is None:
                after.add(place)
            elif part.fullmatch(name):
                after.add(place + 1)
        places = _skipping(after, parts)
    return len(parts) in places


def _skipping(places: set[int], parts: Sequence[re.Pattern[str] | None]) -> set[int]:
    """These places, and those behind any number of folders that may be none."""
    for place in sorted(places):
        while place < len(parts) and parts[place] is None:
            place += 1
            places.add(place)
    return places
