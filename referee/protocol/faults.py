"""Faults of bots: BotFault, the exception, and Fault, the same as data with its context."""

from dataclasses import dataclass

from referee.errors import RefereeError
from referee.outcome import Reason, Seat


class BotFault(RefereeError):
    """A violation of the protocol or of the rules by a bot; it becomes an outcome of the game."""

    def __init__(self, reason: Reason, detail: str, *, sent: bytes | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.sent = sent
        """The line that caused the fault, or the part of it that was received."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault with the information that the author of the bot needs."""

    seat: Seat
    reason: Reason
    detail: str
    """What happened: a sentence without its subject, the bot, and without a full stop."""
    hint: str | None
    """The likely cause and its fix, if there is one."""
    sent: str | None
    """The line that caused the fault, printable."""
    spent_ms: float
    allowed_ms: float
    process: str
    """`running`, `exit status 1`, `killed by SIGSEGV`."""
    stderr: tuple[str, ...]
    """The last lines of its standard error, printable."""
