"""The rules of the five games, for the bots here that think ahead, and a guess at who is ahead.

A bot runs in a bare interpreter, so this is not the referee's own code and needs only Python. A set
of cells is an int with one bit per cell, row by row from the top left. A move is its text. A
position is a tuple that is never changed and is seen by the player to move: what is worth more than
0 is good for that player.
"""

from collections.abc import Callable, Iterator
from typing import Any

Position = tuple[Any, ...]
WON = 1_000_000
"""The worth of a won game, however long it takes to win it."""


class Game:
    """One game on one board: what each of the five has to answer, and what they share."""

    start: Position

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        self.rows, self.cols, self.size = rows, cols, rows * cols
        self.names = [f"{r + origin},{c + origin}" for r in range(rows) for c in range(cols)]
        self.everything = (1 << self.size) - 1
        left = sum(1 << row * cols for row in range(rows))
        self.not_left = self.everything & ~left
        self.not_right = self.everything & ~(left << cols - 1)

    def moves(self, position: Position) -> list[str]:
        """Return the legal moves of a game that is not over."""
        raise NotImplementedError

    def play(self, position: Position, move: str) -> Position:
        """Return the position after a legal move, from the view of the other player."""
        raise NotImplementedError

    def result(self, position: Position) -> int:
        """1 if the player to move has won, -1 if lost, 0 while the game goes on."""
        raise NotImplementedError

    def estimate(self, position: Position) -> int:
        """Estimate the advantage of the player to move; WON or -WON if it is certain."""
        raise NotImplementedError

    def key(self, position: Position) -> Position:
        """Return what the rest of the game depends on; equal keys mean equal values."""
        return position

    def aside(self, cells: int) -> int:
        """Return the cells up, down, left or right of these."""
        sides = (cells & self.not_left) >> 1 | (cells & self.not_right) << 1
        return (sides | cells << self.cols | cells >> self.cols) & self.everything

    def around(self, cells: int) -> int:
        """Return these cells and all that touch them."""
        row = cells | (cells & self.not_left) >> 1 | (cells & self.not_right) << 1
        return (row | row << self.cols | row >> self.cols) & self.everything

    def distance(self, piece: int, goal: int, free: int, spread: Callable[[int], int]) -> int:
        """Count the steps over free cells to the nearest goal cell; `size` without a path."""
        reached, steps = 1 << piece, 0
        while not reached & goal:
            grown = reached | spread(reached) & free
            if grown == reached:
                return self.size
            reached = grown
            steps += 1
        return steps


def each(cells: int) -> Iterator[int]:
    """Return the number of each cell of a set, in order."""
    while cells:
        bit = cells & -cells
        yield bit.bit_length() - 1
        cells ^= bit


class Standoff(Game):
    """Mark a cell; the cells around it are closed to the opponent.

    A position is the cells open to the player to move, and those open to the other one.
    """

    spread = Game.around
    closed_to_both = False

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        super().__init__(rows, cols, origin)
        self.start = self.everything, self.everything
        self.cells = [(1 << cell, name) for cell, name in enumerate(self.names)]
        self.closed = [bit | self.spread(bit) for bit, _ in self.cells]
        self.stays_open = {
            name: (~(closed if self.closed_to_both else bit), ~closed)
            for (bit, name), closed in zip(self.cells, self.closed, strict=True)
        }
        """For each move: the cells that it leaves as they are for its player, and for the other."""

    def moves(self, position: Position) -> list[str]:
        mine = position[0]
        return [name for bit, name in self.cells if bit & mine]

    def play(self, position: Position, move: str) -> Position:
        mine, theirs = position
        for_me, for_them = self.stays_open[move]
        return theirs & for_them, mine & for_me

    def result(self, position: Position) -> int:
        return 0 if position[0] else -1

    def estimate(self, position: Position) -> int:
        # A cell that only I can use is a move in hand.
        mine, theirs = position
        return mine.bit_count() - theirs.bit_count()


class Lockdown(Standoff):
    """As standoff, but the cells around a mark are closed to both.

    So both always have the same options, and neither looks better off. But who makes the last mark
    can be computed once the open cells have fallen apart into small groups: each is worth a heap
    of Nim (the theory of Sprague and Grundy), and the player to move loses if the exclusive or of
    all the heaps is 0.
    """

    closed_to_both = True
    largest_group = 12
    """Larger ones would take longer to compute than to search."""

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        super().__init__(rows, cols, origin)
        self.heaps: dict[int, int] = {}

    def estimate(self, position: Position) -> int:
        groups = list(self.groups(position[0]))
        if any(group.bit_count() > self.largest_group for group in groups):
            return 0
        return WON if self.nim_sum(groups) else -WON

    def groups(self, open_cells: int) -> Iterator[int]:
        """Return the connected components of the open cells."""
        while open_cells:
            group, grown = 0, open_cells & -open_cells
            while grown != group:
                group, grown = grown, grown | self.spread(grown) & open_cells
            yield group
            open_cells &= ~group

    def nim_sum(self, groups: Iterator[int] | list[int]) -> int:
        """Return the exclusive or of the Grundy values of these groups."""
        total = 0
        for group in groups:
            total ^= self.heaps[group] if group in self.heaps else self.heap(group)
        return total

    def heap(self, group: int) -> int:
        """Return the Grundy value: the least value that no mark in the group leads to."""
        closed = self.closed
        reached = {self.nim_sum(self.groups(group & ~closed[cell])) for cell in each(group)}
        if len(self.heaps) >= 200_000:
            self.heaps.clear()  # only memory is lost
        self.heaps[group] = min(set(range(len(reached) + 1)) - reached)
        return self.heaps[group]


class Crossfire(Lockdown):
    """As lockdown, but a mark closes the cells in four directions only."""

    spread = Game.aside


