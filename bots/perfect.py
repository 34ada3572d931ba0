"""A bot that plays what the referee's solver proves, and its best guess where nothing is proven.

Half of the time of a turn is for proofs. In a won position it plays a move that keeps the win. In a
lost one it plays the move after which the fewest answers win, hoping for a mistake. Elsewhere it
leaves out what is proven to lose, and alphabeta.py chooses among the rest. `--nodes N` makes both
look at N positions per move instead of at the clock: then the same turn always gets the same
answer.

It needs a Python in which the referee is installed, best compiled: that is thirty times as fast.
"""

import argparse
import time
from functools import reduce

from alphabeta import Search
from games import GAMES
from protocol import Turn, serve

try:
    from referee.analysis.solver import Solver
    from referee.analysis.verdict import Value
    from referee.rules import Size, find_variant
except ImportError:
    raise SystemExit("perfect.py needs a Python in which the referee is installed") from None

NAMES = {game: name for name, game in GAMES.items()}
NO_LIMIT = 10**12


class Bot:
    """What lasts from turn to turn."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.game: object = None

    def choose(self, turn: Turn) -> str:
        if self.nodes or turn.game is not self.game:
            # With a number of nodes, the answer must not depend on what was asked before.
            self.game = turn.game
            size = Size(turn.game.rows, turn.game.cols)
            self.rules = find_variant(NAMES[type(turn.game)]).on(size)
            self.solver = Solver(self.rules, self.nodes or NO_LIMIT)
        state = reduce(self.rules.apply, turn.moves, self.rules.start())
        verdict = self.solver.solve(state, self.until(turn, 0.5))
        print(f"info value={verdict.value} nodes={verdict.nodes}", flush=True)
        if verdict.value is Value.LOST:
            return self.hardest(turn, state, list(verdict.moves), verdict.best_move())
        if verdict.value is not Value.UNPROVED:
            return verdict.best_move()
        turn.legal[:] = verdict.unproved
        return Search(turn, self.nodes, {}).run()

    def until(self, turn: Turn, share: float) -> object:
        """Return a test: is this share of the time used up? Never, if nodes are counted."""
        now = time.monotonic()
        deadline = now + share * (turn.deadline - now)
        return lambda: not self.nodes and time.monotonic() > deadline

    def hardest(self, turn: Turn, state: object, moves: list[str], best: str) -> str:
        """Return the move after which the smallest share of the answers is proven to win."""
        shares = {}
        expired = self.until(turn, 0.9)
        for move in [best, *(move for move in moves if move != best)]:
            after = self.rules.apply(state, move)
            if self.rules.outcome(after) is None:
                verdict = self.solver.solve(after, expired)
                shares[move] = len(verdict.winning) / len(verdict.moves)
            if expired():
                break
        return min(shares, key=shares.__getitem__, default=best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=0, metavar="N", help="positions per move")
    serve(Bot(parser.parse_args().nodes).choose)


if __name__ == "__main__":
    main()
