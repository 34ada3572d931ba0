"""The rules, compared with a second implementation on boards of all sizes."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import InputError
from referee.rules import BUILT_IN, Rules, Size, find_variant, perft, play_moves
from tests.support.slow_games import GAMES, SlowGame

sizes = st.builds(Size, st.integers(3, 16), st.integers(3, 16))
variants = st.sampled_from(BUILT_IN)

# Move sequences of length 1, 2, ... from the start of each default board. All were counted with the
# slow games once; the test suite counts the third ones with them again.
PERFT = {
    "standoff": [25, 456, 7944, 100632, 1219488],
    "barricade": [10, 100, 1120, 12448, 144828],
    "lockdown": [16, 156, 840, 1896, 0],
    "runner": [18, 302, 4877, 75127, 1123577],
    "crossfire": [36, 1140, 31488, 751680],
}


def assert_same(rules: Rules, state: object, slow: SlowGame) -> None:
    """Compare a position in both implementations."""
    outcome = rules.outcome(state)
    assert rules.board(state) == slow.board()
    assert (outcome and (outcome.score, outcome.reason)) == slow.outcome()
    if not outcome:
        assert rules.to_move(state) == slow.seat
        assert list(rules.legal_moves(state)) == slow.legal()


def play_both(variant: str, size: Size, seed: int) -> tuple[str, tuple[float, float]]:
    """Play a random game in both, compare after every move, and return how it ended."""
    rules, slow, dice = find_variant(variant).on(size), GAMES[variant](*size), random.Random(seed)
    state = rules.start()
    assert_same(rules, state, slow)
    while not (outcome := rules.outcome(state)):
        move = dice.choice(rules.legal_moves(state))
        state = rules.apply(state, move)
        slow.play(move)
        assert_same(rules, state, slow)
    return outcome.reason, outcome.score


def slow_perft(game: SlowGame, depth: int) -> int:
    count = 0
    for move in game.legal():
        after = game.copy()
        after.play(move)
        count += 1 if depth == 1 else slow_perft(after, depth - 1)
    return count


@pytest.mark.parametrize("variant", BUILT_IN)
def test_perft_matches_the_known_counts(variant: str) -> None:
    """The numbers of move sequences on the default board."""
    rules = find_variant(variant).on()
    counts = [perft(rules, rules.start(), depth + 1) for depth in range(len(PERFT[variant]))]
    assert counts == PERFT[variant]


@pytest.mark.parametrize("variant", BUILT_IN)
def test_perft_of_the_second_implementation_matches_the_known_counts(variant: str) -> None:
    """To a depth that takes a few seconds."""
    start = GAMES[variant](*find_variant(variant).size)
    assert slow_perft(start, 3) == PERFT[variant][2]


@pytest.mark.parametrize("batch", range(4))
@pytest.mark.parametrize("variant", BUILT_IN)
def test_random_games_on_the_default_board_agree(variant: str, batch: int) -> None:
    """Eight hundred random games of each variant, move by move."""
    size = find_variant(variant).size
    endings = {play_both(variant, size, seed) for seed in range(batch * 200, batch * 200 + 200)}
    if variant != "lockdown":
        assert {score for _, score in endings} == {(1, 0), (0, 1)}
    if variant == "runner":
        assert {reason for reason, _ in endings} >= {"goal", "shut-out", "repetition", "no-moves"}


@given(variants, sizes, st.integers(0, 2**32))
def test_random_games_on_any_board_agree(variant: str, size: Size, seed: int) -> None:
    """Rectangles, the smallest and the largest boards."""
    play_both(variant, size, seed)


@given(variants, sizes, st.data())
def test_states_are_immutable_values(variant: str, size: Size, data: st.DataObject) -> None:
    """`apply` does not change the old state; states can be compared and hashed."""
    rules = find_variant(variant).on(size)
    state = rules.start()
    for _ in range(data.draw(st.integers(0, 12))):
        if rules.outcome(state):
            break
        before = hash(state), rules.board(state), list(rules.legal_moves(state))
        move = data.draw(st.sampled_from(rules.legal_moves(state)))
        after = rules.apply(state, move)
        assert (hash(state), rules.board(state), list(rules.legal_moves(state))) == before
        assert rules.apply(state, move) == after != state
        state = after


@given(variants, sizes)
def test_moves_and_cells_use_the_book_numbering(variant: str, size: Size) -> None:
    """The first row and column have the number of the variant's origin."""
    rules = find_variant(variant).on(size)
    assert rules.origin == (0 if variant in ("barricade", "crossfire") else 1)
    assert rules.board(rules.start()).count("/") == size.rows - 1
    if variant in ("standoff", "lockdown", "crossfire"):
        last = f"{size.rows - 1 + rules.origin},{size.cols - 1 + rules.origin}"
        legal = rules.legal_moves(rules.start())
        assert (legal[0], legal[-1]) == (f"{rules.origin},{rules.origin}", last)


