"""Puzzles: positions of recorded games in which exactly one move wins. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from referee.analysis.game_analysis import GameAnalysis, PlyAnalysis
from referee.analysis.solver import Solver
from referee.analysis.verdict import Value
from referee.outcome import Seat
from referee.rules import Rules
from referee.rules.symmetry import canonical_board

MAX_LINE = 6
"""Moves of a line, with the move that it explains."""
REPLY_NODES = 100_000
"""Budget for the best move of one position of a line."""
PUZZLE_NODES = 500_000
"""Budget for everything in the lines of a puzzle but the first replies."""


@dataclass
class Puzzle:
    """A position with one winning move, and what the bots played in it."""

    game: str
    """The id of the first game with this position."""
    ply: int
    """The number of moves before the position."""
    board: str
    """Variant and size, like `standoff-5x5`."""
    rules: Rules[Any]
    state: Any
    seat: Seat
    """The seat to move."""
    bot: str
    """The bot that was to move there."""
    answer: str
    legal: Sequence[str]
    seen: int = 0
    """Times that a bot was to move in this position, or in one that is symmetric to it."""
    missed: int = 0
    """Times that the bot gave the win away."""

    @property
    def hardness(self) -> tuple[float, int]:
        """Order of puzzles: the share of bots that missed it, then the number of legal moves.

        One is added to the misses and two to the times, so that a position that many bots missed
        counts more than one that a single bot missed.
        """
        return (self.missed + 1) / (self.seen + 2), len(self.legal)


class PuzzleGame(NamedTuple):
    """A recorded game with its rules and its analysis."""

    id: str
    board: str
    rules: Rules[Any]
    bots: Sequence[str]
    moves: Sequence[str]
    opening: int
    analysis: GameAnalysis


def find_puzzles(games: Iterable[PuzzleGame]) -> list[Puzzle]:
    """List the puzzles of analysed games, hardest first; each once, up to symmetry."""
    found: dict[tuple[str, Seat, str], Puzzle] = {}
    for game in games:
        rules = game.rules
        symmetries = rules.symmetries()
        state = rules.start()
        for ply, move in enumerate(game.moves):
            position = game.analysis.plies[ply]
            if ply >= game.opening and _is_puzzle(position):
                text = canonical_board(rules.board(state), symmetries)
                key = game.board, position.seat, text
                if key not in found:
                    legal = list(rules.legal_moves(state))
                    if position.winning[0] not in legal:
                        break  # an analysis that was edited
                    found[key] = _make_puzzle(game, ply, state, legal)
                found[key].seen += 1
                found[key].missed += position.is_error(move)
            state = rules.apply(state, move)
    return sorted(found.values(), key=lambda puzzle: puzzle.hardness, reverse=True)


def _is_puzzle(position: PlyAnalysis) -> bool:
    """Return whether exactly one of several moves wins."""
    return position.legal > 1 and len(position.winning) == 1 and not position.unproved


def _make_puzzle(game: PuzzleGame, ply: int, state: Any, legal: Sequence[str]) -> Puzzle:
    position = game.analysis.plies[ply]
    return Puzzle(
        game=game.id,
        ply=ply,
        board=game.board,
        rules=game.rules,
        state=state,
        seat=position.seat,
        bot=game.bots[position.seat - 1],
        answer=position.winning[0],
        legal=legal,
    )


class LineFinder:
    """Lines of best play after the moves of one puzzle, within its budget."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._solver = Solver(puzzle.rules, REPLY_NODES)
        self._left = PUZZLE_NODES

    def lines(self) -> dict[str, list[str]]:
        """Return, for each legal move, the move and best play after it, as far as it is proven."""
        lines = {move: [move, *self._best_moves([move], 1)] for move in self._puzzle.legal}
        for line in lines.values():
            line += self._best_moves(line, MAX_LINE - len(line), within_budget=True)
        return lines

    def answer_line(self) -> list[str]:
        """Return the answer, and best play after it."""
        line = [self._puzzle.answer]
        return line + self._best_moves(line, MAX_LINE - 1, within_budget=True)

    def _best_moves(
        self, line: Sequence[str], count: int, *, within_budget: bool = False
    ) -> list[str]:
        """Return up to `count` moves of best play after a line."""
        rules, state = self._puzzle.rules, self._puzzle.state
        for move in line:
            state = rules.apply(state, move)
        found: list[str] = []
        while len(found) < count and rules.outcome(state) is None:
            if within_budget and self._left <= 0:
                break
            verdict = self._solver.solve(state)
            if within_budget:
                self._left -= verdict.nodes
            if verdict.value is Value.UNPROVED:
                break
            found.append(verdict.best_move())
            state = rules.apply(state, found[-1])
        return found
