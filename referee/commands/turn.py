"""Print the exact lines that a bot was sent: its `game` line and the `turn` line of one ply.

Pipe them into the bot, under a debugger if needed, to repeat that turn. With --all every turn line
up to that ply is printed, for a bot that keeps state between turns.

examples:
  referee turn results/quickstart standoff-5x5.greedy.mirror.1a 5
  referee turn results/quickstart standoff-5x5.greedy.mirror.1a 5 | python3 bots/greedy.py
"""

import argparse
import sys
from typing import Any

from referee.commands.results_folder import add_game_arguments, read_game, rules_of, variant_of
from referee.errors import InputError, RecordError
from referee.protocol import messages
from referee.protocol.clock import Clock
from referee.protocol.time_control import TimeControl
from referee.records.record import Record
from referee.rules import Rules, play_moves
from referee.text import printable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_game_arguments(parser)
    parser.add_argument("ply", type=int, metavar="PLY", help="the number of the move, from 1")
    parser.add_argument("--all", action="store_true", help="also the turns before it")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    record, variants = read_game(arguments)
    rules = rules_of(record, variant_of(record, variants))
    lines = sent_lines(record, rules, arguments.ply)
    if sys.stderr.isatty():
        seat = rules.to_move(play_moves(rules, record["moves"][: arguments.ply - 1]))
        # Sent to the opponent, the lines get an answer as well: name the bot they are for.
        bot = printable(record["bots"][seat - 1])
        print(f"these lines were sent to {bot} (seat {seat})", file=sys.stderr)
    for line in lines if arguments.all else (lines[0], lines[-1]):
        print(printable(line, len(line)))
    return 0


def sent_lines(record: Record, rules: Rules[Any], ply: int) -> list[str]:
    """Return the lines that the bot to move at a ply had been sent in this game."""
    _check_ply(record, ply)
    times = [TimeControl.read(text) for text in record["clocks"]]
    clocks = [Clock(time) for time in times]
    turns: list[tuple[int, str]] = []
    state = rules.start()
    moves: list[str] = []
    for number in range(1, ply + 1):
        if rules.outcome(state):
            raise RecordError(f"{record['id']}: by the rules there is no ply {number}")
        seat = rules.to_move(state)
        if number > record["opening"]:
            turn = messages.Turn(
                ply=number,
                time_ms=clocks[seat - 1].remaining_ms(),
                opponent_ms=clocks[2 - seat].remaining_ms(),
                moves=";".join(moves),
                board=rules.board(state),
                legal=rules.legal_moves(state),
            )
            turns.append((seat, turn.line()))
        if number < ply:
            move = record["moves"][number - 1]
            if move not in rules.legal_moves(state):
                raise RecordError(
                    f"{record['id']}: move {number} ({move}) is not legal in its position"
                )
            moves.append(move)
            state = rules.apply(state, move)
            spent_ms = record["ms"][number - 1]
            if spent_ms is not None:
                clocks[seat - 1].charge(spent_ms)
    seat = turns[-1][0]
    game = messages.Game(
        id=record["id"],
        variant=record["variant"],
        rows=record["rows"],
        cols=record["cols"],
        origin=rules.origin,
        seat=seat,
        seed=record["seed"],
        time=times[seat - 1],
    )
    return [game.line(), *(line for asked_seat, line in turns if asked_seat == seat)]


def _check_ply(record: Record, ply: int) -> None:
    """Raise an error if no bot was sent this ply, or the record lacks a part of the lines."""
    asked = len(record["moves"]) + (record["fault"] is not None or record["reason"] == "resign")
    if ply < 1:
        raise InputError(f"there is no ply {ply}: the first one is 1")
    if ply <= record["opening"]:
        raise InputError(f"ply {ply} was an opening move: no bot was asked")
    if ply > asked:
        raise InputError(f"there is no ply {ply}: the last one a bot was asked for is {asked}")
    for key in ("clocks", "seed"):
        if key not in record:
            raise RecordError(f"{record['id']}: its record has no {key}, which the bot was sent")
