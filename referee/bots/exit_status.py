"""Exit status of a process: a value to decide on, and the text that is shown for it."""

import signal
from dataclasses import dataclass
from enum import Enum, auto

FIRST_SIGNAL_CODE, LAST_SIGNAL = 128, 64
"""A wrapper reports a bot killed by signal N as exit status 128 + N, like a shell."""


class ExitKind(Enum):
    """The ways in which a process can end."""

    EXITED = auto()
    """It exited by itself; the code is its exit status."""
    KILLED = auto()
    """A signal killed it; the code is the number of the signal."""
    EXITED_OR_KILLED = auto()
    """The code is an exit status by which a wrapper may report a signal."""
    UNKNOWN = auto()
    """Its supervisor ended before it could report; the code is 0."""


@dataclass(frozen=True)
class ExitStatus:
    """End of a process; `str` gives the text for messages and records."""

    kind: ExitKind
    code: int = 0

    @staticmethod
    def of_wrapper(code: int) -> "ExitStatus":
        """Return the meaning of an exit status that a wrapper passed on from its command."""
        is_ambiguous = 0 < code - FIRST_SIGNAL_CODE <= LAST_SIGNAL
        return ExitStatus(ExitKind.EXITED_OR_KILLED if is_ambiguous else ExitKind.EXITED, code)

    @property
    def is_success(self) -> bool:
        """Whether the process exited with status 0."""
        return self.kind is ExitKind.EXITED and self.code == 0

    @property
    def signal_number(self) -> int | None:
        """The signal that killed it, or that may have killed it; None if there is none."""
        match self.kind:
            case ExitKind.KILLED:
                return self.code
            case ExitKind.EXITED_OR_KILLED:
                return self.code - FIRST_SIGNAL_CODE
        return None

    def __str__(self) -> str:
        if self.kind is ExitKind.UNKNOWN:
            return "gone"
        exited = f"exit status {self.code}"
        if self.signal_number is None:
            return exited
        killed = f"killed by {_signal_name(self.signal_number)}"
        return killed if self.kind is ExitKind.KILLED else f"{killed}, or {exited}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
