"""PlayedGame: the result of one game, from which its record is written."""

from collections.abc import Sequence
from typing import NamedTuple

from referee.outcome import Outcome
from referee.protocol.faults import Fault
from referee.protocol.transcript import Transcript


class PlayedGame(NamedTuple):
    """A finished game."""

    outcome: Outcome
    moves_text: str
    """The moves, joined by `;`."""
    ms: Sequence[float | None]
    """The time of each ply in milliseconds; None for the moves of the opening."""
    faults: tuple[Fault, ...]
    """Empty, one fault, or two if neither bot could start."""
    transcript: Transcript
    startup_ms: tuple[float | None, float | None]
    """How long each new process took until `ready`; None for a process that was used before."""
    latency_ms: tuple[float, float]
    """Mean and maximum of the time that the referee took between an answer and the next request."""
    off_turn_ms: tuple[float, float] = (0.0, 0.0)
    """Processor time that each bot was seen to use while its opponent was to move."""

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves, opening included."""
        return tuple(self.moves_text.split(";")) if self.moves_text else ()
