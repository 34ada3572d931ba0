"""A tournament's folder, opened for reading: what it is about, and its records."""

import json
from collections.abc import Iterable
from pathlib import Path

from referee.about import FILE, About, guess_about, read_about
from referee.errors import InputError
from referee.reading import GamesFile
from referee.records import Record


def open_results(folder: Path) -> tuple[About, GamesFile]:
    """What was played in a folder; InputError if there is nothing."""
    path = folder / "games.jsonl"
    if not path.is_file():
        raise InputError(f"there are no games in {folder}: name the folder of a tournament")
    games = GamesFile(path)
    try:
        about = read_about(json.loads((folder / FILE).read_text(encoding="utf-8")))
    except FileNotFoundError:
        about = guess_about(folder.name, games.records())
    except ValueError as error:
        raise InputError(f"{folder / FILE} cannot be read: {error}") from error
    return about, games


def find_record(records: Iterable[Record], id: str, folder: Path) -> Record:
    """The record of one game; InputError with some of the ids if there is none."""
    ids = []
    for record in records:
        if record["id"] == id:
            return record
        ids.append(record["id"])
    from difflib import get_close_matches

    close = get_close_matches(id, ids, n=3, cutoff=0.5) or ids[:3]
    some = f"; there is {', '.join(close)}, …" if close else ": it has none yet"
    raise InputError(f"there is no game {id!r} in {folder}{some}")
