"""Map from faults to likely causes and their fixes. Pure."""

from collections.abc import Sequence

from referee.outcome import Reason
from referee.protocol.faults import BotFault, FaultKind

_DEBUG_OUTPUT_HINT = "print debugging text to standard error, or as `info …`"


def hint_for(fault: BotFault, legal: Sequence[str], stderr: Sequence[str]) -> str | None:
    """Return the likely cause of a fault and its fix, or None if none is known."""
    sent = None if fault.sent is None else fault.sent.decode("utf-8", "replace")
    if fault.kind is FaultKind.TOO_MANY_BYTES:
        return "print less: `info` lines count too"
    if fault.reason is Reason.PROTOCOL:
        return _protocol_hint(sent or "", legal)
    if fault.reason is Reason.ILLEGAL_MOVE:
        return _illegal_hint(sent or "", legal)
    if fault.reason is Reason.TIMEOUT or fault.kind is FaultKind.NOT_READY:
        return _timeout_hint(fault.kind, sent)
    if any(line.startswith("Traceback ") for line in stderr):
        return "the traceback on its standard error says where"
    if fault.kind in (FaultKind.NOT_STARTED, FaultKind.EXITED):
        return _cause_hint(fault.cause)
    return None


def _protocol_hint(sent: str, legal: Sequence[str]) -> str:
    word = sent.strip()
    verb = word.split(" ")[0]
    if word in legal:
        return f"print the word `move` before the move: `move {word}`"
    if verb.lower() in ("move", "ready", "resign", "decline", "info"):
        if verb != verb.lower():
            return f"verbs are written in small letters: `{verb.lower()}`"
        if sent != sent.lstrip():
            return "a line starts with its verb, without a space before it"
        if sent == "move":
            return "the move is missing: `move`, a space, and one of the moves in `legal`"
        if sent != verb and verb in ("ready", "resign"):
            return f"`{verb}` stands alone on its line, without a space after it"
        return "answer each `game` and each `turn` once, when it comes, and say nothing else"
    if not word:
        return "an empty line is not an answer: print one line, and only when asked"
    return _DEBUG_OUTPUT_HINT


def _illegal_hint(sent: str, legal: Sequence[str]) -> str:
    if sent.strip() in legal:
        return "there is a space too many: send the move as it stands in `legal`"
    if sent.strip().strip("()").replace(" ", "") in legal:
        return "send the move as it stands in `legal`, like `3,3`, without anything else"
    return "send one of the moves in `legal`, letter by letter; `origin` says where counting starts"


def _timeout_hint(kind: FaultKind, sent: str | None) -> str:
    if sent:
        return "end each line with a newline, then flush standard output"
    if kind is FaultKind.OUTPUT_CLOSED:
        return "keep standard output open until `quit`"
    if kind is FaultKind.LATE:
        return "it answered, but took longer than it may: `time_ms` of each `turn` says how long"
    return (
        "is standard output flushed after each line? (Python: print(…, flush=True))"
        " Or does it think longer than it may?"
    )


def _cause_hint(cause: str) -> str | None:
    """Return the hint for an error of the system, or for an exit status."""
    hints = {
        "No such file or directory": "check the command and the folder it runs in",
        "Permission denied": "make the program executable: chmod +x",
        "Exec format error": "a script needs a first line like #!/usr/bin/env python3",
        "exit status 127": "exit status 127 usually means that a command was not found",
        "SIGSEGV": "the program accessed memory that is not its own",
        "SIGKILL": "something killed it: the system does that when memory runs out",
    }
    return next((hint for word, hint in hints.items() if word in cause), None)
