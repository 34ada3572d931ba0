"""The exceptions of this package, and the exit code of each kind.

RefereeError
├── InputError         a file or an argument is invalid: one sentence, exit code 2
│   ├── IllegalMove    a move that cannot be parsed, or that the rules do not allow
│   └── RecordError    a games file is damaged; the message names the line
├── OutsideError       the environment failed; finished games are kept: exit code 3
└── BotFault           a bot violated the protocol or the rules (protocol/faults.py); becomes an
                       outcome, and never leaves the game
"""

import errno
from collections.abc import Iterable, Sequence

EXIT_WRONG_INPUT = 2
EXIT_OUTSIDE = 3
EXIT_INTERRUPTED = 130


class RefereeError(Exception):
    """An expected error; its text is the complete message for the user."""


class InputError(RefereeError):
    """Invalid input; the message quotes it and names what was expected."""


class IllegalMove(InputError):
    """A move that is not legal in its position; the message names the rule."""


class RecordError(InputError):
    """A damaged games file; the message names the line."""


class OutsideError(RefereeError):
    """A failure of the environment: a full disk, a lost machine. Finished games are kept."""


def write_error(what: str, error: OSError) -> RefereeError:
    """Make the error for a file or folder that cannot be written: a full disk is no wrong input."""
    where = f" ({error.filename})" if error.filename is not None else ""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO)
    kind = OutsideError if is_full else InputError
    return kind(f"{what} cannot be written: {error.strerror}{where}")


def unknown_name_message(thing: str, name: str, known: Iterable[str]) -> str:
    """Format the message for an unknown name, with the closest known one or all of them."""
    names = list(known)
    close = closest_match(name.lower(), names)
    hint = f"did you mean {close}?" if close else f"there are {', '.join(names)}"
    return f"there is no {thing} {name!r}: {hint}"


def closest_match(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that is most similar, or None if none is similar."""
    from difflib import get_close_matches  # slow to import, and rarely needed

    return next(iter(get_close_matches(name, known, n=1)), None)
