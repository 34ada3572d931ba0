"""What happened when a bot made a fault, as text its author understands."""

from collections.abc import Sequence

from referee.faults import Fault
from referee.game import Played


def fault_text(fault: Fault, name: str) -> str:
    """The fault in a few lines: what happened, how long it took, what the process said."""
    rows = [
        ("what happened", f"{name} {fault.detail}"),
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


def dossier(id: str, names: tuple[str, str], played: Played) -> str:
    """Everything about a faulted game: the faults, then the whole transcript with times."""
    parts: Sequence[str] = [
        f"{id}: {played.outcome.sentence(names)}\n",
        *(fault_text(fault, names[fault.seat - 1]) for fault in played.faults),
        "transcript (> sent to the bot, < received from it):\n" + played.transcript.text(names),
    ]
    return "\n".join(parts)
