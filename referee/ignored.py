"""Which files are left out, in the words of a `.gitignore`: a pattern per line, the last one wins.

`*.log` is a name anywhere, `/data` or `a/b` a path from the top, `build/` folders alone; `*`, `?`
stop at a slash, `**` does not; `!` takes back what an earlier line left out; `#` is a comment.
"""

import re
from collections.abc import Iterable


class Ignored:
    """The patterns of one file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = [
            _read(line) for line in map(_trimmed, lines) if line and not line.startswith("#")
        ]

    def __call__(self, path: str, is_folder: bool) -> bool:
        """Whether this path (from the top, with slashes) is left out; its folders were not."""
        left_out = False
        for pattern, excludes, folders_only in self._patterns:
            if (is_folder or not folders_only) and pattern.fullmatch(path):
                left_out = excludes
        return left_out


def _trimmed(line: str) -> str:
    line = line.rstrip("\r\n")
    bare = line.rstrip(" ")
    return bare + " " if bare.endswith("\\") and bare != line else bare


def _read(line: str) -> tuple[re.Pattern[str], bool, bool]:
    """The pattern, whether it excludes, and whether it means folders alone."""
    excludes = not line.startswith("!")
    line = line.removeprefix("!")
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    anywhere = "/" not in line
    text = _expression(line.lstrip("/"))
    return re.compile(f"(?:.*/)?{text}" if anywhere else text), excludes, folders_only


_PIECE = re.compile(
    r"(?P<folders>(?:^|(?<=/))\*\*/)|(?P<all>(?<=/)\*\*$)|(?P<star>\*+)|(?P<one>\?)"
    r"|(?P<set>\[[!^]?\]?[^\]]*\])|\\(?P<escaped>.)|(?P<plain>.)"
)
_MEANING = {"folders": "(?:.*/)?", "all": ".+", "star": "[^/]*", "one": "[^/]"}


def _expression(pattern: str) -> str:
    parts = []
    for match in _PIECE.finditer(pattern):
        kind, text = match.lastgroup or "plain", match[0]
        if kind == "set":
            inside = text[1:-1]
            negated = inside[:1] in ("!", "^")
            inside = re.sub(r"([\\\[\]^&|~])", r"\\\1", inside[1:] if negated else inside)
            parts.append(f"(?!/)[{'^' if negated else ''}{inside}]")
        else:
            parts.append(_MEANING.get(kind) or re.escape(match["escaped"] or text))
    return "".join(parts)
