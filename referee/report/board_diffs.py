"""Boards of variants from outside this package, as differences between consecutive boards.

The page's script implements the rules of the five games. For any other variant the page contains
each board as text, encoded as the difference from the board before it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.rules import BUILT_IN, Rules, Variant, find_installed
from referee.schedule.fixtures import Board
from referee.text import printable

MAX_BOARD_LENGTH = 2_000
CellChange = tuple[int, int, str]
"""Length of the common prefix, length of the common suffix, and the new text between them."""


def find_foreign_rules(
    boards: Iterable[str], variants: Mapping[str, Variant]
) -> dict[str, Rules[Any]]:
    """Find the rules of boards of other variants: among those given, or the installed ones.

    A path in a results folder is never loaded: the folder may come from an untrusted source.
    """
    found: dict[str, Rules[Any]] = {}
    for name in boards:
        board = Board.parse(name)
        if board.variant not in BUILT_IN:
            try:
                variant = variants.get(board.variant) or find_installed(board.variant)
                found[name] = variant.on(board.size)
            except Exception:  # code of a third party: the report is written without its boards
                continue
    return found


def missing_rules(boards: Iterable[str], found: Mapping[str, Rules[Any]]) -> Sequence[str]:
    """Return a warning for each variant that is shown without boards."""
    variants = {name: Board.parse(name).variant for name in boards}
    missing = dict.fromkeys(
        variant
        for name, variant in variants.items()
        if variant not in BUILT_IN and name not in found
    )
    return [
        f"the rules of {variant} are not installed here, so its games have no boards"
        " (referee report --variant-file adds them)"
        for variant in missing
    ]


def board_changes(rules: Rules[Any], moves: Iterable[str]) -> list[CellChange]:
    """Encode the board before the first move and after each move, up to the first illegal move."""
    changes: list[CellChange] = []
    before = ""
    try:
        state = rules.start()
        changes.append(change(before, before := _text(rules, state)))
        for move in moves:
            if move not in rules.legal_moves(state):
                break
            state = rules.apply(state, move)
            changes.append(change(before, before := _text(rules, state)))
    except Exception:  # code of a third party, as above
        pass
    return changes


def _text(rules: Rules[Any], state: Any) -> str:
    return printable(rules.board(state), MAX_BOARD_LENGTH)


def change(before: str, after: str) -> CellChange:
    """Return the difference between two texts."""
    head = _common_prefix(before, after)
    end = _common_prefix(before[head:][::-1], after[head:][::-1])
    return head, end, after[head : len(after) - end]


def _common_prefix(one: str, two: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))
