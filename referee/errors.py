"""Every error of this package, and whose fault it is.

RefereeError
├── InputError         what a person typed or wrote is wrong: one sentence, exit code 2
│   ├── IllegalMove    a move that cannot be read, or that the rules do not allow
│   └── RecordError    a games file cannot be trusted; names the line
├── OutsideError       something outside failed, what was finished is kept: exit code 3
└── BotFault           what a bot did wrong (see faults.py); never escapes a game
"""

from collections.abc import Iterable, Sequence

EXIT_WRONG_INPUT = 2
EXIT_OUTSIDE = 3
EXIT_INTERRUPTED = 130


class RefereeError(Exception):
    """Something this package can explain; its text is the whole message."""


class InputError(RefereeError):
    """A person's input is wrong; says what it is, and what was expected."""


class IllegalMove(InputError):
    """A move that is not legal in its position; says why by the rules."""


class RecordError(InputError):
    """A games file cannot be trusted; names the line."""


class OutsideError(RefereeError):
    """Something outside failed: a full disk, a lost machine. What was finished is kept."""


def unknown_name_message(thing: str, name: str, known: Iterable[str]) -> str:
    """The message for a name nobody knows, with the nearest known one or all of them."""
    names = list(known)
    close = closest_match(name.lower(), names)
    hint = f"did you mean {close}?" if close else f"there are {', '.join(names)}"
    return f"there is no {thing} {name!r}: {hint}"


def closest_match(name: str, known: Sequence[str]) -> str | None:
    """The one that was probably meant."""
    from difflib import get_close_matches  # slow to import, and rarely needed

    return next(iter(get_close_matches(name, known, n=1)), None)
