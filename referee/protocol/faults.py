"""Faults of bots: BotFault, the exception, and Fault, the same as data with its context. Pure.

Code decides on the kind, the phase and the reason of a fault. The text is for people: it is made
here, from the kind and the phase, and is read by no code.
"""

from dataclasses import dataclass
from enum import Enum

from referee.errors import RefereeError
from referee.outcome import Reason, Seat
from referee.protocol.phase import Phase


class FaultKind(Enum):
    """Kinds of faults, each with the reason that ends the game, and the text.

    In a text, `{cause}` is the cause of the fault, and `{within}` is `in time` unless the limit is
    given.
    """

    NOT_STARTED = Reason.START, "could not be started: {cause}"
    NOT_READY = Reason.START, "was not ready {within}"
    DECLINED = Reason.START, "declined the game: {cause}"
    DECLINED_KNOWN_GAME = Reason.START, "declined a game that it has played before: {cause}"
    DECLINED_ALL = Reason.START, "declined all {cause} games that it was offered"
    EXITED = Reason.CRASH, "ended while it was asked ({cause})"
    STOPPED = Reason.CRASH, "was ended: {cause}"
    """The supervisor killed its processes, because of a limit or because they evaded control."""
    OUT_OF_MEMORY = Reason.MEMORY, "its processes held {cause} of memory together"
    NO_ANSWER = Reason.TIMEOUT, "no complete answer came {within}"
    NO_LINE_END = Reason.TIMEOUT, "its answer had no line end {within}"
    OUTPUT_CLOSED = Reason.TIMEOUT, "closed its standard output, and no answer came {within}"
    LATE = Reason.TIMEOUT, "its answer came too late"
    NO_MOVE_ENTERED = Reason.TIMEOUT, "had not entered a move when the time was up"
    NOT_EXITED = Reason.TIMEOUT, "its process did not end {within}"
    UNEXPECTED_LINE = Reason.PROTOCOL, "sent '{cause}' where {expected} was expected"
    LINE_TOO_LONG = Reason.PROTOCOL, "sent a line of more than {cause} bytes"
    TOO_MANY_BYTES = Reason.PROTOCOL, "sent more than {cause} bytes in one turn"
    ILLEGAL_MOVE = Reason.ILLEGAL_MOVE, "answered with an illegal move: {cause}"

    def __init__(self, reason: Reason, text: str) -> None:
        self.reason = reason
        self.text = text


_TEXTS_BY_PHASE = {
    (FaultKind.EXITED, Phase.GAME): "ended before `ready` ({cause})",
    (FaultKind.UNEXPECTED_LINE, Phase.IDLE): "spoke out of turn: '{cause}'",
}
"""The texts that replace those of the kind in a phase."""


class BotFault(RefereeError):
    """A violation of the protocol or of the rules by a bot; it becomes an outcome of the game."""

    def __init__(
        self,
        kind: FaultKind,
        *,
        phase: Phase = Phase.TURN,
        cause: str = "",
        sent: bytes | None = None,
    ) -> None:
        self.kind = kind
        self.phase = phase
        self.cause = cause
        """An exit status, an error message, a quoted line, a number: the variable part of the
        text."""
        self.sent = sent
        """The line that caused the fault, or the part of it that was received."""
        super().__init__(self.detail)

    @property
    def reason(self) -> Reason:
        """The reason that ends the game; a crash before `ready` is a failure to start."""
        if self.kind.reason is Reason.CRASH and self.phase is Phase.GAME:
            return Reason.START
        return self.kind.reason

    @property
    def detail(self) -> str:
        """What happened: a sentence without its subject, the bot, and without a full stop."""
        return self.describe()

    def describe(self, within: str = "in time") -> str:
        """Format what happened; `within` names the limit of the answer, such as `within 2 s`."""
        text = _TEXTS_BY_PHASE.get((self.kind, self.phase), self.kind.text)
        return text.format(cause=self.cause, within=within, expected=self.phase.value)


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