@given(variants, sizes, st.data())
def test_view_equals_the_separate_methods(variant: str, size: Size, data: st.DataObject) -> None:
    rules = find_variant(variant).on(size)
    state = rules.start()
    while rules.outcome(state) is None and data.draw(st.booleans()):
        state = rules.apply(state, data.draw(st.sampled_from(list(rules.legal_moves(state)))))
    if rules.outcome(state) is None:
        assert rules.view(state) == Rules.view(rules, state)


def test_view_of_derived_rules_uses_their_methods() -> None:
    """Also if only one method is overridden."""
    standoff = type(find_variant("standoff").on())

    class Backwards(standoff):  # type: ignore[misc, valid-type]
        def legal_moves(self, state: object) -> list[str]:
            return list(reversed(super().legal_moves(state)))

    rules = Backwards(Size(3, 3))
    assert rules.view(rules.start())[2] == "3,3;3,2;3,1;2,3;2,2;2,1;1,3;1,2;1,1"

    class Veiled(standoff):  # type: ignore[misc, valid-type]
        def board(self, state: object) -> str:
            return "?"

    rules = Veiled(Size(3, 3))
    assert rules.view(rules.start()) == (1, "?", "1,1;1,2;1,3;2,1;2,2;2,3;3,1;3,2;3,3")

    class OnlyDrawn(standoff):  # type: ignore[misc, valid-type]
        def draw(self, state: object) -> str:
            return ""

    assert OnlyDrawn.view is standoff.view


@pytest.mark.parametrize("variant", BUILT_IN)
@pytest.mark.parametrize("size", [Size(2, 5), Size(5, 17), Size(0, 0), Size(-5, 5)])
def test_boards_outside_3_to_16_are_rejected(variant: str, size: Size) -> None:
    """The message names the possible sizes."""
    with pytest.raises(InputError, match="rows and columns go from 3 to 16"):
        find_variant(variant).on(size)


def test_lockdown_on_4x4_is_always_won_by_seat_2_after_four_plies() -> None:
    """Every legal game on that board has exactly four plies."""
    rules = find_variant("lockdown").on(Size(4, 4))
    states = {rules.start()}
    for _ in range(4):
        assert not any(rules.outcome(state) for state in states)
        states = {rules.apply(state, move) for state in states for move in rules.legal_moves(state)}
    assert {rules.outcome(state).score for state in states} == {(0, 1)}


odd, even = st.sampled_from([3, 5, 7, 9, 15]), st.sampled_from([4, 6, 8, 16])
mirrored = st.one_of(
    st.tuples(st.sampled_from(["standoff", "lockdown", "crossfire"]), st.builds(Size, odd, odd)),
    st.tuples(st.just("crossfire"), st.builds(Size, even, even)),
)


