"""A bot that plays many games at random and prefers what won: Monte Carlo tree search (UCT).

It knows nothing of a game but its rules and a guess at who is ahead. ... `--nodes N`
"""

import argparse
import math
import time
from random import Random

from games import Game, Position, Turn, serve

EXPLORE = 1.0
PLIES = 8


class Node:
    """A position in the tree. Its value is that of the player who moved there."""

    __slots__ = ("children", "move", "position", "untried", "visits", "wins")

    def __init__(self, move: str, position: Position, untried: list[str]) -> None:
        self.move = move
        self.position = position
        self.untried = untried
        self.children: list[Node] = []
        self.visits = 0
        self.wins = 0.0

    def pick(self) -> "Node":
        log = math.log(self.visits)
        return max(
            self.children,
            key=lambda n: n.wins / n.visits + EXPLORE * math.sqrt(log / n.visits),
        )


def open_node(game: Game, move: str, position: Position, dice: Random) -> Node:
    moves = [] if game.result(position) else game.moves(position)
    dice.shuffle(moves)
    return Node(move, position, moves)


def playout(game: Game, position: Position, dice: Random) -> float:
    """1 for win of player to move at position."""
    sign = 1
    for _ in range(PLIES):
        if result := game.result(position):
            return (1 + sign * result) / 2
        position = game.play(position, dice.choice(game.moves(position)))
        sign = -sign
    value = game.result(position) or game.estimate(position)
    return (1 + sign * ((value > 0) - (value < 0))) / 2


def grow(game: Game, root: Node, dice: Random) -> None:
    path = [root]
    node = root
    while not node.untried and node.children:
        node = node.pick()
        path.append(node)
    if node.untried:
        move = node.untried.pop()
        child = open_node(game, move, game.play(node.position, move), dice)
        node.children.append(child)
        path.append(child)
        node = child
    won = 1 - playout(game, node.position, dice)
    for node in reversed(path):
        node.visits += 1
        node.wins += won
        won = 1 - won


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=0, help="playouts, per move")
    nodes = parser.parse_args().nodes

    def choose(turn: Turn) -> str:
        root = open_node(turn.game, "", turn.position, turn.dice)
        while root.visits < nodes if nodes else time.monotonic() < turn.deadline:
            grow(turn.game, root, turn.dice)
        if not root.children:
            return turn.legal[0]
        best = max(root.children, key=lambda child: child.visits)
        print(f"info playouts={root.visits} value={best.wins / best.visits:.2f}", flush=True)
        return best.move

    serve(choose)


if __name__ == "__main__":
    main()
