"""Patterns in `.gitignore` syntax: one per line, the last matching one decides.

`*.log` matches a name at any depth, `/data` or `a/b` a path from the top, `build/` only folders;
`*` and `?` do not match a slash, `**` does; `!` re-includes what an earlier line excluded; `#`
starts a comment.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from referee.errors import InputError

MAX_STEPS = 10_000_000
"""Comparisons of a pattern with a component of a path: some seconds, for all paths together."""


class IgnoreRules:
    """The patterns of one file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._steps = 0
        self._patterns = [
            _parse_line(line)
            for line in map(_strip_line, lines)
            if line and not line.startswith("#")
        ]

    def __call__(self, path: str, is_folder: bool) -> bool:
        """Return whether a path relative to the top is excluded, given that its parents are not.

        InputError if matching the patterns with the paths so far would take too long.
        """
        is_excluded = False
        names = path.split("/")
        self._steps += len(self._patterns) * len(names)
        if self._steps > MAX_STEPS:
            raise InputError(
                f"its patterns of files to leave out are too many ({len(self._patterns):,}) for"
                " its number of files: leave out whole folders"
            )
        for pattern in self._patterns:
            if (is_folder or not pattern.folders_only) and _matches(pattern.parts, names):
                is_excluded = pattern.excludes
        return is_excluded


class _Pattern(NamedTuple):
    """One parsed line of the file."""

    parts: list[re.Pattern[str] | None]
    """One per component of a path; None matches any number of folders."""
    excludes: bool
    folders_only: bool


def _strip_line(line: str) -> str:
    """Remove the line end and trailing blanks, except one that a backslash escapes."""
    line = line.rstrip("\r\n")
    bare = line.rstrip(" ")
    return bare + " " if bare.endswith("\\") and bare != line else bare


_TOKEN = re.compile(
    r"(?P<slash>/)|(?P<star>\*+)|(?P<one>\?)"
    r"|(?P<set>\[[!^]?\]?[^\]]*+\])|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)
_ANY_FOLDERS = "**"


def _parse_line(line: str) -> _Pattern:
    excludes = not line.startswith("!")
    line = line.removeprefix("!")
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    texts = _split_components(line.lstrip("/"))
    parts = [
        None if text == [_ANY_FOLDERS] and place < len(texts) - 1 else _component_pattern(text)
        for place, text in enumerate(texts)
    ]
    if "/" not in line or texts[-1] == [_ANY_FOLDERS]:
        parts.insert(-1, None)  # a name at any depth; everything below a folder
    # Several in a row match the same as one, and would make matching quadratic.
    return _Pattern(
        [part for place, part in enumerate(parts) if part or place == 0 or parts[place - 1]],
        excludes,
        folders_only,
    )


def _split_components(line: str) -> list[list[str]]:
    """Split a pattern at slashes, and each component into tokens."""
    names: list[list[str]] = [[]]
    for match in _TOKEN.finditer(line):
        if match.lastgroup == "slash":
            names.append([])
        else:
            names[-1].append(match[0])
    return names


def _component_pattern(tokens: Sequence[str]) -> re.Pattern[str]:
    """Compile one component to an expression without exponential backtracking.

    Text between two stars is matched at its first occurrence, in an atomic group: if the rest does
    not match from there, it does not match from a later occurrence either.
    """
    fixed = [""]
    for token in tokens:
        if token.startswith("*"):
            fixed.append("")
        else:
            fixed[-1] += _character_pattern(token)
    first, *others = fixed
    if not others:
        return re.compile(first, re.DOTALL)
    between = "".join(f"(?>.*?{text})" for text in others[:-1])
    return re.compile(f"{first}{between}.*{others[-1]}", re.DOTALL)


def _character_pattern(token: str) -> str:
    if token == "?":
        return "."
    if len(token) > 1 and token.startswith("["):
        return _set_pattern(token[1:-1])
    return re.escape(token.removeprefix("\\") or token)


def _set_pattern(inside: str) -> str:
    """Translate a character set; of a reversed range git matches only the first character."""
    negated = inside[:1] in ("!", "^")
    rest, parts = inside[1:] if negated else inside, ""
    while rest:
        if len(rest) > 2 and rest[1] == "-":
            low, high, rest = rest[0], rest[2], rest[3:]
            parts += f"{re.escape(low)}-{re.escape(max(low, high))}"
        else:
            parts, rest = parts + re.escape(rest[0]), rest[1:]
    return f"[{'^' if negated else ''}{parts}]"


def _matches(parts: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Match all components of a path, as a nondeterministic automaton: linear in its length."""
    positions = _skip_any_folders({0}, parts)
    for name in names:
        following = set()
        for position in positions:
            if position == len(parts):
                continue
            part = parts[position]
            if part is None:
                following.add(position)
            elif part.fullmatch(name):
                following.add(position + 1)
        positions = _skip_any_folders(following, parts)
    return len(parts) in positions


def _skip_any_folders(positions: set[int], parts: Sequence[re.Pattern[str] | None]) -> set[int]:
    """Add the positions after each `None`, which may match no folder at all."""
    skipping = {place + 1 for place in positions if place < len(parts) and parts[place] is None}
    return positions | skipping
