"""Play moves and show the position: board, seat to move, legal moves, outcome.

--perft counts the move sequences of length 1 to N from there (a game that ends earlier is not
counted). Compare the counts with those of your own move generator.

examples:
  referee position standoff
  referee position barricade 0,1x1,0 3,4x3,3
  referee position lockdown --rows 6 --cols 7 2,2 --json
  referee position runner --perft 4
"""

import argparse
import json
from typing import Any

from referee.commands.size_options import add_size_arguments, read_size
from referee.errors import InputError
from referee.rules import find_variant, perft, play_moves


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("variant", help="a game (see `referee variants`) or a path/to/file.py")
    parser.add_argument(
        "moves", nargs="*", metavar="MOVE", help="the moves so far, also joined by ';'"
    )
    add_size_arguments(parser)
    parser.add_argument("--perft", type=int, metavar="N", help="count sequences of up to N moves")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if arguments.perft is not None and arguments.perft < 1:
        raise InputError(f"--perft {arguments.perft}: the depth is 1 or more")
    variant = find_variant(arguments.variant)
    size = read_size(arguments) or variant.size
    rules = variant.on(size)
    moves = [move for word in arguments.moves for move in word.split(";")]
    state = play_moves(rules, moves)
    depths = range(1, (arguments.perft or 0) + 1)

    outcome = rules.outcome(state)
    seat = None if outcome else rules.to_move(state)
    legal = [] if outcome else list(rules.legal_moves(state))
    if arguments.json:
        answer: dict[str, Any] = {
            "variant": variant.name,
            "rows": size.rows,
            "cols": size.cols,
            "ply": len(moves),
            "moves": moves,
            "to_move": seat,
            "board": rules.board(state),
            "legal": legal,
            "outcome": outcome and {"score": list(outcome.score), "reason": outcome.reason},
        }
        if depths:
            answer["perft"] = [perft(rules, state, depth) for depth in depths]
        print(json.dumps(answer))
        return 0

    first, second = (f"Seat {number} ({mark})" for number, mark in enumerate(rules.marks, start=1))
    print(f"{variant.name} {size}, {len(moves)} {'ply' if len(moves) == 1 else 'plies'} played\n")
    print(rules.draw(state))
    print()
    if outcome:
        score = "-".join(f"{points:g}" for points in outcome.score)
        print(f"{outcome.sentence((first, second))}.\nScore {score}, reason {outcome.reason}.")
    else:
        count = f"{len(legal)} legal move{'' if len(legal) == 1 else 's'}"
        print(f"{first if seat == 1 else second} to move, {count}:\n{' '.join(legal)}")
    for depth in depths:
        print(f"perft {depth}: {perft(rules, state, depth):,}", flush=True)
    return 0
