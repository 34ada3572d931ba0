"""How a game ended: the vocabulary that everything else shares."""

from dataclasses import dataclass
from enum import StrEnum

Seat = int
"""A bot's place in one game: 1 moves first, 2 second."""


def other(seat: Seat) -> Seat:
    """The opponent's seat."""
    return 3 - seat


class Reason(StrEnum):
    """Why a game ended. A variant of your own may use words of its own."""

    NO_MOVES = "no-moves"
    GOAL = "goal"
    SHUT_OUT = "shut-out"
    REPETITION = "repetition"
    MOVE_LIMIT = "move-limit"


_SENTENCES: dict[str, str] = {
    Reason.NO_MOVES: "{loser} has no valid move",
    Reason.GOAL: "{winner} reached the goal",
    Reason.SHUT_OUT: "{loser} shut both players out of their goals",
    Reason.REPETITION: "{loser} made the same position occur for the third time",
    Reason.MOVE_LIMIT: "nobody won within the move limit, which {loser} loses",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A score for seat 1 and seat 2, and the reason."""

    score: tuple[float, float]
    reason: str

    @property
    def winner(self) -> Seat | None:
        """The seat that scored more, or None where nobody did."""
        first, second = self.score
        return None if first == second else 1 if first > second else 2

    def sentence(self, names: tuple[str, str]) -> str:
        """The outcome in words, with the players called by these names."""
        winner = self.winner
        if winner is None:
            both = "a draw" if sum(self.score) else "both lose"
            return f"{both}: {self.reason}"
        words = _SENTENCES.get(self.reason, self.reason.replace("{", "{{").replace("}", "}}"))
        won, lost = names[winner - 1], names[other(winner) - 1]
        return f"{won} wins: {words.format(winner=won, loser=lost)}"


def win(seat: Seat, reason: str) -> Outcome:
    """That seat won."""
    return Outcome((1, 0) if seat == 1 else (0, 1), reason)
