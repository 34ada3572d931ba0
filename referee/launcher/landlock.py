"""Landlock: a process gives up all files but those it names, for itself and all its children.

Spoken to directly, as its interface is three system calls (https://docs.kernel.org/userspace-api/
landlock.html): the packages that wrap it add nothing that is needed here.
"""

import ctypes
import os
import struct

from referee.launcher import syscalls

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
GET_VERSION = 1
PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
READ = EXECUTE | READ_FILE | READ_DIR
PROCESSES = "/proc"
"""Its files can be read but nothing in it be listed: other processes of the same user are there."""
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE
"""What can be said of a file that is no folder."""
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights there are since which version."""
TRUNCATE_SINCE = 3
TCP_SINCE, TCP_RIGHTS = 4, 0b11
SCOPES_SINCE, SCOPES = 6, 0b11
"""No abstract sockets of others, and no signals to others."""


def version() -> int:
    """What the kernel offers; 0 is nothing."""
    if not syscalls.IS_LINUX:
        return 0
    try:
        return syscalls.syscall(CREATE_RULESET, None, 0, GET_VERSION)
    except OSError:
        return 0


def restrict(read: list[str], write: list[str], network: bool) -> None:
    """From now on only these can be read, or written."""
    offered = version()
    if not offered:
        return
    rights = (1 << _RIGHTS.get(offered, _RIGHTS[max(_RIGHTS)])) - 1
    tcp = TCP_RIGHTS if offered >= TCP_SINCE and not network else 0
    scopes = SCOPES if offered >= SCOPES_SINCE else 0
    # Older kernels know a shorter structure.
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
