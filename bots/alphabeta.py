"""A bot that searches with alpha-beta: the strongest one here in Python.

It looks one move further each time round, until its time is up. A win or a loss that it sees to the
end is exact, so it plays small boards and the ends of games perfectly. `--nodes N` makes it look at
N positions per move instead of at the clock: then the same turn always gets the same answer.
"""

import argparse
import itertools
import time

from games import WON, Game, Position
from protocol import Turn, serve

Table = dict[Position, tuple[int, int, int, str]]
"""For a position's key: how deep it was searched, the least and the most that it can be worth at
that depth, and the best move."""
TABLE_SIZE = 200_000
"""Keeps the bot below 100 MB: well within what a tournament allows."""
TO_THE_END = 1_000_000
"""A depth that no search goes beyond."""


class OutOfBudget(Exception):
    """The time or the nodes are used up."""


class Search:
    """The search of one turn: a number of nodes, or with 0 as many as the time allows."""

    def __init__(self, turn: Turn, limit: int, table: Table) -> None:
        self.game: Game = turn.game
        self.root = turn.position
        self.moves = list(turn.legal)
        self.deadline = turn.deadline
        self.limit = limit
        self.table = table
        self.history: dict[str, int] = {}
        """How much each move has cut off, wherever it was played: a good guess at a good move."""
        self.nodes = self.depth = self.score = 0
        self.best = self.moves[0]

    def run(self) -> str:
        """Return the best move found within the budget."""
        try:
            for self.depth in itertools.count(1):
                self.look()
                # Every game ends, so at some depth all lines do. Looking further each time, a win
                # that is found is the shortest one.
                if abs(self.score) == WON or len(self.moves) == 1:
                    break
        except OutOfBudget:
            pass  # a move that came out better in the unfinished round is the best already
        return self.best

    def look(self) -> None:
        """Search all moves, the best so far first, so that stopping half-way does no harm.

        If all moves lose, the one from the last round stays: its loss took longest to see.
        """
        self.moves.sort(key=lambda move: (move != self.best, -self.history.get(move, 0)))
        highest = -WON - 1
        for move in self.moves:
            value = -self.value(self.game.play(self.root, move), self.depth - 1, -WON, -highest)
            if value > highest:
                highest = self.score = value
                self.best = move
            if value == WON:
                break

    def value(self, position: Position, depth: int, alpha: int, beta: int) -> int:
        """Return the value for the player to move, or a bound where it is outside of the window.

        WON and -WON are exact in any case, whatever the depth.
        """
        self.nodes += 1
        if self.nodes >= self.limit if self.limit else time.monotonic() > self.deadline:
            raise OutOfBudget
        if result := self.game.result(position):
            return result * WON
        if depth == 0:
            return self.game.estimate(position)

        key = self.game.key(position)
        known_depth, low, high, first = self.table.get(key, (0, -WON, WON, ""))
        if known_depth >= depth:
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high

        highest, best, floor = -WON - 1, "", alpha
        for move in self.order(self.game.moves(position), first, depth):
            value = -self.value(self.game.play(position, move), depth - 1, -beta, -floor)
            if value > highest:
                highest, best, floor = value, move, max(floor, value)
                if value >= beta or value == WON:
                    self.history[move] = self.history.get(move, 0) + depth * depth
                    break

        if abs(highest) == WON:
            self.remember(key, TO_THE_END, highest, highest, best)
        else:
            low = highest if highest > alpha else -WON
            high = highest if highest < beta else WON
            self.remember(key, depth, low, high, best)
        return highest

    def order(self, moves: list[str], first: str, depth: int) -> list[str]:
        """Return the moves, most promising first, so that cut-offs come early."""
        if depth > 1:
            history = self.history
            moves.sort(key=lambda move: (move != first, -history.get(move, 0)))
        elif first:  # just above the leaves, sorting takes longer than it saves
            moves.remove(first)
            moves.insert(0, first)
        return moves

    def remember(self, key: Position, depth: int, low: int, high: int, best: str) -> None:
        if len(self.table) >= TABLE_SIZE:
            self.table.clear()  # crude, but what matters is soon found again
        self.table[key] = depth, low, high, best


class Bot:
    """What lasts from turn to turn."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.game: Game | None = None
        self.table: Table = {}

    def choose(self, turn: Turn) -> str:
        if self.nodes or turn.game is not self.game:
            # With a number of nodes, the answer must not depend on what was asked before.
            self.game, self.table = turn.game, {}
        search = Search(turn, self.nodes, self.table)
        move = search.run()
        print(f"info depth={search.depth} score={search.score} nodes={search.nodes}", flush=True)
        return move


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=0, metavar="N", help="positions per move")
    serve(Bot(parser.parse_args().nodes).choose)


if __name__ == "__main__":
    main()
