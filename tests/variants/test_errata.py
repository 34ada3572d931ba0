"""Proof of every erratum in docs/rules: what a rule book prints, against what its rules allow."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from referee.errors import IllegalMove
from referee.outcome import Outcome
from referee.rules import Rules, find_variant, play_moves
from referee.rules.grid import Size
from tests.conftest import ROOT

PAGES = ROOT / "docs" / "rules"
VARIANTS = ("standoff", "barricade", "lockdown", "runner", "crossfire")
FEWEST_ERRATA = 4

Cell = tuple[int, int]

# The games that the books show, as far as they are legal.
BARRICADE_SAMPLE = ("0,1x1,0", "3,4x3,3", "0,2x1,2")
LOCKDOWN_SAMPLE = ("2,2", "4,2", "1,4", "4,4")
CROSSFIRE_SAMPLE = ("2,2", "0,0", "4,2")
CROSSFIRE_FINAL_MARKS = ("2,2", "0,0", "4,3", "0,2", "0,4")


def rules_of(variant: str) -> Rules[Any]:
    return find_variant(variant).on()


def legal_after(variant: str, *moves: str) -> set[str]:
    rules = rules_of(variant)
    return set(rules.legal_moves(play_moves(rules, moves)))


def board_after(variant: str, *moves: str) -> str:
    rules = rules_of(variant)
    return rules.board(play_moves(rules, moves))


def rows_after(variant: str, *moves: str) -> list[str]:
    """The rows as the books print them."""
    return [" ".join(row) for row in board_after(variant, *moves).split("/")]


def outcome_after(variant: str, *moves: str) -> Outcome | None:
    rules = rules_of(variant)
    return rules.outcome(play_moves(rules, moves))


def seat_after(variant: str, *moves: str) -> int:
    rules = rules_of(variant)
    return rules.to_move(play_moves(rules, moves))


def refusal(variant: str, *moves: str) -> str:
    """Why the last of these moves is refused, all before it being legal."""
    rules = rules_of(variant)
    play_moves(rules, moves[:-1])
    with pytest.raises(IllegalMove) as refused:
        play_moves(rules, moves)
    return str(refused.value)


def cell(text: str) -> Cell:
    row, col = text.split(",")
    return int(row), int(col)


def touch(one: Cell, other: Cell) -> bool:
    """Whether two cells are neighbours, corners included."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1


def cells_of(board: str, marks: str, origin: int) -> set[Cell]:
    """The cells of a board text that show one of these marks."""
    return {
        (row, col)
        for row, line in enumerate(board.split("/"), start=origin)
        for col, mark in enumerate(line, start=origin)
        if mark in marks
    }


def positions(rules: Rules[Any], plies: int) -> list[Any]:
    """Return every different state after this many plies; no game ends before."""
    layer = {rules.start()}
    for _ in range(plies):
        assert not any(rules.outcome(state) for state in layer)
        layer = {rules.apply(state, move) for state in layer for move in rules.legal_moves(state)}
    return list(layer)


