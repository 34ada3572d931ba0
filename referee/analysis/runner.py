"""runner: a win within d plies, d growing.

A proof ignores the history of the game, and holds all the same. Suppose that an attacker can force
a win from a position if positions may occur again and again, and let D be the least number of plies
that this takes. If the attacker always moves so that D falls, no position occurs twice from then
on. A position that occurred at most once before therefore occurs at most twice, and the rule of
the third occurrence can only hit the defender, who then loses earlier. Positions that have occurred
twice before are *forbidden*: a player that moves into one of them loses at once.

The move limit is a win of seat 2. A win of seat 1 is accepted only if it comes before the limit.

Where the search skips moves to be faster, they are moves of the attacker, or the result is "not
proven": it may miss a win, and cannot report a false one.
"""

from referee.analysis.bitset import bit, count, lowest, permutation, with_neighbours
from referee.analysis.budget import Budget
from referee.analysis.position_table import PositionTable
from referee.rules.grid import Grid, Size
from referee.rules.mypyc_compat import i64
from referee.rules.symmetry import left_right_reflection

MAX_DEPTH = 100
"""Plies of the longest proof that is tried; a result has seven bits for a depth."""
CORRIDOR: i64 = 2
"""The greatest number of open neighbours of a cell in a corridor."""
NO_WAY: i64 = 1000
"""The distance to a goal row that cannot be reached."""
RESULT_BITS = 28
"""Four depths: the least proven win and loss of the player to move, and the greatest depths at
which neither was found."""
UNKNOWN: i64 = 127 << 21 | 127 << 14
WIN: i64 = 21
LOSS: i64 = 14
NO_WIN: i64 = 7
NO_LOSS: i64 = 0
"""Where these depths are in a result."""


