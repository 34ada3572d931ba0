"""A bot that searches with alpha-beta: the strongest one here in Python.

It looks one move further each time round until its time is up. Wins and losses that it sees to the
end are exact, so it plays a small board, or the end of a game, perfectly. `--nodes N` makes it
look at N positions instead of at the clock: then the same turn always gets the same answer.
"""

import argparse
import itertools
import time

from games import WON, Game, Position, Turn, serve

TABLE_SIZE = 200_000
"""Entries to remember, about 100 MB: well within what a tournament allows a bot."""
TO_THE_END = 1_000_000


class OutOfBudget(Exception):
    """The time or the nodes are used up."""


class Search:
    """One turn's search. The table may come from an earlier turn of the same game."""

    def __init__(self, turn: Turn, table: dict[Position, tuple[int, int, int, str]]) -> None:
        self.game: Game = turn.game
        self.deadline = turn.deadline
        self.limit = 0
        """Nodes to search, 0 for as many as the time allows."""
        self.nodes = 0
        self.depth = 0
        self.score = 0
        self.best = turn.legal[0]
        self.table = table
        """For a key: how deep it was searched, the least and the most it can be worth, a move."""
        self.history: dict[str, int] = {}
        """How much each move has cut off, wherever it was played: a good guess at a good move."""

    def run(self, position: Position, moves: list[str]) -> str:
        """The best move found within the budget."""
        try:
            for self.depth in itertools.count(1):
                self.look(position, moves, self.depth)
                if abs(self.score) == WON or len(moves) == 1:
                    break
        except OutOfBudget:
            pass  # a move that turned out better in the unfinished round is already the best
        return self.best

    def look(self, position: Position, moves: list[str], depth: int) -> None:
        """Search all moves, the best so far first, so that stopping half-way does no harm.

        If all moves lose, the one from the last round stays: its loss took longest to see.
        """
        moves.sort(key=lambda move: (move != self.best, -self.history.get(move, 0)))
        highest = -WON - 1
        for move in moves:
            value = -self.value(self.game.play(position, move), depth - 1, -WON, -highest)
            if value > highest:
                highest, self.best = value, move
                self.score = value
            if value == WON:
                break

    def value(self, position: Position, depth: int, alpha: int, beta: int) -> int:
        """The worth for the player to move: exact between alpha and beta, else on the right side.

        A value of plus or minus WON is exact in any case, whatever the depth.
        """
        self.nodes += 1
        if self.nodes == self.limit or (not self.limit and time.monotonic() > self.deadline):
            raise OutOfBudget
        game = self.game
        if result := game.result(position):
            return result * WON
        if depth == 0:
            return game.estimate(position)

        key = game.key(position)
        known_depth, low, high, first = self.table.get(key, (0, -WON, WON, ""))
        if known_depth >= depth:
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high

        moves = game.moves(position)
        if depth > 1:
            history = self.history
            moves.sort(key=lambda move: (move != first, -history.get(move, 0)))
        elif first:
            moves.remove(first)
            moves.insert(0, first)
        highest, best, floor = -WON - 1, "", alpha
        for move in moves:
            value = -self.value(game.play(position, move), depth - 1, -beta, -floor)
            if value > highest:
                highest, best = value, move
                floor = max(floor, value)
                if value >= beta or value == WON:
                    self.history[move] = self.history.get(move, 0) + depth * depth
                    break

        if len(self.table) >= TABLE_SIZE:
            self.table.clear()
        if abs(highest) == WON:
            self.table[key] = TO_THE_END, highest, highest, best
        else:
            low = highest if highest > alpha else -WON
            high = highest if highest < beta else WON
            self.table[key] = depth, low, high, best
        return highest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=0, help="positions to look at, per move")
    nodes = parser.parse_args().nodes
    table: dict[Position, tuple[int, int, int, str]] = {}

    def choose(turn: Turn) -> str:
        if nodes or len(turn.moves) < 2:
            table.clear()
        search = Search(turn, table)
        search.limit = nodes
        move = search.run(turn.position, list(turn.legal))
        print(f"info depth={search.depth} score={search.score} nodes={search.nodes}", flush=True)
        return move

    serve(choose)


if __name__ == "__main__":
    main()