def one_game(rules: Rules[Any]) -> Iterator[Any]:
    """The states of one game, from the start to the end, always by the middle legal move."""
    state = rules.start()
    yield state
    while rules.outcome(state) is None:
        moves = rules.legal_moves(state)
        state = rules.apply(state, moves[len(moves) // 2])
        yield state


# standoff


def test_standoff_erratum_1_turn_3_touches_an_o() -> None:
    """X may not be placed on 2,2, nor on the book's own 1,2, because both touch the O at 1,1."""
    assert "2,2 touches O at 1,1" in refusal("standoff", "3,3", "1,1", "2,2")
    assert "1,2 touches O at 1,1" in refusal("standoff", "3,3", "1,1", "1,2")
    before = legal_after("standoff", "3,3")
    assert before - legal_after("standoff", "3,3", "1,1") == {"1,1", "1,2", "2,1"}
    assert "2,2" not in legal_after("standoff", "3,3", "1,1")


def test_standoff_erratum_2_boards_with_touching_blocks() -> None:
    """Whichever of X at 2,2 and O at 1,1 comes second is refused, so no board shows both."""
    assert "2,2 touches O at 1,1" in refusal("standoff", "3,3", "1,1", "2,2")
    assert "1,1 touches X at 2,2" in refusal("standoff", "2,2", "1,1")
    assert "1,1 touches X at 2,2" in refusal("standoff", "3,3", "5,5", "2,2", "1,1")
    rules = rules_of("standoff")
    for state in one_game(rules):
        board = rules.board(state)
        crosses, noughts = cells_of(board, "X", 1), cells_of(board, "O", 1)
        assert not any(touch(one, other) for one in crosses for other in noughts)


def test_standoff_erratum_3_game_not_over() -> None:
    """The three X of the last board leave O seven cells, and no game ends after five blocks."""
    printed = "O..../.X.../..X../..X../....O"
    open_cells = {
        empty
        for empty in cells_of(printed, ".", 1)
        if not any(touch(empty, taken) for taken in cells_of(printed, "X", 1))
    }
    assert open_cells == {(1, 4), (1, 5), (2, 5), (3, 5), (4, 1), (4, 5), (5, 1)}

    # The same three X can be placed legally if one O stands elsewhere.
    legal = ("3,3", "5,5", "2,2", "1,5", "4,3")
    assert seat_after("standoff", *legal) == 2
    assert {cell(move) for move in legal_after("standoff", *legal)} == open_cells - {(1, 5)}

    rules = rules_of("standoff")
    assert all(rules.outcome(state) is None for state in positions(rules, 5))


def test_standoff_erratum_4_hint_forgets_taken_cells() -> None:
    """After 3,3 nine cells are closed to O: eight that touch the X, and the taken one."""
    closed = legal_after("standoff") - legal_after("standoff", "3,3")
    assert len(closed) == 9
    assert [name for name in closed if not touch(cell(name), (3, 3))] == ["3,3"]
    assert "3,3 is taken by X" in refusal("standoff", "3,3", "3,3")


def test_standoff_erratum_5_connected_blocks() -> None:
    """For each reply X has equally many cells next turn, whether its last block connects or not."""
    rules = rules_of("standoff")
    before = play_moves(rules, ["3,3", "1,1"])
    options: dict[str, set[int]] = {}
    connected = set()
    for move in rules.legal_moves(before):
        connected.add(touch(cell(move), (3, 3)))
        after = rules.apply(before, move)
        for reply in rules.legal_moves(after):
            choices = rules.legal_moves(rules.apply(after, reply))
            options.setdefault(reply, set()).add(len(choices))
    assert connected == {True, False}
    assert all(len(counts) == 1 for counts in options.values())


# barricade


def steps_of(moves: set[str]) -> set[str]:
    return {move.split("x")[0] for move in moves}


def blockades_after(step: str, moves: set[str]) -> set[str]:
    return {move.split("x")[1] for move in moves if move.startswith(f"{step}x")}


def test_barricade_erratum_1_left_is_called_up() -> None:
    """From 0,1 the cell 0,0 is one column to the left, and nothing lies above."""
    words = {(-1, 0): "up", (1, 0): "down", (0, -1): "left", (0, 1): "right"}
    directions = {}
    for step in steps_of(legal_after("barricade", *BARRICADE_SAMPLE[:2])):
        row, col = cell(step)
        directions[step] = words[row - 0, col - 1]
    assert directions == {"0,0": "left", "0,2": "right", "1,1": "down"}


def test_barricade_erratum_2_menu_offers_a_blockaded_cell() -> None:
    """B at 3,4 can step up and down only, because 3,3 is blockaded."""
    board = board_after("barricade", *BARRICADE_SAMPLE)
    assert board == "..A../X.X../...../...XB/....."
    assert steps_of(legal_after("barricade", *BARRICADE_SAMPLE)) == {"2,4", "4,4"}


def test_barricade_erratum_3_step_onto_a_blockade() -> None:
    """The step to 3,3 is refused; 2,3 can be blockaded after the step to 2,4 instead."""
    assert "3,3 is blockaded" in refusal("barricade", *BARRICADE_SAMPLE, "3,3x2,3")
    moves = legal_after("barricade", *BARRICADE_SAMPLE)
    assert {move for move in moves if move.endswith("x2,3")} == {"2,4x2,3"}


def test_barricade_erratum_4_cell_just_left_is_missing() -> None:
    """The cell just left can always be blockaded, as 3,4 could be from 3,3, were that free."""
    printed = {"2,2", "2,3", "2,4", "3,2", "4,2", "4,3", "4,4"}
    without_that_blockade = ("0,1x1,0", "3,4x2,4", "0,2x1,2")
    moves = legal_after("barricade", *without_that_blockade)
    # Here 2,4 holds the blockade that the book has on 3,3: the rest of its list, and 3,4.
    assert blockades_after("3,3", moves) == printed - {"2,4"} | {"3,4"}

    moves = legal_after("barricade", *BARRICADE_SAMPLE)
    assert blockades_after("2,4", moves) == {"1,3", "1,4", "2,3", "3,4"}
    assert blockades_after("4,4", moves) == {"3,4", "4,3"}


def test_barricade_erratum_5_only_the_own_marker_counts() -> None:
    """A's first blockade touches A's new cell, never only B; and A cannot step diagonally."""
    moves = legal_after("barricade")
    assert steps_of(moves) == {"0,1", "1,0"}
    for step in steps_of(moves):
        blockades = blockades_after(step, moves)
        assert all(touch(cell(step), cell(blockade)) for blockade in blockades)
        assert not blockades & {"3,3", "3,4", "4,3"}
    assert "1,1 is not one step" in refusal("barricade", "1,1x0,0")


# lockdown


def test_lockdown_erratum_1_turn_3_list() -> None:
    """On turn 3 the cells 4,1 and 4,3 are blocked, and 3,4 is open."""
    printed = {"1,4", "2,4", "4,1", "4,3", "4,4"}
    legal = legal_after("lockdown", *LOCKDOWN_SAMPLE[:2])
    assert legal == {"1,4", "2,4", "3,4", "4,4"}
    assert (printed - legal, legal - printed) == ({"4,1", "4,3"}, {"3,4"})
    for blocked in ("4,1", "4,3"):
        assert f"{blocked} is blocked by" in refusal("lockdown", *LOCKDOWN_SAMPLE[:2], blocked)


def test_lockdown_erratum_2_turn_4_list() -> None:
    """On turn 4 exactly 3,4 and 4,4 are open."""
    printed = {"4,1", "4,3", "4,4"}
    legal = legal_after("lockdown", *LOCKDOWN_SAMPLE[:3])
    assert legal == {"3,4", "4,4"}
    assert (printed - legal, legal - printed) == ({"4,1", "4,3"}, {"3,4"})


def test_lockdown_erratum_3_turn_5_marks_a_blocked_square() -> None:
    """After turn 4 nothing is empty, 4,1 is blocked, and any fifth mark is refused."""
    board = board_after("lockdown", *LOCKDOWN_SAMPLE)
    assert board == "###X/#X##/####/#O#O"
    assert (4, 1) in cells_of(board, "#", 1)
    assert "comes after the end of the game" in refusal("lockdown", *LOCKDOWN_SAMPLE, "4,1")


def test_lockdown_erratum_4_marked_square_is_not_blocked() -> None:
    """A later mark leaves the O at 4,2 as it is, and no mark ever turns into a blocked cell."""
    rules = rules_of("lockdown")
    for plies in range(1, 5):
        for state in positions(rules, plies):
            assert len(cells_of(rules.board(state), "XO", 1)) == plies
    assert (4, 2) in cells_of(board_after("lockdown", *LOCKDOWN_SAMPLE), "O", 1)


def test_lockdown_erratum_5_wrong_winner() -> None:
    """After the four legal marks seat 1 has no move, so seat 2 has won."""
    assert outcome_after("lockdown", *LOCKDOWN_SAMPLE) == Outcome((0, 1), "no-moves")


def test_lockdown_erratum_6_dialogue_third_list() -> None:
    """The dialogue's third list lacks 3,4 and nothing else."""
    printed = {"1,4", "2,4", "4,4"}
    assert legal_after("lockdown", *LOCKDOWN_SAMPLE[:2]) == printed | {"3,4"}


def test_lockdown_erratum_7_dialogue_fourth_list() -> None:
    """The dialogue's fourth list lacks 3,4 and nothing else."""
    assert legal_after("lockdown", *LOCKDOWN_SAMPLE[:3]) == {"4,4"} | {"3,4"}


def test_lockdown_erratum_8_dialogue_goes_on_after_the_end() -> None:
    """No cell is empty when the dialogue offers 4,1 to Player 1, who has lost by then."""
    assert "." not in board_after("lockdown", *LOCKDOWN_SAMPLE)
    outcome = outcome_after("lockdown", *LOCKDOWN_SAMPLE)
    assert outcome is not None
    assert outcome.winner == 2


def test_lockdown_erratum_9_skill_decides_nothing_on_4x4() -> None:
    """Every legal game on 4x4 has exactly four plies and is won by seat 2; on 5x5 it depends."""
    rules = rules_of("lockdown")
    outcomes = {rules.outcome(state) for state in positions(rules, 4)}
    assert outcomes == {Outcome((0, 1), "no-moves")}

    larger = find_variant("lockdown").on(Size(rows=5, cols=5))

    @cache
    def lengths(state: Any) -> frozenset[int]:
        if larger.outcome(state):
            return frozenset({0})
        children = {larger.apply(state, move) for move in larger.legal_moves(state)}
        return frozenset(length + 1 for child in children for length in lengths(child))

    assert lengths(larger.start()) == set(range(4, 10))


def test_lockdown_erratum_10_no_open_squares_near_symbols() -> None:
    """In no position is a cell next to a mark still open."""
    rules = rules_of("lockdown")
    for plies in range(1, 4):
        for state in positions(rules, plies):
            board = rules.board(state)
            marks = cells_of(board, "XO", 1)
            legal = {cell(move) for move in rules.legal_moves(state)}
            assert legal == cells_of(board, ".", 1)
            assert not any(touch(empty, mark) for empty in legal for mark in marks)


# runner


def test_runner_erratum_1_block_next_to_a_piece() -> None:
    """After 2,4 the cell 3,3 touches P1 and cannot be blocked; ten other cells can."""
    assert "3,3 touches P1 at 2,4" in refusal("runner", "2,4", "x3,3")
    blocks = {move[1:] for move in legal_after("runner", "2,4") if move.startswith("x")}
    right = "1,1 1,2 2,1 2,2 3,1 3,2 4,1 4,5 5,1 5,5"
    assert blocks == set(right.split())


def test_runner_erratum_2_no_straight_path() -> None:
    """The straight path of P1 at 2,4 stays in column 4, and none of its cells can be blocked."""
    path = {f"{row},4" for row in (3, 4, 5)}
    assert "3,3" not in path
    assert not {f"x{name}" for name in path} & legal_after("runner", "2,4")


def test_runner_erratum_3_boards_after_turns_2_to_4() -> None:
    """No play reaches the printed boards in as many turns; with another block it would be legal."""
    printed = {
        2: "...../...1./..X../...../..2..",
        3: "...../...../..X.1/...../..2..",
        4: "...../...../..X.1/...2./.....",
    }
    rules = rules_of("runner")
    layer = {rules.start()}
    for ply in range(1, 5):
        # Blocks stay, so a board with the one block on 3,3 comes from steps and that block alone.
        layer = {
            rules.apply(state, move)
            for state in layer
            if rules.outcome(state) is None
            for move in rules.legal_moves(state)
            if move == "x3,3" or not move.startswith("x")
        }
        assert printed.get(ply) not in {rules.board(state) for state in layer}
    # Had P2 blocked 3,1 instead, the other moves would be legal.
    assert board_after("runner", "2,4", "x3,1", "3,5") == "...../...../X...1/...../..2.."
    assert board_after("runner", "2,4", "x3,1", "3,5", "4,4") == "...../...../X...1/...2./....."


def test_runner_erratum_4_draws() -> None:
    """A wall shuts out both players, and pieces can repeat: only the added rules end such games."""
    wall = [f"x3,{col}" for col in range(1, 6)]
    assert outcome_after("runner", *wall[:-1]) is None
    assert outcome_after("runner", *wall) == Outcome((0, 1), "shut-out")

    to_and_fro = ("1,2", "5,2", "1,3", "5,3")
    start = board_after("runner")
    assert board_after("runner", *to_and_fro) == start
    assert outcome_after("runner", *to_and_fro) is None
    assert outcome_after("runner", *to_and_fro, *to_and_fro) == Outcome((1, 0), "repetition")


def test_runner_erratum_5_error_message() -> None:
    """Every step goes next to a player, but 3,3, which touches none, is refused as well."""
    steps = {move for move in legal_after("runner") if not move.startswith("x")}
    assert all(touch(cell(step), (1, 3)) for step in steps)
    assert not touch((3, 3), (1, 3))
    assert not touch((3, 3), (5, 3))
    assert (3, 3) in cells_of(board_after("runner"), ".", 1)
    assert "3,3 is not next to P1 at 1,3" in refusal("runner", "3,3")
    # Turn 4 of the book: a step that ends next to the opponent.
    assert touch((4, 4), (3, 5))
    assert "4,4" in legal_after("runner", "2,4", "x3,1", "3,5")


@pytest.mark.parametrize("side", [3, 4, 5, 6])
def test_runner_erratum_6_skill_over_luck(side: int) -> None:
    """On square boards up to 6x6 seat 1 gets across by steps forward, against any play."""
    rules = find_variant("runner").on(Size(rows=side, cols=side))

    @cache
    def wins(state: Any, row: int) -> bool:
        if outcome := rules.outcome(state):
            return outcome.winner == 1
        moves = rules.legal_moves(state)
        if rules.to_move(state) == 2:
            return all(wins(rules.apply(state, move), row) for move in moves)
        forward = [move for move in moves if move.startswith(f"{row + 1},")]
        return any(wins(rules.apply(state, move), row + 1) for move in forward)

    assert wins(rules.start(), 1)


# crossfire


def test_crossfire_erratum_1_blocked_cell_is_empty_again() -> None:
    """The cell 1,2, blocked on turn 1, is still blocked after turns 2 and 3."""
    assert rows_after("crossfire", *CROSSFIRE_SAMPLE[:2])[1] == "# . # . . ."
    assert rows_after("crossfire", *CROSSFIRE_SAMPLE)[1] == "# . # . . ."
    assert "1,2 is blocked by X at 2,2" in refusal("crossfire", *CROSSFIRE_SAMPLE[:2], "1,2")


def test_crossfire_erratum_2_x_in_the_wrong_column() -> None:
    """X at 4,2 stands in the third column and blocks 4,1, 4,3 and 5,2 again."""
    assert rows_after("crossfire", *CROSSFIRE_SAMPLE)[4:] == [". # X # . .", ". . # . . ."]
    before = legal_after("crossfire", *CROSSFIRE_SAMPLE[:2])
    after = legal_after("crossfire", *CROSSFIRE_SAMPLE)
    assert before - after == {"4,2", "4,1", "4,3", "5,2"}


def test_crossfire_erratum_3_board_fits_no_move() -> None:
    """No third move gives the board printed for turn 3; X at 4,3 would have blocked 3,3."""
    printed = "O#..../#...../.#X#../..#.../..#X#./...#.."
    for move in legal_after("crossfire", *CROSSFIRE_SAMPLE[:2]):
        assert board_after("crossfire", *CROSSFIRE_SAMPLE[:2], move) != printed
    assert rows_after("crossfire", *CROSSFIRE_SAMPLE[:2], "4,3")[3] == ". . # # . ."
    assert rows_after("crossfire", *CROSSFIRE_SAMPLE)[3] == ". . # . . ."


def test_crossfire_erratum_4_cells_blocked_by_nothing() -> None:
    """The five marks of the final board leave eighteen cells empty that are printed as blocked."""
    printed = "O#O#X#/######/##X###/######/###X##/######"
    board = board_after("crossfire", *CROSSFIRE_FINAL_MARKS)
    assert cells_of(board, "X", 0) == cells_of(printed, "X", 0)
    assert cells_of(board, "O", 0) == cells_of(printed, "O", 0)
    empty = cells_of(board, ".", 0)
    assert len(empty) == 18
    assert (1, 1) in empty
    assert empty <= cells_of(printed, "#", 0)
    assert rows_after("crossfire", *CROSSFIRE_FINAL_MARKS)[1] == "# . # . # ."


def test_crossfire_erratum_5_final_x_in_the_wrong_column() -> None:
    """With X at 4,2 since turn 3, the cell 4,3 is blocked and cannot be marked."""
    assert "4,3 is blocked by X at 4,2" in refusal("crossfire", *CROSSFIRE_SAMPLE, "4,3")


def test_crossfire_erratum_6_game_not_over() -> None:
    """After the five marks it is seat 2's turn with eighteen moves, and five marks never do."""
    assert outcome_after("crossfire", *CROSSFIRE_FINAL_MARKS) is None
    assert seat_after("crossfire", *CROSSFIRE_FINAL_MARKS) == 2
    assert len(legal_after("crossfire", *CROSSFIRE_FINAL_MARKS)) == 18
    everything = legal_after("crossfire")
    used_up = max(len(everything - legal_after("crossfire", move)) for move in everything)
    assert 5 * used_up < len(everything)


def test_crossfire_erratum_7_options_are_shared() -> None:
    """For both seats, the legal moves are all empty cells, so both have the same options."""
    rules = rules_of("crossfire")
    seats = set()
    for state in one_game(rules):
        if rules.outcome(state) is None:
            seats.add(rules.to_move(state))
            empty = cells_of(rules.board(state), ".", 0)
            assert {cell(move) for move in rules.legal_moves(state)} == empty
    assert seats == {1, 2}


def test_crossfire_erratum_8_corners_limit_least() -> None:
    """A first mark leaves 33 empty cells in a corner, 32 on the edge and 31 inside."""
    for move in legal_after("crossfire"):
        at_the_edge = sum(coordinate in (0, 5) for coordinate in cell(move))
        assert len(legal_after("crossfire", move)) == 31 + at_the_edge


# the pages


def errata_on_page(variant: str) -> list[int]:
    page = (PAGES / f"{variant}.md").read_text(encoding="utf-8")
    _, errata = page.split("\n## Errata of the rule book\n")
    return [int(number) for number in re.findall(r"^### (\d+)\. \S", errata, re.MULTILINE)]


def errata_tested(variant: str) -> list[int]:
    names = [re.match(rf"test_{variant}_erratum_(\d+)_\w", name) for name in globals()]
    return [int(match[1]) for match in names if match]


def test_there_is_a_page_for_each_variant() -> None:
    """Each of the five games has a page, and there is no page without a game."""
    assert {page.stem for page in PAGES.glob("*.md")} == set(VARIANTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_erratum_has_its_test(variant: str) -> None:
    """Errata are numbered from 1, four at least, each with a test, and no test is left over."""
    numbers = errata_on_page(variant)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= FEWEST_ERRATA
    assert sorted(errata_tested(variant)) == numbers
