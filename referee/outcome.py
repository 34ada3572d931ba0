"""How a game ended: the vocabulary that everything else shares."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

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
    Reason.MOVE_LIMIT: "nobody won within the move limit, which {loser} loses",
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
        """The seat that scored more, or None where nobody did."""
        first, second = self.score
        return None if first == second else 1 if first > second else 2

    def result(self, seat: Seat) -> str:
        """How it went for that seat: `win`, `loss` or `draw`."""
        mine, others = self.score[seat - 1], self.score[2 - seat]
        if mine == others:
            return "draw" if mine else "loss"
        return "win" if mine > others else "loss"

    def why(self, names: tuple[str, str]) -> str:
        """The reason in words, with the players called by these names."""
        if self.winner is None or self.reason not in _SENTENCES:
            return self.reason
        winner, loser = names[self.winner - 1], names[other(self.winner) - 1]
        return _SENTENCES[self.reason].format(winner=winner, loser=loser)

    def sentence(self, names: tuple[str, str]) -> str:
        """Who won and why."""
        if self.winner is None:
            return f"{'a draw' if sum(self.score) else 'both lose'}: {self.reason}"
        return f"{names[self.winner - 1]} wins: {self.why(names)}"


@lru_cache(maxsize=100)
def win(seat: Seat, reason: str) -> Outcome:
    """That seat won."""
    return Outcome((1, 0) if seat == 1 else (0, 1), reason)


Score = tuple[float, float]
BOTH_LOST: Score = (0.0, 0.0)
HALF_POINTS: dict[Score, int] = {(0.0, 1.0): 0, (0.5, 0.5): 1, (1.0, 0.0): 2, BOTH_LOST: 3}
