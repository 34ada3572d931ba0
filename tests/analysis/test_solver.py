"""The solver: known values, budgets, boards of any size, games of others."""

import random
from collections import Counter
from typing import Any

import pytest

from referee.analysis.bitset import bit, count, lowest
from referee.analysis.budget import Budget, BudgetExhausted
from referee.analysis.methods import find_method
from referee.analysis.negamax import Negamax
from referee.analysis.node_kayles import NodeKayles
from referee.analysis.position_table import PositionTable
from referee.analysis.solver import Solver
from referee.analysis.verdict import Proof, Value, combine
from referee.errors import InputError
from referee.outcome import Outcome, Seat
from referee.rules import Rules, Size, find_variant, play_moves
from referee.rules.grid import Grid
from referee.variants.standoff import Standoff
from tests.conftest import ROOT

MUCH = 10_000_000


def grundy(neighbours: list[int]) -> int:
    """The Grundy value of Node Kayles on a whole graph."""
    return NodeKayles(neighbours, []).grundy((1 << len(neighbours)) - 1, Budget(MUCH))


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        # OEIS A002187: Dawson's chess, which Node Kayles on a path is.
        (1, [1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0]),
        # OEIS A316632 names the values of 2 x n and 4 x n, and lists those of 3 x n.
        (2, [1, 0, 1, 0, 1, 0, 1, 0]),
        (3, [2, 1, 1, 0, 3, 3, 2, 2, 2]),
        (4, [0, 0, 0, 0, 0, 0]),
    ],
)
def test_node_kayles_on_grids_has_the_published_values(rows: int, values: list[int]) -> None:
    """Of the game that crossfire is, on a path or a lattice of up to four rows."""
    found = [
        grundy(Grid(Size(rows, cols), 0).orthogonal_neighbours)
        for cols in range(1, len(values) + 1)
    ]
    assert found == values


