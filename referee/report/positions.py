"""Boards that the page cannot work out for itself: those of games from outside this package.

The page's script knows the rules of the five games. For any other it is given each board as text,
as the difference from the one before.
"""

from collections.abc import Iterable
from typing import Any

from referee.grid import Size
from referee.rules import BUILT_IN, Rules, find_variant
from referee.visible import visible

LONGEST_BOARD = 2_000
Change = tuple[int, int, str]
"""How much stays at the head, how much at the end, and what stands between them now."""


def find_foreign_rules(variant: str, source: str, size: Size) -> Rules[Any] | None:
    """The rules of a game that is not one of the five, if they can be found."""
    if variant in BUILT_IN:
        return None
    try:
        return find_variant(source).on(size)
    except Exception:  # foreign code: a report can do without its boards
        return None


def board_changes(rules: Rules[Any], moves: Iterable[str]) -> list[Change]:
    """The board before the first move and after each one; shorter if a move cannot be made."""
    changes: list[Change] = []
    before = ""
    try:
        state = rules.start()
        changes.append(change(before, before := _text(rules, state)))
        for move in moves:
            if move not in rules.legal_moves(state):
                break
            state = rules.apply(state, move)
            changes.append(change(before, before := _text(rules, state)))
    except Exception:  # foreign code, as above
        pass
    return changes


def _text(rules: Rules[Any], state: Any) -> str:
    return visible(rules.board(state), LONGEST_BOARD)


def change(before: str, after: str) -> Change:
    """What makes one text of another."""
    head = _shared(before, after)
    end = _shared(before[head:][::-1], after[head:][::-1])
    return head, end, after[head : len(after) - end]


def _shared(one: str, two: str) -> int:
    """How many letters two texts begin with together."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))
