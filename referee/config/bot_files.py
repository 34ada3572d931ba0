"""Find, hash and copy the files of a bot."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bots.command import HUMAN
from referee.config.bot_command import is_folder, named_files, split_command
from referee.config.ignore_file import IgnoreRules
from referee.errors import InputError, OutsideError

if TYPE_CHECKING:
    from referee.config.tournament_file import BotEntry


LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache"}
    | {"target", "node_modules"}  # what cargo and npm build or fetch
)
IGNORE_FILE = ".refereeignore"
"""What else of a bot's folder is left out, in the words of a .gitignore."""
MAX_IGNORE_BYTES = 2**16
MAX_NESTED = 100
"""Folders in folders."""
RESULTS_HAVE = {"games.jsonl", ".lock"}
"""A folder with both holds the results of a tournament."""
MAX_BYTES = 512 * 2**20
BUILD_PROCESSES, BUILD_FILES = 512, 4096


@dataclass(frozen=True)
class BotFiles:
    """What a bot is made of: where its files are, and what they are called in the copy."""

    files: tuple[tuple[Path, str], ...]
    words: tuple[str, ...]
    """The command, as it is to be given in the copy."""
    hash: str

    @property
    def is_human(self) -> bool:
        return self.words == (HUMAN,)


def find_files(bot: "BotEntry", base: Path, tournament: Path | None = None) -> BotFiles:
    """A bot's files and their fingerprint; InputError says what is missing.

    The tournament's own file is never one of them, nor are results of tournaments.
    """
    if bot.is_human:
        return BotFiles((), (HUMAN,), HUMAN)
    folder = base / bot.dir if bot.dir else base
    if not is_folder(folder):
        raise InputError(f"there is no folder {bot.dir!r}")
    if bot.dir and folder.resolve() == Path(folder.resolve().anchor):
        raise InputError("`dir` is the root of the file system: name the folder of the bot alone")
    words = split_command(bot.command, folder)
    if bot.dir:
        files = [
            (folder / name, name)
            for name in _walk(folder)
            if tournament is None or not _is_same(folder / name, tournament)
        ]
    else:
        files, words = _rename(named_files(words, folder), words, folder)
    files.sort(key=lambda item: item[1])
    _check_size(files)
    return BotFiles(tuple(files), tuple(words), hash_of(files))


def hash_of(files: Iterable[tuple[Path, str]]) -> str:
    """A fingerprint of files in the order of their names: contents, names, executable bits."""
    digest = hashlib.sha256()
    for path, name in files:
        executable = os.access(path, os.X_OK)
        digest.update(f"{name}\0{executable}\0".encode())
        try:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        except OSError as error:
            raise InputError(f"its file {name!r} cannot be read: {error.strerror}") from error
    return digest.hexdigest()[:16]


def _is_same(path: Path, tournament: Path) -> bool:
    return path.name == tournament.name and path.resolve() == tournament.resolve()


def _check_size(files: Sequence[tuple[Path, str]]) -> None:
    sizes = {name: path.stat().st_size for path, name in files}
    if sum(sizes.values()) <= MAX_BYTES:
        return
    largest = sorted(sizes, key=lambda name: sizes[name], reverse=True)[:3]
    shown = ", ".join(f"{name} ({sizes[name] / 2**20:.0f} MiB)" for name in largest)
    raise InputError(
        f"its files are more than {MAX_BYTES // 2**20} MiB; the largest are {shown}."
        f" Is `dir` right? A file {IGNORE_FILE} in it can leave some out"
    )


def _walk(folder: Path) -> Iterator[str]:
    """The names of all files that belong to a bot, from its folder on."""
    ignored = IgnoreRules(_ignore_lines(folder))
    waiting = [""]  # not by recursion: the folder's author chooses how deep it is
    while waiting:
        place = waiting.pop()
        if place.count("/") >= MAX_NESTED:
            raise InputError(f"its folders are nested deeper than {MAX_NESTED}: {place[:60]!r}…")
        entries = _entries(folder, place)
        if place and entries.keys() >= RESULTS_HAVE:
            continue
        for name, entry in entries.items():
            path = f"{place}{name}"
            is_inner = entry.is_dir(follow_symlinks=False)
            if name in LEFT_OUT if is_inner else name.endswith(".pyc"):
                continue
            if ignored(path, is_inner):
                continue
            _check_name(path)
            if is_inner:
                waiting.append(f"{path}/")
            elif _belongs(folder, path):
                yield path


