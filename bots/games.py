"""The rules of the five games and the protocol loop, for the bots here that think ahead.

A bot runs in a bare interpreter, so this needs nothing but Python. It is not the referee's own
code: a bot believes what it is told, and is written for search. A set of cells is an int with one
bit per cell, row by row from the top left. A move is its text. A position is a tuple that is never
changed, seen by the player to move: `result` and `estimate` are good for that player if positive.
"""

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

Position = tuple[Any, ...]
WON = 1_000_000
KING = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
ROOK = [(-1, 0), (0, -1), (0, 1), (1, 0)]


class Game:
    """One game on one board: what each of the five has to answer, and what they share."""

    start: Position

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        self.rows, self.cols, self.size = rows, cols, rows * cols
        self.everything = (1 << self.size) - 1
        self.names = [f"{r + origin},{c + origin}" for r in range(rows) for c in range(cols)]
        self.top_row = (1 << cols) - 1
        self.bottom_row = self.top_row << self.size - cols
        left = sum(1 << row * cols for row in range(rows))
        self.not_left = self.everything & ~left
        self.not_right = self.everything & ~(left << cols - 1)

    def moves(self, position: Position) -> list[str]:
        """The legal moves; asked only while the game is not over."""
        raise NotImplementedError

    def play(self, position: Position, move: str) -> Position:
        """The position after a legal move, seen by the other player."""
        raise NotImplementedError

    def result(self, position: Position) -> int:
        """1 if the player to move has won, -1 if lost, 0 while the game goes on."""
        raise NotImplementedError

    def estimate(self, position: Position) -> int:
        """A guess at how much better off the player to move is; WON or -WON if that is certain."""
        raise NotImplementedError

    def key(self, position: Position) -> Position:
        """What the rest of the game depends on: positions with the same key are worth the same."""
        return position

    def neighbours(self, cell: int, steps: Iterable[tuple[int, int]]) -> list[int]:
        """The cells one of these steps away from a cell."""
        row, col = divmod(cell, self.cols)
        return [
            (row + down) * self.cols + col + right
            for down, right in steps
            if 0 <= row + down < self.rows and 0 <= col + right < self.cols
        ]

    def distance(self, piece: int, goal: int, free: int, *, diagonal: bool) -> int:
        """Steps over free cells from a cell to the nearest of the goal; far if there is no way."""
        reached, steps, cols = 1 << piece, 0, self.cols
        while not reached & goal:
            aside = (reached & self.not_left) >> 1 | (reached & self.not_right) << 1
            upright = reached | aside if diagonal else reached
            grown = reached | (aside | upright << cols | upright >> cols) & free
            if grown == reached:
                return self.size
            reached = grown
            steps += 1
        return steps


class Standoff(Game):
    """Mark a cell; its neighbours are closed to the opponent.

    A position is the cells open to the player to move, and those open to the other one.
    """

    steps = KING
    closed_to_both = False

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        super().__init__(rows, cols, origin)
        self.start = self.everything, self.everything
        self.cells = [(1 << cell, name) for cell, name in enumerate(self.names)]
        self.stays_open = {}
        self.closes = {}
        for cell, name in enumerate(self.names):
            near = sum(1 << other for other in self.neighbours(cell, self.steps))
            self.closes[1 << cell] = 1 << cell | near
            self.stays_open[name] = ~(1 << cell | near * self.closed_to_both), ~(1 << cell | near)

    def moves(self, position: Position) -> list[str]:
        mine = position[0]
        return [name for bit, name in self.cells if bit & mine]

    def play(self, position: Position, move: str) -> Position:
        mine, theirs = position
        to_me, to_them = self.stays_open[move]
        return theirs & to_them, mine & to_me

    def result(self, position: Position) -> int:
        return 0 if position[0] else -1

    def estimate(self, position: Position) -> int:
        # A cell that only I can use is a spare move.
        mine, theirs = position
        return mine.bit_count() - theirs.bit_count()


