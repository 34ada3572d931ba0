"""A second, simple implementation of the five games, to check the fast one.

Written straight from the rule books and the rulings in the contract, with sets of (row, col)
cells and no cleverness. It must share no code with the package: two implementations that agree
are evidence only while neither has read the other. Used by tests alone.

"Book" in a comment is the rule book of the game at hand, "ruling" is the contract's word where
the book is silent. Inside, rows and columns count from 0; only move texts use a book's numbering.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

Cell = tuple[int, int]
Score = tuple[int, int]
Outcome = tuple[Score, str]

SMALLEST, LARGEST = 3, 16
RUNNER_MOVE_LIMIT = 500
RUNNER_REPETITIONS = 3


class Move(NamedTuple):
    """A move of any of the games, in the grammar `[cell][xcell]`."""

    to: Cell | None
    """The cell to place on or to step to."""
    block: Cell | None = None
    """The cell that gets a blockade."""


class SlowGame:
    """The common part of the games: cells, neighbours, texts, and a loss without a legal move.

    Every field of a game is an immutable value, or a dict that is replaced and never changed.
    """

    origin: int
    """The number of the first row and of the first column in the rule book."""

    def __init__(self, rows: int, cols: int) -> None:
        for length in (rows, cols):
            if not SMALLEST <= length <= LARGEST:
                raise ValueError(f"{rows}x{cols}: each side must be {SMALLEST} to {LARGEST}")
        self.rows = rows
        self.cols = cols
        self.ply = 0

    # The questions that each game answers for itself.

    def moves(self) -> list[Move]:
        """Yield every move that the rules allow the player on turn if the game is not over."""
        raise NotImplementedError

    def make(self, move: Move) -> None:
        """Change the position by a move of `self.seat`; `play` counts the ply afterwards."""
        raise NotImplementedError

    def mark(self, cell: Cell) -> str:
        """Return the character of this cell on the board."""
        raise NotImplementedError

    def outcome(self) -> Outcome | None:
        """Return the score and the reason, or None if the game continues."""
        # Ruling: a player that cannot move loses; that is judged at the start of its turn.
        if not self.moves():
            return lost_by(self.seat, "no-moves")
        return None

    # What is the same for all of them.

    @property
    def seat(self) -> int:
        """Return the seat on turn, by alternation, even if the game is over; seat 1 moves first."""
        return 1 if self.ply % 2 == 0 else 2

    def legal(self) -> list[str]:
        """Return every legal move as text; none if the game is over."""
        if self.outcome() is not None:
            return []
        return [self.move_text(move) for move in self.moves()]

    def play(self, move: str) -> None:
        """Make a move given as text."""
        if move not in self.legal():
            raise ValueError(f"{move!r} is not legal for seat {self.seat} in {self.board()}")
        for candidate in self.moves():
            if self.move_text(candidate) == move:
                self.make(candidate)
                break
        self.ply += 1

    def copy(self) -> SlowGame:
        """Return an independent copy; a shallow one is enough, as no field is changed in place."""
        return copy.copy(self)

    def board(self) -> str:
        """Return the rows from the top, joined by "/"."""
        return "/".join(
            "".join(self.mark((row, col)) for col in range(self.cols)) for row in range(self.rows)
        )

    def cells(self) -> list[Cell]:
        """Return every cell of the board, row by row."""
        return [(row, col) for row in range(self.rows) for col in range(self.cols)]

    def is_on_board(self, cell: Cell) -> bool:
        """Return whether there is such a cell."""
        row, col = cell
        return 0 <= row < self.rows and 0 <= col < self.cols

    def around(self, cell: Cell) -> list[Cell]:
        """Return the up to eight neighbours, diagonal ones included, row by row."""
        row, col = cell
        square = [(r, c) for r in range(row - 1, row + 2) for c in range(col - 1, col + 2)]
        return [place for place in square if place != cell and self.is_on_board(place)]

    def beside(self, cell: Cell) -> list[Cell]:
        """Return the up to four neighbours above, below, left and right, row by row."""
        row, col = cell
        cross = [(row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)]
        return [place for place in cross if self.is_on_board(place)]

    def cell_text(self, cell: Cell) -> str:
        """Return a cell as `row,col` in the rule book's numbering."""
        row, col = cell
        return f"{row + self.origin},{col + self.origin}"

    def move_text(self, move: Move) -> str:
        """Return a move as `[cell][xcell]`."""
        text = ""
        if move.to is not None:
            text += self.cell_text(move.to)
        if move.block is not None:
            text += "x" + self.cell_text(move.block)
        return text


