"""A bot that searches one move ahead: most options for itself, fewest for the opponent.

It wins at once if it can, and otherwise takes what looks best right after its move: more cells to
choose from or to reach than the opponent, and where there is a goal, a shorter way to it. Among
equal moves it chooses at random. In lockdown and crossfire both players always have the same
options, so there it plays at random until the end of the game can be computed. It rarely loses to
the random bots, and mostly to those that search deeper.
"""

from games import WON, Game, Position
from protocol import Turn, serve


def choose(turn: Turn) -> str:
    """Return the move after which the opponent is worst off."""
    game, moves = turn.game, list(turn.legal)
    turn.dice.shuffle(moves)
    return min(moves, key=lambda move: worth(game, game.play(turn.position, move)))


def worth(game: Game, position: Position) -> int:
    """How good a position is for the player to move, as far as one sees without thinking."""
    return WON * game.result(position) or game.estimate(position)


if __name__ == "__main__":
    serve(choose)
