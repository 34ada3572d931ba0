"""Step through a recorded game: boards, moves, clocks, and what the bots had to say.

On a terminal: Enter is the next move, b the one before, q the end. In a pipe, or with --all, the
whole game is printed at once. DIR is a tournament's folder, GAME an id from its games.jsonl.

examples:
  referee replay results/quickstart standoff-5x5.greedy.mirror.1a
  referee replay results/quickstart standoff-5x5.greedy.mirror.1a --all
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from referee.clock import TimeControl
from referee.commands.folders import find_record, open_results
from referee.countdown import Countdown
from referee.errors import RecordError
from referee.gist import board_of, faults_of
from referee.grid import Size
from referee.outcome import Outcome, Reason
from referee.records import Record
from referee.rules import find_variant


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="a tournament's folder")
    parser.add_argument("game", metavar="GAME", help="the id of a game")
    parser.add_argument("--all", action="store_true", help="print it at once")


def run(arguments: argparse.Namespace) -> int:
    about, games = open_results(arguments.folder)
    record = find_record(games.records(), arguments.game, arguments.folder)
    pages = list(pages_of(record, about.boards.get(board_of(record)) or record["variant"]))
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


def pages_of(record: Record, source: str) -> Iterator[str]:
    """The game as texts: the start, one for each ply, and the end."""
    rules = find_variant(source).on(Size(record["rows"], record["cols"]))
    names = record["bots"]
    one, two = names
    clocks = record.get("clocks", ["", ""])
    state = rules.start()
    yield (
        f"{record['id']}: {one} ({rules.marks[0]}, seat 1, {clocks[0]}) against"
        f" {two} ({rules.marks[1]}, seat 2, {clocks[1]})\n{_said(record, 0)}\n{rules.draw(state)}\n"
    )
    times = [TimeControl.read(text) if text else TimeControl() for text in clocks]
    left = [Countdown(time) for time in times]
    spent = [0.0, 0.0]
    for ply, (move, ms) in enumerate(zip(record["moves"], record["ms"], strict=True), start=1):
        if rules.outcome(state) or move not in rules.legal_moves(state):
            raise RecordError(f"{record['id']}: move {ply} ({move}) is not legal in its position")
        seat = rules.to_move(state)
        state = rules.apply(state, move)
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
        head = f"{ply}. {names[seat - 1]} ({rules.marks[seat - 1]}) plays {move}   [{time}]"
        yield f"{head}\n{_said(record, ply)}\n{rules.draw(state)}\n"
    first, second = record["score"]
    recorded, real = Outcome((first, second), record["reason"]), rules.outcome(state)
    # A fault or a resignation is an end that the rules know nothing of.
    if real != (None if record["fault"] or recorded.reason == Reason.RESIGN else recorded):
        raise RecordError(f"{record['id']}: its moves do not lead to the outcome that it records")
    yield _ending(record, recorded, (one, two))


def _said(record: Record, ply: int) -> str:
    """The `info` lines of a ply; 0 is before the first."""
    return "".join(f"   {text}\n" for at, _, text in record.get("info", []) if at == ply)


def _ending(record: Record, outcome: Outcome, names: tuple[str, str]) -> str:
    plies = len(record["moves"])
    said = _said(record, plies + 1)
    details = "".join(f"\n{names[f['seat'] - 1]} {f['detail']}" for f in faults_of(record))
    return f"{said}{outcome.sentence(names)}, after {plies} plies{details}"
