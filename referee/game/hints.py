"""Map from faults to likely causes and their fixes. Pure."""

import errno
import signal
from collections.abc import Sequence

from referee.bots.exit_status import ExitStatus
from referee.outcome import Reason
from referee.protocol.faults import BotFault, FaultKind

_DEBUG_OUTPUT_HINT = "print debugging text to standard error, or as `info …`"
_START_HINTS = {
    errno.ENOENT: "check the command and the folder it runs in",
    errno.EACCES: "make the program executable: chmod +x",
    errno.ENOEXEC: "a script needs a first line like #!/usr/bin/env python3",
}
_SIGNAL_HINTS: dict[int | None, str] = {
    signal.SIGSEGV: "the program accessed memory that is not its own",
    signal.SIGKILL: "something killed it: the system does that when memory runs out",
}
_NOT_FOUND_CODE = 127
"""The exit status of a shell, or of `env`, that has not found a command."""


def hint_for(
    fault: BotFault,
    legal: Sequence[str],
    stderr: Sequence[str],
    ended: ExitStatus | OSError | None = None,
) -> str | None:
    """Return the likely cause of a fault and its fix, or None if none is known.

    `ended` is how the process ended, or the error of its start.
    """
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
        return "the traceback on its standard error names the line"
    if fault.kind in (FaultKind.NOT_STARTED, FaultKind.EXITED):
        return _end_hint(ended)
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
        return "answer each `game` and each `turn` once, when it comes, and send nothing else"
    if not word:
        return "an empty line is not an answer: print one line, and only when asked"
    return _DEBUG_OUTPUT_HINT


def _illegal_hint(sent: str, legal: Sequence[str]) -> str:
    if sent.strip() in legal:
        return "there is a space too many: send the move as it stands in `legal`"
    if sent.strip().strip("()").replace(" ", "") in legal:
        return "send the move as it stands in `legal`, like `3,3`, without anything else"
    return "send one of the moves in `legal`, letter by letter; `origin` is the first number"


def _timeout_hint(kind: FaultKind, sent: str | None) -> str:
    if sent:
        return "end each line with a newline, then flush standard output"
    if kind is FaultKind.OUTPUT_CLOSED:
        return "keep standard output open until `quit`"
    if kind is FaultKind.LATE:
        return "it answered, but took longer than it may: `time_ms` of each `turn` is the limit"
    return (
        "is standard output flushed after each line? (Python: print(…, flush=True))"
        " Or does it think longer than it may?"
    )


def _end_hint(ended: ExitStatus | OSError | None) -> str | None:
    """Return the hint for an error of the system, or for an exit status."""
    if isinstance(ended, OSError):
        return None if ended.errno is None else _START_HINTS.get(ended.errno)
    if ended is None:
        return None
    if ended.code == _NOT_FOUND_CODE and ended.signal_number is None:
        return f"exit status {_NOT_FOUND_CODE} usually means that a command was not found"
    return _SIGNAL_HINTS.get(ended.signal_number)
