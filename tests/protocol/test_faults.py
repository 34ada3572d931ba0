"""Faults of bots: the text and the reason of each kind."""

import pytest

from referee.outcome import Reason
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.phase import Phase

TEXTS = {
    FaultKind.NOT_STARTED: ("start", "could not be started: {x}"),
    FaultKind.NOT_READY: ("start", "was not ready in time"),
    FaultKind.DECLINED: ("start", "declined the game: {x}"),
    FaultKind.DECLINED_KNOWN_GAME: ("start", "declined a game that it has played before: {x}"),
    FaultKind.DECLINED_ALL: ("start", "declined all {x} games that it was offered"),
    FaultKind.EXITED: ("crash", "ended while it was asked ({x})"),
    FaultKind.STOPPED: ("crash", "was ended: {x}"),
    FaultKind.OUT_OF_MEMORY: ("memory", "its processes held {x} of memory together"),
    FaultKind.NO_ANSWER: ("timeout", "no complete answer came in time"),
    FaultKind.NO_LINE_END: ("timeout", "its answer had no line end in time"),
    FaultKind.OUTPUT_CLOSED: (
        "timeout",
        "closed its standard output, and no answer came in time",
    ),
    FaultKind.LATE: ("timeout", "its answer came too late"),
    FaultKind.NO_MOVE_ENTERED: ("timeout", "had not entered a move when the time was up"),
    FaultKind.NOT_EXITED: ("timeout", "its process did not end in time"),
    FaultKind.UNEXPECTED_LINE: (
        "protocol",
        "sent '{x}' where `move M` (or `resign`) was expected",
    ),
    FaultKind.LINE_TOO_LONG: ("protocol", "sent a line of more than {x} bytes"),
    FaultKind.TOO_MANY_BYTES: ("protocol", "sent more than {x} bytes in one turn"),
    FaultKind.ILLEGAL_MOVE: ("illegal-move", "answered with an illegal move: {x}"),
}


@pytest.mark.parametrize("kind", FaultKind)
def test_fault_kind_determines_text_and_reason(kind: FaultKind) -> None:
    """Records and dossiers contain these texts; a cause with braces is quoted as it is."""
    fault = BotFault(kind, cause="{x}")
    assert (fault.reason, fault.detail) == TEXTS[kind]
    assert str(fault) == fault.detail


def test_fault_kinds_are_distinct_members() -> None:
    """Equal values would make one kind an alias of another."""
    assert set(FaultKind.__members__) == {kind.name for kind in TEXTS}


@pytest.mark.parametrize(
    ("kind", "phase", "reason", "text"),
    [
        (FaultKind.EXITED, Phase.GAME, Reason.START, "ended before `ready` (killed)"),
        (FaultKind.STOPPED, Phase.GAME, Reason.START, "was ended: killed"),
        (FaultKind.UNEXPECTED_LINE, Phase.IDLE, Reason.PROTOCOL, "spoke out of turn: 'killed'"),
        (
            FaultKind.UNEXPECTED_LINE,
            Phase.GAME,
            Reason.PROTOCOL,
            "sent 'killed' where `ready` (or `decline why…`) was expected",
        ),
    ],
)
def test_fault_text_and_reason_depend_on_the_phase(
    kind: FaultKind, phase: Phase, reason: Reason, text: str
) -> None:
    """A crash before `ready` is a failure to start; a line may be expected or not."""
    fault = BotFault(kind, phase=phase, cause="killed")
    assert (fault.reason, fault.detail) == (reason, text)


def test_fault_description_names_the_limit() -> None:
    """`referee check` names the limit in place of `in time`."""
    fault = BotFault(FaultKind.NO_ANSWER)
    assert fault.describe(within="within 2 s") == "no complete answer came within 2 s"
