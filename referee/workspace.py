"""Bots as they were when the tournament began: hashed, copied, built, and run from there.

Editing a bot during a tournament changes nothing; running the tournament again with an edited one
is noticed by its hash.
"""

import hashlib
import os
import shlex
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from referee.blueprint import BotPart
from referee.bot import Launcher
from referee.command import HUMAN, Command
from referee.errand import run_errand
from referee.errors import InputError
from referee.ignored import Ignored
from referee.programs import is_folder, named_files, read_command, split_command
from referee.sandbox import Rung

if TYPE_CHECKING:
    from referee.tournament_file import BotEntry

LEFT_OUT = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache"}
    | {"target", "node_modules"}  # what cargo and npm build or fetch
)
IGNORE_FILE = ".refereeignore"
"""What else of a bot's folder is left out, in the words of a .gitignore."""
MOST_BYTES = 512 * 2**20
BUILD_SECONDS = 300
BUILD_MEMORY = 4 * 2**30
BUILD_BYTES = 2 * 2**30
"""Of files that a build writes: compilers keep much that is not needed afterwards."""
BUILD_PROCESSES, BUILD_FILES = 512, 4096
_BUILT = ".built"
"""Ends the name of a file beside the copy, where no build can write."""
_OUTPUT_LINES = 40


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


def find_files(bot: "BotEntry", base: Path) -> BotFiles:
    """A bot's files and their fingerprint; InputError says what is missing."""
    if bot.is_human:
        return BotFiles((), (HUMAN,), HUMAN)
    folder = base / bot.dir if bot.dir else base
    if not is_folder(folder):
        raise InputError(f"there is no folder {bot.dir!r}")
    words = split_command(bot.command, folder)
    if bot.dir:
        files = [(path, path.relative_to(folder).as_posix()) for path in _walk(folder)]
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
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _check_size(files: Sequence[tuple[Path, str]]) -> None:
    sizes = {name: path.stat().st_size for path, name in files}
    if sum(sizes.values()) <= MOST_BYTES:
        return
    largest = sorted(sizes, key=lambda name: sizes[name], reverse=True)[:3]
    shown = ", ".join(f"{name} ({sizes[name] / 2**20:.0f} MiB)" for name in largest)
    raise InputError(
        f"its files are more than {MOST_BYTES // 2**20} MiB; the largest are {shown}."
        f" Is `dir` right? A file {IGNORE_FILE} in it can leave some out"
    )


def _walk(folder: Path) -> Iterator[Path]:
    ignore_file = folder / IGNORE_FILE
    lines = ignore_file.read_text(errors="replace").splitlines() if ignore_file.is_file() else ()
    ignored = Ignored(lines)
    for here, folders, names in os.walk(folder):
        place = Path(here).relative_to(folder)
        folders[:] = sorted(
            name
            for name in folders
            if name not in LEFT_OUT and not ignored((place / name).as_posix(), True)
        )
        for name in sorted(names):
            path = Path(here) / name
            if name.endswith(".pyc") or ignored((place / name).as_posix(), False):
                continue
            if path.is_file():
                if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
                    # Copied by us, it could hold what its author was never meant to see.
                    name = path.relative_to(folder).as_posix()
                    raise InputError(f"its file {name!r} is a link that leads out of its folder")
                yield path


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
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for source, name in found.files:
            target = unfinished / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        show_to_everybody(unfinished)
        unfinished.rename(folder)
    return folder


def show_to_everybody(folder: Path) -> None:
    """Bots of root run as somebody else, who has to read them."""
    waiting = [folder]  # a build may have made more folders in folders than Python can recur
    while waiting:
        path = waiting.pop()
        try:
            # Behind a link that a build made lies what is none of its business.
            if path.is_symlink():
                continue
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
            if path.is_dir():
                waiting.extend(path.iterdir())
        except OSError:
            continue  # too deep for a path: no bot can want that


def command_in(bot: BotPart, folder: Path) -> Command:
    """The command that starts the bot from its copy."""
    return replace(read_command(bot.words, folder), environment=bot.environment)


def build(
    bot: BotPart,
    folder: Path,
    rung: Rung,
    launcher: Launcher | None = None,
    seconds: float = BUILD_SECONDS,
) -> None:
    """Run the bot's build command in its copy, once; InputError shows what it printed."""
    built = folder.with_name(folder.name + _BUILT)
    if bot.build is None or built.exists():
        return
    words = shlex.split(bot.build) if isinstance(bot.build, str) else bot.build
    limits = bot.limits
    if not shutil.which(folder / words[0] if os.sep in words[0] else words[0]):
        raise InputError(f"its build command {words[0]!r} cannot be run: there is no such program")
    roomy = replace(
        limits,
        memory=max(limits.memory, BUILD_MEMORY),
        scratch=max(limits.scratch, BUILD_BYTES),
        processes=max(limits.processes, BUILD_PROCESSES),
        files=max(limits.files, BUILD_FILES),
    )
    command = Command(tuple(words), folder, bot.environment)
    errand = run_errand(rung.confine(command, roomy, [], write=[folder]), seconds, launcher)
    if not errand.in_time:
        raise InputError(f"its build was not done after {seconds:g} s")
    if not errand.succeeded:
        shown = "\n".join(f"    | {line}" for line in errand.lines[-_OUTPUT_LINES:])
        how = f"was stopped: {errand.over}" if errand.over else f"failed with {errand.ending}"
        raise InputError(f"its build {how}:\n{shown}")
    show_to_everybody(folder)
    built.touch()
