"""Execution of the steps, with an explanation of each failure."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from referee.check.candidate import BotUnderTest, Declined
from referee.check.steps import STEPS, Run, Skipped, Step, Warned, whole_game_steps
from referee.game.hints import hint_for
from referee.outcome import Reason
from referee.protocol.faults import BotFault, FaultKind
from referee.text import printable, printable_lines

_MAX_FIELD_LENGTH = 48
_STDERR_LINES = 8
_LAST_HINT = "compare it with the complete bot in docs/protocol.md"


class Status(StrEnum):
    """The result of a step in one word."""

    PASSED = "passed"
    FAILED = "failed"
    WARNED = "warned"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class StepResult:
    """The result of a step and, if it failed, the details for the bot's author."""

    number: int
    title: str
    status: Status
    detail: str | None = None
    hint: str | None = None
    sent: str | None = None
    """Lines without an answer, or the last line that was answered; long fields are cut."""
    received: str | None = None
    process: str | None = None
    """`running`, `exit status 1`, `killed by SIGSEGV`, `never started`."""
    stderr: tuple[str, ...] = ()


def check_bot(candidate: BotUnderTest) -> Iterator[StepResult]:
    """Run all steps in order; skip those that depend on a failed step."""
    causes: dict[Run | None, int] = {}
    """For each step that failed or was skipped, the number of the step that failed first."""
    for number, step in enumerate([*STEPS, *whole_game_steps(candidate.variants)], start=1):
        if step.needs in causes:
            causes[step.run] = causes[step.needs]
            reason = f"step {causes[step.run]} failed"
            yield StepResult(number, step.title, Status.SKIPPED, reason)
            continue
        result = _run_step(candidate, number, step)
        if result.status is Status.FAILED:
            causes[step.run] = number
        yield result


def _run_step(candidate: BotUnderTest, number: int, step: Step) -> StepResult:
    try:
        return StepResult(number, step.title, Status.PASSED, step.run(candidate))
    except BotFault as fault:
        return _explain(candidate, fault, number, step)
    except Declined as why:
        declined = BotFault(FaultKind.DECLINED_KNOWN_GAME, cause=str(why))
        return _explain(candidate, declined, number, step)
    except Warned as warning:
        return StepResult(number, step.title, Status.WARNED, str(warning))
    except Skipped as reason:
        return StepResult(number, step.title, Status.SKIPPED, str(reason))


def _explain(candidate: BotUnderTest, fault: BotFault, number: int, step: Step) -> StepResult:
    """Describe a fault, and discard the process: the next step starts another one."""
    process = candidate.process
    state, ended = process.state, process.output.ending
    candidate.bot.discard()
    stderr = printable_lines(process.output.errors.text()) if process.output.errors.size else []
    is_late = fault.reason is Reason.TIMEOUT
    detail = fault.describe(within=f"within {_format_limit(candidate.limit_ms)}")
    if candidate.accepted_boards:
        detail = f"{candidate.game_label}: {detail}"
    return StepResult(
        number,
        step.title,
        Status.WARNED if step.late_is_warning and is_late else Status.FAILED,
        detail,
        hint=step.hint or hint_for(fault, candidate.legal, stderr, ended) or _LAST_HINT,
        sent="\n".join(map(_shorten, candidate.sent_lines)),
        received=None if fault.sent is None else printable(fault.sent),
        process=state,
        stderr=tuple(stderr[-_STDERR_LINES:]),
    )


def _format_limit(limit_ms: float) -> str:
    return f"{limit_ms / 1000:g} s" if limit_ms >= 1000 else f"{limit_ms:g} ms"


def _shorten(line: str) -> str:
    """Shorten long fields of a line."""
    return " ".join(
        word if len(word) <= _MAX_FIELD_LENGTH else f"{word[: _MAX_FIELD_LENGTH - 1]}…"
        for word in line.split(" ")
    )
