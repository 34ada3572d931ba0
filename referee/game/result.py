"""The result of one game, before it becomes a record."""

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
    """Thinking time of each ply; None for the opening."""
    faults: tuple[Fault, ...]
    """None, one, or two where neither bot could start."""
    transcript: Transcript
    startup_ms: tuple[float | None, float | None]
    """How long each bot took to be ready, if its process was new."""
    latency_ms: tuple[float, float]
    """The referee's own time before each question: mean and longest."""
    off_turn_ms: tuple[float, float] = (0.0, 0.0)
    """Processor time that each bot was seen to take while it was not asked."""

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(self.moves_text.split(";")) if self.moves_text else ()
