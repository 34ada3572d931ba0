"""Landlock: a process gives up access to all files but those it lists, also for its children.

The interface is three system calls (https://docs.kernel.org/userspace-api/landlock.html), which are
called directly: the packages that wrap them add nothing that is needed here.
"""

import ctypes
import os
import struct

from referee.launcher import syscalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
GET_VERSION = 1
PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
READ = EXECUTE | READ_FILE | READ_DIR
PROCESSES = "/proc"
"""Its files can be read but not listed, because other processes of the same user are in it."""
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE
"""The rights that apply to a file that is no folder."""
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""The number of file rights by version."""
TRUNCATE_SINCE = 3
TCP_SINCE, TCP_RIGHTS = 4, 0b11
SCOPES_SINCE, SCOPES = 6, 0b11
"""No connections to abstract sockets of other processes, and no signals to them."""


def version() -> int:
    """Return the version that the kernel supports; 0 if it does not support Landlock."""
    if not syscalls.IS_LINUX:
        return 0
    try:
        return syscalls.syscall(CREATE_RULESET, None, 0, GET_VERSION)
    except OSError:
        return 0


def restrict(read: "Iterable[str]", write: "Iterable[str]", network: bool) -> None:
    """Restrict this process: from now on only these paths can be read, or written."""
    offered = version()
    if not offered:
        return
    rights = (1 << _RIGHTS.get(offered, _RIGHTS[max(_RIGHTS)])) - 1
    tcp = TCP_RIGHTS if offered >= TCP_SINCE and not network else 0
    scopes = SCOPES if offered >= SCOPES_SINCE else 0
    # Older kernels have a shorter structure.
    fields = [rights, tcp, scopes][: 1 + (offered >= TCP_SINCE) + (offered >= SCOPES_SINCE)]
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    rules = syscalls.syscall(CREATE_RULESET, ctypes.c_char_p(attributes), len(attributes), 0)
    try:
        for paths, allowed in ((read, READ), (write, rights)):
            for path in paths:
                _allow(rules, path, allowed & ~READ_DIR if path == PROCESSES else allowed)
        syscalls.syscall(RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: str, allowed: int) -> None:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            allowed &= FILE_RIGHTS
        rule = struct.pack("=Qi", allowed, file)
        syscalls.syscall(ADD_RULE, rules, PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(file)
