"""Seats, and the outcome of a game: score and reason. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

Seat = int
"""The place of a player in one game: 1 moves first, 2 second."""


def other(seat: Seat) -> Seat:
    """Return the seat of the opponent."""
    return 3 - seat


class Reason(StrEnum):
    """The reason why a game ended. Other variants may use other words in an Outcome."""

    NO_MOVES = "no-moves"
    GOAL = "goal"
    SHUT_OUT = "shut-out"
    REPETITION = "repetition"
    MOVE_LIMIT = "move-limit"
    RESIGN = "resign"
    ILLEGAL_MOVE = "illegal-move"
    TIMEOUT = "timeout"
    CRASH = "crash"
    PROTOCOL = "protocol"
    START = "start"
    MEMORY = "memory"


_SENTENCES: dict[str, str] = {
    Reason.NO_MOVES: "{loser} has no valid move",
    Reason.GOAL: "{winner} reached the goal",
    Reason.SHUT_OUT: "{loser} shut both players out of their goals",
    Reason.REPETITION: "{loser} made the same position occur for the third time",
    Reason.MOVE_LIMIT: "no player won within the move limit, so {loser} loses",
    Reason.RESIGN: "{loser} resigned",
    Reason.ILLEGAL_MOVE: "{loser} answered with an illegal move",
    Reason.TIMEOUT: "{loser} ran out of time",
    Reason.CRASH: "{loser} crashed",
    Reason.PROTOCOL: "{loser} broke the protocol",
    Reason.START: "{loser} could not start",
    Reason.MEMORY: "{loser} went over its memory limit",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A score for seat 1 and seat 2, and the reason."""

    score: tuple[float, float]
    reason: str

    @property
    def winner(self) -> Seat | None:
        """The seat with the higher score; None if the scores are equal."""
        first, second = self.score
        return None if first == second else 1 if first > second else 2

    def result(self, seat: Seat) -> str:
        """Return the result for a seat: `win`, `loss` or `draw`."""
        own, opponent = self.score[seat - 1], self.score[2 - seat]
        if own == opponent:
            return "draw" if own else "loss"  # 0-0: neither player could start
        return "win" if own > opponent else "loss"

    def why(self, names: tuple[str, str]) -> str:
        """Describe the reason, with the names of the players in seats 1 and 2."""
        if self.winner is None or self.reason not in _SENTENCES:
            return self.reason
        winner, loser = names[self.winner - 1], names[other(self.winner) - 1]
        return _SENTENCES[self.reason].format(winner=winner, loser=loser)

    def sentence(self, names: tuple[str, str]) -> str:
        """Format the winner and the reason as one sentence without a full stop."""
        if self.winner is None:
            return f"{'a draw' if sum(self.score) else 'both lose'}: {self.reason}"
        return f"{names[self.winner - 1]} wins: {self.why(names)}"


@lru_cache(maxsize=100)
def win(seat: Seat, reason: str) -> Outcome:
    """Return the outcome 1-0 or 0-1 in favour of a seat."""
    return Outcome((1, 0) if seat == 1 else (0, 1), reason)


Score = tuple[float, float]
BOTH_LOST: Score = (0.0, 0.0)
HALF_POINTS: dict[Score, int] = {(0.0, 1.0): 0, (0.5, 0.5): 1, (1.0, 0.0): 2, BOTH_LOST: 3}
"""A code for each score: the half points of seat 1, or 3 if both lost."""
