"""Files outside the system's folders that a command needs: its interpreter and its installation.

Programs below /usr are visible to every bot. Others (virtual environments, pyenv, nvm, conda, /opt)
are found here from the command, together with the folder that they were installed into.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from referee.errors import InputError
from referee.system.shebang import MAX_SCRIPTS, shebang_of

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/nix/store", "/gnu/store"),
)
"""Folders of the system's programs, readable for all users."""
_ETC = (
    *("ld.so.*", "alternatives", "localtime", "timezone", "passwd", "group", "nsswitch.conf"),
    *("locale.alias", "mime.types", "os-release", "ssl/openssl.cnf", "crypto-policies"),
    *("fonts", "java*", "perl", "python3*"),
)
_ETC_NETWORK = ("host*", "resolv.conf", "gai.conf", "services", "protocols", "ssl", "pki")
_BIN = ("bin", "sbin", "condabin")
_SHARED_PREFIXES = (".local", ".cargo")
"""Folders that hold more than one installation, and also secrets."""
_MAX_LINKS = 40
_WHICH_SECONDS = 60


@dataclass(frozen=True)
class Dependencies:
    """Files, folders and variables that a command needs."""

    arguments: tuple[str, ...]
    """The command itself; a shim of a version manager is replaced by the program it starts."""
    read: tuple[Path, ...] = ()
    programs: tuple[Path, ...] = ()
    """Folders of its programs, for PATH."""
    environment: dict[str, str] = field(default_factory=dict)


def find_dependencies(
    arguments: Sequence[str], folder: Path, shown: Sequence[Path] = ()
) -> Dependencies:
    """Find what this command needs when it is run in this folder, besides the folders shown.

    The organiser wrote the words of the command, so absolute paths among them are shown. The first
    lines and links of the bot's own files are not trusted: they make nothing visible but what lies
    in the system's folders or on the referee's PATH.
    """
    search = _DependencySearch(folder, [folder, *shown])
    program = search.add_program(arguments[0])
    for word in arguments[1:]:
        path = Path(word)
        if path.is_absolute() and _exists(path) and not is_inside(path, SYSTEM):
            search.read.append(_check_links(path))
    return Dependencies(
        (program, *arguments[1:]),
        tuple(path for path in search.read if not is_inside(path, SYSTEM)),
        tuple(search.programs),
        search.environment,
    )


class _DependencySearch:
    """The results found so far, from a program to the interpreters that it needs."""

    def __init__(self, folder: Path, shown: Sequence[Path]) -> None:
        self.read: list[Path] = []
        self.programs: list[Path] = []
        self.environment: dict[str, str] = {}
        self._folder = folder
        self._shown = [os.path.realpath(path) for path in shown]

    def add_program(self, word: str) -> str:
        """Add the program of a command; return the path to run in its place."""
        found = (shutil.which(word) if os.sep not in word else None) or word
        known = _on_path(found)
        if known is not None:
            self._add_installation(known)
            self._add_interpreter(known, is_known=True)
            return str(known)
        path = self._folder / found
        if is_inside(path, [os.path.normpath(self._folder)]):
            self._check_visible(path, path)
        else:
            path = Path(os.path.realpath(path.parent), path.name) if ".." in path.parts else path
            self.read += _installation_folders(_check_links(path))
        self.programs.append(path.parent)
        self._add_interpreter(path, is_known=is_inside(path, SYSTEM))
        return found

    def _add_interpreter(self, script: Path, is_known: bool, depth: int = 0) -> None:
        """Add the interpreter in a script's first line, which may be a script itself."""
        shebang = shebang_of(script)
        if shebang is None or depth == MAX_SCRIPTS:
            return
        path = self._folder / shebang.interpreter
        if is_known and Path(shebang.interpreter).is_absolute():
            self._add_installation(path)
        else:
            self._check_visible(path, script)
        self._add_interpreter(path, is_known, depth + 1)
        for word in shebang.searched:
            found = shutil.which(word) if os.sep not in word else None
            known = _on_path(found) if found else None
            if known is not None:
                self._add_installation(known)
                return

    def _check_visible(self, path: Path, script: Path) -> None:
        """Add what a bot's own file refers to if it is on PATH; InputError if bots cannot see it.

        The real path decides: the file system resolves a chain of links differently than an
        operation on the text of the path.
        """
        real = Path(os.path.realpath(path))
        steps = [real, *_links_in(path)]
        hidden = [step for step in steps if not is_inside(step, (*SYSTEM, *self._shown))]
        if not hidden:
            return
        for name in (shutil.which(path.name), sys.executable):
            known = _on_path(name) if name else None
            is_real = known is not None and os.path.realpath(known) == str(real)
            if known is not None and (known == path or (is_real and hidden == [real])):
                self._add_installation(known)
                return
        if not _exists(real):
            return  # the bot will not start, and that error names the reason
        raise InputError(
            f"{script} leads to {hidden[0]}, which bots cannot see: programs of the system, those"
            " on the referee's PATH and what `sandbox_read` names are shown to them"
        )

    def _add_installation(self, program: Path) -> None:
        self.read += _installation_folders(program)
        self.programs.append(program.parent)
        if program.resolve().name in ("rustup", "rustup-init"):
            rustup = Path(os.environ.get("RUSTUP_HOME") or _home() / ".rustup")
            self.read.append(rustup)
            self.environment["RUSTUP_HOME"] = str(rustup)


