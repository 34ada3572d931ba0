"""Faults and the transcript of a game, as text for the author of the bot."""

from collections.abc import Sequence

from referee.bots.bot import Bot
from referee.game.hints import hint_for
from referee.game.result import PlayedGame
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
    state, ended = process.state, process.start_error or process.exit_status
    bot.discard()
    stderr = printable_lines(process.errors.text()) if process.errors.size else []
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


def fault_text(fault: Fault, name: str) -> str:
    """Format a fault in a few lines: what happened, times, process, standard error."""
    rows = [
        ("what happened", fault.detail),
        ("time", f"{fault.spent_ms:,.1f} ms of {fault.allowed_ms:,.0f} ms"),
        ("process", fault.process),
    ]
    if fault.sent is not None:
        rows.insert(1, ("it sent", f"'{fault.sent}'"))
    if fault.hint:
        rows.append(("hint", fault.hint))
    lines = [f"{name} (seat {fault.seat}) made a fault: {fault.reason}"]
    lines += [f"  {title + ':':<15}{text}" for title, text in rows]
    if fault.stderr:
        lines.append("  its standard error ended with:")
        lines += [f"    | {line}" for line in fault.stderr]
    else:
        lines.append("  its standard error was empty")
    return "\n".join(lines) + "\n"


def dossier(game_id: str, names: tuple[str, str], played: PlayedGame) -> str:
    """Format a game with a fault: the outcome, the faults, the transcript with times."""
    parts: Sequence[str] = [
        f"{game_id}: {played.outcome.sentence(names)}\n",
        *(fault_text(fault, names[fault.seat - 1]) for fault in played.faults),
        "transcript (> sent to the bot, < received from it):\n" + played.transcript.text(names),
    ]
    return "\n".join(parts)
