"""The protocol, for the bots here that think ahead: lines in, a Turn to answer, lines out.

A bot that uses this is one function from a Turn to a move; random_bot.py shows how little it takes
to do without.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from games import GAMES, Game, Position


@dataclass
class Turn:
    """What a bot is asked: everything that its answer may depend on."""

    game: Game
    position: Position
    legal: list[str]
    moves: list[str]
    """Every move so far."""
    dice: Random
    """The same for the same turn of the same fixture."""
    deadline: float
    """When to answer, on the clock of time.monotonic()."""


def parse(line: str) -> tuple[str, dict[str, str]]:
    """Split a line into its verb and its fields; skip words that are no fields."""
    verb, *words = line.split() or [""]
    return verb, dict(word.split("=", 1) for word in words if "=" in word)


def serve(choose: Callable[[Turn], str]) -> None:
    """Speak the protocol until told to quit, answering each turn with what `choose` makes of it."""
    for line in sys.stdin:
        arrived = time.monotonic()
        verb, fields = parse(line)
        if verb == "game":
            header = fields
            if fields["variant"] not in GAMES:
                print("decline I know", *GAMES, flush=True)
                continue
            size = (int(fields[key]) for key in ("rows", "cols", "origin"))
            game = GAMES[fields["variant"]](*size)
            print("ready", flush=True)
        elif verb == "turn":
            turn = read_turn(game, header, fields, arrived)
            print("move", choose(turn), flush=True)
        elif verb == "quit":
            break


def read_turn(game: Game, header: dict[str, str], fields: dict[str, str], arrived: float) -> Turn:
    """Parse a `turn` line in the game of a `game` line."""
    moves = [] if fields["moves"] == "-" else fields["moves"].split(";")
    position = game.start
    for move in moves:
        position = game.play(position, move)
    return Turn(
        game,
        position,
        legal=fields["legal"].split(";"),
        moves=moves,
        dice=Random(f"{header['seed']} {fields['ply']}"),
        deadline=arrived + thinking_ms(game, header, fields) / 1000,
    )


def thinking_ms(game: Game, header: dict[str, str], fields: dict[str, str]) -> float:
    """How long to think: a share of the clock, never so long that a slow moment loses the game."""
    left = int(fields["time_ms"])
    safe = 0.9 * left - 30
    if "time_ms" not in header:  # a fixed time per move, none of which can be saved
        return min(safe, 10_000)
    turns_to_come = max(4, (game.size - len(fields["moves"].split(";"))) // 4)
    return min(safe, left / min(turns_to_come, 25) + 0.8 * int(header.get("inc_ms", 0)))