class RunnerSearch:
    """Search on one board of up to 62 cells. `turn` is 0 if seat 1 is to move, and 1 for seat 2."""

    def __init__(
        self, size: Size, table: PositionTable, forbidden: frozenset[int], blocks: i64
    ) -> None:
        """Create it for a table of results, and the forbidden positions among these blocks.

        A table belongs to one set of forbidden positions.
        """
        grid = Grid(size, 0)
        self._all: i64 = i64(grid.all_cells)
        self._goals: list[i64] = [i64(grid.bottom_row), i64(grid.top_row)]
        self._near: list[i64] = [i64(mask) for mask in grid.all_neighbours]
        self._grow = with_neighbours(grid.all_neighbours)
        mirror = left_right_reflection(size)
        flip = mirror[::-1]  # top and bottom: left and right, then half a turn
        self._mirror, self._flip = permutation(mirror), permutation(flip)
        self._mirror_cell: list[i64] = [i64(target) for target in mirror]
        self._flip_cell: list[i64] = [i64(target) for target in flip]
        self._table = table
        self._forbidden = forbidden
        self._forbids = len(forbidden) > 0
        self._blocks: i64 = blocks
        self._key_first: i64 = 0
        self._key_second: i64 = 0

    def wins(
        self, own: i64, opponent: i64, blocks: i64, turn: i64, depth: i64, budget: Budget
    ) -> bool:
        """Return whether it is proven that the player to move wins within `depth` plies."""
        budget.spend()
        steps = self._near[own] & ~(blocks | bit(opponent))
        if steps & self._goals[turn]:
            return depth >= 1
        if depth < 1 or not steps or self._is_too_far(own, opponent, blocks, turn, depth + 1):
            return False
        known = self._result(own, opponent, blocks, turn)
        if known >> WIN & 127 <= depth:
            return True
        if known >> NO_WIN & 127 >= depth:
            return False
        won = False
        for move in self._moves(own, opponent, blocks, turn):
            cell = move & 63
            if move & 64:
                won = self.loses(opponent, own, blocks | bit(cell), 1 - turn, depth - 1, budget)
            elif not self._is_forbidden(cell, opponent, blocks, turn):
                won = self.loses(opponent, cell, blocks, 1 - turn, depth - 1, budget)
            if won:
                break
        self._store(own, opponent, blocks, turn, WIN if won else NO_WIN, depth)
        return won

    def loses(
        self, own: i64, opponent: i64, blocks: i64, turn: i64, depth: i64, budget: Budget
    ) -> bool:
        """Return whether it is proven that the player to move loses within `depth` plies."""
        budget.spend()
        steps = self._near[own] & ~(blocks | bit(opponent))
        if not steps:
            return True
        if depth < 2 or steps & self._goals[turn]:
            return False
        if self._is_too_far(opponent, own, blocks, 1 - turn, depth):
            return False
        known = self._result(own, opponent, blocks, turn)
        if known >> LOSS & 127 <= depth:
            return True
        if known >> NO_LOSS & 127 >= depth:
            return False
        lost = True
        for move in self._moves(own, opponent, blocks, turn):
            cell = move & 63
            if move & 64:
                lost = self.wins(opponent, own, blocks | bit(cell), 1 - turn, depth - 1, budget)
            elif not self._is_forbidden(cell, opponent, blocks, turn):
                lost = self.wins(opponent, cell, blocks, 1 - turn, depth - 1, budget)
            if not lost:
                break
        self._store(own, opponent, blocks, turn, LOSS if lost else NO_LOSS, depth)
        return lost

    def _is_too_far(self, attacker: i64, defender: i64, blocks: i64, turn: i64, depth: i64) -> bool:
        """Return whether the attacker can hardly win with half of `depth` moves.

        The goal row is too far away, and the defender is not in a corridor, where it may be
        trapped.
        """
        free = self._all & ~blocks
        if 2 * self._distance(attacker, turn, free) <= depth:
            return False
        return count(self._near[defender] & free) > CORRIDOR

    def _moves(self, own: i64, opponent: i64, blocks: i64, turn: i64) -> list[i64]:
        """List all moves but blocks that shut both out, which lose; the most promising first.

        A move is a cell, plus 64 for a block, and above that its rank.
        """
        free = self._all & ~blocks
        moves: list[i64] = []
        steps = self._near[own] & free & ~bit(opponent)
        theirs = _capped(self._distance(opponent, 1 - turn, free))
        while steps:
            to = lowest(steps)
            steps &= steps - 1
            lead = theirs - _capped(self._distance(to, turn, free))
            moves.append((255 - 2 * lead) << 7 | to)
        touched = bit(own) | bit(opponent) | self._near[own] | self._near[opponent]
        cells = free & ~touched
        while cells:
            cell = lowest(cells)
            cells &= cells - 1
            after = free & ~bit(cell)
            ours = self._distance(own, turn, after)
            theirs_after = self._distance(opponent, 1 - turn, after)
            if ours == NO_WAY and theirs_after == NO_WAY:
                continue
            lead = _capped(theirs_after) - _capped(ours)
            moves.append((256 - 2 * lead) << 7 | 64 | cell)
        moves.sort()
        return moves

    def _distance(self, start: i64, turn: i64, free: i64) -> i64:
        """Count the steps from a cell to the goal row of a player; pieces are no obstacles."""
        goal = self._goals[turn]
        reached = bit(start)
        steps: i64 = 0
        while not reached & goal:
            grown = self._grow.apply(reached) & free | reached
            if grown == reached:
                return NO_WAY
            reached = grown
            steps += 1
        return steps

    def _is_forbidden(self, to: i64, opponent: i64, blocks: i64, turn: i64) -> bool:
        """Return whether a step makes a position occur for the third time."""
        if not self._forbids or blocks != self._blocks:
            return False
        return step_key(to, opponent, 1 - turn) in self._forbidden

    def _result(self, own: i64, opponent: i64, blocks: i64, turn: i64) -> i64:
        """Return the result of a position in the table."""
        self._find_key(own, opponent, blocks, turn)
        known = self._table.get(self._key_first, self._key_second)
        return known if known >= 0 else UNKNOWN

    def _store(
        self, own: i64, opponent: i64, blocks: i64, turn: i64, place: i64, depth: i64
    ) -> None:
        """Replace one of the four depths in the result of a position."""
        known = self._result(own, opponent, blocks, turn)
        known = known & ~(i64(127) << place) | depth << place
        self._table.put(self._key_first, self._key_second, known)

    def _find_key(self, own: i64, opponent: i64, blocks: i64, turn: i64) -> None:
        """Compute the key of a position: seen by the player to move, and up to reflection.

        Forbidden positions are not symmetric, so that with them a position is its own key.
        """
        if self._forbids:
            self._key_first, self._key_second = blocks, turn << 12 | own << 6 | opponent
            return
        if turn:
            blocks = self._flip.apply(blocks)
            own, opponent = self._flip_cell[own], self._flip_cell[opponent]
        second = own << 6 | opponent
        other = self._mirror.apply(blocks)
        if other <= blocks:
            other_second = self._mirror_cell[own] << 6 | self._mirror_cell[opponent]
            if other < blocks or other_second < second:
                blocks, second = other, other_second
        self._key_first, self._key_second = blocks, second


def step_key(to: int, opponent: int, turn: int) -> int:
    """Return the key of the position after a step: its cell, the other piece, who moves next."""
    return to << 7 | opponent << 1 | turn


def _capped(distance: i64) -> i64:
    return distance if distance < 30 else 30
