"""A bot that answers each move at the point opposite.

In standoff, lockdown and crossfire that is how a proof of a won game goes: a player that can always
do it never runs out of moves first. From an empty board with two odd sides it wins all three games
by taking the middle, and in crossfire it wins as seat 2 with two even sides. Where there is no
mirror image, or it is not legal, and in barricade and runner, it plays like greedy.py.
"""

import greedy
from games import Standoff
from protocol import Turn, serve


def choose(turn: Turn) -> str:
    """Return the opposite of the last move, or the middle if that is free."""
    game = turn.game
    if isinstance(game, Standoff):
        middle, odd = divmod(game.size, 2)
        if odd and game.names[middle] in turn.legal:
            return game.names[middle]
        if turn.moves:
            opposite = game.names[-1 - game.names.index(turn.moves[-1])]
            if opposite in turn.legal:
                return opposite
    return greedy.choose(turn)


if __name__ == "__main__":
    serve(choose)