def _on_path(program: str) -> Path | None:
    """Resolve a program that is on the referee's PATH or runs the referee; None for others.

    Only for these a shim is resolved, because that runs the version manager.
    """
    path = Path(program)
    if not path.is_absolute():
        return None
    if program == sys.executable:
        return path
    return Path(_resolve_shim(program)) if shutil.which(path.name) == program else None


def _check_links(path: Path) -> Path:
    """Return the same path; InputError if it passes through a link of another user."""
    for link in _links_in(path):
        if link.lstat().st_uid not in (0, os.geteuid()):
            raise InputError(f"{path} leads through {link}, a link that another user made")
    return path


def _links_in(path: Path) -> list[Path]:
    """Return all links that the file system follows from the root to the end of a path."""
    links: list[Path] = []
    folder, remaining = Path("/"), list(path.parts[::-1])
    while remaining and len(links) < _MAX_LINKS:
        name = remaining.pop()
        entry = folder.parent if name == ".." else folder / name
        if entry.is_symlink():
            links.append(entry)
            remaining += entry.readlink().parts[::-1]
        else:
            folder = entry
    return links


@cache
def settings_of_machine(network: bool) -> tuple[str, ...]:
    """Return the files below /etc that programs read, and nothing that could be a secret."""
    patterns = (*_ETC, *(_ETC_NETWORK if network else ()))
    return tuple(str(path) for pattern in patterns for path in sorted(Path("/etc").glob(pattern)))


def _installation_folders(program: Path) -> Iterator[Path]:
    """Yield the folders that a program and all its link targets were installed into."""
    path = program
    for _ in range(_MAX_LINKS):
        yield _prefix(path)
        if not path.is_symlink():
            break
        target = path.parent / path.readlink()
        path = Path(os.path.realpath(target.parent), target.name)
    yield _prefix(Path(os.path.realpath(program)))


def _prefix(program: Path) -> Path:
    """Return `X` of `X/bin/program` if that is an installation, otherwise as little as possible."""
    parent = program.parent
    prefix = parent.parent
    if parent.name in _BIN and not is_shared_folder(prefix) and prefix.name not in _SHARED_PREFIXES:
        return prefix
    return program if is_shared_folder(parent) else parent


def is_shared_folder(folder: Path) -> bool:
    """Return whether a folder holds more than one installation: a home, or a top-level folder."""
    home = _home()
    if folder in (home, *home.parents, Path(tempfile.gettempdir())):
        return True
    return len(folder.parts) <= 2


def _home() -> Path:
    """Return the home of the current user; a container may have no entry for that user."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/nonexistent")


@cache
def _resolve_shim(program: str) -> str:
    """Return the program that a shim starts; version managers such as pyenv put shims into PATH."""
    path = Path(program)
    if path.parent.name != "shims":
        return program
    root = path.parent.parent
    manager = root.name.lstrip(".")
    tool = root / "bin" / manager
    command = str(tool) if tool.exists() else shutil.which(manager)
    if command is None:
        return program
    try:
        result = subprocess.run(
            [command, "which", path.name],
            cwd="/",  # a file in the current folder, which may be a bot's, must choose no version
            capture_output=True,
            text=True,
            timeout=_WHICH_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return program
    found = result.stdout.strip()
    return found if result.returncode == 0 and Path(found).is_absolute() else program


def visible_path(programs: Iterable[Path], read: Iterable[Path]) -> str:
    """Return PATH for a bot: the folders of its programs, and what it can see of our PATH."""
    shown = [*SYSTEM, *map(str, read)]
    entries = [*map(str, programs), *os.environ.get("PATH", os.defpath).split(os.pathsep)]
    entries += ["/usr/local/bin", "/usr/bin", "/bin"]
    return os.pathsep.join(dict.fromkeys(e for e in entries if is_inside(Path(e), shown)))


def is_inside(path: Path, folders: Iterable[str]) -> bool:
    """Return whether a path is one of these folders or lies below one."""
    text = os.path.normpath(path)
    return any(text == folder or text.startswith(f"{folder}{os.sep}") for folder in folders)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
