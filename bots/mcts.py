"""A bot that tries moves out and follows up what went well: Monte Carlo tree search (UCT).

Each playout walks down the tree of positions tried so far, adds one to it, makes a few random moves
from there and asks who is ahead. It beats greedy.py clearly and loses to alphabeta.py. `--nodes N`
makes it play N playouts instead of looking at the clock: then the same turn always gets the same
answer.
"""

import argparse
import math
import time
from random import Random

from games import WON, Game, Position
from greedy import worth
from protocol import Turn, serve

EXPLORE = 0.5
"""How much a move gains by having been tried little. Half the usual: there is little time."""
RANDOM_PLIES = 4
"""Longer playouts say less: in these games random moves soon throw any advantage away."""


class Node:
    """A position in the tree. It counts for the player who moved there, not the one to move."""

    __slots__ = ("children", "move", "position", "untried", "visits", "wins", "worth")

    def __init__(self, game: Game, move: str, position: Position, dice: Random) -> None:
        self.move = move
        self.position = position
        self.worth = worth(game, position)
        self.untried = [] if abs(self.worth) == WON else game.moves(position)
        dice.shuffle(self.untried)
        self.children: list[Node] = []
        self.visits = 0
        self.wins = 0.0

    def pick(self) -> "Node":
        """The child that looks best, or has been looked at least for how good it looks."""
        log = math.log(self.visits)
        return max(
            self.children,
            key=lambda child: child.wins / child.visits + EXPLORE * math.sqrt(log / child.visits),
        )


def search(turn: Turn, playouts: int) -> Node:
    """A tree from this turn on: so many playouts, or with 0 as many as the time allows."""
    root = Node(turn.game, "", turn.position, turn.dice)
    root.untried = list(turn.legal)  # even if the outcome is certain, there is a move to choose
    turn.dice.shuffle(root.untried)
    while root.visits < playouts if playouts else time.monotonic() < turn.deadline:
        grow(turn.game, root, turn.dice)
    return root


def grow(game: Game, root: Node, dice: Random) -> None:
    """Add one position to the tree, and what a playout from there says to all on the way."""
    node, path = root, [root]
    while node.children and not node.untried:
        node = node.pick()
        path.append(node)
    if node.untried:
        move = node.untried.pop()
        child = Node(game, move, game.play(node.position, move), dice)
        node.children.append(child)
        path.append(child)
    won = 1 - playout(game, path[-1], dice)
    for node in reversed(path):
        node.visits += 1
        node.wins += won
        won = 1 - won


def playout(game: Game, node: Node, dice: Random) -> float:
    """1 if the player to move comes out ahead, 0 if behind, a half if nobody does."""
    position, ahead, sign = node.position, node.worth, 1
    if abs(ahead) != WON:
        for _ in range(RANDOM_PLIES):
            if game.result(position):
                break
            position = game.play(position, dice.choice(game.moves(position)))
            sign = -sign
        ahead = sign * worth(game, position)
    return 0.5 if ahead == 0 else float(ahead > 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=0, metavar="N", help="playouts per move")
    playouts = parser.parse_args().nodes

    def choose(turn: Turn) -> str:
        root = search(turn, playouts)
        if not root.children:
            return turn.legal[0]  # there was no time at all
        best = max(root.children, key=lambda child: child.visits)
        value = best.wins / best.visits
        print(f"info playouts={root.visits} value={value:.2f}", flush=True)
        return best.move

    serve(choose)


if __name__ == "__main__":
    main()
