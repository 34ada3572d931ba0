"""Messages about resources that the system refused to the referee itself. Pure.

Each names the limit to raise. A game that could not be played because of it is void: it is never
the fault of a bot.
"""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from referee.errors import OutsideError

_PROCESSES = (
    "raise the limit on processes (`ulimit -u`, RLIMIT_NPROC; in a container or a service pids.max"
    " of its cgroup), or use fewer --workers"
)
_DISK = "free some space on the disk, or raise the quota"
_ADVICE = {
    errno.EAGAIN: _PROCESSES,
    errno.EMFILE: "raise the limit on open files (`ulimit -n`, RLIMIT_NOFILE)",
    errno.ENFILE: "raise the system's limit on open files (fs.file-max)",
    errno.ENOMEM: "the machine is out of memory: end other programs, or use fewer --workers",
    errno.ENOSPC: f"{_DISK}; for a namespace raise user.max_user_namespaces",
    errno.EDQUOT: _DISK,
    errno.EUSERS: "raise user.max_user_namespaces",
}
_OF_WRAPPER = re.compile(rb"(?:bwrap|setpriv): (?:.*: )?([^:\n]+)\n")
"""What a wrapper prints before it exits: the step that failed, and the system's error text."""


def refusal(number: int, what: str) -> str:
    """Return one sentence: what was refused, the error of the system, and what to do."""
    text = f"the system refused {what}: {os.strerror(number)}" if number else f"{what} failed"
    return f"{text} ({_ADVICE[number]})" if number in _ADVICE else text


def refusal_of_wrapper(text: bytes) -> str | None:
    """Return that sentence for the output of a wrapper; None if it names no known limit."""
    match = _OF_WRAPPER.fullmatch(text)
    if match is None:
        return None
    error_text = match[1].decode(errors="replace")
    numbers = [number for number in _ADVICE if os.strerror(number) == error_text]
    return refusal(numbers[0], "a sandbox") if numbers else None


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Turn an OSError about a refused resource into an OutsideError that explains it."""
    try:
        yield
    except OSError as error:
        if error.errno not in _ADVICE:
            raise
        raise OutsideError(refusal(error.errno, what)) from error
