"""Diagnosis of a fault: what the author of the bot needs to find the cause."""

from collections.abc import Sequence

from referee.bots.bot import Bot
from referee.game.hints import hint_for
from referee.outcome import Seat
from referee.protocol.faults import BotFault, Fault
from referee.text import printable, printable_lines

_STDERR_LINES = 20


def describe_fault(
    seat: Seat,
    bot: Bot,
    fault: BotFault,
    spent_ms: float,
    allowed_ms: float,
    legal: Sequence[str] = (),
) -> Fault:
    """Kill the process of a bot, and collect what its author needs to find the cause."""
    process = bot.process
    assert process is not None
    state, ended = process.state, process.output.ending
    bot.discard()
    stderr = printable_lines(process.output.errors.text()) if process.output.errors.size else []
    return Fault(
        seat=seat,
        reason=fault.reason,
        detail=fault.detail,
        hint=None if process.is_person else hint_for(fault, legal, stderr, ended),
        sent=None if fault.sent is None else printable(fault.sent),
        spent_ms=round(spent_ms, 1),
        allowed_ms=allowed_ms,
        process=state,
        stderr=tuple(stderr[-_STDERR_LINES:]),
    )
