"""What a bot did wrong: as an exception on its way to the game, and as data afterwards."""

from dataclasses import dataclass

from referee.errors import RefereeError
from referee.outcome import Reason, Seat


class BotFault(RefereeError):
    """A bot broke the rules of the protocol or of the game; only the game loop catches it."""

    def __init__(self, reason: Reason, detail: str, *, sent: bytes | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.sent = sent
        """The line in question, or what came of it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault with everything its author wants to know."""

    seat: Seat
    reason: Reason
    detail: str
    """One sentence without its end: what happened."""
    hint: str | None
    """The usual cause and its cure, where one can be guessed."""
    sent: str | None
    """The line in question, safe to show."""
    spent_ms: float
    allowed_ms: float
    process: str
    """`running`, `exit status 1`, `killed by SIGSEGV`."""
    stderr: tuple[str, ...]
    """The last lines of its standard error, safe to show."""
