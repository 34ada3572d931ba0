"""Boards that the page cannot work out for itself: those of games from outside this package.

The page's script knows the rules of the five games. For any other it is given each board as text,
as the difference from the one before.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.rules import BUILT_IN, Rules, Variant, find_installed
from referee.rules.grid import Size
from referee.text import printable

MAX_BOARD_LENGTH = 2_000
Change = tuple[int, int, str]
"""How much stays at the head, how much at the end, and what stands between them now."""


def take_apart(board: str) -> tuple[str, Size]:
    """`standoff-5x5` as a variant and a size."""
    variant, _, size = board.rpartition("-")
    rows, _, cols = size.partition("x")
    return variant, Size(int(rows), int(cols))


def find_foreign_rules(
    boards: Iterable[str], variants: Mapping[str, Variant]
) -> dict[str, Rules[Any]]:
    """The rules of boards that are not of the five games: from these variants, or installed ones.

    What a results folder names is not looked for: it may come from another person.
    """
    found: dict[str, Rules[Any]] = {}
    for board in boards:
        name, size = take_apart(board)
        if name not in BUILT_IN:
            try:
                found[board] = (variants.get(name) or find_installed(name)).on(size)
            except Exception:  # foreign code: a report can do without its boards
                continue
    return found


def missing_rules(boards: Iterable[str], found: Mapping[str, Rules[Any]]) -> Sequence[str]:
    """A sentence for each game that is shown without boards."""
    names = {board: take_apart(board)[0] for board in boards}
    missing = dict.fromkeys(
        name for board, name in names.items() if name not in BUILT_IN and board not in found
    )
    return [
        f"the rules of {name} are not installed here, so its games have no boards"
        " (referee report --variant-file adds them)"
        for name in missing
    ]


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
    return printable(rules.board(state), MAX_BOARD_LENGTH)


def change(before: str, after: str) -> Change:
    """What makes one text of another."""
    head = _shared(before, after)
    end = _shared(before[head:][::-1], after[head:][::-1])
    return head, end, after[head : len(after) - end]


def _shared(one: str, two: str) -> int:
    """How many letters two texts begin with together."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))
