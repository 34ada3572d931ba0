"""Resolution of a bot's command: split it, find its program, isolate it, hash its files."""

import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from referee.bots.command import HUMAN, Command
from referee.errors import InputError
from referee.sandbox.dependencies import is_shared_folder
from referee.sandbox.limits import ResourceLimits
from referee.sandbox.rungs import Rung
from referee.system.shebang import why_not_runnable

MAX_NAME_LENGTH = 32
NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME_LENGTH}}}")
"""A name of a bot, or of a person in its place: ids of games consist of names and dots."""
_SCRIPTS = {
    **dict.fromkeys(("python", "pypy"), (".py",)),
    **dict.fromkeys(("node", "nodejs", "bun", "deno"), (".js", ".mjs", ".cjs", ".ts")),
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh"), (".sh",)),
    **{"ruby": (".rb",), "perl": (".pl",), "lua": (".lua",), "luajit": (".lua",)},
    **{"php": (".php",), "java": (".jar", ".java"), "julia": (".jl",), "Rscript": (".R",)},
}
"""File suffixes of scripts, by the interpreter's name without its version (`python3.12`)."""


def parse_command(text: str | Sequence[str], folder: Path) -> Command:
    """Resolve a command line, or the path of a program or script, relative to a folder.

    Raise InputError if the program or script is missing or cannot be executed.
    """
    words = split_command(text, folder)
    program = words[0]
    path = folder / program
    if is_file(path) and (os.sep in program or not shutil.which(program)):
        if path.suffix == ".py":
            return Command((sys.executable, program, *words[1:]), folder)
        if not os.access(path, os.X_OK):
            raise InputError(
                f"{program} is not executable: chmod +x it, or name its interpreter before it"
            )
        if why := why_not_runnable(path, folder):
            raise InputError(f"{program} cannot be run: {why}")
        return Command((str(path.absolute()), *words[1:]), folder)
    found = shutil.which(program)
    if found is None:
        hint = f" ({program} is a folder: name the program in it)" if is_folder(path) else ""
        raise InputError(f"there is no program {program!r} to start a bot with{hint}")
    if why := why_not_runnable(Path(found), folder):
        raise InputError(f"{found} cannot be run: {why}")
    if (script := missing_script(words, folder)) is not None:
        raise InputError(f"there is no file {script!r} for {program} to run")
    return Command((found, *words[1:]), folder)


def missing_script(words: Sequence[str], folder: Path) -> str | None:
    """Return the script argument of an interpreter if no such file exists."""
    interpreter = re.match(r"[A-Za-z]*", Path(words[0]).name)
    suffixes = _SCRIPTS.get(interpreter[0] if interpreter else "", ())
    for word in words[1:]:
        if word in ("-c", "-e", "-m"):
            return None
        if suffixes and word.endswith(suffixes) and not word.startswith("-"):
            return None if is_file(folder / word) else word
    return None


def split_command(text: str | Sequence[str], folder: Path) -> list[str]:
    """Split a command into words; raise InputError if it is empty or has an open quote."""
    if not isinstance(text, str):
        words = list(text)
    elif is_file(folder / text):
        words = [text]  # a path may contain spaces
    else:
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise InputError(f"the command {text!r} cannot be split: {error}") from error
    if not words or not words[0]:
        raise InputError("a bot's command is empty: write what starts it, like `python3 bot.py`")
    return words


def named_files(words: Sequence[str], folder: Path) -> list[Path]:
    """Return the existing files that a command names by a path relative to its folder."""
    files = [Path(word) for word in words if word and not Path(word).is_absolute()]
    return [file for file in files if is_file(folder / file)]


def confine_in_place(rung: Rung, command: Command) -> Command:
    """Isolate a bot that runs in its own folder instead of a copy.

    Visible are the current folder and the folders of files that the command names. A shared folder
    such as a home folder is never visible as a whole: only the files that are named.
    """
    if command.is_human:
        return command
    here = command.folder
    is_shared = is_shared_folder(here)
    shown = [] if is_shared else [here]
    for place, word in enumerate(command.arguments):
        file = Path(os.path.normpath(here / word))
        is_inside = file.is_relative_to(here)
        # The dependencies of a program outside the folder are found by the rung.
        is_missing = is_shared if is_inside else place > 0
        if is_missing and is_file(file):
            shown.append(file if is_shared_folder(file.parent) else file.parent)
    return rung.confine(command, ResourceLimits(), shown)


def is_folder(path: Path) -> bool:
    """Return whether the folder exists; False if the path is too long for the system."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Return whether the file exists; False if the path is too long for the system."""
    try:
        return path.is_file()
    except OSError:
        return False


def hash_command(command: Command, folder: Path) -> str:
    """Hash a bot's command and the contents of the files that it names; people have no files."""
    if command.is_human:
        return HUMAN
    digest = hashlib.sha256(os.fsencode("\0".join(command.arguments)))
    for file in named_files(command.arguments, folder):
        digest.update(b"\0" + os.fsencode(file) + b"\0" + (folder / file).read_bytes())
    return digest.hexdigest()[:16]


def bot_name(words: Sequence[str], folder: Path) -> str:
    """Derive a bot's name from its command: the stem of its script or program."""
    scripts = [word for word in words[1:] if is_file(folder / word)]
    stem = Path(scripts[0] if scripts else words[0]).stem
    return re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-")[:MAX_NAME_LENGTH] or "bot"
