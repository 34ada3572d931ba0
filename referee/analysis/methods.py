"""Methods of proof: from a state of the rules to the search that fits its game.

A method has a table of its own, which the proofs of one game share. `find_method` chooses it by the
class of the rules: a variant that derives from a built-in one may differ from it.
"""

from typing import Any, Protocol

from referee.analysis.barricade import BarricadeSearch
from referee.analysis.bitset import MAX_CELLS, MaskMap, permutation
from referee.analysis.budget import Budget
from referee.analysis.negamax import Negamax
from referee.analysis.node_kayles import NodeKayles
from referee.analysis.position_table import PositionTable
from referee.analysis.runner import MAX_DEPTH, RESULT_BITS, RunnerSearch, step_key
from referee.analysis.snort import MAX_CELLS as MAX_SNORT_CELLS
from referee.analysis.snort import Snort
from referee.analysis.verdict import UNPROVED, Proof, Value
from referee.rules import Rules
from referee.rules.grid import cells
from referee.variants.barricade import Barricade
from referee.variants.crossfire import Crossfire
from referee.variants.lockdown import Lockdown
from referee.variants.placing import Placing
from referee.variants.runner import MOVE_LIMIT, REPETITIONS, Runner
from referee.variants.standoff import Standoff

MAX_SLOT_BITS = 20
"""Size of the largest table: a million positions, some 90 MB when it is full."""
_SMALL_SLOT_BITS = 16
"""Size of a table that serves one position alone."""


class Method(Protocol):
    """Interface of a method."""

    def prove(self, state: Any, budget: Budget) -> Proof:
        """Return the value of a state that is not over, for the player to move.

        Raises BudgetExhausted.
        """


def find_method(rules: Rules[Any], nodes: int) -> Method:
    """Return a method for these rules, with a table that suits the budget of a position."""
    kind, slot_bits = type(rules), min(MAX_SLOT_BITS, nodes.bit_length() + 1)
    if isinstance(rules, Placing) and kind in (Lockdown, Crossfire):
        return _NodeKaylesMethod(rules)
    if isinstance(rules, Placing) and kind is Standoff:
        return _SnortMethod(rules, slot_bits)
    if isinstance(rules, Barricade) and kind is Barricade and _fits(rules):
        return _BarricadeMethod(rules, slot_bits)
    if isinstance(rules, Runner) and kind is Runner and _fits(rules):
        return _RunnerMethod(rules, slot_bits)
    return Negamax(rules)


def _fits(rules: Barricade | Runner) -> bool:
    return len(rules.grid.names) <= MAX_CELLS


def _won_if(won: bool) -> Proof:
    return Proof(Value.WON if won else Value.LOST)


def _symmetries(rules: Placing) -> list[MaskMap]:
    return [permutation(symmetry) for symmetry in rules.symmetries()]


class _NodeKaylesMethod:
    """lockdown and crossfire. On large boards, only the free cells are numbered."""

    def __init__(self, rules: Placing) -> None:
        self._rules = rules
        self._all = rules.grid.all_cells
        self._board = None
        if len(rules.closes) <= MAX_CELLS:
            self._board = NodeKayles(rules.closes, _symmetries(rules))

    def prove(self, state: Any, budget: Budget) -> Proof:
        """Return the value of a state that is not over, for the player to move."""
        free = self._all & ~state[2]
        if self._board is not None:
            return _won_if(self._board.grundy(free, budget) != 0)
        if free.bit_count() > MAX_CELLS:
            return UNPROVED
        neighbours, (free,) = _renumber(self._rules.closes, free)
        return _won_if(NodeKayles(neighbours, []).grundy(free, budget) != 0)


class _SnortMethod:
    """standoff. On large boards, only the open cells are numbered."""

    def __init__(self, rules: Placing, slot_bits: int) -> None:
        self._rules = rules
        self._all = rules.grid.all_cells
        self._board = None
        self._table = PositionTable(slot_bits, 1)
        if len(rules.closes) <= MAX_SNORT_CELLS:
            self._board = Snort(rules.closes, _symmetries(rules), self._table)

    def prove(self, state: Any, budget: Budget) -> Proof:
        """Return the value of a state that is not over, for the player to move."""
        own, opponent = self._all & ~state[2], self._all & ~state[3]
        if self._board is not None:
            return _won_if(self._board.wins(own, opponent, 0, budget))
        if (own | opponent).bit_count() > MAX_SNORT_CELLS:
            return UNPROVED
        neighbours, (own, opponent) = _renumber(self._rules.closes, own, opponent)
        search = Snort(neighbours, [], PositionTable(_SMALL_SLOT_BITS, 1))
        return _won_if(search.wins(own, opponent, 0, budget))


def _renumber(closes: list[int], *masks: int) -> tuple[list[int], list[int]]:
    """Return the neighbours of the cells in these masks, numbered from 0, and the masks."""
    used = 0
    for mask in masks:
        used |= mask
    numbers = {cell: number for number, cell in enumerate(cells(used))}

    def convert(mask: int) -> int:
        return sum(1 << numbers[cell] for cell in cells(mask))

    return [convert(closes[cell] & used) for cell in numbers], [convert(mask) for mask in masks]


class _BarricadeMethod:
    """barricade."""

    def __init__(self, rules: Barricade, slot_bits: int) -> None:
        self._last = len(rules.grid.names) - 1
        self._search = BarricadeSearch(rules.grid.size, PositionTable(slot_bits, 1))

    def prove(self, state: Any, budget: Budget) -> Proof:
        """Return the value of a state that is not over, for the player to move."""
        a, b, blockades, ply, _ = state
        if ply & 1:  # turned by 180 degrees, B has its goal in the last cell
            turned = sum(1 << self._last - cell for cell in cells(blockades))
            return _won_if(self._search.wins(self._last - b, self._last - a, turned, budget))
        return _won_if(self._search.wins(a, b, blockades, budget))


class _RunnerMethod:
    """runner."""

    def __init__(self, rules: Runner, slot_bits: int) -> None:
        self._size = rules.grid.size
        self._search = self._make_search(slot_bits, frozenset(), 0)

    def _make_search(self, slot_bits: int, forbidden: frozenset[int], blocks: int) -> RunnerSearch:
        return RunnerSearch(self._size, PositionTable(slot_bits, RESULT_BITS), forbidden, blocks)

    def prove(self, state: Any, budget: Budget) -> Proof:
        """Return the value of a state that is not over, for the player to move."""
        first, second, blocks, ply, positions, _ = state
        turn = ply & 1
        own, opponent = (second, first) if turn else (first, second)
        search = self._search
        if forbidden := _forbidden(positions):
            search = self._make_search(_SMALL_SLOT_BITS, forbidden, blocks)
        for depth in range(1, MAX_DEPTH + 1):
            attacker = turn if depth & 1 else 1 - turn
            if attacker == 0 and ply + depth > MOVE_LIMIT:
                continue
            if depth & 1 and search.wins(own, opponent, blocks, turn, depth, budget):
                return Proof(Value.WON, depth)
            if not depth & 1 and search.loses(own, opponent, blocks, turn, depth, budget):
                return Proof(Value.LOST, depth)
        return UNPROVED


def _forbidden(positions: tuple[int, ...]) -> frozenset[int]:
    """Return the keys of the positions that must not occur again."""
    keys = set()
    for position in set(positions):
        if positions.count(position) >= REPETITIONS - 1:
            first, second, turn = position >> 9, position >> 1 & 255, position & 1
            keys.add(step_key(*((first, second) if turn else (second, first)), turn))
    return frozenset(keys)
