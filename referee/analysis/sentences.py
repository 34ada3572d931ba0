"""Sentences about analysed positions. Pure."""

from collections.abc import Sequence

from referee.analysis.game_analysis import PlyAnalysis
from referee.analysis.verdict import Value

ERROR = "??"
"""Mark of a move that gives a win away."""
MAX_LISTED = 8
"""Moves that a sentence lists."""


def position_sentence(ply: PlyAnalysis, mover: str) -> str:
    """Describe who wins: `mirror to move: 4 of 9 moves keep the win: 3,1 4,1 4,2 5,2`."""
    return f"{mover} to move: {_verdict(ply)}"


def _verdict(ply: PlyAnalysis) -> str:
    if ply.value is Value.UNPROVED:
        return "who wins is unproved"
    if ply.value is Value.DRAWN:
        return "a draw with perfect play"
    if ply.value is Value.LOST:
        return "lost against perfect play, whatever it plays"
    wins, legal = len(ply.winning), ply.legal
    if wins == legal:
        return "its only move wins" if legal == 1 else f"all {legal} moves keep the win"
    verb = "keeps" if wins == 1 else "keep"
    unproved = len(ply.unproved)
    rest = f", {unproved} {'is' if unproved == 1 else 'are'} unproved" if unproved else ""
    return f"{wins} of {legal} moves {verb} the win{rest}: {list_moves(ply.winning)}"


def list_moves(moves: Sequence[str]) -> str:
    """Join the first moves of a list by spaces; an ellipsis replaces the others."""
    return " ".join([*moves[:MAX_LISTED], *(["…"] if len(moves) > MAX_LISTED else [])])
