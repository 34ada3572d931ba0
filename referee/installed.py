"""What a command needs to see of the machine: its interpreter, wherever that is installed.

Programs below /usr are visible to every bot. Others (virtual environments, pyenv, nvm, conda, /opt)
are found here from the command, together with the folder that they were installed into.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/nix/store", "/gnu/store"),
)
"""Where a system keeps its programs; the same for everybody."""
_ETC = (
    *("ld.so.*", "alternatives", "localtime", "timezone", "passwd", "group", "nsswitch.conf"),
    *("locale.alias", "mime.types", "os-release", "ssl/openssl.cnf", "crypto-policies"),
    *("fonts", "java*", "perl", "python3*"),
)
_ETC_NETWORK = ("host*", "resolv.conf", "gai.conf", "services", "protocols", "ssl", "pki")
_BIN = ("bin", "sbin", "condabin")
_SHARED_PREFIXES = (".local", ".cargo")
"""Below these lie other things than one installation, secrets among them."""
_MOST_LINKS = 10
_WHICH_SECONDS = 20


@dataclass(frozen=True)
class Needs:
    """What a command needs."""

    arguments: tuple[str, ...]
    """The command itself, with a stand-in for a program replaced by that program."""
    read: tuple[Path, ...] = ()
    programs: tuple[Path, ...] = ()
    """Where its programs lie, for PATH."""
    environment: dict[str, str] = field(default_factory=dict)


def needs_of(arguments: Sequence[str], folder: Path) -> Needs:
    """What this command needs when it is run in this folder."""
    program = _unshimmed(shutil.which(arguments[0]) or arguments[0])
    roots = [folder / program]
    shebang = _shebang(folder / program)
    if shebang is not None:
        roots.append(Path(_unshimmed(shebang)))
    read: list[Path] = []
    environment: dict[str, str] = {}
    for root in roots:
        read += _installation(root)
        if root.is_absolute() and root.resolve().name in ("rustup", "rustup-init"):
            rustup = Path(os.environ.get("RUSTUP_HOME") or _home() / ".rustup")
            read.append(rustup)
            environment["RUSTUP_HOME"] = str(rustup)
    for word in arguments[1:]:
        path = Path(word)
        if path.is_absolute() and _exists(path) and not is_below(path, SYSTEM):
            read.append(path)
    return Needs(
        (program, *arguments[1:]),
        tuple(path for path in read if not is_below(path, SYSTEM)),
        tuple(root.parent for root in roots),
        environment,
    )


@cache
def settings_of_machine(network: bool) -> tuple[str, ...]:
    """What programs read below /etc, and nothing that could be a secret."""
    patterns = (*_ETC, *(_ETC_NETWORK if network else ()))
    return tuple(str(path) for pattern in patterns for path in sorted(Path("/etc").glob(pattern)))


def _installation(program: Path) -> Iterator[Path]:
    """The folders that a program and all it links to were installed into."""
    path = program
    for _ in range(_MOST_LINKS):
        yield _prefix(path)
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / path.readlink()))
    yield _prefix(program.resolve())


def _prefix(program: Path) -> Path:
    """`X` of `X/bin/program`, if that is an installation; otherwise as little as possible."""
    parent = program.parent
    prefix = parent.parent
    if parent.name in _BIN and not is_broad(prefix) and prefix.name not in _SHARED_PREFIXES:
        return prefix
    return program if is_broad(parent) else parent


def is_broad(folder: Path) -> bool:
    """Whether somebody's other things lie here."""
    home = _home()
    if folder in (home, *home.parents, Path(tempfile.gettempdir())):
        return True
    return len(folder.parts) <= 2


def _home() -> Path:
    """Of the user who runs this; in a container there may be no such user."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/nonexistent")


def _shebang(program: Path) -> str | None:
    """The interpreter that a script names in its first line."""
    try:
        with program.open("rb") as file:
            head = file.read(256)
    except OSError:
        return None
    if not head.startswith(b"#!"):
        return None
    words = head.splitlines()[0][2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return shutil.which(words[0]) if words else None
    return words[0] if words else None


@cache
def _unshimmed(program: str) -> str:
    """The program behind one of the stand-ins that pyenv and its kin put into PATH."""
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
    """PATH for a bot: where its own programs are, and what it can see of ours."""
    shown = [*SYSTEM, *map(str, read)]
    entries = [*map(str, programs), *os.environ.get("PATH", os.defpath).split(os.pathsep)]
    entries += ["/usr/local/bin", "/usr/bin", "/bin"]
    return os.pathsep.join(dict.fromkeys(e for e in entries if is_below(Path(e), shown)))


def is_below(path: Path, folders: Iterable[str]) -> bool:
    """Whether a path is one of these or lies below one."""
    text = os.path.normpath(path)
    return any(text == folder or text.startswith(f"{folder}{os.sep}") for folder in folders)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