def other(seat: int) -> int:
    """Return the opponent's seat."""
    return 2 if seat == 1 else 1


def lost_by(seat: int, reason: str) -> Outcome:
    """Return the outcome of a game that this seat lost."""
    return ((0, 1) if seat == 1 else (1, 0)), reason


class Standoff(SlowGame):
    """standoff.txt: place blocks, never next to the opponent's."""

    origin = 1

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__(rows, cols)
        nothing: frozenset[Cell] = frozenset()
        self.placed = {1: nothing, 2: nothing}

    def moves(self) -> list[Move]:
        theirs = self.placed[other(self.seat)]
        found = []
        for cell in self.cells():
            # Book, placement rule 1: "Blocks can only be placed on empty cells."
            if cell in self.placed[1] or cell in self.placed[2]:
                continue
            # Placement rule 2: not "adjacent (horizontally, vertically, or diagonally) to an
            # opponent's block". Rule 3: one's own blocks do not matter.
            if any(neighbour in theirs for neighbour in self.around(cell)):
                continue
            found.append(Move(cell))
        return found

    def make(self, move: Move) -> None:
        assert move.to is not None
        self.placed = {**self.placed, self.seat: self.placed[self.seat] | {move.to}}

    def mark(self, cell: Cell) -> str:
        if cell in self.placed[1]:
            return "X"
        if cell in self.placed[2]:
            return "O"
        return "."


class MarkAndBlock(SlowGame):
    """The common part of lockdown and crossfire: mark a cell, which blocks empty neighbours."""

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__(rows, cols)
        nothing: frozenset[Cell] = frozenset()
        self.marked = {1: nothing, 2: nothing}
        self.blocked = nothing

    def closes(self, cell: Cell) -> list[Cell]:
        """Return the neighbours that a mark here blocks if they are empty."""
        raise NotImplementedError

    def is_empty(self, cell: Cell) -> bool:
        """Return whether a cell is neither marked nor blocked."""
        return self.mark(cell) == "."

    def moves(self) -> list[Move]:
        # Books: only an empty, unblocked cell may be chosen, by either player.
        return [Move(cell) for cell in self.cells() if self.is_empty(cell)]

    def make(self, move: Move) -> None:
        assert move.to is not None
        self.marked = {**self.marked, self.seat: self.marked[self.seat] | {move.to}}
        # Books: what is "already marked or blocked ... remains in its current state".
        closing = [cell for cell in self.closes(move.to) if self.is_empty(cell)]
        self.blocked = self.blocked | frozenset(closing)

    def mark(self, cell: Cell) -> str:
        if cell in self.marked[1]:
            return "X"
        if cell in self.marked[2]:
            return "O"
        if cell in self.blocked:
            return "#"
        return "."


class Lockdown(MarkAndBlock):
    """lockdown.txt: "Adjacent squares include all eight surrounding squares"."""

    origin = 1

    def closes(self, cell: Cell) -> list[Cell]:
        return self.around(cell)


class Crossfire(MarkAndBlock):
    """crossfire.txt: "Only orthogonally adjacent empty cells are blocked"."""

    origin = 0

    def closes(self, cell: Cell) -> list[Cell]:
        return self.beside(cell)


class Barricade(SlowGame):
    """barricade.txt: step, then blockade; reach the opponent's start or trap the opponent."""

    origin = 0

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__(rows, cols)
        # Book, setup 2: A in the top-left corner, B in the bottom-right one.
        self.start: dict[int, Cell] = {1: (0, 0), 2: (rows - 1, cols - 1)}
        self.marker = self.start
        self.blockades: frozenset[Cell] = frozenset()

    def moves(self) -> list[Move]:
        found = []
        mine = self.marker[self.seat]
        # Book, movement rules: "Up, down, left, or right to an empty cell."
        for step in self.beside(mine):
            if self.mark(step) != ".":
                continue
            # Ruling: stepping onto the opponent's start cell wins at once, with no blockade.
            if step == self.start[other(self.seat)]:
                found.append(Move(step))
                continue
            # Book, turn actions 2: "any empty cell adjacent to your marker's new position",
            # diagonals included. The cell just left is empty by then.
            for block in self.around(step):
                if self.mark(block) == "." or block == mine:
                    found.append(Move(step, block))
        return found

    def make(self, move: Move) -> None:
        assert move.to is not None
        self.marker = {**self.marker, self.seat: move.to}
        if move.block is not None:
            self.blockades = self.blockades | {move.block}

    def outcome(self) -> Outcome | None:
        # Book, winning conditions: "Move your marker onto the opponent's starting cell."
        for seat in (1, 2):
            if self.marker[seat] == self.start[other(seat)]:
                return lost_by(other(seat), "goal")
        return super().outcome()

    def mark(self, cell: Cell) -> str:
        if cell == self.marker[1]:
            return "A"
        if cell == self.marker[2]:
            return "B"
        if cell in self.blockades:
            return "X"
        return "."