class Lockdown(Standoff):
    """As standoff, but the neighbours are closed to both: all options are shared.

    Who has more of them is therefore no question, and who makes the last move cannot be guessed.
    But it can be computed once the open cells have fallen apart into small groups: each is then
    worth a heap of Nim (the theory of Sprague and Grundy), and the player to move loses if the
    heaps' exclusive or is 0.
    """

    closed_to_both = True
    largest_group = 12

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        super().__init__(rows, cols, origin)
        self.heaps: dict[int, int] = {}

    def estimate(self, position: Position) -> int:
        groups = self.groups(position[0])
        if any(group.bit_count() > self.largest_group for group in groups):
            return 0
        return WON if self.nim_sum(groups) else -WON

    def groups(self, open_cells: int) -> list[int]:
        """The open cells, as sets that do not touch each other."""
        groups = []
        while open_cells:
            group = new = open_cells & -open_cells
            while new:
                bit = new & -new
                found = self.closes[bit] & open_cells & ~group
                group |= found
                new = new & ~bit | found
            groups.append(group)
            open_cells &= ~group
        return groups

    def nim_sum(self, groups: list[int]) -> int:
        total = 0
        for group in groups:
            total ^= self.heaps[group] if group in self.heaps else self.heap(group)
        return total

    def heap(self, group: int) -> int:
        """The smallest heap that no move leads to."""
        reached, left = set(), group
        while left:
            bit = left & -left
            left ^= bit
            reached.add(self.nim_sum(self.groups(group & ~self.closes[bit])))
        heap = 0
        while heap in reached:
            heap += 1
        self.heaps[group] = heap
        return heap


class Crossfire(Lockdown):
    """As lockdown, with neighbours in four directions only."""

    steps = ROOK


class Barricade(Game):
    """A position is the marker to move, the other one, the blockades, and the turn (0 or 1)."""

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        super().__init__(rows, cols, origin)
        names = self.names
        self.start = 0, self.size - 1, 0, 0
        self.goals = 1 << self.size - 1, 1
        self.steps: list[list[tuple[int, str, list[tuple[int, str]]]]] = []
        self.effects: dict[str, tuple[int, int]] = {}
        for cell in range(self.size):
            from_here = []
            for to in self.neighbours(cell, ROOK):
                near = self.neighbours(to, KING)
                blockades = [(1 << at, f"{names[to]}x{names[at]}") for at in near]
                from_here.append((1 << to, names[to], blockades))
                self.effects[names[to]] = to, 0
                self.effects.update({move: (to, bit) for bit, move in blockades})
            self.steps.append(from_here)

    def moves(self, position: Position) -> list[str]:
        here, there, blockades, turn = position
        taken, goal = blockades | 1 << there, self.goals[turn]
        moves = []
        for bit, step, placements in self.steps[here]:
            if bit & goal & ~taken:
                moves.append(step)  # wins at once, so there is no blockade
            elif not bit & taken:
                moves += [move for at, move in placements if not at & taken]
        return moves

    def play(self, position: Position, move: str) -> Position:
        _, there, blockades, turn = position
        to, blockade = self.effects[move]
        return there, to, blockades | blockade, 1 - turn

    def result(self, position: Position) -> int:
        here, there, blockades, turn = position
        if 1 << there & self.goals[1 - turn] or not self.count_steps(here, blockades | 1 << there):
            return -1
        return 0

    def count_steps(self, here: int, taken: int) -> int:
        return sum(not bit & taken for bit, _, _ in self.steps[here])

    def estimate(self, position: Position) -> int:
        here, there, blockades, turn = position
        free = self.everything & ~blockades
        nearer = self.distance(there, self.goals[1 - turn], free, diagonal=False)
        nearer -= self.distance(here, self.goals[turn], free, diagonal=False)
        freer = self.count_steps(here, blockades | 1 << there)
        freer -= self.count_steps(there, blockades | 1 << here)
        return 2 * nearer + 4 * freer


