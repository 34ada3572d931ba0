"""Messages about illegal moves: they name the rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import IllegalMove
from referee.rules import BUILT_IN, Size, find_variant, play_moves

REJECTIONS = [
    ("standoff", "3,3 1,1", "2,2", "2,2 touches O at 1,1"),
    ("standoff", "3,3 1,1 3,1 1,3", "2,2", "2,2 touches O at 1,1 and 1,3"),
    ("standoff", "3,3", "3,3", "3,3 is taken by X"),
    ("standoff", "3,3 1,1", "1,1", "1,1 is taken by O"),
    ("standoff", "", "6,1", "6,1 is off the board: rows go from 1 to 5, columns from 1 to 5"),
    ("standoff", "", "0,1", "0,1 is off the board: rows go from 1 to 5, columns from 1 to 5"),
    ("standoff", "", "03,3", "'03,3' cannot be read as a move: one looks like 3,3"),
    ("standoff", "", "+3,3", "'+3,3' cannot be read as a move: one looks like 3,3"),
    ("standoff", "", "٣,٣", "'٣,٣' cannot be read as a move: one looks like 3,3"),
    ("standoff", "", "3,3 ", "'3,3 ' cannot be read as a move: one looks like 3,3"),
    ("standoff", "", "", "'' cannot be read as a move: one looks like 3,3"),
    ("standoff", "", "x3,3", "'x3,3' is not a move of this game: one is a single cell, like 3,3"),
    ("standoff", "", "3,3x3,4", "'3,3x3,4' is not a move of this game: one is a single cell"),
    ("lockdown", "2,2", "2,2", "2,2 is taken by X"),
    ("lockdown", "2,2", "1,1", "1,1 is blocked by X at 2,2"),
    ("lockdown", "2,2 4,2", "3,2", "3,2 is blocked by X at 2,2 and O at 4,2"),
    ("crossfire", "2,2", "2,3", "2,3 is blocked by X at 2,2"),
    ("crossfire", "2,2 4,2", "3,2", "3,2 is blocked by X at 2,2 and O at 4,2"),
    ("crossfire", "", "6,0", "6,0 is off the board: rows go from 0 to 5, columns from 0 to 5"),
    ("barricade", "", "stay", "'stay' cannot be read as a move: one looks like 0,1x0,0"),
    ("barricade", "", "x1,1", "'x1,1' has no step: a move is a step, x and the cell to blockade"),
    ("barricade", "", "0,0x1,1", "0,0 is taken by A, you cannot step there"),
    ("barricade", "", "4,4", "4,4 is taken by B, you cannot step there"),
    ("barricade", "0,1x1,0 3,4x4,4", "1,0x1,1", "1,0 is blockaded, you cannot step there"),
    ("barricade", "", "1,1x0,1", "1,1 is not one step up, down, left or right of A at 0,0"),
    ("barricade", "", "0,1", "0,1: after the step comes a blockade, as in 0,1x0,0"),
    ("barricade", "", "0,1x0,1", "0,1x0,1: you cannot blockade the cell you step to"),
    ("barricade", "", "0,1x4,4", "4,4 is taken by B, you cannot blockade it"),
    ("barricade", "0,1x1,0 3,4x4,4", "1,1x1,0", "1,0 is blockaded, you cannot blockade it"),
    ("barricade", "", "0,1x3,3", "3,3 does not touch 0,1, where you step to"),
    ("barricade", "", "0,1x0,5", "0,5 is off the board"),
    ("runner", "", "1,3", "1,3 is taken by P1"),
    ("runner", "", "x5,3", "5,3 is taken by P2"),
    ("runner", "x3,3", "x3,3", "3,3 is blocked"),
    ("runner", "x3,3 4,3 2,3", "3,3", "3,3 is blocked"),
    ("runner", "", "3,3", "3,3 is not next to P1 at 1,3"),
    ("runner", "", "x2,2", "2,2 touches P1 at 1,3, so it cannot be blocked"),
    ("runner", "2,3 4,3", "x3,3", "3,3 touches P1 at 2,3 and P2 at 4,3, so it cannot be blocked"),
    ("runner", "", "2,3x3,3", "'2,3x3,3' steps and blocks: a move does one of them"),
    ("runner", "", "pass", "'pass' cannot be read as a move: one looks like 1,2 (step) or x5,5"),
    ("runner", "", "x0,3", "0,3 is off the board: rows go from 1 to 5, columns from 1 to 5"),
]
GOAL_AHEAD = (
    "0,1x1,0 3,4x2,3 1,1x0,1 3,3x3,4 1,2x1,3 3,2x3,3 2,2x1,2 3,1x2,0 3,2x2,1 3,0x3,1"
    " 4,2x3,2 4,0x4,1 4,3x4,2 3,0x4,0"
)
REJECTIONS.append(
    ("barricade", GOAL_AHEAD, "4,4x4,3", "the step onto the goal wins at once and takes no")
)


@pytest.mark.parametrize(("variant", "before", "move", "reason"), REJECTIONS)
def test_rejection_names_the_move_and_the_rule(
    variant: str, before: str, move: str, reason: str
) -> None:
    """And what is legal instead."""
    rules = find_variant(variant).on()
    moves = before.split()
    with pytest.raises(IllegalMove) as raised:
        play_moves(rules, [*moves, move])
    message = str(raised.value)
    assert message.startswith(f"move {len(moves) + 1} is not legal: ")
    assert reason in message
    legal = rules.legal_moves(play_moves(rules, moves))
    assert message.endswith(f"Legal here: {' '.join(legal)}")


def test_move_after_the_end_is_rejected() -> None:
    """In every variant."""
    rules = find_variant("lockdown").on()
    with pytest.raises(IllegalMove, match=r"move 5 \(2,2\) comes after the end of the game"):
        play_moves(rules, ["1,1", "1,4", "4,1", "4,4", "2,2"])


cells = st.tuples(st.integers(0, 6), st.integers(0, 6)).map("{0[0]},{0[1]}".format)
texts = st.one_of(
    st.text(max_size=12), cells, cells.map("x{}".format), st.tuples(cells, cells).map("x".join)
)


@given(st.sampled_from(BUILT_IN), st.builds(Size, st.integers(3, 6), st.integers(3, 6)), st.data())
def test_any_text_is_legal_or_rejected_in_one_sentence(
    variant: str, size: Size, data: st.DataObject
) -> None:
    """Property test."""
    rules = find_variant(variant).on(size)
    state = rules.start()
    for _ in range(data.draw(st.integers(0, 6))):
        if not rules.outcome(state):
            state = rules.apply(state, data.draw(st.sampled_from(rules.legal_moves(state))))
    move = data.draw(texts)
    if rules.outcome(state) or move in rules.legal_moves(state):
        return
    reason = rules.why_illegal(state, move)
    assert reason
    assert not reason.endswith((" ", "."))
