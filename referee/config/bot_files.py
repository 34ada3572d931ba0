"""Find, hash and copy the files of a bot."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bots.command import HUMAN, Command
from referee.config.bot_command import is_folder, named_files, split_command
from referee.config.ignore_file import IgnoreRules
from referee.config.plan import BotSpec
from referee.errors import InputError, OutsideError

if TYPE_CHECKING:
    from referee.config.tournament_file import BotEntry


SKIPPED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache"}
    | {"target", "node_modules"}  # output and downloads of cargo and npm
)
IGNORE_FILE = ".refereeignore"
"""File in a bot's folder that lists further files to skip, in `.gitignore` syntax."""
MAX_IGNORE_BYTES = 2**16
MAX_FOLDER_DEPTH = 100
RESULTS_MARKERS = {"games.jsonl", ".lock"}
"""A folder that contains both is a results folder of a tournament, and is skipped."""
MAX_BYTES = 512 * 2**20
BUILD_PROCESSES, BUILD_FILES = 512, 4096


class BotFilesError(InputError):
    """A problem with a bot's files that belongs to one key of its entry."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


def find_bot(bot: "BotEntry", base: Path, tournament: Path | None = None) -> BotSpec:
    """Find and hash a bot's files; raise InputError if something is missing or unreadable.

    The tournament file itself and results folders are excluded. The clock and the limits are the
    default ones.
    """
    folder = base / bot.dir if bot.dir else base
    words = split_command(bot.command, folder)
    command = Command(tuple(words), Path(), bot.env)
    if command.is_human:
        return BotSpec(bot.name, command, HUMAN)
    if not is_folder(folder):
        raise BotFilesError(f"there is no folder {bot.dir!r}", key="dir")
    if bot.dir and folder.resolve() == Path(folder.resolve().anchor):
        raise BotFilesError(
            "`dir` is the root of the file system: name the folder of the bot alone", key="dir"
        )
    if bot.dir:
        files = [
            (folder / name, name)
            for name in _walk(folder)
            if tournament is None or not _is_tournament_file(folder / name, tournament)
        ]
    else:
        files, words = _flatten(named_files(words, folder), words, folder)
        command = replace(command, arguments=tuple(words))
    files.sort(key=lambda item: item[1])
    _check_size(files)
    return BotSpec(bot.name, command, hash_of(files), tuple(files), bot.build)


def hash_of(files: Iterable[tuple[Path, str]], copy: Path | None = None) -> str:
    """Hash the names, executable bits and contents of files, in the given order.

    With `copy`, the contents are those of the files with these names in that folder.
    """
    digest = hashlib.sha256()
    for path, name in files:
        executable = os.access(path, os.X_OK)
        digest.update(f"{name}\0{executable}\0".encode())
        try:
            content = (path if copy is None else copy / name).read_bytes()
            digest.update(hashlib.sha256(content).digest())
        except OSError as error:
            raise InputError(f"its file {name!r} cannot be read: {error.strerror}") from error
    return digest.hexdigest()[:16]


def _is_tournament_file(path: Path, tournament: Path) -> bool:
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
    """Yield the paths, relative to the folder, of all files that belong to a bot."""
    ignored = IgnoreRules(_ignore_lines(folder))
    pending = [""]  # iterative: the depth of the tree is not trusted
    while pending:
        parent = pending.pop()
        if parent.count("/") >= MAX_FOLDER_DEPTH:
            raise InputError(
                f"its folders are nested deeper than {MAX_FOLDER_DEPTH}: {parent[:60]!r}…"
            )
        entries = _entries(folder, parent)
        if parent and entries.keys() >= RESULTS_MARKERS:
            continue
        for name, entry in entries.items():
            path = f"{parent}{name}"
            is_subfolder = entry.is_dir(follow_symlinks=False)
            if name in SKIPPED_FOLDERS if is_subfolder else name.endswith(".pyc"):
                continue
            if ignored(path, is_subfolder):
                continue
            _check_name(path)
            if is_subfolder:
                pending.append(f"{path}/")
            elif _is_bot_file(folder, path):
                yield path


def _entries(folder: Path, parent: str) -> "dict[str, os.DirEntry[str]]":
    try:
        with os.scandir(folder / parent) as entries:
            return {entry.name: entry for entry in entries}
    except OSError as error:
        where = f"its folder {parent.rstrip('/')!r}" if parent else "its folder"
        raise InputError(f"{where} cannot be read: {error.strerror}") from error


def _check_name(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"its file {path!r} has a name that is not UTF-8: rename it, or leave it out by a line"
            f" in {IGNORE_FILE}"
        ) from error


def _is_bot_file(folder: Path, name: str) -> bool:
    """Return whether the path is a regular file; raise InputError for a link out of the folder.

    Copying follows links, so a bot could otherwise obtain any file that the referee can read.
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
    """Read the lines of the ignore file; empty if there is none."""
    path = folder / IGNORE_FILE
    if not _is_bot_file(folder, IGNORE_FILE):
        return ()
    try:
        with path.open("rb") as file:
            content = file.read(MAX_IGNORE_BYTES + 1)
    except OSError as error:
        raise InputError(f"its file {IGNORE_FILE!r} cannot be read: {error.strerror}") from error
    if len(content) > MAX_IGNORE_BYTES:
        raise InputError(f"its file {IGNORE_FILE!r} has more than {MAX_IGNORE_BYTES:,} bytes")
    return content.decode(errors="replace").splitlines()


def _flatten(
    named: Sequence[Path], words: Sequence[str], folder: Path
) -> tuple[list[tuple[Path, str]], list[str]]:
    """Place the named files side by side in the copy, and adapt the command to that."""
    new_names: dict[str, str] = {}
    for file in named:
        name = file.name if file.name not in new_names.values() else f"{len(new_names)}-{file.name}"
        new_names.setdefault(str(file), name)
    files = [(folder / old, new) for old, new in new_names.items()]
    return files, [
        f"./{new_names[str(Path(word))]}" if str(Path(word)) in new_names else word
        for word in words
    ]


def copy_bot(bot: BotSpec, folder: Path) -> Path:
    """Copy a bot's files into the folder unless it exists; return the folder."""
    if not folder.is_dir():
        unfinished = folder.with_name(folder.name + ".part")
        try:
            _copy_files(bot, unfinished)
            unfinished.rename(folder)
        except OSError as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise OutsideError(f"{folder} cannot be written: {error.strerror}") from error
    return folder


def _copy_files(bot: BotSpec, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source, name in bot.files:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        with suppress(PermissionError):  # FAT has no modes
            target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)
    # A file may have become a link to another one since it was checked.
    if hash_of(bot.files, folder) != bot.hash:
        shutil.rmtree(folder)
        raise InputError("its files changed while they were copied: run the same command again")
    make_world_readable(folder)


def make_world_readable(folder: Path) -> None:
    """Make a copy readable by all users and writable by its owner only.

    If the referee runs as root, its bots run as other users. Setuid and setgid bits are cleared,
    because they would grant any user of the machine the rights of the referee's user.
    """
    pending = [folder]  # iterative: a build may nest folders deeper than the recursion limit
    while pending:
        path = pending.pop()
        try:
            # A link made by the build may point out of the copy.
            if path.is_symlink():
                continue
            mode = path.stat().st_mode
            path.chmod(0o755 if stat.S_ISDIR(mode) or mode & 0o100 else 0o644)
            if stat.S_ISDIR(mode):
                pending.extend(path.iterdir())
        except OSError:
            continue  # the path is too long for the system, hence also for the bot
