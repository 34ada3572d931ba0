"""Step through a recorded game: boards, moves, clocks, and the `info` lines of the bots.

On a terminal: Enter is the next move, b the one before, q the end. In a pipe, or with --all, the
whole game is printed at once. DIR is a tournament's folder, GAME an id that `referee games DIR`
lists. A game whose rules are not installed is shown without boards, unless --variant-file names
the file of the rules.

examples:
  referee replay results/quickstart standoff-5x5.greedy.mirror.1a
  referee replay results/quickstart standoff-5x5.greedy.mirror.1a --all
"""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from referee.commands.results_folder import add_game_arguments, read_game, rules_of, variant_of
from referee.errors import InputError, RecordError
from referee.outcome import Outcome, Reason, Seat
from referee.protocol.clock import Clock
from referee.protocol.time_control import TimeControl
from referee.records.record import Record
from referee.records.summary import faults_of
from referee.rules import Rules
from referee.text import printable, printable_block


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_game_arguments(parser)
    parser.add_argument("--all", action="store_true", help="print the whole game at once")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    record, variants = read_game(arguments)
    rules = None
    try:
        variant = variant_of(record, variants)
    except InputError as error:
        print(f"referee: without boards: {printable_block(str(error))}", file=sys.stderr)
    else:
        rules = rules_of(record, variant)
    pages = list(pages_of(record, rules))
    if arguments.all or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("\n".join(pages))
        return 0
    at = 0
    while True:
        print(f"\n{pages[at]}")
        try:
            key = input(f"[{at}/{len(pages) - 1}] Enter: next, b: back, q: end > ").strip().lower()
        except EOFError:
            return 0
        if key == "q" or (key == "" and at == len(pages) - 1):
            return 0
        at = max(0, at - 1) if key == "b" else min(len(pages) - 1, at + 1)


def pages_of(record: Record, rules: Rules[Any] | None) -> Iterator[str]:
    """Yield the game as texts: start, each ply, end; without rules there are no boards."""
    positions = _Positions(record, rules)
    game_id = printable(record["id"])
    one, two = names = [printable(name) for name in record["bots"]]
    clocks = [printable(text) for text in record.get("clocks", ["", ""])]
    marks = [f"{printable(mark)}, " for mark in rules.marks] if rules else ["", ""]
    yield (
        f"{game_id}: {one} ({marks[0]}seat 1, {clocks[0]}) against"
        f" {two} ({marks[1]}seat 2, {clocks[1]})\n{_info_text(record, 0)}\n{positions.board()}"
    )
    times = [TimeControl.read(text) if text else TimeControl() for text in clocks]
    left = [Clock(time) for time in times]
    spent = [0.0, 0.0]
    for ply, (move, ms) in enumerate(zip(record["moves"], record["ms"], strict=True), start=1):
        seat = positions.play(ply, move)
        time = "opening"
        if ms is not None:
            spent[seat - 1] += ms
            left[seat - 1].charge(ms)
            shown = [
                f"{names[at]} {left[at].left_ms:,.1f} ms left"
                if times[at].main_ms is not None
                else f"{names[at]} {spent[at]:,.1f} ms in all"
                for at in (0, 1)
            ]
            time = f"{ms:,.1f} ms; {', '.join(shown)}"
        mark = f" ({printable(rules.marks[seat - 1])})" if rules else ""
        head = f"{ply}. {names[seat - 1]}{mark} plays {printable(move)}   [{time}]"
        yield f"{head}\n{_info_text(record, ply)}\n{positions.board()}"
    first, second = record["score"]
    recorded = Outcome((first, second), record["reason"])
    positions.check_outcome(recorded)
    yield _ending(record, recorded, (one, two))


class _Positions:
    """The positions of a recorded game; without rules there are only seats."""

    def __init__(self, record: Record, rules: Rules[Any] | None) -> None:
        self._record = record
        self._rules = rules
        self._state = rules.start() if rules else None

    def play(self, ply: int, move: str) -> Seat:
        """Play a move and return its seat; raise RecordError if it is not legal."""
        rules, state = self._rules, self._state
        if rules is None:
            return 2 - ply % 2  # seat 1 moves first, and seats alternate
        if rules.outcome(state) or move not in rules.legal_moves(state):
            game_id = self._record["id"]
            raise RecordError(f"{game_id}: move {ply} ({move}) is not legal in its position")
        self._state = rules.apply(state, move)
        return rules.to_move(state)

    def board(self) -> str:
        """Draw the current board, followed by an empty line; without rules, nothing."""
        return f"{printable_block(self._rules.draw(self._state))}\n" if self._rules else ""

    def check_outcome(self, recorded: Outcome) -> None:
        """Raise RecordError if the rules give another outcome."""
        if self._rules is None:
            return
        real = self._rules.outcome(self._state)
        # Faults and resignations are not part of the rules.
        by_rules = not self._record["fault"] and recorded.reason != Reason.RESIGN
        if real != (recorded if by_rules else None):
            game_id = self._record["id"]
            raise RecordError(f"{game_id}: its moves do not lead to the outcome that it records")


def _info_text(record: Record, ply: int) -> str:
    """Format the `info` lines of a ply; ply 0 is before the first turn."""
    texts = (text for at, _, text in record.get("info", []) if at == ply)
    return "".join(f"   {printable(text)}\n" for text in texts)


def _ending(record: Record, outcome: Outcome, names: tuple[str, str]) -> str:
    plies = len(record["moves"])
    info = _info_text(record, plies + 1)
    details = "".join(
        f"\n{names[fault['seat'] - 1]} {printable(fault['detail'])}" for fault in faults_of(record)
    )
    return f"{info}{printable(outcome.sentence(names))}, after {plies} plies{details}"
