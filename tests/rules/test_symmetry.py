"""Symmetries of games: each maps games onto games, with the same seats and outcomes."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.outcome import Outcome
from referee.rules import (
    BUILT_IN,
    Rules,
    Size,
    Symmetry,
    board_symmetries,
    canonical_board,
    find_variant,
    map_board,
    map_move,
)

sizes = st.builds(Size, st.integers(3, 9), st.integers(3, 9))


def is_symmetry_of_game(rules: Rules, size: Size, symmetry: Symmetry, seed: int) -> bool:
    """Play a random game and its image; compare boards, legal moves and outcomes of each ply."""
    dice = random.Random(seed)
    state = image = rules.start()
    for _ in range(60):
        outcome: Outcome | None = rules.outcome(state)
        same_board = map_board(rules.board(state), symmetry) == rules.board(image)
        if not same_board or rules.outcome(image) != outcome:
            return False
        if outcome:
            return True
        moves = list(rules.legal_moves(state))
        images = {map_move(move, symmetry, size, rules.origin) for move in moves}
        same_seat = rules.to_move(state) == rules.to_move(image)
        if not same_seat or images != set(rules.legal_moves(image)):
            return False
        move = dice.choice(moves)
        state = rules.apply(state, move)
        image = rules.apply(image, map_move(move, symmetry, size, rules.origin))
    return True


@given(st.sampled_from(BUILT_IN), sizes, st.integers(0, 2**32))
def test_symmetric_positions_have_symmetric_moves_and_outcomes(
    variant: str, size: Size, seed: int
) -> None:
    """Of all rotations and reflections of a board, exactly those listed map games onto games."""
    rules = find_variant(variant).on(size)
    listed = list(rules.symmetries())
    for symmetry in board_symmetries(size):
        if symmetry in listed:
            assert is_symmetry_of_game(rules, size, symmetry, seed)
        else:
            # Another one fails at once or later, at least in one of several games.
            games = range(seed, seed + 20)
            assert not all(is_symmetry_of_game(rules, size, symmetry, game) for game in games)


@pytest.mark.parametrize(
    ("variant", "size", "count"),
    [
        ("standoff", Size(5, 5), 7),
        ("standoff", Size(5, 6), 3),
        ("lockdown", Size(4, 4), 7),
        ("crossfire", Size(6, 6), 7),
        ("barricade", Size(5, 5), 1),
        ("barricade", Size(5, 6), 0),
        ("runner", Size(5, 5), 1),
        ("runner", Size(6, 5), 1),
        ("runner", Size(5, 6), 0),
    ],
)
def test_each_variant_lists_its_symmetries(variant: str, size: Size, count: int) -> None:
    """Corners and rows of pieces leave barricade and runner fewer than the board has."""
    assert len(find_variant(variant).on(size).symmetries()) == count


@given(sizes)
def test_the_symmetries_of_a_board_form_a_group(size: Size) -> None:
    """All are different, none is the identity, and two of them in turn are one of them."""
    identity = tuple(range(size.rows * size.cols))
    group = {identity, *board_symmetries(size)}
    assert len(group) == (8 if size.rows == size.cols else 4)
    assert {tuple(one[cell] for cell in two) for one in group for two in group} == group


def test_boards_and_moves_have_images() -> None:
    """The exchange of left and right, on a board that is not square and counts from 1."""
    left_right = board_symmetries(Size(2, 3))[0]
    assert map_board("X.O/..#", left_right) == "O.X/#.."
    assert map_move("1,1x2,3", left_right, Size(2, 3), 1) == "1,3x2,1"
    assert map_move("x2,1", left_right, Size(2, 3), 1) == "x2,3"


@given(st.lists(st.sampled_from(".XO#"), min_size=9, max_size=9))
def test_images_have_the_same_canonical_board(marks: list[str]) -> None:
    """All eight have the same one."""
    board = "/".join("".join(marks[start : start + 3]) for start in (0, 3, 6))
    symmetries = board_symmetries(Size(3, 3))
    found = {canonical_board(map_board(board, one), symmetries) for one in symmetries}
    assert found == {canonical_board(board, symmetries)}


def test_a_game_that_changes_the_rules_does_not_inherit_symmetries() -> None:
    """A derived game has those that it lists itself, unless it only looks different."""
    standoff = type(find_variant("standoff").on())

    class Lopsided(standoff):  # type: ignore[misc, valid-type]
        def outcome(self, state: object) -> Outcome | None:
            return super().outcome(state)

    class Drawn(standoff):  # type: ignore[misc, valid-type]
        def draw(self, state: object) -> str:
            return ""

    assert list(Lopsided(Size(3, 3)).symmetries()) == []
    assert len(Drawn(Size(3, 3)).symmetries()) == 7
