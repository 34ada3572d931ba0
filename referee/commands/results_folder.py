"""Access to a tournament's folder: its manifest, its records, and the rules of its games.

The folder may come from an untrusted source. No code in it is run, and no path in it is loaded: the
rules of a game come from this package, from an installed one, or from a file that the user names.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.errors import InputError, unknown_name_message
from referee.records.games_file import GamesFile
from referee.records.manifest import Manifest, infer_manifest, load_manifest
from referee.records.record import Record
from referee.rules import Rules, Variant, find_installed, find_variant
from referee.rules.grid import Size
from referee.rules.registry import is_variant_file
from referee.schedule.fixtures import Board
from referee.text import printable_block

VARIANT_FILE_OPTION = "--variant-file FILE.py"


def open_results(folder: Path) -> tuple[Manifest, GamesFile]:
    """Open a results folder; raise InputError if it has no games file."""
    path = folder / "games.jsonl"
    if not path.is_file():
        raise InputError(f"there are no games in {folder}: name the folder of a tournament")
    games = GamesFile(path)
    return load_manifest(folder) or infer_manifest(folder.name, games.records()), games


def boards_of(manifest: Manifest, wanted: str | None) -> list[str]:
    """Find boards by variant or by name; return all boards if `wanted` is None."""
    variants = {name: Board.parse(name).variant for name in manifest.boards}
    if wanted is None:
        return list(manifest.boards)
    boards = [name for name, variant in variants.items() if wanted in (name, variant)]
    if not boards:
        raise InputError(
            unknown_name_message("variant", wanted, sorted({*variants, *variants.values()}))
        )
    return boards


def find_record(manifest: Manifest, games: GamesFile, game_id: str, folder: Path) -> Record:
    """Find the record of one game; raise InputError with similar ids if there is none."""
    record = games.find(manifest, game_id)
    if record is not None:
        return record
    from difflib import get_close_matches

    ids = [record["id"] for record in games.records()]
    close = get_close_matches(game_id, ids, n=3, cutoff=0.5) or ids[:3]
    some = f"; there is {', '.join(close)}, …" if close else ": it has none yet"
    raise InputError(f"there is no game {game_id!r} in {folder}{some}")


def add_folder_argument(parser: argparse.ArgumentParser) -> None:
    """Add DIR."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a tournament's folder")


def add_game_arguments(parser: argparse.ArgumentParser) -> None:
    """Add DIR and GAME, which name a recorded game, and `--variant-file`."""
    add_folder_argument(parser)
    parser.add_argument("game", metavar="GAME", help="the id of a game")
    add_variant_argument(parser)


def rules_or_problem(
    record: Record, variants: Mapping[str, Variant]
) -> tuple[Rules[Any] | None, str]:
    """Return the rules of a game; without them None, and the reason."""
    try:
        variant = variant_of(record, variants)
    except InputError as error:
        return None, f"without boards: {printable_block(str(error))}"
    return rules_of(record, variant), ""


def read_game(arguments: argparse.Namespace) -> tuple[Record, dict[str, Variant]]:
    """Return the record that DIR and GAME name, and the variants of --variant-file."""
    variants = read_variants(arguments.variant_file)
    manifest, games = open_results(arguments.folder)
    return find_record(manifest, games, arguments.game, arguments.folder), variants


def add_variant_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--variant-file`."""
    parser.add_argument(
        "--variant-file",
        action="append",
        default=[],
        metavar="FILE.py",
        help="run this file for the rules of a game that is not installed; may be repeated",
    )


def read_variants(paths: Sequence[str]) -> dict[str, Variant]:
    """Load the variants of --variant-file, by name."""
    variants = [find_variant(path if is_variant_file(path) else f"{path}.py") for path in paths]
    return {variant.name: variant for variant in variants}


def variant_of(record: Record, variants: Mapping[str, Variant]) -> Variant:
    """Find the variant of a game; raise InputError if it is not installed."""
    name = record["variant"]
    if name in variants:
        return variants[name]
    try:
        return find_installed(name)
    except InputError as error:
        raise InputError(
            f"{error}; if you have its file, and trust it: {VARIANT_FILE_OPTION}"
        ) from error


def rules_of(record: Record, variant: Variant) -> Rules[Any]:
    """Return the rules of a game on its board."""
    return variant.on(Size(record["rows"], record["cols"]))