@given(mirrored, st.integers(0, 2**32))
def test_point_reflection_wins(game: tuple[str, Size], seed: int) -> None:
    """The player that answers each move at the opposite point wins."""
    variant, (rows, cols) = game
    rules, dice = find_variant(variant).on(Size(rows, cols)), random.Random(seed)
    moves = [f"{rows // 2 + rules.origin},{cols // 2 + rules.origin}"] if rows % 2 else []
    state = play_moves(rules, moves)
    while not (outcome := rules.outcome(state)):
        move = dice.choice(rules.legal_moves(state))
        row, col = (int(number) - rules.origin for number in move.split(","))
        answer = f"{rows - 1 - row + rules.origin},{cols - 1 - col + rules.origin}"
        state = rules.apply(state, move)
        assert answer in rules.legal_moves(state)
        state = rules.apply(state, answer)
    assert outcome.winner == (1 if rows % 2 else 2)


@pytest.mark.parametrize(
    ("moves", "score"),
    [
        (
            "0,1x1,0 3,4x2,3 1,1x0,1 3,3x3,4 1,2x1,3 3,2x3,3 2,2x1,2 3,1x2,0 3,2x2,1 3,0x3,1"
            " 4,2x3,2 4,0x4,1 4,3x4,2 3,0x4,0 4,4",
            (1, 0),
        ),
        (
            "1,0x1,1 4,3x4,2 2,0x1,0 3,3x2,4 3,0x2,0 2,3x1,4 4,0x3,0 1,3x0,3 4,1x4,0 1,2x2,3"
            " 3,1x3,2 0,2x1,2 2,1x2,2 0,1x0,2 3,1x2,1 0,0",
            (0, 1),
        ),
    ],
)
def test_barricade_step_onto_the_goal_wins_without_a_blockade(
    moves: str, score: tuple[int, int]
) -> None:
    """Ply 15 is the earliest."""
    assert both("barricade", moves.split()) == (score, "goal")
    *before, last = moves.split()
    rules = find_variant("barricade").on()
    legal = rules.legal_moves(play_moves(rules, before))
    assert [move for move in legal if move.startswith(last)] == [last]


def both(variant: str, moves: list[str], size: Size | None = None) -> object:
    """Return the outcome after these moves, which must be equal in both implementations."""
    rules = find_variant(variant).on(size)
    slow = GAMES[variant](*(size or find_variant(variant).size))
    for move in moves:
        assert not slow.outcome()
        slow.play(move)
    assert_same(rules, play_moves(rules, moves), slow)
    return slow.outcome()


SHUFFLE = ["1,2", "5,2", "1,3", "5,3"]


@pytest.mark.parametrize(
    ("moves", "outcome"),
    [
        pytest.param("2,2 4,4 3,2 3,4 4,2 2,4 5,2", ((1, 0), "goal"), id="crossing"),
        pytest.param("2,2 4,4 3,2 3,4 x5,1 2,4 x5,2 1,5", ((0, 1), "goal"), id="crossing-upwards"),
        pytest.param(
            "2,4 x1,2 x2,1 4,3 2,3 3,3 2,2 3,2 1,1 2,2", ((0, 1), "no-moves"), id="immobile"
        ),
        pytest.param("x3,1 x3,2 x3,3 x3,4 x3,5", ((0, 1), "shut-out"), id="shut-out-by-1"),
        pytest.param("x1,1 x3,1 x3,3 x3,4 x3,2 x3,5", ((1, 0), "shut-out"), id="shut-out-by-2"),
        pytest.param("x3,1 x3,2 x3,3 x3,4", None, id="a-wall-with-a-gap"),
        pytest.param("2,3 4,2 3,4 3,2 4,5 2,1 x5,1 x3,3", None, id="both-past-each-other"),
        pytest.param(" ".join(SHUFFLE * 2), ((1, 0), "repetition"), id="start-counts"),
        pytest.param(" ".join(SHUFFLE * 2).rpartition(" ")[0], None, id="twice-is-no-repetition"),
        pytest.param(
            " ".join(["x3,1", "x3,5", *SHUFFLE * 2]), ((1, 0), "repetition"), id="after-blocks"
        ),
        pytest.param(
            " ".join([*SHUFFLE, "x3,1", "x3,5", *SHUFFLE]), None, id="a-block-makes-it-another"
        ),
    ],
)
def test_runner_ends_by_each_of_its_rulings(moves: str, outcome: object) -> None:
    """Each of runner's endings, and positions that only resemble one."""
    assert both("runner", moves.split()) == outcome


