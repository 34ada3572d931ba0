"""Fixtures: the games of matches, with opening, seats, seed and order. Pure."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from referee.rules.grid import Size
from referee.schedule.formats import Match
from referee.schedule.openings import SHARED_SEQUENCE, Opening, OpeningSequence


@dataclass(frozen=True, slots=True)
class Board:
    """A variant on a board of one size."""

    variant: str
    """The variant's name."""
    size: Size

    @property
    def name(self) -> str:
        """The name in ids and records, like `standoff-5x5`."""
        return f"{self.variant}-{self.size}"

    @classmethod
    def parse(cls, name: str) -> "Board":
        """Make the board that has this name; ValueError if there is none."""
        variant, _, size = name.rpartition("-")
        rows, cols = map(int, size.split("x"))
        return cls(variant, Size(rows, cols))


class Fixture(NamedTuple):
    """A game to be played; a tuple, which is pickled faster than an object."""

    id: str
    board: str
    """The board's name, like `standoff-5x5`."""
    bots: tuple[str, str]
    """Seat 1 and seat 2."""
    encounter: int
    opening: Opening
    seed: int


class Encounter(NamedTuple):
    """One opening played twice with the seats swapped, by the same worker."""

    fixtures: tuple[Fixture, Fixture]


def encounters_in_order(
    matches: Sequence[Match],
    openings: Mapping[Board, Sequence[Opening]],
    seed: int,
    pairings: int | None = None,
) -> Iterator[Encounter]:
    """Iterate over the encounters of matches on all boards, in order of their numbers.

    With the number of all pairings, openings are spread over them; without it, they are shared.
    """
    numbers = sorted({number for match in matches for number in match.numbers})
    for number in numbers:
        for board, on_board in openings.items():
            for match in matches:
                if number in match.numbers:
                    sequence = SHARED_SEQUENCE
                    if pairings is not None:
                        sequence = OpeningSequence(match.pairing, pairings)
                    yield make_encounter(match.pair, board, on_board, number, seed, sequence)


def make_encounter(
    pairing: tuple[str, str],
    board: Board,
    openings: Sequence[Opening],
    number: int,
    seed: int,
    sequence: OpeningSequence = SHARED_SEQUENCE,
) -> Encounter:
    """Make encounter `number` of a pairing; openings repeat once all have been used."""
    opening = openings[sequence.opening_index(number, len(openings))]
    name, (one, two) = board.name, pairing
    a, b = fixture_id(name, one, two, number, "a"), fixture_id(name, two, one, number, "b")
    return Encounter(
        (
            Fixture(a, name, pairing, number, opening, fixture_seed(seed, a)),
            Fixture(b, name, (two, one), number, opening, fixture_seed(seed, b)),
        )
    )


def fixture_id(board: str, first: str, second: str, encounter: int, letter: str) -> str:
    """Compose the id of a game; `a` and `b` are the two games of an encounter."""
    return f"{board}.{first}.{second}.{encounter}{letter}"


def bots_of_id(game_id: str) -> tuple[str, str]:
    """Return the bots of an id by seat, where nothing else is known of a game; no name has a dot.

    ValueError if it is not the id of a fixture.
    """
    _, first, second, _ = game_id.rsplit(".", 3)
    return first, second


def fixture_seed(seed: int, game_id: str) -> int:
    """Derive the seed that bots get in a game from the tournament's seed and the fixture's id."""
    return int.from_bytes(hashlib.sha256(f"{seed} {game_id}".encode()).digest()[:4], "big") >> 1