class Runner(Game):
    """A position is the piece to move, the other one, the blocks, the number of plies played, and
    the pieces and the turn at each ply since the last block: nothing older can come back."""

    move_limit = 500

    def __init__(self, rows: int, cols: int, origin: int) -> None:
        super().__init__(rows, cols, origin)
        middle = (cols + 1) // 2 - 1
        first, second = middle, middle + self.size - cols
        self.start = first, second, 0, 0, ((first, second, 0),)
        self.goals = self.bottom_row, self.top_row
        near = [self.neighbours(cell, KING) for cell in range(self.size)]
        self.steps = [[(1 << to, self.names[to]) for to in cells] for cells in near]
        self.near = [sum(1 << to for to in cells) for cells in near]
        self.blocks = [(1 << cell, f"x{name}") for cell, name in enumerate(self.names)]
        self.step_to = {name: cell for cell, name in enumerate(self.names)}
        self.block_on = {move: bit for bit, move in self.blocks}

    def moves(self, position: Position) -> list[str]:
        here, there, blocks, _, _ = position
        taken = blocks | 1 << there
        moves = [step for bit, step in self.steps[here] if not bit & taken]
        closed = taken | 1 << here | self.near[here] | self.near[there]
        if closed != self.everything:
            moves += [move for bit, move in self.blocks if not bit & closed]
        return moves

    def play(self, position: Position, move: str) -> Position:
        here, there, blocks, ply, seen = position
        ply += 1
        if move[0] == "x":
            return there, here, blocks | self.block_on[move], ply, ((there, here, ply & 1),)
        here = self.step_to[move]
        return there, here, blocks, ply, (*seen, (there, here, ply & 1))

    def result(self, position: Position) -> int:
        here, there, blocks, ply, seen = position
        turn = ply & 1
        if 1 << there & self.goals[1 - turn]:
            return -1
        if blocks and len(seen) == 1:  # the last move was a block
            free = self.everything & ~blocks
            if (
                self.distance(here, self.goals[turn], free, diagonal=True) == self.size
                and self.distance(there, self.goals[1 - turn], free, diagonal=True) == self.size
            ):
                return 1  # shut out, by the opponent
        if not self.near[here] & ~(blocks | 1 << there):
            return -1
        if seen.count(seen[-1]) >= 3:
            return 1
        return -1 if ply >= self.move_limit else 0  # seat 1 loses, whose turn it would be

    def estimate(self, position: Position) -> int:
        here, there, blocks, ply, _ = position
        turn, free = ply & 1, self.everything & ~blocks
        nearer = self.distance(there, self.goals[1 - turn], free, diagonal=True)
        nearer -= self.distance(here, self.goals[turn], free, diagonal=True)
        freer = (self.near[here] & free).bit_count() - (self.near[there] & free).bit_count()
        return 10 * nearer + freer

    def key(self, position: Position) -> Position:
        # How often each position occurred matters, not in which order.
        *rest, seen = position
        return *rest, tuple(sorted(seen))


GAMES: dict[str, type[Game]] = {
    "standoff": Standoff,
    "barricade": Barricade,
    "lockdown": Lockdown,
    "runner": Runner,
    "crossfire": Crossfire,
}


@dataclass
class Turn:
    """What a bot is asked: everything that its answer may depend on."""

    game: Game
    position: Position
    legal: list[str]
    moves: list[str]
    """Every move so far."""
    dice: Random
    """The same for the same turn of the same fixture."""
    deadline: float
    """When to answer, on the clock of time.monotonic()."""


def parse(line: str) -> tuple[str, dict[str, str]]:
    """The verb of a line and its fields; a word that is no field is passed over."""
    verb, *words = line.split() or [""]
    return verb, dict(word.split("=", 1) for word in words if "=" in word)


def serve(choose: Callable[[Turn], str]) -> None:
    """Speak the protocol until told to quit, answering each turn with what `choose` makes of it."""
    for line in sys.stdin:
        arrived = time.monotonic()
        verb, fields = parse(line)
        if verb == "game":
            header = fields
            if fields["variant"] not in GAMES:
                print("decline I know", *GAMES, flush=True)
                continue
            size = (int(fields[key]) for key in ("rows", "cols", "origin"))
            game = GAMES[fields["variant"]](*size)
            print("ready", flush=True)
        elif verb == "turn":
            turn = read_turn(game, header, fields, arrived)
            print("move", choose(turn), flush=True)
        elif verb == "quit":
            break


def read_turn(game: Game, header: dict[str, str], fields: dict[str, str], arrived: float) -> Turn:
    """The turn of a `turn` line, in the game of a `game` line."""
    moves = [] if fields["moves"] == "-" else fields["moves"].split(";")
    position = game.start
    for move in moves:
        position = game.play(position, move)
    return Turn(
        game,
        position,
        legal=fields["legal"].split(";"),
        moves=moves,
        dice=Random(f"{header['seed']} {fields['ply']}"),
        deadline=arrived + thinking_ms(game, header, fields) / 1000,
    )


def thinking_ms(game: Game, header: dict[str, str], fields: dict[str, str]) -> float:
    """How long to think: a share of the clock, never so long that a slow moment loses the game."""
    left = int(fields["time_ms"])
    safe = 0.9 * left - 30
    if "time_ms" not in header:  # a fixed time per move, none of which can be saved
        return min(safe, 10_000)
    turns_to_come = max(4, (game.size - len(fields["moves"].split(";"))) // 4)
    return min(safe, left / min(turns_to_come, 25) + 0.8 * int(header.get("inc_ms", 0)))
