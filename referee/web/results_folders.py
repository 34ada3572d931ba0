"""Results folders below the folders that a user named, by names that suit an address."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.errors import InputError

MAX_DEPTH = 4
MAX_FOLDERS = 500
GAMES_FILE = "games.jsonl"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def check_roots(roots: Sequence[Path]) -> None:
    """Raise InputError for a folder that does not exist."""
    for root in roots:
        if not root.is_dir():
            raise InputError(
                f"there is no folder {root}: `referee run` writes results to ./results,"
                " and `referee serve FOLDER` shows those below another folder"
            )


def find_results(roots: Sequence[Path]) -> dict[str, Path]:
    """Return the results folders by name, in the order of their paths."""
    found: dict[str, Path] = {}
    for root in roots:
        for folder in _results_below(root, MAX_DEPTH):
            if len(found) == MAX_FOLDERS:
                return found
            found[_free_name(folder, root, found)] = folder
    return found


def _results_below(folder: Path, depth: int) -> Iterator[Path]:
    """Yield results folders; links are not followed, because they may lead elsewhere."""
    if is_regular_file(folder / GAMES_FILE):
        yield folder
        return  # what is below it belongs to it
    if depth == 0:
        return
    try:
        inner = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return
    for path in inner:
        if not path.is_symlink() and path.is_dir():
            yield from _results_below(path, depth - 1)


def is_regular_file(path: Path) -> bool:
    """Return whether this is a file and not a link to one."""
    try:
        return path.is_file() and not path.is_symlink()
    except OSError:
        return False


def _free_name(folder: Path, root: Path, taken: dict[str, Path]) -> str:
    parts = folder.relative_to(root).parts or (folder.resolve().name,)
    name = ".".join(_UNSAFE.sub("-", part).strip("-") or "results" for part in parts)
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}.{number}"
    return free
