"""From names to fixtures: who plays whom, from which opening, in which order. Pure."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from referee.rules.grid import Size
from referee.schedule.formats import Match
from referee.schedule.openings import Opening


@dataclass(frozen=True, slots=True)
class Board:
    """A variant on a size, with the openings to be played on it."""

    variant: str
    size: Size
    openings: tuple[Opening, ...]

    def __str__(self) -> str:
        return f"{self.variant}-{self.size}"


class Fixture(NamedTuple):
    """A game to be played; a tuple, because it goes from process to process."""

    id: str
    board: str
    """The board's name, like `standoff-5x5`."""
    bots: tuple[str, str]
    """Seat 1 and seat 2."""
    encounter: int
    opening: Opening
    seed: int


class Encounter(NamedTuple):
    """One opening played twice with the seats swapped: what one worker plays in a row."""

    fixtures: tuple[Fixture, Fixture]


def in_order(matches: Sequence[Match], boards: Sequence[Board], seed: int) -> Iterator[Encounter]:
    """The encounters of these matches on every board; one of each before the second of any."""
    numbers = sorted({number for match in matches for number in match.numbers})
    for number in numbers:
        for board in boards:
            for match in matches:
                if number in match.numbers:
                    yield make_encounter(match.pair, board, number, seed)


def make_encounter(pairing: tuple[str, str], board: Board, number: int, seed: int) -> Encounter:
    """Encounter `number` of a pairing; openings are used again only when all were used."""
    opening = board.openings[(number - 1) % len(board.openings)]
    name, (one, two) = str(board), pairing
    a, b = f"{name}.{one}.{two}.{number}a", f"{name}.{two}.{one}.{number}b"
    return Encounter(
        (
            Fixture(a, name, pairing, number, opening, fixture_seed(seed, a)),
            Fixture(b, name, (two, one), number, opening, fixture_seed(seed, b)),
        )
    )


def fixture_seed(seed: int, id: str) -> int:
    """The number for the bots' dice: the same whenever this fixture is played."""
    return int.from_bytes(hashlib.sha256(f"{seed} {id}".encode()).digest()[:4], "big") >> 1
