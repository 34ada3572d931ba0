"""Check whether a bot follows the protocol: numbered steps, each failure with a hint.

The bot is started, has to answer positions on boards of all sizes, gets verbs and keys that it does
not know, and is ended by `quit`; then it plays whole games against random moves. A game that it
declines is left out. The exit code is 1 if a step failed; a warning is not a failure.

examples:
  referee check my_bot.py
  referee check "python3 my_bot.py --depth 4" --variant standoff --variant runner
  referee check ./my_bot --json
"""

import argparse
import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from referee.bots.bot import Bot
from referee.bots.launcher import Launcher
from referee.check.candidate import BotUnderTest
from referee.check.runner import Status, StepResult, check_bot
from referee.commands.sandbox_options import add_sandbox_argument
from referee.config.bot_command import bot_name, confine_in_place, parse_command
from referee.errors import InputError
from referee.protocol.time_control import parse_duration
from referee.rules import BUILT_IN, find_variant
from referee.sandbox.probe import choose_rung

EXIT_FAILED = 1
_MARKS = {
    Status.PASSED: ("✓", "green"),
    Status.FAILED: ("✗", "bold red"),
    Status.WARNED: ("!", "yellow"),
    Status.SKIPPED: ("-", "dim"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("bot", help="a command line in quotes, or the path of a program or script")
    parser.add_argument(
        "--variant",
        action="append",
        metavar="V",
        help="check this game alone, or a path/to/file.py; may be repeated (default: all five)",
    )
    parser.add_argument(
        "--timeout",
        default="2s",
        metavar="T",
        help="limit of an answer (default: 2s); a new process has five times as long",
    )
    add_sandbox_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    names = list(dict.fromkeys(arguments.variant or BUILT_IN))
    variants = [find_variant(name) for name in names]
    answer_ms = parse_duration(arguments.timeout, "--timeout")
    if answer_ms < 1:
        raise InputError(f"--timeout {arguments.timeout}: the minimum is 1ms")
    folder = Path.cwd()
    command = parse_command(arguments.bot, folder)
    name = bot_name(command.arguments, folder)
    command = confine_in_place(choose_rung(arguments.sandbox), command)

    with Launcher() as launcher:
        bot = Bot(name, command, launcher)
        try:
            results = check_bot(BotUnderTest(bot, variants, answer_ms))
            shown = list(results if arguments.json else _show(results))
        finally:
            bot.discard()

    counts = Counter(result.status for result in shown)
    if arguments.json:
        totals = {str(status): counts[status] for status in Status}
        print(json.dumps({"bot": name, "steps": [asdict(result) for result in shown], **totals}))
    else:
        print(f"\n{_summary(name, counts)}")
        if not counts[Status.FAILED] and not counts[Status.WARNED]:
            words = (names[0], arguments.bot, arguments.bot)
            print(f"Next, a game: referee play {shlex.join(words)}")
    return EXIT_FAILED if counts[Status.FAILED] else 0


def _show(results: Iterator[StepResult]) -> Iterator[StepResult]:
    """Print and yield each result; consecutive steps skipped for one reason share a line."""
    skipped: list[StepResult] = []
    for result in results:
        if skipped and (result.status, result.detail) != (Status.SKIPPED, skipped[0].detail):
            _print_step(skipped)
            skipped = []
        if result.status is Status.SKIPPED:
            skipped.append(result)
        else:
            _print_step([result])
        yield result
    if skipped:
        _print_step(skipped)


def _print_step(results: Sequence[StepResult]) -> None:
    first, *others = results
    print_line = _print_in_colour if sys.stdout.isatty() else _print_plain
    print_line(first.status, _headline(first, others))
    for line in _explanation(first):
        print(f"     {line}")
    sys.stdout.flush()


def _headline(result: StepResult, others: Sequence[StepResult]) -> str:
    if others:
        return f"{result.number:>2} to {others[-1].number}: {result.detail}"
    text = f"{result.number:>2} {result.title}"
    if result.detail and result.status in (Status.PASSED, Status.SKIPPED):
        text += f": {result.detail}"
    return text


def _explanation(result: StepResult) -> Iterator[str]:
    """Yield the lines below the headline of a failed step."""
    if result.status in (Status.PASSED, Status.SKIPPED):
        return
    yield str(result.detail)
    if result.sent is None:
        return
    for line in result.sent.splitlines():
        yield f"it was sent:  {line}"
    answer = "nothing" if result.received is None else f"'{result.received}'"
    yield f"it answered:  {answer}"
    yield f"its process:  {result.process}"
    if result.hint:
        yield f"hint:         {result.hint}"
    if result.stderr:
        yield "its standard error ended with:"
        yield from (f"  | {line}" for line in result.stderr)


def _print_plain(status: Status, text: str) -> None:
    print(f"{status:<8} {text}")


def _print_in_colour(status: Status, text: str) -> None:
    from rich.console import Console  # slow to import, and used on a terminal only
    from rich.text import Text

    mark, style = _MARKS[status]
    Console(highlight=False).print(Text(f"{mark} {text}", style), soft_wrap=True)


def _summary(name: str, counts: Counter[Status]) -> str:
    total, failed = counts.total(), counts[Status.FAILED]
    if counts[Status.PASSED] == total:
        return f"{name} passed all {total} steps."
    others = [status for status in Status if counts[status] and status is not Status.FAILED]
    rest = ", ".join(f"{counts[status]} {status}" for status in others)
    advice = " Fix the first one first: it may cause the others." if failed > 1 else ""
    return f"{name} failed {failed or 'none'} of {total} steps ({rest}).{advice}"