def _entries(folder: Path, place: str) -> "dict[str, os.DirEntry[str]]":
    try:
        with os.scandir(folder / place) as entries:
            return {entry.name: entry for entry in entries}
    except OSError as error:
        where = f"its folder {place.rstrip('/')!r}" if place else "its folder"
        raise InputError(f"{where} cannot be read: {error.strerror}") from error


def _check_name(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"its file {path!r} has a name that is not UTF-8: rename it, or leave it out by a line"
            f" in {IGNORE_FILE}"
        ) from error


def _belongs(folder: Path, name: str) -> bool:
    """Whether this is a file, and no link to one that its author was never meant to see.

    Copied by us, such a link would become that file.
    """
    path = folder / name
    try:
        if not path.is_file():
            return False
    except OSError as error:
        raise InputError(f"its file {name!r} cannot be read: {error.strerror}") from error
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"its file {name!r} is a link that leads out of its folder")
    return True


def _ignore_lines(folder: Path) -> Sequence[str]:
    """The lines of the file that says what is left out, if there is one."""
    path = folder / IGNORE_FILE
    if not _belongs(folder, IGNORE_FILE):
        return ()
    try:
        with path.open("rb") as file:
            content = file.read(MAX_IGNORE_BYTES + 1)
    except OSError as error:
        raise InputError(f"its file {IGNORE_FILE!r} cannot be read: {error.strerror}") from error
    if len(content) > MAX_IGNORE_BYTES:
        raise InputError(f"its file {IGNORE_FILE!r} has more than {MAX_IGNORE_BYTES:,} bytes")
    return content.decode(errors="replace").splitlines()


def _rename(
    named: Sequence[Path], words: Sequence[str], folder: Path
) -> tuple[list[tuple[Path, str]], list[str]]:
    """Files named relative to the tournament file lie side by side in the copy."""
    new_names: dict[str, str] = {}
    for file in named:
        name = file.name if file.name not in new_names.values() else f"{len(new_names)}-{file.name}"
        new_names.setdefault(str(file), name)
    files = [(folder / old, new) for old, new in new_names.items()]
    return files, [
        _in_copy(new_names[str(Path(w))]) if str(Path(w)) in new_names else w for w in words
    ]


def _in_copy(name: str) -> str:
    return f"./{name}"


def copy_bot(found: BotFiles, folder: Path) -> Path:
    """The bot's own folder, filled if it was not there before."""
    if not folder.is_dir():
        unfinished = folder.with_name(folder.name + ".part")
        try:
            _copy_files(found, unfinished)
            unfinished.rename(folder)
        except OSError as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise OutsideError(f"{folder} cannot be written: {error.strerror}") from error
    return folder


def _copy_files(found: BotFiles, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source, name in found.files:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)
    make_world_readable(folder)


def make_world_readable(folder: Path) -> None:
    """Let all users read a copy and none but its owner write to it, whatever a build left there.

    Bots of root run as other users. A file with a setuid or setgid bit would let any user of the
    machine act as the referee's.
    """
    waiting = [folder]  # a build may have made more folders in folders than Python can recur
    while waiting:
        path = waiting.pop()
        try:
            # Behind a link that a build made lies what is none of its business.
            if path.is_symlink():
                continue
            mode = path.stat().st_mode
            path.chmod(0o755 if stat.S_ISDIR(mode) or mode & 0o100 else 0o644)
            if stat.S_ISDIR(mode):
                waiting.extend(path.iterdir())
        except OSError:
            continue  # too deep for a path: no bot can want that
