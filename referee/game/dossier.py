"""Faults and the transcript of a game, as text for the author of the bot. Pure.

The report splits a dossier at the marks that are defined here: the record of a game has less.
"""

from collections.abc import Sequence

from referee.game.result import PlayedGame
from referee.protocol.faults import Fault

FAULT_MARK = "made a fault:"
"""The words between the bot's seat and the reason, in the first line of a fault."""
FACT_INDENT, STDERR_INDENT = "  ", "    | "
"""Beginnings of the lines below it: facts, and the bot's standard error."""
TRANSCRIPT_TITLE = "transcript (> sent to the bot, < received from it):"


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
    lines = [f"{name} (seat {fault.seat}) {FAULT_MARK} {fault.reason}"]
    lines += [f"{FACT_INDENT}{title + ':':<15}{text}" for title, text in rows]
    if fault.stderr:
        lines.append(f"{FACT_INDENT}its standard error ended with:")
        lines += [f"{STDERR_INDENT}{line}" for line in fault.stderr]
    else:
        lines.append(f"{FACT_INDENT}its standard error was empty")
    return "\n".join(lines) + "\n"


def dossier(game_id: str, names: tuple[str, str], played: PlayedGame) -> str:
    """Format a game with a fault: the outcome, the faults, the transcript with times."""
    parts: Sequence[str] = [
        f"{game_id}: {played.outcome.sentence(names)}\n",
        *(fault_text(fault, names[fault.seat - 1]) for fault in played.faults),
        f"{TRANSCRIPT_TITLE}\n{played.transcript.text(names)}",
    ]
    return "\n".join(parts)