Position = tuple[Cell, Cell, frozenset[Cell], int]
"""Ruling on repetition: "both pieces, the blocks, the player to move"."""


class Runner(SlowGame):
    """runner.txt: cross to the opponent's row, or leave the opponent no step."""

    origin = 1

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__(rows, cols)
        # Ruling: column (cols + 1) // 2, counted from 1, of the first and of the last row.
        middle = (cols + 1) // 2 - 1
        self.piece: dict[int, Cell] = {1: (0, middle), 2: (rows - 1, middle)}
        # Ruling: "Goal rows are fixed by seat."
        self.goal_row = {1: rows - 1, 2: 0}
        self.blocks: frozenset[Cell] = frozenset()
        self.last_was_block = False
        # Ruling on repetition: the start position counts.
        self.history: tuple[Position, ...] = (self.position(to_move=1),)

    def position(self, to_move: int) -> Position:
        """Return what must be equal for a repetition."""
        return self.piece[1], self.piece[2], self.blocks, to_move

    def steps(self) -> list[Cell]:
        """Return the steps of the piece on turn: "any of the eight adjacent cells" if empty."""
        return [cell for cell in self.around(self.piece[self.seat]) if self.mark(cell) == "."]

    def moves(self) -> list[Move]:
        found = [Move(cell) for cell in self.steps()]
        # Book, block placement rules: "any empty cell not adjacent (including diagonally) to
        # either player's piece".
        near = self.around(self.piece[1]) + self.around(self.piece[2])
        for cell in self.cells():
            if self.mark(cell) == "." and cell not in near:
                found.append(Move(None, cell))
        return found

    def make(self, move: Move) -> None:
        if move.to is not None:
            self.piece = {**self.piece, self.seat: move.to}
        if move.block is not None:
            self.blocks = self.blocks | {move.block}
        self.last_was_block = move.block is not None
        self.history = (*self.history, self.position(to_move=other(self.seat)))

    def has_way(self, seat: int) -> bool:
        """Return whether king steps over cells without a block lead home; ignore other pieces."""
        reached = {self.piece[seat]}
        waiting = [self.piece[seat]]
        while waiting:
            for cell in self.around(waiting.pop()):
                if cell not in reached and cell not in self.blocks:
                    reached.add(cell)
                    waiting.append(cell)
        return any(row == self.goal_row[seat] for row, _ in reached)

    def outcome(self) -> Outcome | None:
        # Ruling: looked at in the order goal, shut-out, no-moves, repetition, move-limit.
        for seat in (1, 2):
            if self.piece[seat][0] == self.goal_row[seat]:
                return lost_by(other(seat), "goal")
        mover = other(self.seat)
        # Ruling: such a block "loses at once for the player who placed it".
        if self.last_was_block and not self.has_way(1) and not self.has_way(2):
            return lost_by(mover, "shut-out")
        # Ruling: "A piece that cannot step loses on its turn, even if a block could still be
        # placed".
        if not self.steps():
            return lost_by(self.seat, "no-moves")
        # Ruling: the player whose move makes the position occur for the third time loses.
        if self.history.count(self.history[-1]) >= RUNNER_REPETITIONS:
            return lost_by(mover, "repetition")
        # Ruling: if neither player has won after 500 plies, seat 1 loses.
        if self.ply >= RUNNER_MOVE_LIMIT:
            return lost_by(1, "move-limit")
        return None

    def mark(self, cell: Cell) -> str:
        if cell == self.piece[1]:
            return "1"
        if cell == self.piece[2]:
            return "2"
        if cell in self.blocks:
            return "X"
        return "."


GAMES: dict[str, type[SlowGame]] = {
    "standoff": Standoff,
    "barricade": Barricade,
    "lockdown": Lockdown,
    "runner": Runner,
    "crossfire": Crossfire,
}