@pytest.mark.parametrize(
    ("name", "size", "value"),
    [
        # A first player who marks the centre and answers with the reflection wins on odd boards.
        ("lockdown", (3, 3), "won"),
        ("lockdown", (5, 5), "won"),
        ("crossfire", (5, 5), "won"),
        ("standoff", (3, 3), "won"),
        ("standoff", (5, 5), "won"),
        # The contract: on 4x4 every game of lockdown lasts four plies.
        ("lockdown", (4, 4), "lost"),
        # A316632: the value of 4 x n is 0.
        ("crossfire", (4, 4), "lost"),
        ("crossfire", (4, 6), "lost"),
        ("runner", (5, 5), "won"),
    ],
)
def test_solver_finds_the_known_values_of_start_positions(
    name: str, size: tuple[int, int], value: str
) -> None:
    """What is known by an argument is also found."""
    rules = find_variant(name).on(Size(*size))
    verdict = Solver(rules).solve(rules.start())
    assert verdict.value == value
    assert not verdict.unproved
    if value == "won" and name != "runner":
        centre = rules.grid.names[len(rules.grid.names) // 2]  # type: ignore[attr-defined]
        assert centre in verdict.winning


@pytest.mark.parametrize("name", ["standoff", "barricade", "lockdown", "runner", "crossfire"])
def test_a_budget_that_is_too_small_gives_unproved_and_never_another_value(name: str) -> None:
    """With every budget, what is proven is what a large budget proves."""
    rules = find_variant(name).on()
    dice = random.Random(5)
    for _ in range(4):
        state = rules.start()
        for _ in range(dice.randrange(3, 6)):
            after = rules.apply(state, dice.choice(rules.legal_moves(state)))
            if rules.outcome(after):
                break
            state = after
        full = Solver(rules, MUCH).solve(state)
        for nodes in (1, 10, 100, 1_000):
            verdict = Solver(rules, nodes).solve(state)
            assert verdict.nodes <= nodes + 25
            assert verdict.value in (full.value, Value.UNPROVED)
            for move, proof in verdict.moves.items():
                assert proof.value in (full.moves[move].value, Value.UNPROVED)
    early = Solver(rules, 1).solve(rules.start())
    assert early.value is Value.UNPROVED
    assert early.keeping == []


def test_the_condition_of_the_caller_ends_a_proof() -> None:
    """As a deadline does; an exception, such as an interrupt, comes through."""
    rules = find_variant("crossfire").on(Size(7, 7))
    verdict = Solver(rules, MUCH).solve(rules.start(), lambda: True)
    assert verdict.value is Value.UNPROVED

    def interrupt() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Solver(rules, MUCH).solve(rules.start(), interrupt)


def test_the_same_question_has_the_same_answer() -> None:
    """Also the number of nodes, in a solver of its own."""
    rules = find_variant("barricade").on(Size(4, 4))
    verdicts = [Solver(rules, 500).solve(rules.start()) for _ in range(2)]
    assert verdicts[0] == verdicts[1]


@pytest.mark.parametrize("name", ["standoff", "barricade", "lockdown", "runner", "crossfire"])
@pytest.mark.parametrize("size", [Size(8, 8), Size(16, 16), Size(3, 16)])
def test_boards_of_any_size_are_proven_near_the_end_of_a_game(name: str, size: Size) -> None:
    """More cells than a machine word has bits: early positions are unproved, late ones are not."""
    rules = find_variant(name).on(size)
    dice = random.Random(3)
    state, states = rules.start(), []
    while not rules.outcome(state):
        states.append(state)
        state = rules.apply(state, dice.choice(rules.legal_moves(state)))
    verdict = Solver(rules, 20_000).solve(states[-1])
    winner = rules.outcome(state).winner  # type: ignore[union-attr]
    if winner == rules.to_move(states[-1]):
        assert verdict.value is Value.WON
    if name not in ("runner", "barricade"):
        assert verdict.value is not Value.UNPROVED
    assert Solver(rules, 2_000).solve(states[0]).value in (Value.UNPROVED, Value.WON)


@pytest.mark.parametrize("name", ["standoff", "lockdown", "crossfire"])
def test_renumbered_cells_give_the_values_of_the_board(name: str) -> None:
    """A corner of a 9x9 board whose other cells are closed is a board of 4x4."""
    large = find_variant(name).on(Size(9, 9))
    small = find_variant(name).on(Size(4, 4))
    inner = [9 * row + col for row in range(4) for col in range(4)]
    for seed in range(30):
        dice = random.Random(seed)
        state = small.start()
        for _ in range(dice.randrange(3)):
            if not small.outcome(state):
                state = small.apply(state, dice.choice(small.legal_moves(state)))
        if small.outcome(state):
            continue
        outside = ((1 << 81) - 1) & ~sum(1 << cell for cell in inner)

        def spread(mask: int, outside: int = outside) -> int:
            return outside | sum(1 << inner[cell] for cell in range(16) if mask >> cell & 1)

        wide = (0, 0, spread(state[2]), spread(state[3]), state[4], 0)
        expected = find_method(small, MUCH).prove(state, Budget(MUCH))
        assert find_method(large, MUCH).prove(wide, Budget(MUCH)) == expected


class Misere(Standoff):
    """standoff in which the player without a move wins."""

    def outcome(self, state: Any) -> Outcome | None:
        """Exchange the scores."""
        ended = super().outcome(state)
        return ended and Outcome((ended.score[1], ended.score[0]), ended.reason)


def test_a_variant_that_derives_from_a_game_is_not_taken_for_it() -> None:
    """Its proofs use its own rules."""
    rules = Misere(Size(3, 3))
    assert isinstance(find_method(rules, MUCH), Negamax)
    verdict = Solver(rules).solve(rules.start())
    assert verdict.value is plain_value(rules, rules.start())


def plain_value(rules: Rules[Any], state: Any) -> Value:
    """The value for the player to move, by plain recursion."""
    values = set()
    for move in rules.legal_moves(state):
        after = rules.apply(state, move)
        outcome = rules.outcome(after)
        if outcome:
            mine = outcome.score[rules.to_move(state) - 1]
            values.add({1: Value.WON, 0: Value.LOST, 0.5: Value.DRAWN}[mine])
        else:
            values.add(plain_value(rules, after).reversed)
    return next(value for value in (Value.WON, Value.DRAWN, Value.LOST) if value in values)


def test_a_game_from_a_file_is_solved_by_its_rules_alone() -> None:
    """Tic-tac-toe is a draw, and a mistake is seen."""
    variant = find_variant(str(ROOT / "docs/examples/tictactoe.py"))
    rules = variant.on()
    verdict = Solver(rules, MUCH).solve(rules.start())
    assert verdict.value is Value.DRAWN
    assert len(verdict.keeping) == 9
    after = play_moves(rules, ["1,1", "1,2"])
    verdict = Solver(rules, MUCH).solve(after)
    assert verdict.value is Value.WON
    assert verdict.winning == ["2,1", "2,2", "3,1"]
    assert verdict.proof.plies == 5


class Walk(Rules[int]):
    """Steps of one to either side, for ever; seat 1 wins on 3, seat 2 on -3; it may never end."""

    def __init__(self, size: Size, stay: bool) -> None:
        self._moves = ["up", "down"] if stay else ["up"]

    def start(self) -> int:
        return 0

    def to_move(self, state: int) -> Seat:
        return 1 + state % 2

    def legal_moves(self, state: int) -> list[str]:
        return self._moves

    def apply(self, state: int, move: str) -> int:
        return state + (1 if move == "up" else -1)

    def outcome(self, state: int) -> Outcome | None:
        return Outcome((1, 0), "far") if state == 3 else None

    def board(self, state: int) -> str:
        return str(state)


def test_a_game_without_an_end_is_unproved_and_a_forced_one_is_not() -> None:
    """Positions that come back prove nothing."""
    forced = Walk(Size(3, 3), stay=False)
    assert Solver(forced).solve(0).proof == Proof(Value.WON, 3)
    endless = Walk(Size(3, 3), stay=True)
    assert Solver(endless, 100_000).solve(0).value is Value.UNPROVED


@pytest.mark.parametrize("name", ["standoff", "barricade", "lockdown", "runner", "crossfire"])
def test_a_line_of_best_play_ends_with_the_winner_that_was_proven(name: str) -> None:
    """From the start position and after a random move."""
    rules = find_variant(name).on(Size(4, 4))
    for state in (rules.start(), rules.apply(rules.start(), rules.legal_moves(rules.start())[0])):
        solver = Solver(rules, MUCH)
        verdict = solver.solve(state)
        seat = rules.to_move(state)
        line = solver.best_line(state, 100)
        if verdict.proof.plies:
            assert len(line) <= verdict.proof.plies
        for move in line:
            state = rules.apply(state, move)
        outcome = rules.outcome(state)
        assert outcome is not None
        assert (outcome.winner == seat) == (verdict.value is Value.WON)


def test_combine_gives_the_best_value_of_the_moves() -> None:
    """A won move wins; a draw is known only if no move may win; a loss needs all moves."""
    won, lost = Proof(Value.WON, 3), Proof(Value.LOST, 4)
    drawn, open_move = Proof(Value.DRAWN), Proof(Value.UNPROVED)
    assert combine({"a": lost, "b": won, "c": Proof(Value.WON)}) == Proof(Value.WON, 3)
    assert combine({"a": drawn, "b": open_move}).value is Value.UNPROVED
    assert combine({"a": drawn, "b": lost}).value is Value.DRAWN
    assert combine({"a": lost, "b": Proof(Value.LOST, 6)}) == Proof(Value.LOST, 6)
    assert combine({"a": lost, "b": Proof(Value.LOST)}) == Proof(Value.LOST, None)
    assert [value.reversed for value in Value] == ["lost", "won", "drawn", "unproved"]


def test_bitset_functions_agree_with_python_integers() -> None:
    """Bits of the whole word, of which C code has 32 for a small constant."""
    for cell in range(62):
        assert bit(cell) == 1 << cell
        assert lowest(bit(cell) | 1 << 61) == cell
    dice = random.Random(1)
    for _ in range(1_000):
        mask = dice.getrandbits(62)
        assert count(mask) == mask.bit_count()


def test_a_table_finds_what_was_put_last_into_a_slot() -> None:
    """And nothing else: another position in the same slot is not taken for it."""
    table = PositionTable(4, 3)
    dice = random.Random(2)
    entries = [(dice.getrandbits(62), dice.getrandbits(59), dice.getrandbits(3)) for _ in range(99)]
    found: Counter[bool] = Counter()
    for first, second, result in entries:
        assert table.get(first, second) == -1
        table.put(first, second, result)
        assert table.get(first, second) == result
    for first, second, result in entries:
        known = table.get(first, second)
        assert known in (result, -1)
        found[known == result] += 1
    assert 8 <= found[True] <= 16


def test_budget_ends_at_its_limit_and_calls_its_condition() -> None:
    """It ends at its limit, and calls the condition at intervals."""
    asked: list[int] = []

    def expired() -> bool:
        asked.append(1)
        return False

    budget = Budget(10_000, expired)
    for _ in range(9_999):
        budget.spend()
    with pytest.raises(BudgetExhausted):
        budget.spend()
    assert 100 <= len(asked) <= 200


def test_sizes_are_checked_before_the_solver() -> None:
    """The message is that of all commands."""
    with pytest.raises(InputError):
        find_variant("standoff").on(Size(2, 2))
