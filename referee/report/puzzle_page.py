"""The page of puzzles: positions with one winning move, to be solved by clicks or by keys."""

from collections.abc import Sequence
from typing import Any

from referee.analysis.puzzles import LineFinder, Puzzle
from referee.report.board_diffs import change
from referee.report.page import make_puzzle_page
from referee.schedule.fixtures import Board
from referee.text import printable, short_label


def puzzle_page(puzzles: Sequence[Puzzle], name: str) -> str:
    """Render the page; `name` is that of the tournament."""
    return make_puzzle_page([_describe(puzzle) for puzzle in puzzles], short_label(name))


def _describe(puzzle: Puzzle) -> dict[str, Any]:
    """Describe a puzzle as js/puzzles.js expects it."""
    board = Board.parse(puzzle.board)
    rules = puzzle.rules
    return {
        "game": printable(puzzle.game, 200),
        "ply": puzzle.ply,
        "name": short_label(puzzle.board),
        "variant": short_label(board.variant),
        "grid": {"rows": board.size.rows, "cols": board.size.cols, "origin": rules.origin},
        "marks": [short_label(mark) for mark in rules.marks],
        "seat": puzzle.seat,
        "board": printable(rules.board(puzzle.state)),
        "legal": [printable(move) for move in puzzle.legal],
        "answer": printable(puzzle.answer),
        "seen": puzzle.seen,
        "missed": puzzle.missed,
        "lines": {
            printable(move): _line(puzzle, line)
            for move, line in LineFinder(puzzle).lines().items()
        },
    }


def _line(puzzle: Puzzle, moves: Sequence[str]) -> list[Any]:
    """Describe a line: its moves, the changes of the board, and how the game ends, if it does."""
    rules, state = puzzle.rules, puzzle.state
    before = printable(rules.board(state))
    changes = []
    for move in moves:
        state = rules.apply(state, move)
        changes.append(change(before, before := printable(rules.board(state))))
    outcome = rules.outcome(state)
    names = (f"seat 1 ({rules.marks[0]})", f"seat 2 ({rules.marks[1]})")
    ending = "" if outcome is None else printable(outcome.sentence(names))
    return [[printable(move) for move in moves], changes, ending]
