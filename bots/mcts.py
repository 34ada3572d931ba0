"""A bot that tries moves out and follows up what went well: Monte Carlo tree search (UCT).

Each playout walks down the tree of positions tried so far, adds one to it, makes a few random moves
from there and asks who is ahead. A position's moves are tried one after the other, those first that
greedy.py likes best. It beats greedy.py clearly and mostly loses to alphabeta.py. `--nodes N` makes
it play N playouts per move instead of looking at the clock: then the same turn always gets the same
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
"""How much a move gains by having been tried little. Textbooks have 1.4, for more time."""
WIDTH = 0.5
"""How many moves of a position are tried: this number times the square root of its visits."""
LOOK_AT = 32
"""How many moves of a position are looked at: on a large board, all of them would take too long."""
RANDOM_PLIES = 4
"""Longer playouts are less evidence: in these games random moves soon throw any advantage away."""


class Node:
    """A position in the tree. Its wins are those of the player who moved there."""

    __slots__ = ("children", "move", "position", "untried", "visits", "wins", "worth")

    def __init__(self, game: Game, position: Position, move: str) -> None:
        self.move = move
        self.position = position
        self.worth = worth(game, position)
        self.visits = 0
        self.wins = 0.0
        self.children: list[Node] = []
        self.untried: list[str] | None = None
        """The other moves, the most promising one last; None before the second visit."""

    def open(self, game: Game, moves: list[str], deadline: float) -> None:
        """Look at these moves from here, as far as there is time for it."""
        worths = {}
        for move in moves:
            if worths and time.monotonic() > deadline:
                break
            worths[move] = worth(game, game.play(self.position, move))
        self.untried = sorted(worths, key=lambda move: -worths[move])

    def pick(self) -> "Node":
        """Return the child with the highest upper confidence bound."""
        log = math.log(self.visits)
        return max(
            self.children,
            key=lambda child: child.wins / child.visits + EXPLORE * math.sqrt(log / child.visits),
        )


class Tree:
    """What one turn's search has found out."""

    def __init__(self, turn: Turn, playouts: int) -> None:
        self.game = turn.game
        self.dice = turn.dice
        self.deadline = math.inf if playouts else turn.deadline
        self.playouts = playouts or math.inf
        self.root = Node(turn.game, turn.position, "")
        # Even if the outcome is certain, there is a move to choose.
        self.root.open(self.game, self.dice.sample(turn.legal, len(turn.legal)), self.deadline)

    def search(self) -> Node:
        """Return the most visited child of the root."""
        self.grow()
        while self.root.visits < self.playouts and time.monotonic() < self.deadline:
            self.grow()
        return max(self.root.children, key=lambda child: child.visits)

    def grow(self) -> None:
        """Add one position, and count the result of a playout from it in all on the way there."""
        node, path = self.root, [self.root]
        while node.untried is not None or (node.visits and abs(node.worth) != WON):
            if node.untried is None:
                moves = self.game.moves(node.position)
                moves = self.dice.sample(moves, min(len(moves), LOOK_AT))
                node.open(self.game, moves, self.deadline)
            if node.untried and len(node.children) <= WIDTH * math.sqrt(node.visits):
                move = node.untried.pop()
                node.children.append(Node(self.game, self.game.play(node.position, move), move))
                node = node.children[-1]
            else:
                node = node.pick()
            path.append(node)
        won = 1 - playout(self.game, node, self.dice)
        for node in reversed(path):
            node.visits += 1
            node.wins += won
            won = 1 - won


def playout(game: Game, node: Node, dice: Random) -> float:
    """1 if the player to move comes out ahead, 0 if behind, a half if neither is."""
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
        tree = Tree(turn, playouts)
        best = tree.search()
        value = best.wins / best.visits
        print(f"info playouts={tree.root.visits} value={value:.2f}", flush=True)
        return best.move

    serve(choose)


if __name__ == "__main__":
    main()
