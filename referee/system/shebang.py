"""The first line of a script, parsed as the Linux kernel does, and reasons why a file cannot run.

A bot's author writes that line, and the sandbox shows the interpreter that it names. So the parser
must find the interpreter that the kernel finds: blanks and tabs separate words, other white space
does not, and the line has a maximum length.
"""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

LIMIT = 256
"""BINPRM_BUF_SIZE: bytes of a file that the kernel examines, `#!` included."""
MAX_SCRIPTS = 4
"""Scripts in a chain of interpreters that are scripts themselves."""
_MARK = b"#!"
_BLANKS = b" \t"
_ENDS_WORD = re.compile(rb"[ \t\0]")


@dataclass(frozen=True)
class Shebang:
    """An interpreter, and the single argument that it gets before the script."""

    interpreter: str
    argument: str = ""

    @property
    def searched(self) -> tuple[str, ...]:
        """The names that `env` may look up in PATH: one word, or those beside its options."""
        if Path(self.interpreter).name != "env" or not self.argument:
            return ()
        if not self.argument.startswith("-"):
            return (self.argument,)  # a single word to `env`, blanks included
        words = self.argument.split()
        return tuple(word for word in words if not word.startswith("-") and "=" not in word)


def read_shebang(head: bytes) -> Shebang | None:
    """Parse the beginning of a file; None if the kernel would find no interpreter."""
    if not head.startswith(_MARK):
        return None
    buffer = head[:LIMIT].ljust(LIMIT, b"\0")
    end = buffer.partition(b"\0")[0].find(b"\n")
    line = buffer[2:end] if end >= 0 else buffer[2 : LIMIT - 1]
    line = line.lstrip(_BLANKS)
    if end < 0 and not _ENDS_WORD.search(line):
        return None  # the path of the interpreter may continue beyond the limit
    # The kernel treats these as C strings, which end at a zero byte.
    name, *rest = re.split(rb"[ \t]", line.partition(b"\0")[0], maxsplit=1)
    if not name:
        return None
    argument = rest[0].strip(_BLANKS) if rest else b""
    return Shebang(os.fsdecode(name), os.fsdecode(argument))


def shebang_of(program: Path) -> Shebang | None:
    """Read the first line of a file; None if it is no script or cannot be read."""
    head = _head(program)
    return read_shebang(head) if head else None


def why_not_runnable(program: Path, folder: Path) -> str | None:
    """Return why the kernel cannot run this file in this folder; None if no reason is found.

    Without this check the message would depend on the kind of isolation and on its wrapper.
    """
    path = program
    for _ in range(MAX_SCRIPTS):
        head = _head(path)
        if head is None:
            return None  # the attempt to run it will show the reason
        shebang = read_shebang(head)
        if shebang is None:
            return _why_no_program(head)
        match shebang.searched:
            # With options, their meaning depends on the version of `env`.
            case (name,) if name == shebang.argument and os.sep not in name:
                found = shutil.which(name)
                return None if found else f"its first line names {name!r}: no such program"
        path = folder / shebang.interpreter
        if not _is_file(path):
            return f"its first line names the interpreter {shebang.interpreter!r}: no such file"
        if not os.access(path, os.X_OK):
            return f"its first line names {shebang.interpreter!r}, which is not executable"
    return "its first line leads from script to script, and never to a program"


def _why_no_program(head: bytes) -> str | None:
    if head.startswith(_MARK):
        return f"its first line names no interpreter within {LIMIT} bytes"
    if b"\0" in head:
        return None  # machine code
    return "exec format error: a script needs a first line like #!/usr/bin/env python3"


def _head(program: Path) -> bytes | None:
    """Read the beginning of a regular file; None if it cannot be read.

    Nothing else is opened: a FIFO would block, and opening a device may have side effects.
    """
    try:
        if _is_file(program):
            with program.open("rb") as file:
                return file.read(LIMIT)
    except OSError:
        pass
    return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
