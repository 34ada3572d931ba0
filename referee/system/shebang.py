"""The first line of a script, read as the Linux kernel reads it, and what a program lacks to run.

A bot's author writes that line. Whatever is decided by it must see the interpreter that the kernel
will see: blanks and tabs separate words, other white space does not, and the line has a limit.
"""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

LIMIT = 256
"""BINPRM_BUF_SIZE: bytes of a file that the kernel looks at, `#!` included."""
MAX_SCRIPTS = 4
"""How often an interpreter may itself be a script."""
_MARK = b"#!"
_BLANKS = b" \t"
_ENDS_WORD = re.compile(rb"[ \t\0]")


@dataclass(frozen=True)
class Shebang:
    """An interpreter, and the one argument that it gets before the script."""

    interpreter: str
    argument: str = ""

    @property
    def searched(self) -> tuple[str, ...]:
        """What `env` may be asked to look for in PATH: one word, or several beside its options."""
        if Path(self.interpreter).name != "env" or not self.argument:
            return ()
        if not self.argument.startswith("-"):
            return (self.argument,)  # a single word to `env`, blanks included
        words = self.argument.split()
        return tuple(word for word in words if not word.startswith("-") and "=" not in word)


def read_shebang(head: bytes) -> Shebang | None:
    """The interpreter named at the head of a file; None if the kernel would find none."""
    if not head.startswith(_MARK):
        return None
    buffer = head[:LIMIT].ljust(LIMIT, b"\0")
    end = buffer.partition(b"\0")[0].find(b"\n")
    line = buffer[2:end] if end >= 0 else buffer[2 : LIMIT - 1]
    line = line.lstrip(_BLANKS)
    if end < 0 and not _ENDS_WORD.search(line):
        return None  # the path of the interpreter may go on beyond the limit
    # To the kernel these are texts of C, which a zero byte ends.
    name, *rest = re.split(rb"[ \t]", line.partition(b"\0")[0], maxsplit=1)
    if not name:
        return None
    argument = rest[0].strip(_BLANKS) if rest else b""
    return Shebang(os.fsdecode(name), os.fsdecode(argument))


def shebang_of(program: Path) -> Shebang | None:
    """The interpreter that a file names, if it is a script that can be read."""
    head = _head(program)
    return read_shebang(head) if head else None


def why_not_runnable(program: Path, folder: Path) -> str | None:
    """What keeps the kernel from running this file in this folder, in words; None: nothing known.

    Without it the reason would depend on how the bot is isolated, and on what its wrapper says.
    """
    path = program
    for _ in range(MAX_SCRIPTS):
        head = _head(path)
        if head is None:
            return None  # that shows when it is run
        shebang = read_shebang(head)
        if shebang is None:
            return _why_no_program(head)
        match shebang.searched:
            # With options it is up to `env` what they mean.
            case (name,) if name == shebang.argument and os.sep not in name:
                found = shutil.which(name)
                return None if found else f"its first line asks for {name!r}: no such program"
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
        return None  # machine code of some kind
    return "exec format error: a script needs a first line like #!/usr/bin/env python3"


def _head(program: Path) -> bytes | None:
    """The beginning of a file; None if there is none to be read.

    Opening a pipe would wait for its other end, and opening a device may do anything.
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
