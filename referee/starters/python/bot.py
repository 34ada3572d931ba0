#!/usr/bin/env python3
"""@NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.

The referee writes lines to standard input and reads the answers from standard output. Print
debugging text to standard error, or as a line that starts with `info`.
"""

import random
import sys


def choose(game: dict[str, str], turn: dict[str, str]) -> str:
    """Return the move to play."""
    variant = game["variant"]  # standoff, barricade, lockdown, runner or crossfire
    rows, cols = int(game["rows"]), int(game["cols"])
    origin = int(game["origin"])  # the number of the first row and column, 0 or 1
    seat = int(game["seat"])  # 1 or 2; seat 1 moves first
    ply = int(turn["ply"])  # the number of this move; turn["moves"] has those before it
    time_ms = int(turn["time_ms"])  # the most that this answer may take
    # The rows from the top, joined by "/"; "." is empty. The cell row,col is
    # board[(row - origin) * (cols + 1) + col - origin].
    board = turn["board"]
    empty = board.count(".")
    legal = turn["legal"].split(";")
    note = f"{variant} {rows}x{cols} from {origin}, seat {seat}, ply {ply}, {time_ms} ms"
    say(f"info {note}, {empty} empty cells, {len(legal)} legal moves")

    # >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
    dice = random.Random(f"{game['seed']} {ply}")  # the same game gives the same numbers
    return dice.choice(legal)


def say(line: str) -> None:
    """Send a line, at once: what stays in a buffer is never seen."""
    print(line, flush=True)


game: dict[str, str] = {}
for line in sys.stdin:
    verb, *words = line.split() or [""]
    fields = dict(word.split("=", 1) for word in words if "=" in word)
    if verb == "game":  # a new game: the same process may play many
        game = fields
        say("ready")
    elif verb == "turn":
        say(f"move {choose(game, fields)}")
    elif verb == "quit":
        break
    # `end` has the outcome; ignore it, and verbs of later versions of the protocol.