def test_runner_without_a_step_loses_although_blocks_are_possible() -> None:
    """On cells away from both pieces."""
    moves = ["2,4", "x1,2", "x2,1", "4,3", "2,3", "3,3", "2,2", "3,2", "1,1", "2,2"]
    rules = find_variant("runner").on()
    board = rules.board(play_moves(rules, moves))
    assert board == "1X.../X2.../...../...../....."  # 4,4 touches neither piece


WIDE = find_variant("runner").on(Size(9, 16))
HOME_ROWS = (("1,", "2,"), ("8,", "9,"))


def walk(
    length: int, opening: str = "", rows: tuple[tuple[str, ...], ...] = HOME_ROWS
) -> list[str]:
    """Return a runner game of this many plies on 9x16 in which both pieces stay in their rows."""
    dice = random.Random(length)
    moves = opening.split()
    state = play_moves(WIDE, moves)
    while len(moves) < length:
        own = rows[WIDE.to_move(state) - 1]
        steps = [move for move in WIDE.legal_moves(state) if move.startswith(own)]
        moves.append(dice.choice([m for m in steps if not WIDE.outcome(WIDE.apply(state, m))]))
        state = WIDE.apply(state, moves[-1])
    return moves


def test_runner_seat_1_loses_at_the_move_limit() -> None:
    """After 500 plies without a winner."""
    assert both("runner", walk(499), Size(9, 16)) is None
    assert both("runner", [*walk(499), "x5,5"], Size(9, 16)) == ((0, 1), "move-limit")


def test_runner_shut_out_comes_before_the_move_limit() -> None:
    """Seat 2 closes the wall with ply 500, and loses by that."""
    wall = " ".join(f"x5,{column}" for column in range(1, 16))
    assert both("runner", [*walk(499, wall), "x5,16"], Size(9, 16)) == ((1, 0), "shut-out")


def test_runner_goal_comes_before_the_move_limit() -> None:
    """Seat 1 crosses on ply 499."""
    crossing = "2,8 8,8 3,7 7,9 4,7 6,9 5,7 5,9 6,6 4,9 7,6 4,8 8,6 5,8"
    moves = walk(498, crossing, rows=(("7,", "8,"), ("4,", "5,")))
    last = next(m for m in WIDE.legal_moves(play_moves(WIDE, moves)) if m.startswith("9,"))
    assert both("runner", [*moves, last], Size(9, 16)) == ((1, 0), "goal")


def test_runner_repetition_comes_before_the_move_limit() -> None:
    """Seat 2 makes the position of ply 492 occur for the third time with ply 500, and loses."""
    moves = walk(492)
    state = play_moves(WIDE, moves)
    first, second = (WIDE.grid.names[cell] for cell in state[:2])
    shuffles = [
        [there, away, first, second] * 2
        for there in WIDE.legal_moves(state)
        for away in WIDE.legal_moves(WIDE.apply(state, there))
        if there.startswith(HOME_ROWS[0]) and away.startswith(HOME_ROWS[1])
    ]
    outcomes = [replay([*moves, *shuffle]) for shuffle in shuffles]
    assert (500, (1, 0), "repetition") in outcomes
    ending = next(s for s, o in zip(shuffles, outcomes, strict=True) if o[0] == 500)
    assert both("runner", [*moves, *ending], Size(9, 16)) == ((1, 0), "repetition")


def replay(moves: list[str]) -> tuple[int, object, object]:
    """Return after how many of these moves the game ended, and how."""
    state = WIDE.start()
    for ply, move in enumerate(moves, start=1):
        state = WIDE.apply(state, move)
        if outcome := WIDE.outcome(state):
            return ply, outcome.score, outcome.reason
    return len(moves), None, None