class Barricade(Game):
    """A position is the marker to move, the other one, the blockades, and the turn (0 or 1)."""

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        super().__init__(rows, cols, origin)
        self.start = 0, self.size - 1, 0, 0
        self.goals = 1 << self.size - 1, 1
        self.steps = []
        """From each cell: the steps, and for each of them the blockades, as bit and move."""
        self.effects = {}
        """For each move: the cell stepped to and the bit of the blockade."""
        for here in range(self.size):
            steps = []
            for to in each(self.aside(1 << here)):
                step, near = self.names[to], self.around(1 << to) & ~(1 << to)
                blockades = [(1 << at, f"{step}x{self.names[at]}") for at in each(near)]
                steps.append((1 << to, step, blockades))
                self.effects |= {move: (to, bit) for bit, move in [(0, step), *blockades]}
            self.steps.append(steps)

    def moves(self, position: Position) -> list[str]:
        here, there, blockades, turn = position
        taken, goal = blockades | 1 << there, self.goals[turn]
        moves = []
        for bit, step, placements in self.steps[here]:
            if bit & taken:
                continue
            if bit == goal:
                moves.append(step)  # wins at once, so there is no blockade
            else:
                moves += [move for at, move in placements if not at & taken]
        return moves

    def play(self, position: Position, move: str) -> Position:
        _, there, blockades, turn = position
        to, blockade = self.effects[move]
        return there, to, blockades | blockade, 1 - turn

    def result(self, position: Position) -> int:
        here, there, blockades, turn = position
        if 1 << there == self.goals[1 - turn]:
            return -1
        return 0 if self.aside(1 << here) & ~(blockades | 1 << there) else -1

    def estimate(self, position: Position) -> int:
        # Most games end with a player shut in, so room counts more than the way to the goal.
        here, there, blockades, turn = position
        free, far = self.everything & ~blockades, self.rows + self.cols
        nearer = min(far, self.distance(there, self.goals[1 - turn], free, self.aside))
        nearer -= min(far, self.distance(here, self.goals[turn], free, self.aside))
        return nearer + 4 * self.more_room(1 << here, 1 << there, free)

    def more_room(self, mine: int, theirs: int, free: int) -> int:
        """How many more cells the player to move reaches first than the other does."""
        more = 0
        free &= ~(mine | theirs)
        while mine or theirs:
            mine = self.aside(mine) & free
            free &= ~mine
            theirs = self.aside(theirs) & free
            free &= ~theirs
            more += mine.bit_count() - theirs.bit_count()
        return more


class Runner(Game):
    """A position is the piece to move, the other one, the blocks, the number of plies played, and
    the pieces and the turn at each ply since the last block: nothing older can come back."""

    move_limit = 500

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        super().__init__(rows, cols, origin)
        first = (cols + 1) // 2 - 1
        second = first + self.size - cols
        self.start = first, second, 0, 0, ((first, second, 0),)
        top_row = (1 << cols) - 1
        self.goals = top_row << self.size - cols, top_row
        self.near = [self.around(1 << cell) & ~(1 << cell) for cell in range(self.size)]
        self.steps = [[(1 << to, self.names[to]) for to in each(near)] for near in self.near]
        self.blocks = [(1 << cell, f"x{name}") for cell, name in enumerate(self.names)]
        self.step_to = {name: cell for cell, name in enumerate(self.names)}
        self.block_on = {move: bit for bit, move in self.blocks}

    def moves(self, position: Position) -> list[str]:
        here, there, blocks, _, _ = position
        taken = blocks | 1 << there
        moves = [step for bit, step in self.steps[here] if not bit & taken]
        touched = taken | 1 << here | self.near[here] | self.near[there]
        return moves + [move for bit, move in self.blocks if not bit & touched]

    def play(self, position: Position, move: str) -> Position:
        here, there, blocks, ply, seen = position
        ply += 1
        if move[0] == "x":
            return there, here, blocks | self.block_on[move], ply, ((there, here, ply & 1),)
        here = self.step_to[move]
        return there, here, blocks, ply, (*seen, (there, here, ply & 1))

    def result(self, position: Position) -> int:
        here, there, blocks, ply, seen = position
        if 1 << there & self.goals[1 - (ply & 1)]:
            return -1
        if blocks and len(seen) == 1 and self.ways(position) == (self.size, self.size):
            return 1  # the last move was a block that shut both out
        if not self.near[here] & ~(blocks | 1 << there):
            return -1
        if seen.count(seen[-1]) >= 3:
            return 1
        return -1 if ply >= self.move_limit else 0  # seat 1 loses, whose turn it would be

    def ways(self, position: Position) -> tuple[int, int]:
        """How far the player to move and the other one have to go; `size` if there is no way."""
        here, there, blocks, ply, _ = position
        free, turn = self.everything & ~blocks, ply & 1
        mine = self.distance(here, self.goals[turn], free, self.around)
        return mine, self.distance(there, self.goals[1 - turn], free, self.around)

    def estimate(self, position: Position) -> int:
        here, there, blocks, _, _ = position
        mine, theirs = self.ways(position)
        freer = (self.near[here] & ~blocks).bit_count() - (self.near[there] & ~blocks).bit_count()
        return 10 * (theirs - mine) + freer

    def key(self, position: Position) -> Position:
        # Which positions have been there matters, not in which order: hence no plain history.
        # All else is in the key too, so what is found in a table is never wrong.
        *rest, seen = position
        return *rest, tuple(sorted(seen))


GAMES: dict[str, type[Game]] = {
    "standoff": Standoff,
    "barricade": Barricade,
    "lockdown": Lockdown,
    "runner": Runner,
    "crossfire": Crossfire,
}
